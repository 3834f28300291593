// Who can be compared with whom in a rubric receipt, and how far they agree: with two or more evaluators each of them is
// a rater by the lowest pass in a session, with one evaluator each pass is. A unit is one item of one session.

import { linearKappa, ordinalAlpha } from "./agreement.js";

/** @typedef {import("./rational.js").Rational} Rational */

/**
 * @typedef {{evaluator: number, pass: number, ratings: Map<string, number>}} Rated one sheet's scores by item
 *
 * @typedef {object} Agreement
 * @property {"inter-rater" | "intra-rater"} kind between evaluators, or between the passes of one
 * @property {number} raters those who share a session with another
 * @property {number} units that at least two raters scored
 * @property {number} excluded units that fewer did
 * @property {Rational | null} alpha null where it is not defined
 * @property {Rational | null} kappa null where it is not defined, or there are not exactly two raters
 */

/**
 * @param {readonly (readonly Rated[])[]} sessions the sheets of each
 * @returns {Agreement | null} null where no session has two raters
 */
export function agreementOf(sessions) {
  const isInter = new Set(sessions.flat().map(({ evaluator }) => evaluator)).size > 1;
  /** @type {Set<number>} */
  const raters = new Set();
  /** @type {Map<number, number>[]} */
  const units = [];
  for (const sheets of sessions) {
    /** @type {Map<number, Rated>} */
    const chosen = new Map();
    for (const sheet of [...sheets].sort((a, b) => a.pass - b.pass)) {
      const rater = isInter ? sheet.evaluator : sheet.pass;
      if (!chosen.has(rater)) chosen.set(rater, sheet);
    }
    if (chosen.size > 1) for (const rater of chosen.keys()) raters.add(rater);
    units.push(...byItem(chosen));
  }
  if (raters.size === 0) return null;
  const compared = units.filter((unit) => unit.size > 1);
  return {
    kind: isInter ? "inter-rater" : "intra-rater",
    raters: raters.size,
    units: compared.length,
    excluded: units.length - compared.length,
    alpha: ordinalAlpha(compared.map((unit) => [...unit.values()])),
    kappa: raters.size === 2 ? linearKappa(pairsOf(compared, [...raters].sort((a, b) => a - b))) : null,
  };
}

/**
 * One session's ratings, by item instead of by rater.
 * @param {Map<number, Rated>} chosen
 * @returns {Iterable<Map<number, number>>}
 */
function byItem(chosen) {
  /** @type {Map<string, Map<number, number>>} */
  const items = new Map();
  for (const [rater, { ratings }] of chosen) {
    for (const [item, mark] of ratings) {
      const unit = items.get(item) ?? new Map();
      items.set(item, unit.set(rater, mark));
    }
  }
  return items.values();
}

/**
 * @param {readonly Map<number, number>[]} units that both raters scored
 * @param {readonly number[]} raters two
 * @returns {[number, number][]}
 */
function pairsOf(units, [first = 0, second = 0]) {
  return units.map((unit) => [unit.get(first) ?? 0, unit.get(second) ?? 0]);
}
