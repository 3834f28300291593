// What the rubric track's models say in Python code, under the same names: benchsite/tracks/rubric/engines.py.

import { Rational } from "./rational.js";
import { DETAILS } from "./sentences-rubric.js";
import { flawed } from "./shape.js";

/** @typedef {import("./shape.js").Check} Check */
/** @typedef {import("./rubric-scoring.js").Rules} Rules */

/**
 * Two weights that add up to 1.
 * @param {Check} rules
 * @returns {Check}
 */
export function whole(rules) {
  return (value) => {
    const flaw = rules(value);
    if (flaw !== null) return flaw;
    const { universalWeight, domainWeight } = /** @type {Rules} */ (value);
    const sum = Rational.read(universalWeight).plus(Rational.read(domainWeight));
    return sum.text() === "1/1" ? null : flawed(DETAILS["other-sum"]);
  };
}
