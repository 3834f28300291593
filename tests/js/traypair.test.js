// Pairs of rows beyond the twelve best, compared in the tray from per-query.json: numbers by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

const { answerOf } = await import("../../theme/assets/js/traypair.js");
const { words } = await import("../../theme/assets/js/board-tray.js");
const { headOf } = await import("../../theme/assets/js/compare.js");

const system = { path: "", version: "1", label: "", sent: "", baseline: false, value: 0, low: null, high: null, once: true, settings: {} };
/** @type {any} */
const data = {
  track: "retrieval",
  metrics: [
    { key: "success_at_10", label: "Success", digits: 3, percent: true },
    { key: "ndcg_at_10", label: "nDCG@10", digits: 3, percent: false },
  ],
  test: { seed: "7", flips: 10_000, level: 0.05 },
  items: { id: ["a", "b", "c", "d"], categories: [{ name: "near_by", items: 3 }, { name: "far", items: 1 }], shared: [[1], [1], [1], [1]] },
  systems: [
    { ...system, receiptId: "x", name: "one", own: [[1], [1], [1], [0]] },
    { ...system, receiptId: "y", name: "two", own: [[0], [0], [1], [0]] },
    { ...system, receiptId: "z", name: "other", own: [[0], [0], [1], null] },
  ],
};

test("a pair is answered as the leaderboard answers those it knows", () => {
  const found = answerOf(data, "x", "y");
  assert.ok(found);
  // Success 3 of 4 against 1 of 4. McNemar: two wins, no loss: 2 × 0.5².
  assert.deepEqual([found.shown.delta, found.p, found.tied], ["+50.0 pt", 0.5, true]);
  assert.deepEqual([found.wins, found.losses, found.ties], [2, 0, 2]);
  assert.deepEqual(found.category, { label: "near by", first: "100.0%", second: "33.3%" });
  assert.match(words(found)[0], /^\+50\.0 pt, 95% CI \[.*\], unadjusted p = 0\.500, n\.s\.$/);
});

test("systems that ran other items, and those that the file lacks, have no answer", () => {
  assert.equal(answerOf(data, "x", "z"), null);
  assert.equal(answerOf(data, "x", "gone"), null);
  assert.equal(answerOf(data, "__proto__", "constructor"), null);
});

test("without a paired test the CIs are compared", () => {
  const systems = [
    { ...system, receiptId: "x", value: 80, low: 70, high: 90, values: [4, 5, 3, 4] },
    { ...system, receiptId: "y", value: 60, low: 50, high: 65, values: [4, 4, 3, 4] },
  ];
  const metrics = [{ key: "composite_score", label: "Composite", digits: 2, percent: false }];
  const found = answerOf({ ...data, track: "rubric", test: null, metrics, systems }, "x", "y");
  assert.ok(found);
  assert.deepEqual([found.shown.delta, found.p, found.tied, found.wins], ["+20.00", null, false, 1]);
  assert.match(words(found)[0], /95% CIs do not overlap/);
});

test("the head of a column says version and options once", () => {
  assert.equal(headOf({ ...data.systems[0], label: "k=5" }), "one\n1 · k=5");
});
