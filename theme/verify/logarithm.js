// The binary logarithm of benchsite/stats/logarithm.py: + - * / on doubles in one written order, the same bits as Python.

const TWO_BY_LN2 = 2.8853900817779268;
const SQRT_HALF = 0.7071067811865476;
const TERMS = 11;

/**
 * @param {number} x positive and finite
 */
export function log2(x) {
  let [m, e] = [x, 0];
  // Multiplication by a power of two is exact for these magnitudes: shares of at most 500 actions.
  while (m < SQRT_HALF) [m, e] = [m * 2, e - 1];
  while (m >= 2 * SQRT_HALF) [m, e] = [m / 2, e + 1];
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let p = 1 / (2 * TERMS + 1);
  for (let k = TERMS - 1; k >= 0; k -= 1) p = p * z + 1 / (2 * k + 1);
  return e + s * p * TWO_BY_LN2;
}
