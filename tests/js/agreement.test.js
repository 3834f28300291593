// Agreement and Student's t: the shared vectors (tests/vectors/rubric/README.md says where each value is from), and a few
// sums by hand.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { linearKappa, ordinalAlpha } from "../../theme/verify/agreement.js";
import { Rational } from "../../theme/verify/rational.js";
import { agreementOf } from "../../theme/verify/rubric-agreement.js";
import { tInterval } from "../../theme/verify/student.js";
import { T_975 } from "../../theme/verify/tables.js";

const vector = (name) => JSON.parse(readFileSync(new URL(`../vectors/rubric/${name}.json`, import.meta.url), "utf8"));
const text = (value) => value && value.text();
const fraction = (written) => new Rational(...written.split("/").map(BigInt));

test("alpha for ordinal data", () => {
  const cases = vector("agreement").alpha.filter(({ metric }) => metric === "ordinal");
  assert.ok(cases.length > 5);
  for (const { name, units, expected, published } of cases) {
    const found = ordinalAlpha(units);
    assert.equal(text(found), expected, name);
    if (published !== undefined) assert.ok(Math.abs(found.toDouble() - published) <= 0.0005, name);
  }
});

test("kappa with linear weights", () => {
  const cases = vector("agreement").kappa.filter(({ weights }) => weights === "linear");
  assert.ok(cases.length > 5);
  for (const { name, pairs, expected, published } of cases) {
    const found = linearKappa(pairs);
    assert.equal(text(found), expected, name);
    if (published !== undefined) assert.ok(Math.abs(found.toDouble() - published) <= 0.0001, name);
  }
});

test("quantiles and intervals are the vector's to the last bit", () => {
  const { quantiles, intervals } = vector("student");
  assert.deepEqual([...T_975], quantiles);
  assert.equal(T_975.length, 200);
  for (const { values, low, high } of intervals) assert.deepEqual(tInterval(values.map(fraction)), { low, high });
});

test("an interval by hand: 60, 70, 80", () => {
  // s² = 100, s²/n = 100/3; 4.302652729749464 × √33.33… = 24.8413771175…
  const { low, high } = tInterval([60, 70, 80].map((value) => new Rational(value)));
  assert.ok(Math.abs(low - 45.1586228825) < 1e-9 && Math.abs(high - 94.8413771175) < 1e-9);
  assert.throws(() => tInterval([new Rational(1)]), RangeError);
  assert.throws(() => tInterval(Array(202).fill(new Rational(1))), RangeError);
});

const rated = (evaluator, pass, ...scores) => ({ evaluator, pass, ratings: new Map(scores.map((score, i) => [`i${i}`, score])) });

test("evaluators are raters by their lowest pass in a session", () => {
  const found = agreementOf([[rated(0, 2, 5, 5), rated(0, 1, 1, 2), rated(1, 3, 1, 2)]]);
  assert.deepEqual([found.kind, found.raters, found.units, found.excluded], ["inter-rater", 2, 2, 0]);
  // Both gave 1 and 2 as the other did: no disagreement where chance would give some.
  assert.deepEqual([text(found.alpha), text(found.kappa)], ["1/1", "1/1"]);
});

test("the passes of one evaluator are raters, by number through all sessions", () => {
  const found = agreementOf([[rated(0, 1, 1), rated(0, 2, 2)], [rated(0, 1, 2), rated(0, 2, 1)], [rated(0, 1, 4)]]);
  assert.deepEqual([found.kind, found.raters, found.units, found.excluded], ["intra-rater", 2, 2, 1]);
  // Pairs (1,2) and (2,1): seen 2, by chance Σ r(i)c(j)|i-j| = 2, so kappa = 1 - 2 × 2 / 2.
  assert.equal(text(found.kappa), "-1/1");
});

test("three raters have an alpha and no kappa; a session scored once has neither", () => {
  const three = agreementOf([[rated(0, 1, 1), rated(1, 1, 1), rated(2, 1, 2)]]);
  // n = 3, o(1,2) = 2 pairs each way ÷ 2 = 1 for both directions together counted once: 1 - 2 × 1 × δ / (2 × 1 × δ).
  assert.deepEqual([three.raters, text(three.alpha), three.kappa], [3, "0/1", null]);
  assert.equal(agreementOf([[rated(0, 1, 1)], [rated(1, 1, 1)]]), null);
});

test("what chance could not make disagree has no agreement", () => {
  const found = agreementOf([[rated(0, 1, 3, 3), rated(1, 1, 3, 3)]]);
  assert.deepEqual([found.alpha, found.kappa, found.units], [null, null, 2]);
});

test("a rater who never shares a session is not counted among the raters", () => {
  const found = agreementOf([[rated(0, 1, 1), rated(1, 1, 2)], [rated(2, 1, 5)]]);
  assert.deepEqual([found.raters, found.units, found.excluded, text(found.kappa)], [2, 1, 1, "0/1"]);
});
