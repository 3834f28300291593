// Answers for test_rescore_parity.py: one JSON question a line in, one JSON answer a line out.

import { createInterface } from "node:readline";

import { Unsupported } from "../../theme/verify/digest.js";
import { DISCOUNTS } from "../../theme/verify/discounts.js";
import { readReceipt, signedBytes } from "../../theme/verify/envelope.js";
import { Fault } from "../../theme/verify/fault.js";
import { JsonError } from "../../theme/verify/json.js";
import { shown } from "../../theme/verify/numerals.js";
import { fsum, wilson } from "../../theme/verify/stats.js";
import { TRACKS } from "../../theme/verify/tracks.js";

function judge(text) {
  try {
    const receipt = readReceipt(new TextEncoder().encode(text));
    const track = TRACKS.get(receipt.document.track ?? "retrieval");
    if (!track) return { outcome: "unsupported", message: "track" };
    track.check(receipt.document);
    const read = { schema: receipt.schema, isCanonical: receipt.isCanonical, signed: signedBytes(receipt).length };
    return { outcome: "judged", ...read, target: track.target(receipt.document), ...track.judge(receipt.document) };
  } catch (error) {
    if (error instanceof Fault) return { outcome: "invalid", field: error.field };
    if (error instanceof JsonError) return { outcome: "invalid", message: error.message };
    if (error instanceof Unsupported) return { outcome: "unsupported", message: error.message };
    throw error;
  }
}

const ANSWERS = {
  judge,
  fsum,
  shown: (values) => values.map(shown),
  wilson: (pairs) => pairs.map(([successes, n]) => wilson(successes, n)),
  discounts: () => DISCOUNTS,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [question, given] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(ANSWERS[question](given))}\n`);
}
