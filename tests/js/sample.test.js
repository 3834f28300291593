// The tampered sample: one score changed, within its range, and everything else as it was.

import assert from "node:assert/strict";
import { test } from "node:test";

import { tampered } from "../../theme/verify/sample.js";

const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
const read = (made) => JSON.parse(new TextDecoder().decode(made?.bytes));

test("one score is changed, the one that leaderboards rank by where it is there", () => {
  const receipt = { receiptId: "a", scores: { mrr_at_10: 0.5, ndcg_at_10: 0.5 }, zone: [1] };
  const made = tampered(bytes(receipt));
  assert.deepEqual(read(made), { ...receipt, scores: { mrr_at_10: 0.5, ndcg_at_10: 0.55 } });
  assert.equal(made?.change, "scores.ndcg_at_10 changed from 0.5 to 0.55");
});

test("a score stays within its range", () => {
  for (const [value, changed] of [[0, 0.1], [1, 0.9], [0.95, 0.855], [20, 22], [100, 90]]) {
    assert.equal(read(tampered(bytes({ scores: { composite_score: value } }))).scores.composite_score, changed);
  }
});

test("without a score there is no tampered copy", () => {
  for (const none of [null, [], {}, { scores: null }, { scores: {} }, { scores: { a: null } }]) {
    assert.equal(tampered(bytes(none)), null);
  }
});
