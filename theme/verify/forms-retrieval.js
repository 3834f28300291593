// What the retrieval track's models say in Python code, under the same names: payload.py and engines.py of
// benchsite/tracks/retrieval.

import { filled } from "./filled.js";
import { DETAILS } from "./sentences-retrieval.js";
import { flawed } from "./shape.js";

/** @typedef {import("./shape.js").Check} Check */

const MAX_CATEGORIES = 200;

/**
 * Rows of a number of categories that can be scored at little cost.
 * @param {Check} rows
 * @returns {Check}
 */
export function fewCategories(rows) {
  return (value) => {
    const flaw = rows(value);
    if (flaw !== null) return flaw;
    const categories = new Set(/** @type {{category?: string}[]} */ (value).map(({ category }) => category ?? null));
    categories.delete(null);
    const few = categories.size <= MAX_CATEGORIES;
    return few ? null : flawed(filled(DETAILS["categories-many"], { most: MAX_CATEGORIES }));
  };
}

/**
 * @param {Check} cuts
 * @returns {Check}
 */
export function ascending(cuts) {
  return (value) => {
    const flaw = cuts(value);
    if (flaw !== null) return flaw;
    const ks = /** @type {number[]} */ (value);
    return ks.every((k, i) => k > (ks[i - 1] ?? 0)) ? null : flawed(DETAILS["cuts-unordered"]);
  };
}

/**
 * Cut-offs in order, and the one that leaderboards rank by among them.
 * @param {Check} parameters
 * @returns {Check}
 */
export function inOrder(parameters) {
  return (value) => {
    const flaw = parameters(value);
    if (flaw !== null) return flaw;
    const { ks, headlineK } = /** @type {{ks: number[], headlineK: number}} */ (value);
    if (!ks.every((k, i) => k > (ks[i - 1] ?? 0))) return flawed(DETAILS["ks-unordered"]);
    return ks.includes(headlineK) ? null : flawed(DETAILS["headline-missing"]);
  };
}
