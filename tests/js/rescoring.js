// Answers for test_rescore_parity.py: one JSON question a line in, one JSON answer a line out.

import { createInterface } from "node:readline";

import { linearKappa, ordinalAlpha } from "../../theme/verify/agreement.js";
import { Unsupported } from "../../theme/verify/digest.js";
import { readReceipt, signedBytes } from "../../theme/verify/envelope.js";
import { Fault } from "../../theme/verify/fault.js";
import { JsonError } from "../../theme/verify/json.js";
import { shown } from "../../theme/verify/numerals.js";
import { Rational } from "../../theme/verify/rational.js";
import { alike, inCalendar } from "../../theme/verify/rubric-likeness.js";
import { isBlank } from "../../theme/verify/unseen.js";
import { scoreSheet } from "../../theme/verify/rubric-scoring.js";
import { rulesOf } from "./packaged-rules.js";
import { fsum, wilson } from "../../theme/verify/stats.js";
import { tInterval } from "../../theme/verify/student.js";
import { DISCOUNTS, T_975 } from "../../theme/verify/tables.js";
import { materials } from "../../theme/verify/materials.js";
import { rescored } from "../../theme/verify/rescore.js";

async function judge(text) {
  try {
    const receipt = readReceipt(new TextEncoder().encode(text));
    const { target, lacking, judgement } = await rescored(receipt, materials());
    if (lacking !== null) return { outcome: "unsupported", message: `numbers not checked: ${lacking.why}` };
    const read = { schema: receipt.schema, isCanonical: receipt.isCanonical, signed: signedBytes(receipt).length };
    return { outcome: "judged", ...read, target, ...judgement };
  } catch (error) {
    if (error instanceof Fault) return { outcome: "invalid", field: error.field };
    if (error instanceof JsonError) return { outcome: "invalid", message: error.message };
    if (error instanceof Unsupported) return { outcome: "unsupported", message: error.message };
    throw error;
  }
}

const fraction = (written) => new Rational(...written.split("/").map(BigInt));

/** What one sheet comes to, as texts; null where something is missing. */
function sheet({ version, sheet: given }) {
  const { dimensions, scenarios, ...rest } = scoreSheet(given, rulesOf(version));
  const all = { ...Object.fromEntries([...dimensions, ...scenarios]), ...rest };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value && value.text()]));
}

const ANSWERS = {
  judge,
  alike: (texts) => texts.map(alike),
  blank: (texts) => texts.map(isBlank),
  calendar: (dates) => dates.filter(inCalendar),
  fsum,
  shown: (values) => values.map(shown),
  wilson: (pairs) => pairs.map(([successes, n]) => wilson(successes, n)),
  discounts: () => DISCOUNTS,
  doubles: (fractions) => fractions.map((written) => fraction(written).toDouble()),
  hundredths: (fractions) => fractions.map((written) => fraction(written).hundredths()),
  texts: (pairs) => pairs.map(([num, den]) => new Rational(BigInt(num), BigInt(den)).text()),
  quantiles: () => T_975,
  tInterval: (values) => tInterval(values.map(fraction)),
  alpha: (units) => ordinalAlpha(units)?.text() ?? null,
  kappa: (pairs) => linearKappa(pairs)?.text() ?? null,
  rules: (versions) => Object.fromEntries(versions.map((version) => [version, rulesOf(version)])),
  sheet,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [question, given] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await ANSWERS[question](given))}\n`);
}
