// What the agents track's models say in Python code, under the same names: payload.py and engines.py of
// benchsite/tracks/agents.

import { filled } from "./filled.js";
import { DETAILS } from "./sentences-agents.js";
import { flawed } from "./shape.js";

/** @typedef {import("./shape.js").Check} Check */

const MAX_DOMAINS = 50;

/**
 * A table by column: of the columns that there are, each has an entry for every row.
 * @param {Check} table
 * @returns {Check}
 */
export function even(table) {
  return (value) => {
    const flaw = table(value);
    if (flaw !== null) return flaw;
    const columns = Object.values(/** @type {object} */ (value)).filter((column) => column !== null);
    return columns.every(({ length }) => length === columns[0].length) ? null : flawed(DETAILS["columns-uneven"]);
  };
}

/**
 * Domains of a number that can be scored at little cost.
 * @param {Check} domains
 * @returns {Check}
 */
export function fewDomains(domains) {
  return (value) => {
    const flaw = domains(value);
    if (flaw !== null) return flaw;
    const few = new Set(/** @type {string[]} */ (value)).size <= MAX_DOMAINS;
    return few ? null : flawed(filled(DETAILS["domains-many"], { most: MAX_DOMAINS }));
  };
}

/**
 * Values of k in order, each once.
 * @param {Check} parameters
 * @returns {Check}
 */
export function inOrder(parameters) {
  return (value) => {
    const flaw = parameters(value);
    if (flaw !== null) return flaw;
    const { ks } = /** @type {{ks: number[]}} */ (value);
    return ks.every((k, i) => k > (ks[i - 1] ?? 0)) ? null : flawed(DETAILS["ks-unordered"]);
  };
}
