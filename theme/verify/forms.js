// What the models of every track say in Python code and no combinator can: each form has the name of that function in
// benchsite, takes the check of the value below it, and gives the check of both.

import { publishedPath, UUID4_FORM } from "./receipt-id.js";
import { MESSAGES } from "./sentences-log.js";
import { faulty, flawed } from "./shape.js";
import { isBlank } from "./unseen.js";

/** @typedef {import("./shape.js").Check} Check */
/** @typedef {import("./entries.js").Entry} Entry */

/**
 * Text of which a reader sees something.
 * @param {Check} line
 * @returns {Check}
 */
export function seen(line) {
  return (value) => line(value) ?? (isBlank(/** @type {string} */ (value)) ? faulty("only-unseen") : null);
}

/**
 * A receipt's entry, whose path follows from the id in it.
 * @param {Check} entry
 * @returns {Check}
 */
export function derivedPath(entry) {
  return (value) => {
    const flaw = entry(value);
    if (flaw !== null) return flaw;
    const { path } = /** @type {{path: string}} */ (value);
    const id = path.slice(-41, -5);
    const isDerived = UUID4_FORM.test(id) && path === publishedPath(id);
    return isDerived ? null : flawed(MESSAGES["entry-path"]);
  };
}

/**
 * A report of a compromised key: each role is limited in its own way.
 * @param {Check} event
 * @returns {Check}
 */
export function limitOfRole(event) {
  return (value) => {
    const flaw = event(value);
    if (flaw !== null) return flaw;
    const { role, trustedBelowIndex = null, frozenSize = null, frozenRoot = null } =
      /** @type {Entry} */ (value);
    const fits = (trustedBelowIndex !== null) === (role === "receipt") && (frozenSize !== null) === (role === "log")
      && (frozenRoot !== null) === (role === "log");
    return fits ? null : flawed(MESSAGES["entry-limit"]);
  };
}
