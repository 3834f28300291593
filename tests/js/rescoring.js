// Answers for test_rescore_parity.py: one JSON question a line in, one JSON answer a line out.

import { createInterface } from "node:readline";

import { binnedError } from "../../theme/verify/agents-answers.js";
import { passAtK, passHatK, p95, variance } from "../../theme/verify/agents-descriptor.js";
import { calibration, consistency } from "../../theme/verify/agents-reliability.js";
import { furtherLevels } from "../../theme/verify/agents-columns.js";
import { linearKappa, ordinalAlpha } from "../../theme/verify/agreement.js";
import { Unsupported } from "../../theme/verify/digest.js";
import { readReceipt, signedBytes } from "../../theme/verify/envelope.js";
import { examine } from "../../theme/verify/examine.js";
import { Fault } from "../../theme/verify/fault.js";
import { JsonError } from "../../theme/verify/json.js";
import { repr, shown } from "../../theme/verify/numerals.js";
import { log2 } from "../../theme/verify/logarithm.js";
import { Rational } from "../../theme/verify/rational.js";
import { normalized, isValidDate } from "../../theme/verify/rubric-normalization.js";
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
    const { target, lacking, rescoring } = await rescored(receipt, materials());
    if (lacking !== null) return { outcome: "unsupported", message: `numbers not checked: ${lacking.why}` };
    const read = { schema: receipt.schema, isCanonical: receipt.isCanonical, signed: signedBytes(receipt).length };
    // Python's further steps are taken by a deep re-score alone: see `columns`.
    const { further: _further, ...found } = rescoring;
    return { outcome: "judged", ...read, target, omitted: 0, ...found };
  } catch (error) {
    if (error instanceof Fault) return { outcome: "invalid", field: error.field, message: error.message };
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

/** The further levels of an agents receipt, of evidence in base64 by its digest. */
function columns({ document, held }) {
  return furtherLevels(document, async (sha256) => (Object.hasOwn(held, sha256) ? new Uint8Array(Buffer.from(held[sha256], "base64")) : null));
}

/** The steps of a signed receipt that was given without its log; what a page shows beside them is left out. */
async function steps({ receipt, key, given }) {
  const [bytes, publicKey, ...beside] = [receipt, key, ...given].map((text) => new Uint8Array(Buffer.from(text, "base64")));
  const found = await examine(bytes, async () => null, publicKey, null, materials({ given: beside }));
  return found.steps;
}

const ANSWERS = {
  judge,
  alike: (texts) => texts.map(normalized),
  blank: (texts) => texts.map(isBlank),
  columns,
  passes: (counts) => counts.map(([n, c, k]) => [passAtK(n, c, k), passHatK(n, c, k)]),
  percentiles: (lists) => lists.map(p95),
  variances: (lists) => lists.map(variance),
  logarithms: (values) => values.map(log2),
  consistencies: (tasks) => tasks.map(consistency),
  binnedErrors: (lists) => lists.map((stated) => binnedError(stated.map(([value, success]) => ({ value, success })))),
  calibrations: (lists) => lists.map((stated) => calibration(stated.map(([value, success]) => ({ value, success })))),
  reprs: (values) => values.map(repr),
  calendar: (dates) => dates.filter(isValidDate),
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
  steps,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [question, given] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await ANSWERS[question](given))}\n`);
}
