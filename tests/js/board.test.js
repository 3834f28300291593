// The pure parts of a leaderboard's script: filters, columns, scales, and the words of the tray.

import assert from "node:assert/strict";
import { test } from "node:test";

const { hasAny } = await import("../../theme/assets/js/facets.js");
const { hiddenOf } = await import("../../theme/assets/js/board-columns.js");
const { scaleOf } = await import("../../theme/assets/js/board-metric.js");
const { merged } = await import("../../theme/assets/js/board-sheets.js");
const { MOST, comparison, named, picked, reason, turned, words } = await import("../../theme/assets/js/board-tray.js");

/** @param {Record<string, string[]>} chosen */
const asked = (chosen) => new Map(Object.entries(chosen).map(([name, values]) => [name, new Set(values)]));

test("a row stays if it has one of the chosen values of every filter", () => {
  const row = { origin: ["imported"], model: ["a", "b"] };
  assert.equal(hasAny(row, asked({})), true);
  assert.equal(hasAny(row, asked({ origin: [] })), true);
  assert.equal(hasAny(row, asked({ model: ["b", "c"] })), true);
  assert.equal(hasAny(row, asked({ model: ["b"], origin: ["run here"] })), false);
  assert.equal(hasAny(row, asked({ model: ["b"], origin: ["run here"] }), "origin"), true);
  assert.equal(hasAny({}, asked({ model: ["b"] })), false);
});

test("columns are hidden or shown by their names, and unknown names mean nothing", () => {
  const columns = [{ key: "harmful", folded: false }, { key: "runs", folded: true }];
  assert.deepEqual([...hiddenOf(columns, "", "")], ["runs"]);
  assert.deepEqual([...hiddenOf(columns, "harmful,7,__proto__", "runs,<b>")], ["harmful"]);
});

test("a scale is round and holds every bound", () => {
  assert.deepEqual(scaleOf([0.02, 0.53, null], true), { low: 0, high: 0.6 });
  assert.deepEqual(scaleOf([0.97], true), { low: 0, high: 1 });
  assert.deepEqual(scaleOf([410, 1234], false), { low: 0, high: 1400 });
  assert.deepEqual(scaleOf([-3, 5], false), { low: -4, high: 6 });
  for (const bounds of [[], [0], [null]]) assert.ok(scaleOf(bounds, false).high > 0);
});

test("an address chooses at most five rows of this leaderboard, each once", () => {
  const known = ["a", "b", "c", "d", "e", "f"];
  assert.deepEqual(picked("", known), []);
  assert.deepEqual(picked("c,a,c,<img>,zz", known), ["c", "a"]);
  assert.equal(picked(known.join(","), known).length, MOST);
});

test("the comparison of the first two rows keeps its address", () => {
  assert.equal(comparison("compare/", ["x", "y"]), "compare/?a=x&b=y");
  assert.equal(comparison("compare/", ["x", "y", "z&"]), "compare/?a=x&b=y&c=z%26");
});

const ANSWER = {
  first: "x", second: "y", p: 0.0004, tied: false, wins: 102, losses: 1, ties: 1532,
  shown: { delta: "+6.7 pt", interval: "[−3.1, +10.2]", p: "p < 0.001" },
  category: { label: "CRM", first: "37.5%", second: "22.5%" },
  cost: { label: "Harmful", first: "20.0%", second: "25.7%" },
};

test("an answer has the difference, the CI, the test, and what is counted", () => {
  assert.deepEqual(words(ANSWER), [
    "+6.7 pt, 95% CI [−3.1, +10.2], unadjusted p < 0.001",
    "102 wins, 1 loss, 1,532 ties · harmful 20.0% and 25.7% · CRM differs most: 37.5% and 22.5%",
  ]);
  assert.deepEqual(words({ ...ANSWER, p: null, tied: true, category: null, cost: null }), [
    "+6.7 pt, 95% CIs overlap",
    "102 wins, 1 loss, 1,532 ties",
  ]);
});

test("the other order has the opposite signs, counts and values", () => {
  const other = /** @type {NonNullable<ReturnType<typeof turned>>} */ (turned(ANSWER));
  assert.deepEqual(words(other), [
    "−6.7 pt, 95% CI [−10.2, +3.1], unadjusted p < 0.001",
    "1 win, 102 losses, 1,532 ties · harmful 25.7% and 20.0% · CRM differs most: 22.5% and 37.5%",
  ]);
  assert.deepEqual(turned(other), ANSWER);
  assert.equal(turned(undefined), undefined);
});

test("a pair without an answer has a reason", () => {
  const answers = { pairs: [], receipts: ["x", "y"] };
  assert.match(reason(null, ["x", "y"]), /couldn't be loaded/);
  assert.match(reason(answers, ["x", "y"]), /other tasks/);
  assert.match(reason(answers, ["x", "z"]), /2 best rows/);
});

test("rows of a further page keep their place among the baselines, which every page has", () => {
  /** @param {string} one */
  const id = (one) => one;
  assert.deepEqual(merged(["s1", "B1", "s2", "B2"], ["B1", "s3", "B2", "s4"], id), ["s1", "B1", "s2", "s3", "B2", "s4"]);
  // Baselines below the systems, and a row for each that was not run.
  assert.deepEqual(merged(["s1", "s2", "B1", "not run"], ["s3", "s4", "B1", "not run"], id), ["s1", "s2", "s3", "s4", "B1", "not run"]);
  assert.deepEqual(merged([], ["s1", "s2"], id), ["s1", "s2"]);
  assert.deepEqual(merged(["s1"], ["s1"], id), ["s1"]);
});

test("a row whose name another row of the table has is named with its configuration", () => {
  assert.equal(named({ name: "store", more: "1.2 · search hybrid", isShared: true }), "store (1.2 · search hybrid)");
  assert.equal(named({ name: "other", more: "1.2", isShared: false }), "other");
  assert.equal(named(undefined), "");
});
