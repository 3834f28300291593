// The interval of a mean difference, its power, and numbers as a page writes them, by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

const { detectable, meanInterval } = await import("../../theme/assets/js/paired-tests.js");
const { delta, interval, pValue, rounded } = await import("../../theme/assets/js/compare-lines.js");

test("the interval of a mean is Student's t", () => {
  // 0.6 ± 2.262157 × 0.163299
  const found = meanInterval([1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
  assert.ok(Math.abs(found.low - 0.230591) < 1e-6 && Math.abs(found.high - 0.969409) < 1e-6);
  assert.equal(meanInterval([1]), null);
  // 2.801585 × 0.163299
  assert.ok(Math.abs(detectable([1, 1, 1, 1, 1, 1, 0, 0, 0, 0]) - 0.457497) < 1e-6);
  assert.equal(detectable([1]), null);
});

test("numbers are written as Python writes them", () => {
  // Ties go to even: 0.0625 and 0.1875 lie half-way.
  assert.deepEqual([0.0625, 0.1875, 0.0624, -0.0625, 2.5].map((value) => rounded(value, 3)), ["0.062", "0.188", "0.062", "-0.062", "2.500"]);
  const share = { key: "success", label: "Success", digits: 3, percent: true };
  assert.equal(delta(share, 0.067), "+6.7 pt");
  assert.equal(delta(share, -0.0004), "+0.0 pt");
  assert.equal(delta({ ...share, percent: false }, -0.0004), "0.000");
  assert.equal(interval(share, { low: -0.031, high: 0.102 }), "[−3.1, +10.2]");
  assert.equal(pValue(0.0499996), "p = 0.0499996");
  assert.equal(pValue(0.0005), "p < 0.001");
});
