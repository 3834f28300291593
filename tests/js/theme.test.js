// The pure parts of the theme's modules, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { body: { dataset: {} }, getElementById: () => null, querySelector: () => null, querySelectorAll: () => [], addEventListener: () => {} };
globalThis.location = { href: "http://bench.invalid/", protocol: "http:" };

const modules = "../../theme/assets/js/";
const { compare, sortKey } = await import(`${modules}board.js`);
const { pagesOf } = await import(`${modules}table.js`);
const { outcome, returned } = await import(`${modules}queries.js`);
const { entriesOf, measured, valuesOf } = await import(`${modules}receipts.js`);
const { copied, readCheckpoint } = await import(`${modules}page.js`);

test("a cell sorts by its number, else by its text, and blanks are null", () => {
  assert.equal(sortKey(" 1,050 / 1,536 "), 1050);
  assert.equal(sortKey("0.482"), 0.482);
  assert.equal(sortKey("−0.043"), -0.043);
  assert.equal(sortKey("+0.023"), 0.023);
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
  assert.deepEqual([0, 1, 100, 101].map((count) => pagesOf(count)), [1, 1, 1, 2]);
});

test("a query's outcome is a rank or the reason why there is none", () => {
  const base = { queryId: "q", retrieved: ["a"], rank: null, expected: [{ id: "b", grade: 1 }] };
  assert.equal(outcome({ ...base, rank: 3 }, 10), "3");
  assert.equal(outcome(base, 10), "not in top 10");
  assert.equal(outcome({ ...base, error: "timeout" }, 10), "failed");
  assert.equal(outcome({ ...base, expected: [{ id: "b", grade: 0 }] }, 10), "excluded");
  assert.equal(outcome({ ...base, answerable: false }, 10), "unanswerable (answered)");
  assert.equal(outcome({ ...base, answerable: false, retrieved: [] }, 10), "unanswerable (abstained)");
});

test("relevant ids are marked among those returned, each once", () => {
  const row = { queryId: "q", retrieved: ["x", "b", "x"], rank: 2, expected: [{ id: "b", grade: 1 }, { id: "x", grade: 0 }] };
  assert.equal(returned(row), "x, ✓ b");
  assert.equal(returned({ ...row, retrieved: [] }), "–");
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

test("a console session is copied as its commands, any other block whole", () => {
  assert.equal(copied("$ benchsite verify x\nVALID\n$ benchsite rescore x\n"), "benchsite verify x\nbenchsite rescore x\n");
  assert.equal(copied("$ cat > a <<'END'\n$ x\n\nEND\nout\n$ ls\n"), "cat > a <<'END'\n$ x\n\nEND\nls\n");
  assert.equal(copied("site_url: x\n"), "site_url: x\n");
});

test("a measure is written and named as the served rows have it", () => {
  const metrics = {
    "rubric composite_score": ["Composite", 2],
    "retrieval ndcg_at_10": ["nDCG@10", 3, false],
    "agents success": ["Success", 3, true],
  };
  const shown = (/** @type {object} */ entry) => measured(/** @type {any} */ (entry), /** @type {any} */ (metrics));
  const blank = { low: null, high: null };
  assert.deepEqual(shown({ track: "rubric", metric: "composite_score", value: 66.8, ...blank }), { label: "Composite", value: "66.80", interval: "–" });
  assert.deepEqual(
    shown({ track: "retrieval", metric: "ndcg_at_10", value: 0.4823, low: 0.4, high: 0.5 }),
    { label: "nDCG@10", value: "0.482", interval: "[0.400, 0.500]" },
  );
  assert.deepEqual(
    shown({ track: "agents", metric: "success", value: 294 / 690, low: 0.39, high: 0.463 }),
    { label: "Success", value: "42.6%", interval: "[39.0%, 46.3%]" },
  );
  assert.deepEqual(shown({ track: "", metric: "", value: null, ...blank }), { label: "–", value: "–", interval: "–" });
});

test("a receipt is filtered by the month of its run; one that states no date has none", () => {
  const values = valuesOf({ track: "retrieval", verdict: "LOGGED", ranAt: "2026-11-05T00:00:00Z" });
  assert.deepEqual(values, { track: ["retrieval"], verdict: ["logged"], month: ["2026-11"] });
  assert.deepEqual(valuesOf({ track: "retrieval", verdict: "LOGGED", ranAt: "" }).month, []);
});
