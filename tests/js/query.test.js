// The page of one query of a large dataset: the query that an address names, and systems by their ranks.

import assert from "node:assert/strict";
import { test } from "node:test";

const { asked, groups } = await import("../../theme/assets/js/query.js");

const system = { receiptId: "1", path: "", version: "1", label: "", sent: "", baseline: false, value: 0, low: null, high: null, once: true, settings: {} };
/** @type {any} */
const data = {
  track: "retrieval",
  metrics: [{ key: "ndcg_at_10", label: "nDCG@10", digits: 3, percent: false }],
  items: { id: ["conv-26/qa0", "x"], categories: [{ name: "", items: 2 }], shared: [[1, 1], [1]] },
  systems: [
    { ...system, name: "late", own: [[0, 10], [1]] },
    { ...system, name: "first", own: [[1, 2], [0]] },
    { ...system, name: "also first", own: [[1, 2], null] },
  ],
};

test("systems with the same ranks are one line, the best one first", () => {
  const found = groups(data, 0);
  // Rank 10 of two relevant: (1 / log2 11) / (1 + 1 / log2 3) = 0.28906 / 1.63093.
  assert.deepEqual(found.map(({ systems, ranks }) => [systems.map(({ name }) => name), ranks]), [[["first", "also first"], [1, 2]], [["late"], [0, 10]]]);
  assert.equal(found[0]?.value, 1);
  assert.equal(found[1]?.value?.toFixed(4), "0.1772");
  assert.deepEqual(groups(data, 1).map(({ systems }) => systems.map(({ name }) => name)), [["late"], ["first"]]);
});

test("an address names a query by its id; without one it is the first", () => {
  assert.equal(asked(data, new URLSearchParams("id=x")), 1);
  assert.equal(asked(data, new URLSearchParams(`id=${encodeURIComponent("conv-26/qa0")}`)), 0);
  assert.equal(asked(data, new URLSearchParams("")), 0);
  for (const hostile of ["<img src=x>", "__proto__", "constructor", "x".repeat(10_000), ""]) {
    assert.equal(asked(data, new URLSearchParams({ id: hostile })), -1);
  }
});
