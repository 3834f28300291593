// The pure parts of the theme's modules, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { body: { dataset: {} }, getElementById: () => null, querySelectorAll: () => [] };
globalThis.location = { href: "http://bench.invalid/", protocol: "http:" };

const modules = "../../theme/assets/js/";
const { compare, sortKey } = await import(`${modules}board.js`);
const { pagesOf } = await import(`${modules}table.js`);
const { outcome } = await import(`${modules}queries.js`);
const { entriesOf, measured } = await import(`${modules}receipts.js`);
const { readCheckpoint } = await import(`${modules}page.js`);

test("a cell sorts by its number, else by its text, and blanks are null", () => {
  assert.equal(sortKey(" 1,050 / 1,536 "), 1050);
  assert.equal(sortKey("0.482"), 0.482);
  assert.equal(sortKey("2–4"), 2);
  assert.equal(sortKey("Tantivy"), "tantivy");
  assert.equal(sortKey("–"), null);
  assert.equal(sortKey(""), null);
});

test("blanks stay last in both directions", () => {
  assert.deepEqual([3, null, 1].sort((a, b) => compare(a, b, false)), [1, 3, null]);
  assert.deepEqual([3, null, 1].sort((a, b) => compare(a, b, true)), [3, 1, null]);
});

test("a list has at least one page and the last may be short", () => {
  assert.deepEqual([0, 1, 100, 101].map(pagesOf), [1, 1, 1, 2]);
});

test("what became of a question has one word", () => {
  const base = { queryId: "q", retrieved: ["a"], rank: null, expected: [{ id: "b", grade: 1 }] };
  assert.equal(outcome({ ...base, rank: 3 }), "3");
  assert.equal(outcome(base), "missed");
  assert.equal(outcome({ ...base, error: "timeout" }), "failed");
  assert.equal(outcome({ ...base, expected: [{ id: "b", grade: 0 }] }), "apart");
  assert.equal(outcome({ ...base, expected: [], retrieved: [] }), "silent");
});

test("columns become entries, newest first", () => {
  const index = { count: 2, columns: { receiptId: ["a", "b"], value: [0.1, null] } };
  assert.deepEqual(entriesOf(index), [{ receiptId: "b", value: null }, { receiptId: "a", value: 0.1 }]);
});

test("a checkpoint is read from its first three lines, and nothing else is one", () => {
  assert.deepEqual(readCheckpoint("o/log\n70\nr3mg=\n\n— o sig\n"), { origin: "o/log", size: 70, root: "r3mg=" });
  assert.equal(readCheckpoint("o/log\n070\nr3mg=\n"), null);
  assert.equal(readCheckpoint("<html>"), null);
});

test("a measure is written and named as the served rows have it", () => {
  const metrics = { "rubric composite_score": ["Composite", 2], "retrieval ndcg_at_10": ["nDCG@10", 3] };
  const shown = (/** @type {object} */ entry) => measured(/** @type {any} */ (entry), /** @type {any} */ (metrics));
  const blank = { low: null, high: null };
  assert.deepEqual(shown({ track: "rubric", metric: "composite_score", value: 66.8, ...blank }), { label: "Composite", value: "66.80", interval: "–" });
  assert.deepEqual(
    shown({ track: "retrieval", metric: "ndcg_at_10", value: 0.4823, low: 0.4, high: 0.5 }),
    { label: "nDCG@10", value: "0.482", interval: "0.400–0.500" },
  );
  assert.deepEqual(shown({ track: "", metric: "", value: null, ...blank }), { label: "–", value: "–", interval: "–" });
});
