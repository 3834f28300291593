// The closed formulas behind signed numbers, to the last bit those of benchsite/stats/exact.py. Only + - × ÷ and the
// square root on doubles, in the written order: every engine that follows IEEE 754 gives the same.

/**
 * The 97.5 % quantile of the standard normal distribution as commonly printed, one unit below the nearest double.
 */
export const Z_95 = 1.959963984540054;

/** Keeps successes × failures below 2^53, where a double still counts exactly. */
const MAX_TRIALS = 2 ** 27;

/**
 * The correctly rounded sum: the order of the terms is immaterial. Shewchuk 1997, "Adaptive Precision Floating-Point
 * Arithmetic", section 2.4: what has been added so far is held exactly, in parts that do not overlap.
 * @param {Iterable<number>} terms finite
 * @returns {number}
 * @throws {RangeError} the sum so far is beyond the largest double
 */
export function fsum(terms) {
  /** @type {number[]} */
  const parts = [];
  for (const term of terms) {
    let carried = term;
    let kept = 0;
    for (let i = 0; i < parts.length; i += 1) {
      const part = /** @type {number} */ (parts[i]);
      const sum = carried + part;
      const error = lost(carried, part, sum);
      if (error !== 0) parts[kept++] = error;
      carried = sum;
    }
    parts.length = kept;
    if (!Number.isFinite(carried)) throw new RangeError("intermediate overflow in fsum");
    if (carried !== 0) parts.push(carried);
  }
  return rounded(parts);
}

/**
 * What rounding took from a + b.
 * @param {number} a
 * @param {number} b
 * @param {number} sum
 */
function lost(a, b, sum) {
  return Math.abs(a) < Math.abs(b) ? a - (sum - b) : b - (sum - a);
}

/**
 * The double nearest to the sum of parts that do not overlap, the smallest first; the even one between two.
 * @param {number[]} parts
 */
function rounded(parts) {
  let i = parts.length - 1;
  let sum = parts[i] ?? 0;
  let error = 0;
  while (i > 0 && error === 0) {
    i -= 1;
    const part = /** @type {number} */ (parts[i]);
    const next = sum + part;
    error = part - (next - sum);
    sum = next;
  }
  // Half-way between two doubles, a further part of the error's sign decides against what "to even" chose.
  if (i > 0 && error !== 0 && (error > 0) === (Number(parts[i - 1]) > 0)) {
    const further = sum + error * 2;
    if (further - sum === error * 2) return further;
  }
  return sum;
}

/**
 * 95 % score interval of a share (Wilson 1927), without continuity correction.
 * @param {number} successes whole, 0 to n
 * @param {number} n whole, 1 to 2^27
 * @returns {{low: number, high: number}}
 */
export function wilson(successes, n) {
  if (!(n >= 1 && n <= MAX_TRIALS)) throw new RangeError(`a share of ${n} trials has no interval here`);
  if (!(successes >= 0 && successes <= n)) throw new RangeError(`${successes} successes in ${n} trials are impossible`);
  const square = Z_95 * Z_95;
  const centre = successes + square / 2;
  const spread = Z_95 * Math.sqrt((successes * (n - successes)) / n + square / 4);
  const low = successes > 0 ? (centre - spread) / (n + square) : 0;
  const high = successes < n ? (centre + spread) / (n + square) : 1;
  return { low, high };
}
