// The paired randomization test, to the last bit that of benchsite/stats/resample.py, and the one generator behind it:
// SplitMix64 over a counter (Steele, Lea and Flood 2014). 64-bit words are two halves of 32 bits, and sums are of whole
// multiples of 2^-40, so that no order of summation matters.

const ONE = 2 ** 40;
const GAMMA = [0x9e3779b9, 0x7f4a7c15];
const MIX_1 = [0xbf58476d, 0x1ce4e5b9];
const MIX_2 = [0x94d049bb, 0x133111eb];
/** Words of one seed that are kept for further tests of as many pairs. */
const MOST_KEPT = 2 ** 21;
/** Where sums of differences outgrow a double they are taken in two parts. */
const HALF = 2 ** 26;

/**
 * The upper half of the product of two halves.
 * @param {number} a
 * @param {number} b
 */
function upper(a, b) {
  const [al, ah, bl, bh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const low = Math.imul(al, bl) >>> 0;
  const one = Math.imul(al, bh) >>> 0;
  const other = Math.imul(ah, bl) >>> 0;
  const carried = ((low >>> 16) + (one & 0xffff) + (other & 0xffff)) >>> 16;
  return ((Math.imul(ah, bh) >>> 0) + (one >>> 16) + (other >>> 16) + carried) >>> 0;
}

/** Words of one stream, in order from the first. */
export class Words {
  /** @param {bigint} seed 0 to 2^64 - 1 */
  constructor(seed) {
    this.high = Number(seed >> 32n);
    this.low = Number(seed & 0xffffffffn);
  }

  /**
   * Write the next word, its lower half first.
   * @param {Uint32Array} into
   * @param {number} at
   */
  next(into, at) {
    const low = this.low + /** @type {number} */ (GAMMA[1]);
    this.low = low >>> 0;
    this.high = (this.high + /** @type {number} */ (GAMMA[0]) + (low > 0xffffffff ? 1 : 0)) >>> 0;
    let [h, l] = [this.high, this.low];
    for (const [shift, factor] of /** @type {const} */ ([[30, MIX_1], [27, MIX_2]])) {
      l = (l ^ ((l >>> shift) | (h << (32 - shift)))) >>> 0;
      h = (h ^ (h >>> shift)) >>> 0;
      const [fh = 0, fl = 0] = factor;
      h = (upper(l, fl) + Math.imul(h, fl) + Math.imul(l, fh)) >>> 0;
      l = Math.imul(l, fl) >>> 0;
    }
    into[at] = (l ^ ((l >>> 31) | (h << 1))) >>> 0;
    into[at + 1] = (h ^ (h >>> 31)) >>> 0;
  }
}

/** Random sign assignments of one seed, for any number of tests. */
export class Flips {
  /**
   * @param {bigint} seed
   * @param {number} count of assignments
   */
  constructor(seed, count) {
    this.seed = seed;
    this.count = count;
    this.kept = new Uint32Array();
    this.width = 0;
  }

  /**
   * The two-sided p-value of paired values having the same mean: (1 + extreme) ÷ (1 + flips).
   * @param {readonly number[]} a
   * @param {readonly number[]} b in the same order
   */
  pValue(a, b) {
    const differences = a.map((value, i) => fixed(value) - fixed(b[i] ?? 0));
    const width = Math.ceil(differences.length / 64);
    const total = differences.reduce((sum, one) => sum + Math.abs(one), 0);
    const extreme = 3 * total < Number.MAX_SAFE_INTEGER ? this.#extreme(differences, width) : this.#large(differences, width);
    return (1 + extreme) / (1 + this.count);
  }

  /**
   * @param {number[]} differences whose sums are exact
   * @param {number} width words of a flip
   */
  #extreme(differences, width) {
    const table = octets(differences, width);
    const observed = differences.reduce((sum, one) => sum + one, 0);
    let extreme = 0;
    for (const [words, start] of this.#drawn(width)) {
      const sum = selected(table, words, start, width);
      if (Math.abs(observed - 2 * sum) >= Math.abs(observed)) extreme += 1;
    }
    return extreme;
  }

  /**
   * The same of larger numbers, each in two parts whose sums are exact.
   * @param {number[]} differences
   * @param {number} width
   */
  #large(differences, width) {
    const above = differences.map((one) => Math.floor(one / HALF));
    const [high, low] = [octets(above, width), octets(differences.map((one, i) => one - (above[i] ?? 0) * HALF), width)];
    const whole = (/** @type {number} */ up, /** @type {number} */ down) => BigInt(up) * BigInt(HALF) + BigInt(down);
    const size = (/** @type {bigint} */ value) => (value < 0n ? -value : value);
    const observed = differences.reduce((sum, one) => sum + BigInt(one), 0n);
    let extreme = 0;
    for (const [words, start] of this.#drawn(width)) {
      const sum = whole(selected(high, words, start, width), selected(low, words, start, width));
      if (size(observed - 2n * sum) >= size(observed)) extreme += 1;
    }
    return extreme;
  }

  /**
   * The words of each flip, and where they begin.
   * @param {number} width
   * @returns {Generator<[Uint32Array, number]>}
   */
  *#drawn(width) {
    const isKept = this.count * width <= MOST_KEPT;
    if (isKept && this.width !== width) {
      const source = new Words(this.seed);
      this.kept = new Uint32Array(2 * this.count * width);
      for (let at = 0; at < this.kept.length; at += 2) source.next(this.kept, at);
      this.width = width;
    }
    if (isKept) {
      for (let flip = 0; flip < this.count; flip += 1) yield [this.kept, 2 * flip * width];
      return;
    }
    const [source, words] = [new Words(this.seed), new Uint32Array(2 * width)];
    for (let flip = 0; flip < this.count; flip += 1) {
      for (let at = 0; at < words.length; at += 2) source.next(words, at);
      yield [words, 0];
    }
  }
}

/**
 * round(value × 2^40), ties to even; the scaling itself is exact.
 * @param {number} value
 */
function fixed(value) {
  const scaled = value * ONE;
  const below = Math.floor(scaled);
  const over = scaled - below;
  return over > 0.5 || (over === 0.5 && below % 2 !== 0) ? below + 1 : below;
}

/**
 * Sum of the differences that each value of each octet of bits selects: 256 an octet.
 * @param {number[]} differences
 * @param {number} width
 */
function octets(differences, width) {
  const table = new Float64Array(width * 8 * 256);
  for (let octet = 0; octet < width * 8; octet += 1) {
    const base = octet * 256;
    for (let bit = 0; bit < 8; bit += 1) {
      const one = differences[octet * 8 + bit] ?? 0;
      const size = 1 << bit;
      for (let at = 0; at < size; at += 1) table[base + size + at] = /** @type {number} */ (table[base + at]) + one;
    }
  }
  return table;
}

/**
 * @param {Float64Array} table
 * @param {Uint32Array} words
 * @param {number} start
 * @param {number} width
 */
function selected(table, words, start, width) {
  let sum = 0;
  let base = 0;
  for (let at = start; at < start + 2 * width; at += 1) {
    const half = /** @type {number} */ (words[at]);
    sum += /** @type {number} */ (table[base + (half & 255)]) + /** @type {number} */ (table[base + 256 + ((half >>> 8) & 255)])
      + /** @type {number} */ (table[base + 512 + ((half >>> 16) & 255)]) + /** @type {number} */ (table[base + 768 + (half >>> 24)]);
    base += 1024;
  }
  return sum;
}
