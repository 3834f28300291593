// Agreement between raters as exact fractions, the values of benchsite/stats/agreement.py: Cohen's kappa with linear
// weights (Cohen 1968) and Krippendorff's alpha for ordinal data (Krippendorff 2011, "Computing Krippendorff's
// Alpha-Reliability", section C). Both are null where chance alone could not disagree: then neither is defined.

import { Rational, total } from "./rational.js";

/**
 * 1 - observed / expected disagreement; a pair disagrees by the distance of its two scores.
 * @param {readonly (readonly [number, number])[]} pairs the first rater's score and the second's, whole
 * @returns {Rational | null}
 */
export function linearKappa(pairs) {
  const first = counts(pairs.map(([score]) => score));
  const second = counts(pairs.map(([, score]) => score));
  const observed = pairs.reduce((sum, [a, b]) => sum + Math.abs(a - b), 0);
  let expected = 0n;
  for (const [a, often] of first) {
    for (const [b, times] of second) expected += BigInt(Math.abs(a - b)) * BigInt(often) * BigInt(times);
  }
  if (expected === 0n) return null;
  return new Rational(1).minus(new Rational(BigInt(observed) * BigInt(pairs.length), expected));
}

/**
 * 1 - observed / expected disagreement over all pairable values; units with fewer than two values do not count. Two
 * values differ by how many of all values lie between them, each end counted half, squared.
 * @param {readonly (readonly number[])[]} units the scores that the raters gave one item, whole
 * @returns {Rational | null}
 */
export function ordinalAlpha(units) {
  const pairable = units.filter((values) => values.length > 1);
  const all = counts(pairable.flat());
  const values = [...all.keys()].sort((a, b) => a - b);
  const n = values.reduce((sum, value) => sum + often(all, value), 0);
  /** Squared distances, times 4: with halves counted in full all of it is whole. */
  const distance = distances(all, values);
  /** @type {Map<number, bigint>} disagreement within units, by the number of their values */
  const observed = new Map();
  for (const unit of pairable) {
    const sum = disagreement(counts(unit), distance);
    observed.set(unit.length, (observed.get(unit.length) ?? 0n) + sum);
  }
  const expected = disagreement(all, distance);
  if (expected === 0n) return null;
  const within = total([...observed].map(([many, sum]) => new Rational(sum, many - 1)));
  return new Rational(1).minus(within.times(n - 1).over(expected));
}

/**
 * @param {readonly number[]} scores
 * @returns {Map<number, number>}
 */
function counts(scores) {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const score of scores) found.set(score, often(found, score) + 1);
  return found;
}

/**
 * @param {Map<number, number>} found
 * @param {number} score
 */
function often(found, score) {
  return found.get(score) ?? 0;
}

/**
 * @param {Map<number, number>} all
 * @param {readonly number[]} values in order
 * @returns {(a: number, b: number) => bigint}
 */
function distances(all, values) {
  // Values below each one, with half of its own: the ranks of tied values, but for a constant and the factor 2.
  /** @type {Map<number, bigint>} */
  const places = new Map();
  let below = 0;
  for (const value of values) {
    places.set(value, BigInt(2 * below + often(all, value)));
    below += often(all, value);
  }
  return (a, b) => ((places.get(a) ?? 0n) - (places.get(b) ?? 0n)) ** 2n;
}

/**
 * The disagreement of all pairs of different places, both ways round.
 * @param {Map<number, number>} found
 * @param {(a: number, b: number) => bigint} distance
 */
function disagreement(found, distance) {
  let sum = 0n;
  for (const [a, here] of found) {
    for (const [b, there] of found) sum += BigInt(here) * BigInt(there) * distance(a, b);
  }
  return sum;
}
