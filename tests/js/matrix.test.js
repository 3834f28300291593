// The pure parts of the picture of items by systems: places, filters and selections, by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

const { between, chosen, kept, place, placed, said, solvers, titleOf } = await import("../../theme/assets/js/matrix.js");
const { nearest } = await import("../../theme/assets/js/matrix-brush.js");

const data = {
  items: { id: ["b", "d", "c", "a"], categories: [{ name: "far", items: 3 }, { name: "near", items: 1 }] },
  kinds: [{ key: "a", words: "all", tone: "good", solved: true }, { key: "d", words: "0", tone: "plain", solved: false }],
  step: 1,
  gap: 1,
  systems: [
    { receiptId: "1", name: "first", version: "1", label: "", baseline: false, cells: "aada" },
    { receiptId: "2", name: "second", version: "1", label: "", baseline: false, cells: "dd-a" },
    { receiptId: "3", name: "guess", version: "1", label: "", baseline: true, cells: "ddad" },
  ],
};

test("items are placed as the picture draws them, with a gap between categories", () => {
  assert.deepEqual(placed(data), {
    columns: [{ item: 0, x: 0 }, { item: 1, x: 1 }, { item: 2, x: 2 }, { item: 3, x: 4 }],
    width: 5,
  });
  // Every second item of all: 0 and 2 of the first category, and none of the second.
  assert.deepEqual(placed({ ...data, step: 2 }).columns, [{ item: 0, x: 0 }, { item: 2, x: 1 }]);
});

test("an item is counted if every system that is no baseline ran it", () => {
  assert.deepEqual(solvers(data), [1, 1, null, 2]);
});

test("filters keep what none, one and all solve, and what one of two solves", () => {
  const [first, second, guess] = data.systems;
  const found = kept(data, first, second);
  assert.deepEqual(found.none, [false, false, false, false]);
  assert.deepEqual(found.one, [true, true, false, false]);
  assert.deepEqual(found.all, [false, false, false, true]);
  // The second did not run c.
  assert.deepEqual(found.differ, [true, true, false, false]);
  assert.deepEqual(kept(data, first, guess).differ, [true, true, true, true]);
  assert.deepEqual(kept(data, first, undefined).differ, [false, false, false, false]);
});

test("a place is read from the address if it is one", () => {
  assert.equal(place("2", 4, 0), 2);
  for (const text of [null, "", "4", "-1", "1e1", "0x1", "999999999999", "<b>"]) assert.equal(place(text, 4, 3), 3);
});

test("a selection holds the items between two drawn ones", () => {
  const { columns } = placed({ ...data, items: { id: [], categories: [{ name: "", items: 10 }] }, step: 3 });
  assert.deepEqual(columns.map(({ item }) => item), [0, 3, 6, 9]);
  assert.deepEqual(between(columns, 1, 2, 10), [3, 9]);
  assert.deepEqual(between(columns, 0, 3, 10), [0, 10]);
});

test("the nearest column is the last one that starts before the pointer", () => {
  const { columns } = placed(data);
  assert.deepEqual([-3, 0.5, 2.9, 3.5, 4.2, 99].map((x) => nearest(columns, x)), [0, 0, 2, 2, 3, 3]);
});

test("two systems are chosen, never the same one twice", () => {
  assert.deepEqual(chosen([-1, -1]), [0, 1]);
  assert.deepEqual(chosen([-1, 0]), [1, 0]);
  assert.deepEqual(chosen([0, -1]), [0, 1]);
  assert.deepEqual(chosen([2, -1]), [2, 0]);
  assert.deepEqual(chosen([2, 1]), [2, 1]);
});

test("the selection is said in a sentence", () => {
  assert.equal(said([0, 1, 3], [0, 1, null, 2], "queries"), "3 queries selected: 1 solved by none, 1 by exactly one.");
  assert.equal(said([0], [1], "criteria", "met"), "1 criterion selected: 0 met by none, 1 by exactly one.");
  assert.equal(said([0], [0], "tasks"), "1 task selected: 1 solved by none, 0 by exactly one.");
});

test("a system is named with its configuration", () => {
  assert.equal(titleOf({ name: "store", label: "search hybrid" }), "store (search hybrid)");
  assert.equal(titleOf({ name: "store", label: "" }), "store");
});
