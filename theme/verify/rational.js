// Exact fractions on BigInt, as Python's fractions.Fraction: always in lowest terms, the sign above the line. Owns the
// two roundings of a published score: to two decimals, and to the nearest double. Refuses a denominator of nought and,
// as Python does, a value beyond the largest double.

const MANTISSA_BITS = 53;
/** The power of two of the smallest double. */
const LOWEST_UNIT = -1074;
/** The last place of the largest double. */
const HIGHEST_UNIT = 971;

/** @typedef {Rational | bigint | number} Term numbers are whole */

/** A fraction; it never changes. */
export class Rational {
  /**
   * @param {bigint | number} num whole
   * @param {bigint | number} [den] whole, not 0
   */
  constructor(num, den = 1n) {
    const above = BigInt(num);
    const below = BigInt(den);
    if (below === 0n) throw new RangeError("a fraction cannot have the denominator 0");
    const shared = divisor(size(above), size(below)) * (below < 0n ? -1n : 1n);
    this.num = above / shared;
    this.den = below / shared;
    Object.freeze(this);
  }

  /** @param {string} written `p/q`, as `text` writes it or not in lowest terms */
  static read(written) {
    const [num = "", den = ""] = written.split("/");
    return new Rational(BigInt(num), BigInt(den));
  }

  /** @param {Term} other */
  plus(other) {
    const { num, den } = of(other);
    return new Rational(this.num * den + num * this.den, this.den * den);
  }

  /** @param {Term} other */
  minus(other) {
    const { num, den } = of(other);
    return new Rational(this.num * den - num * this.den, this.den * den);
  }

  /** @param {Term} other */
  times(other) {
    const { num, den } = of(other);
    return new Rational(this.num * num, this.den * den);
  }

  /** @param {Term} other not 0 */
  over(other) {
    const { num, den } = of(other);
    return new Rational(this.num * den, this.den * num);
  }

  /**
   * Less than 0, 0 or more, as this is less than the other, equal or more.
   * @param {Term} other
   */
  compare(other) {
    const { num, den } = of(other);
    const here = this.num * den;
    const there = num * this.den;
    return here < there ? -1 : Number(here > there);
  }

  /** `p/q`, whole numbers with `/1`: the form of a receipt's `exact`. */
  text() {
    return `${this.num}/${this.den}`;
  }

  /** The double nearest to the value at two decimals, halves away from nought: the form of a receipt's `scores`. */
  hundredths() {
    const rounded = (200n * size(this.num) + this.den) / (2n * this.den);
    return new Rational(this.num < 0n ? -rounded : rounded, 100n).toDouble();
  }

  /**
   * The nearest double; between two, the one whose last bit is 0 (IEEE 754-2019, 4.3.1).
   * @throws {RangeError} it would be beyond the largest double
   */
  toDouble() {
    const value = size(this.num);
    const estimate = length(value) - length(this.den) - MANTISSA_BITS;
    let unit = Math.max(estimate, LOWEST_UNIT);
    if (scaled(value, this.den, unit)[0] >> BigInt(MANTISSA_BITS)) unit += 1;
    const [whole, rest, per] = scaled(value, this.den, unit);
    const isUp = 2n * rest > per || (2n * rest === per && whole % 2n === 1n);
    return laidOut(isUp ? whole + 1n : whole, unit, this.num < 0n);
  }
}

/**
 * The sum over the number of terms.
 * @param {readonly Term[]} terms at least one
 */
export function mean(terms) {
  return total(terms).over(terms.length);
}

/** @param {readonly Term[]} terms */
export function total(terms) {
  return terms.reduce((/** @type {Rational} */ sum, term) => sum.plus(term), new Rational(0));
}

/** @param {Term} term */
function of(term) {
  return term instanceof Rational ? term : new Rational(term);
}

/** @param {bigint} value */
function size(value) {
  return value < 0n ? -value : value;
}

/**
 * The greatest common divisor (Euclid, Elements VII.2) of two numbers that are not negative.
 * @param {bigint} a
 * @param {bigint} b
 */
function divisor(a, b) {
  let [greater, lesser] = [a, b];
  while (lesser !== 0n) [greater, lesser] = [lesser, greater % lesser];
  return greater;
}

/**
 * How many binary digits a number has.
 * @param {bigint} value not negative
 */
function length(value) {
  return value === 0n ? 0 : value.toString(2).length;
}

/**
 * value / den in units of 2^unit: the whole ones, what is left over, and how much of that makes one more.
 * @param {bigint} value
 * @param {bigint} den
 * @param {number} unit
 * @returns {[bigint, bigint, bigint]}
 */
function scaled(value, den, unit) {
  const above = unit < 0 ? value << BigInt(-unit) : value;
  const below = unit < 0 ? den : den << BigInt(unit);
  return [above / below, above % below, below];
}

/**
 * The double whole × 2^unit, put together bit by bit: a power is not exact in every engine. Where `whole` has 53 digits
 * its first adds one to the field of the exponent, and where rounding gave it a 54th, two.
 * @param {bigint} whole at most 2^53
 * @param {number} unit
 * @param {boolean} isNegative
 */
function laidOut(whole, unit, isNegative) {
  const view = new DataView(new ArrayBuffer(8));
  if (whole === 0n) return 0;
  view.setBigUint64(0, (BigInt(unit - LOWEST_UNIT) << BigInt(MANTISSA_BITS - 1)) + whole);
  const double = view.getFloat64(0);
  if (unit > HIGHEST_UNIT || !Number.isFinite(double)) throw new RangeError("beyond the largest double");
  return isNegative ? -double : double;
}
