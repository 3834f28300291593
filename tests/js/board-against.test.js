// The columns of a leaderboard by another metric: numbers by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

const { compared } = await import("../../theme/assets/js/board-against.js");

const system = { path: "", version: "1", label: "", sent: "", baseline: false, value: 0, low: null, high: null, once: false, settings: {} };
/** @type {any} */
const data = {
  track: "retrieval",
  metrics: [
    { key: "ndcg_at_10", label: "nDCG@10", digits: 3, percent: false },
    { key: "success_at_10", label: "Success", digits: 3, percent: false },
  ],
  test: { seed: "7", flips: 10_000, level: 0.05 },
  items: { id: ["a", "b", "c", "d", "e", "f", "g"], categories: [{ name: "near", items: 6 }, { name: "far", items: 1 }], shared: Array(7).fill([1]) },
  systems: [
    // Finds the item of each query, always last.
    { ...system, receiptId: "late", name: "one", own: Array(7).fill([10]) },
    // Finds one, first.
    { ...system, receiptId: "first", name: "two", own: [[0], [0], [0], [0], [0], [0], [1]] },
    { ...system, receiptId: "other", name: "three", own: [[1], null, [1], [1], [1], [1], [1]] },
  ],
};
const asked = { key: "success_at_10", category: "", isCost: false, percent: true, label: "Hit rate@10" };

/** @param {Partial<typeof asked>} [changed] @param {string} [reference] @param {any} [file] */
async function found(changed = {}, reference = "first", file = data) {
  /** @type {Record<string, any>} */
  const made = {};
  for await (const [id, one] of compared(file, ["late", "first", "other", "gone"], reference, { ...asked, ...changed })) made[id] = one;
  return made;
}

test("each row is tested by the metric that is asked for, not by the headline", async () => {
  // Six wins, no loss: McNemar, 2 ÷ 2^6.
  assert.deepEqual(await found(), { late: { delta: "+85.7 pt", p: "p = 0.031", tied: false, isBetter: true }, other: null });
});

test("a category has its own items", async () => {
  assert.deepEqual((await found({ category: "far" }))["late"], { delta: "+0.0 pt", p: "p = 1.000", tied: true, isBetter: false });
  assert.deepEqual((await found({ category: "near" }))["late"].delta, "+100.0 pt");
  assert.deepEqual(await found({ category: "__proto__" }), {});
});

test("less is better of a cost", async () => {
  assert.equal((await found({ isCost: true }))["late"].isBetter, false);
});

test("nothing is tested without values, without the reference, and on tracks without a test", async () => {
  assert.deepEqual(await found({ key: "latency_p95_ms" }), {});
  assert.deepEqual(await found({}, "gone"), {});
  assert.deepEqual(await found({}, "first", { ...data, test: null }), {});
});
