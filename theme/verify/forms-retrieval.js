// What the retrieval track's models say in Python code, under the same names: payload.py and engines.py of
// benchsite/tracks/retrieval.

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
    return few ? null : flawed(`the queries are of more than ${MAX_CATEGORIES} categories`);
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
    return ks.every((k, i) => k > (ks[i - 1] ?? 0)) ? null : flawed("cut-offs must be strictly ascending");
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
    if (!ks.every((k, i) => k > (ks[i - 1] ?? 0))) return flawed("ks must ascend, each cut-off once");
    return ks.includes(headlineK) ? null : flawed("headlineK must be one of ks");
  };
}
