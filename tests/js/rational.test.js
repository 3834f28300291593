// Fractions against sums done by hand, and their doubles against what IEEE 754 says of one division. The comparison with
// Python's Fraction, of any size, is test_rubric_parity.py's.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Rational, mean, total } from "../../theme/verify/rational.js";

const text = (num, den) => new Rational(num, den).text();
const double = (num, den) => new Rational(num, den).toDouble();

test("lowest terms, the sign above the line", () => {
  assert.deepEqual([text(6, 4), text(-6, 4), text(6, -4), text(-6, -4)], ["3/2", "-3/2", "-3/2", "3/2"]);
  assert.deepEqual([text(0, -7), text(80), text(10n ** 40n, 10n ** 39n)], ["0/1", "80/1", "10/1"]);
  assert.throws(() => new Rational(1, 0), RangeError);
  assert.throws(() => new Rational(1).over(0), RangeError);
  assert.throws(() => new Rational(0.5), RangeError);
});

test("sums and products", () => {
  const third = new Rational(1, 3);
  const half = new Rational(1, 2);
  assert.equal(third.plus(half).text(), "5/6");
  assert.equal(third.minus(half).text(), "-1/6");
  assert.equal(third.times(half).text(), "1/6");
  assert.equal(third.over(half).text(), "2/3");
  assert.equal(third.plus(1).times(3n).text(), "4/1");
  assert.equal(mean([1, half, third]).text(), "11/18");
  assert.equal(total([]).text(), "0/1");
});

test("order", () => {
  const third = new Rational(1, 3);
  assert.deepEqual([third.compare(new Rational(2, 6)), third.compare(0), third.compare(1)], [0, 1, -1]);
  assert.equal(third.compare(new Rational(10n ** 30n + 1n, 3n * 10n ** 30n)), -1);
});

test("two decimals, halves away from nought", () => {
  const cases = [
    [[200, 3], 66.67], [[100, 3], 33.33], [[1, 200], 0.01], [[1, 201], 0], [[12345, 1000], 12.35], [[12335, 1000], 12.34],
    [[-1, 200], -0.01], [[-1, 201], 0], [[-1, 3], -0.33], [[-12345, 1000], -12.35], [[80, 1], 80], [[0, 5], 0],
  ];
  for (const [[num, den], expected] of cases) assert.ok(Object.is(new Rational(num, den).hundredths(), expected), `${num}/${den}`);
});

test("the nearest double of a quotient of two doubles is their quotient", () => {
  // IEEE 754: division is correctly rounded, so that engines themselves are the oracle below 2^53.
  let seed = 1n;
  const drawn = () => {
    seed = (seed * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
    return Number((seed >> 11n) >> (seed % 31n)) || 1;
  };
  for (let i = 0; i < 2_000; i += 1) {
    const [num, den] = [drawn(), drawn()];
    assert.ok(Object.is(double(num, den), num / den), `${num}/${den}`);
  }
});

test("between two doubles the even one, unless a little more decides", () => {
  const most = 2n ** 53n;
  assert.equal(double(most + 1n), 2 ** 53);
  assert.equal(double(most + 3n), 2 ** 53 + 4);
  assert.equal(double((most + 1n) * 10n ** 40n + 1n, 10n ** 40n), 2 ** 53 + 2);
  assert.equal(double((most + 1n) * 10n ** 40n - 1n, 10n ** 40n), 2 ** 53);
  assert.equal(double(2n * most - 1n), 2 ** 54); // 54 ones: rounding carries into the next power of two
});

test("the ends of the scale", () => {
  const tiny = 2n ** 1074n;
  assert.equal(double(1n, tiny), Number.MIN_VALUE);
  assert.equal(double(-3n, tiny), -3 * Number.MIN_VALUE);
  assert.ok(Object.is(double(1n, 2n * tiny), 0), "half of the smallest is a tie, and 0 is even");
  assert.equal(double(3n, 4n * tiny), Number.MIN_VALUE);
  assert.equal(double(3n, 2n * tiny), 2 * Number.MIN_VALUE);
  assert.equal(double(2n ** 53n - 1n, 2n ** 1075n), 2 ** -1022, "the largest subnormal and a half");
  assert.equal(double((2n ** 53n - 1n) * 2n ** 971n), Number.MAX_VALUE);
  assert.equal(double((2n ** 54n - 1n) * 2n ** 970n - 1n), Number.MAX_VALUE);
  assert.throws(() => double((2n ** 54n - 1n) * 2n ** 970n), RangeError);
  assert.throws(() => double(-(10n ** 400n)), RangeError);
});
