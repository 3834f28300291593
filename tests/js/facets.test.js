// The pure parts of the filters of tables.

import assert from "node:assert/strict";
import { test } from "node:test";

const { has, valuesOf } = await import("../../theme/assets/js/facets.js");

test("a row stays where it has every chosen value, and an empty choice keeps all", () => {
  const row = { type: ["ranked"], rated: ["human-rated", "model-rated"] };
  assert.equal(has(row, {}), true);
  assert.equal(has(row, { type: "", rated: "" }), true);
  assert.equal(has(row, { type: "ranked", rated: "human-rated" }), true);
  assert.equal(has(row, { type: "baseline", rated: "human-rated" }), false);
});

test("a value is matched whole, and a row that says nothing has none", () => {
  assert.equal(has({ kind: ["key receipt"] }, { kind: "receipt" }), false);
  assert.equal(has({}, { kind: "receipt" }), false);
});

test("every value is offered once, in order, also one that a prototype has", () => {
  assert.deepEqual(valuesOf([{ by: ["b", "a"] }, {}, { by: ["a", "toString"] }], "by"), ["a", "b", "toString"]);
});
