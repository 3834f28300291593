// The interval of a mean of few values from Student's t (1908), to the last bit that of benchsite/stats/student.py: an
// exact fraction as far as the square root, then doubles in the written order.

import { mean, total } from "./rational.js";
import { T_975 } from "./tables.js";

/** @typedef {import("./rational.js").Rational} Rational */

/**
 * Order of operations, n being the number of values, m their mean and s² their variance with n - 1 below the line:
 * spread = t × √double(s² ÷ n); double(m) - spread and double(m) + spread.
 * @param {readonly Rational[]} values 2 to 201
 * @returns {{low: number, high: number}}
 */
export function tInterval(values) {
  const n = values.length;
  const t = T_975[n - 2];
  if (t === undefined) throw new RangeError(`a mean of ${n} values has no interval here`);
  const centre = mean(values);
  const squares = values.map((value) => value.minus(centre)).map((off) => off.times(off));
  const spread = t * Math.sqrt(total(squares).over((n - 1) * n).toDouble());
  return { low: centre.toDouble() - spread, high: centre.toDouble() + spread };
}
