// Sums, Wilson intervals, rank discounts and the numbers of sentences.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const { fsum, wilson, Z_95 } = await import("../../theme/verify/stats.js");
const { DISCOUNTS } = await import("../../theme/verify/tables.js");
const { shown } = await import("../../theme/verify/numerals.js");

const file = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const vector = (name) => JSON.parse(file(`tests/vectors/stats/${name}.json`));

test("a sum is the double nearest to the exact one", () => {
  assert.equal(fsum([]), 0);
  assert.equal(fsum(Array(10).fill(0.1)), 1);
  assert.equal(fsum([1e16, 1, -1e16]), 1);
  assert.equal(fsum([1e300, 1, -1e300, 1e-300]), 1);
  // 1 + 2^-53 lies half-way between 1 and 1 + 2^-52: even wins, until something tips it.
  assert.equal(fsum([1, 2 ** -53]), 1);
  assert.equal(fsum([1, 2 ** -53, 2 ** -120]), 1 + 2 ** -52);
  assert.equal(fsum([1 + 2 ** -52, 2 ** -53]), 1 + 2 ** -51);
  assert.equal(fsum([1 + 2 ** -52, 2 ** -53, -(2 ** -120)]), 1 + 2 ** -52);
});

test("the order of the terms is immaterial", () => {
  const terms = [0.3, 1e20, -0.1, 2 ** -60, -1e20, 0.7, 1e-30];
  const sum = fsum(terms);
  for (let i = 0; i < terms.length; i += 1) assert.equal(fsum([...terms.slice(i), ...terms.slice(0, i)]), sum);
});

test("a sum beyond the largest double is refused, as Python refuses it", () => {
  assert.throws(() => fsum([1e308, 1e308]), RangeError);
});

test("Wilson intervals are the vector's to the last bit", () => {
  const { z, cases } = vector("wilson");
  assert.equal(Z_95, z);
  for (const { successes, n, low, high } of cases) assert.deepEqual(wilson(successes, n), { low, high });
  assert.throws(() => wilson(0, 0), RangeError);
  assert.throws(() => wilson(3, 2), RangeError);
  assert.throws(() => wilson(1, 2 ** 27 + 1), RangeError);
});

test("discounts are the vector's and Python's", () => {
  assert.deepEqual(DISCOUNTS, vector("discounts").discounts);
  const [, table = ""] = /DISCOUNTS: [^(]*\(([^)]*)\)/.exec(file("benchsite/stats/discounts.py")) ?? [];
  assert.deepEqual(DISCOUNTS, table.match(/[0-9.]+/g).map(Number));
  assert.equal(DISCOUNTS.length, 1000);
});

test("three decimals, a tie to the even one", () => {
  // 0.0625 is 62.5 thousandths exactly, 0.1875 is 187.5: Python's format gives the even neighbour of either.
  assert.equal(shown(0.0625), "0.062");
  assert.equal(shown(0.1875), "0.188");
  assert.equal(shown(-0.0625), "-0.062");
  assert.equal(shown(0.7777777777777778), "0.778");
  assert.equal(shown(3e22), "30000000000000000000000.000");
});

test("three decimals do not hide that a number is not 0 or 1", () => {
  assert.equal(shown(0), "0");
  assert.equal(shown(1), "1");
  assert.equal(shown(0.0001), "0.0001");
  assert.equal(shown(0.00001), "1e-05");
  assert.equal(shown(1.0000000000000002), "1");
  // 65533/65536 is 0.9999542236328125: of sixteen digits, the fifteenth stays even.
  assert.equal(shown(65533 / 65536), "0.999954223632812");
});
