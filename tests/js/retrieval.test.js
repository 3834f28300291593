// Retrieval: the hand-worked document and each edit of it, as tests/tracks/retrieval/test_invariants.py reads them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const { RETRIEVAL } = await import("../../theme/verify/rescore-retrieval.js");
const { demand } = await import("../../theme/verify/shape.js");
const { CONFIG, PAYLOAD } = await import("../../theme/verify/shapes-retrieval.js");
const { score, readQuery } = await import("../../theme/verify/retrieval-scoring.js");
const { TRACKS } = await import("../../theme/verify/tracks.js");

const vector = (name) =>
  JSON.parse(readFileSync(new URL(`../vectors/retrieval/${name}.json`, import.meta.url), "utf8"));
const worked = () => vector("worked").document;

function place(document, pointer) {
  const steps = pointer.slice(1).split("/");
  const last = steps.pop();
  return [steps.reduce((holder, step) => holder[step], document), last];
}

function edited({ set, remove }) {
  const document = worked();
  for (const [pointer, value] of Object.entries(set)) {
    const [holder, key] = place(document, pointer);
    holder[key] = value;
  }
  for (const pointer of remove) {
    const [holder, key] = place(document, pointer);
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }
  return document;
}

test("the worked document comes out again", () => {
  const found = RETRIEVAL.rescore(worked());
  assert.deepEqual([found.rescore, found.differences, found.violations], ["MATCHES", [], []]);
});

for (const entry of vector("invariants").cases) {
  test(`edit: ${entry.name}`, () => {
    const document = edited(entry);
    const { config, ...body } = document;
    demand(PAYLOAD, body);
    demand(CONFIG, config);
    const { differences, violations } = RETRIEVAL.rescore(document);
    // Python states a difference as a violation too; here it stands among the differences only.
    const codes = [...violations.map(({ code }) => code), ...(differences.length > 0 ? ["score-differs"] : [])];
    assert.deepEqual([...new Set(codes)].sort(), entry.codes);
    for (const { message, field } of violations) assert.ok(message.endsWith(".") && field !== "");
  });
}

test("a difference names the field and both values", () => {
  const document = worked();
  document.scores.ndcg_at_3 = 0.5;
  document.byCategory.plain.denominators.success_at_1.num = 2;
  assert.deepEqual(RETRIEVAL.rescore(document).differences, [
    { field: "scores.ndcg_at_3", recorded: 0.5, computed: 0.4367120776450097 },
    { field: "byCategory.plain.denominators.success_at_1.num", recorded: 2, computed: 1 },
  ]);
});

test("numbers are counted as they are compared", () => {
  // 13 scores, 13 denominators of two counts and five of them with a third, and five Wilson intervals of two ends.
  const document = { ...worked(), byCategory: {} };
  assert.equal(RETRIEVAL.rescore(document).compared, 13 + 13 * 2 + 5 + 5 * 2);
});

test("more categories than any receipt has are refused before anything is scored", () => {
  const { config: _config, ...body } = worked();
  const [row] = body.perQuery;
  body.perQuery = Array.from({ length: 200 }, (_, i) => ({ ...row, category: `c${i}` }));
  demand(PAYLOAD, body);
  body.perQuery.push({ ...row, category: "one too many" });
  assert.throws(() => demand(PAYLOAD, body), { field: "perQuery", message: /more than 200 categories/ });
});

test("a receipt scored under the earlier text of 1.0.0 is refused by name", () => {
  const document = worked();
  document.scores.true_recall_at_3 = 0.5;
  const fault = { field: "scores.true_recall_at_3", message: /earlier text of retrieval 1\.0\.0/ };
  assert.throws(() => RETRIEVAL.check({ schemaVersion: "1.0.0", ...document }), fault);
  RETRIEVAL.check({ schemaVersion: "1.0.0", ...worked() });
});

test("as many violations as there are rows are told", () => {
  const document = worked();
  const [row] = document.perQuery;
  document.perQuery = Array(200_000).fill({ ...row, hit: false });
  assert.ok(RETRIEVAL.rescore(document).violations.length > 399_000);
});

test("category and metric names that objects inherit are data", () => {
  const document = worked();
  document.perQuery[0].category = "constructor";
  document.intervals.toString = { low: 0, high: 1, method: "bootstrap" };
  const fields = RETRIEVAL.rescore(document).differences.map(({ field }) => field);
  assert.ok(fields.includes("byCategory.constructor") && fields.includes("intervals.toString"));
});

test("scores without any query", () => {
  const { overall, byCategory } = score([], [1, 10]);
  assert.deepEqual(Object.keys(overall.scores), []);
  assert.deepEqual({ ...overall.denominators.success_at_10 }, { num: 0, den: 0, excluded: 0 });
  assert.equal(byCategory.size, 0);
});

test("duplicates are dropped before the cut, and a failed query retrieved nothing", () => {
  const expected = [{ id: "a", grade: 1 }, { id: "b", grade: 0 }];
  const row = { answerable: true, expected, retrieved: ["x", "x", "a"] };
  assert.equal(score([readQuery(row)], [2]).overall.scores.mrr_at_2, 0.5);
  assert.equal(score([readQuery({ ...row, error: "timeout" })], [2]).overall.scores.mrr_at_2, 0);
});

test("the track is the one its name finds", () => {
  assert.equal(TRACKS.get("retrieval"), RETRIEVAL);
  assert.deepEqual(RETRIEVAL.target(worked()), { field: "fixture", id: "worked", sha256: "0".repeat(64) });
});
