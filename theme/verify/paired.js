// The paired test of a leaderboard, as benchsite/board/ranks.py has it: McNemar's exact test where both receipts have one
// run a task, else randomization; and Holm's adjustment.

import { inOrder } from "./differences.js";
import { Rational } from "./rational.js";
import { Flips } from "./resample.js";

/** @typedef {{receiptId: string, value: number | null}} Compared */
/** @typedef {ReadonlyMap<string, number>} Vector task to the headline number of that task */
/** @typedef {{delta: number, p: number, tied: boolean}} Tested a row with another one: p of the pair alone, `tied` by Holm */

/**
 * Two-sided p-value of McNemar's exact test (1947), from the pairs that differ.
 * @param {number} wins
 * @param {number} losses
 */
export function mcnemar(wins, losses) {
  const pairs = wins + losses;
  let [term, below] = [1n, 1n];
  for (let i = 1; i <= Math.min(wins, losses); i += 1) {
    term = (term * BigInt(pairs - i + 1)) / BigInt(i);
    below += term;
  }
  return Math.min(1, new Rational(2n * below, 1n << BigInt(pairs)).toDouble());
}

/**
 * Holm's step-down adjusted p-values (1979), in the order given.
 * @param {readonly number[]} pValues
 */
export function holm(pValues) {
  const order = pValues.map((_, place) => place).sort((a, b) => (pValues[a] ?? 0) - (pValues[b] ?? 0));
  /** @type {number[]} */
  const adjusted = Array(pValues.length).fill(0);
  let floor = 0;
  for (const [i, place] of order.entries()) {
    floor = Math.max(floor, Math.min(1, (pValues.length - i) * (pValues[place] ?? 0)));
    adjusted[place] = floor;
  }
  return adjusted;
}

/** The test of any two receipts of one leaderboard. */
export class PairedTest {
  /**
   * @param {ReadonlyMap<string, Vector>} vectors by receipt id; empty where the receipt does not hold them
   * @param {ReadonlySet<string>} once receipts of one run a task, 0 or 1
   * @param {{flips: number, level: number, seed: bigint}} settings
   */
  constructor(vectors, once, { flips, level, seed }) {
    this.vectors = vectors;
    this.once = once;
    this.level = level;
    this.flips = new Flips(seed, flips);
    /** @type {Map<string, number>} */
    this.known = new Map();
  }

  /**
   * Of two receipts having the same mean, over the tasks of the first.
   * @param {string} a
   * @param {string} b
   */
  pValue(a, b) {
    const pair = a < b ? `${a} ${b}` : `${b} ${a}`;
    const found = this.known.get(pair) ?? this.#computed(a, b);
    this.known.set(pair, found);
    return found;
  }

  /**
   * @param {string} a
   * @param {string} b
   */
  #computed(a, b) {
    const [first, second] = [this.#vector(a), this.#vector(b)];
    const tasks = inOrder([...first.keys()]);
    const values = [first, second].map((vector) => tasks.map((task) => vector.get(task) ?? 0));
    const [ours = [], theirs = []] = values;
    if (!this.once.has(a) || !this.once.has(b)) return this.flips.pValue(ours, theirs);
    const wins = ours.filter((value, i) => value > (theirs[i] ?? 0)).length;
    return mcnemar(wins, ours.filter((value, i) => value < (theirs[i] ?? 0)).length);
  }

  /**
   * Whether the receipts are over the same tasks, and over any.
   * @param {readonly string[]} names
   */
  isSame(names) {
    const [first, ...others] = names.map((name) => this.#vector(name));
    if (first === undefined) return true;
    return first.size > 0 && others.every((one) => one.size === first.size && [...one.keys()].every((task) => first.has(task)));
  }

  /** @param {string} name @returns {Vector} */
  #vector(name) {
    return this.vectors.get(name) ?? new Map();
  }

  /**
   * Each row with the same other one, Holm-adjusted over the rows that can be compared with it.
   * @param {readonly Compared[]} rows
   * @param {Compared | null} other
   * @returns {(Tested | null)[]}
   */
  family(rows, other) {
    const found = rows.map((row) => this.#compared(row, other));
    const adjusted = holm(found.flatMap((one) => (one === null ? [] : [one.p]))).values();
    return found.map((one) => one && { ...one, tied: Number(adjusted.next().value) >= this.level });
  }

  /**
   * A row with another one, as one pair; null for itself, without a value, or over other tasks.
   * @param {Compared} row
   * @param {Compared | null} other
   * @returns {{delta: number, p: number} | null}
   */
  #compared(row, other) {
    if (other === null || row.value === null || other.value === null || row.receiptId === other.receiptId) return null;
    if (!this.isSame([row.receiptId, other.receiptId])) return null;
    return { delta: row.value - other.value, p: this.pValue(row.receiptId, other.receiptId) };
  }
}
