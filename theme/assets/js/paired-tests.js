// Interval and power of a mean difference in the browser, as benchsite/stats computes them. Nothing here is signed; the tests are
// those of theme/verify/paired.js and resample.js.

import { fsum, Z_95 } from "../../verify/stats.js";
import { T_975 } from "../../verify/tables.js";

/** (z(0.975) + z(0.8))²: 80 % power of the two-sided test at 5 %. */
const FACTOR = (Z_95 + 0.8416212335729143) ** 2;

/**
 * 95 % interval of a mean: Student's t up to 200 degrees of freedom, else normal; null for one value.
 * @param {readonly number[]} values
 * @returns {{low: number, high: number} | null}
 */
export function meanInterval(values) {
  const n = values.length;
  if (n < 2) return null;
  const mean = fsum(values) / n;
  const spread = Math.sqrt(variance(values, mean) / n) * (T_975[n - 2] ?? Z_95);
  return { low: mean - spread, high: mean + spread };
}

/**
 * The smallest mean difference that as many pairs find with 80 % power; null for one pair.
 * @param {readonly number[]} differences
 */
export function detectable(differences) {
  const n = differences.length;
  if (n < 2) return null;
  return Math.sqrt((FACTOR * variance(differences, fsum(differences) / n)) / n);
}

/**
 * @param {readonly number[]} values
 * @param {number} mean
 */
function variance(values, mean) {
  return fsum(values.map((value) => (value - mean) * (value - mean))) / (values.length - 1);
}
