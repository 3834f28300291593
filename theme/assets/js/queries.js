// The whole table of queries of a receipt, read from the receipt file on demand.

import { loadJson, onDemand, paged } from "./table.js";

/**
 * @typedef {object} Row
 * @property {string} queryId
 * @property {string} [category]
 * @property {boolean} [answerable]
 * @property {{id: string, grade: number}[]} [expected]
 * @property {string[]} retrieved
 * @property {number | null} rank
 * @property {unknown} [error]
 * @property {number | null} [latencyMs]
 */

/**
 * The rank of the first relevant item, or why there is none, in the words of the page.
 * @param {Row} row
 * @param {number} depth the largest cut-off
 * @returns {string}
 */
export function outcome(row, depth) {
  if (row.error) return "failed";
  if (row.answerable === false) return `unanswerable (${row.retrieved.length > 0 ? "answered" : "abstained"})`;
  if (row.rank) return String(row.rank);
  return row.expected && relevant(row).length === 0 ? "excluded" : `not in top ${depth}`;
}

/**
 * @param {Row} row
 * @returns {string[]}
 */
function relevant(row) {
  return (row.expected ?? []).filter(({ grade }) => grade >= 1).map(({ id }) => id);
}

/**
 * The returned ids, once each, relevant ones marked.
 * @param {Row} row
 * @returns {string}
 */
export function returned(row) {
  const hits = new Set(relevant(row));
  return [...new Set(row.retrieved)].map((id) => (hits.has(id) ? `✓ ${id}` : id)).join(", ") || "–";
}

/**
 * @param {HTMLElement} place
 */
export function start(place) {
  const { receipt, texts, total } = place.dataset;
  if (!receipt) return;
  onDemand(
    place,
    `Show all ${Number(total).toLocaleString("en")} queries`,
    () => Promise.all([loadJson(receipt), texts ? loadJson(texts) : {}]),
    ([found, words]) => show(place, found.perQuery, words, largest(found.scores)),
  );
}

/**
 * The largest cut-off among the keys of `scores`.
 * @param {Record<string, number>} scores
 */
function largest(scores) {
  return Math.max(...Object.keys(scores).map((key) => Number(/_at_([0-9]+)$/.exec(key)?.[1] ?? 0)));
}

/**
 * @param {HTMLElement} place
 * @param {Row[]} rows
 * @param {Record<string, string>} words
 * @param {number} depth
 */
function show(place, rows, words, depth) {
  const missed = `not in top ${depth}`;
  paged(place, rows, {
    noun: "queries",
    text: (row) => `${row.queryId} ${words[row.queryId] ?? ""} ${row.category ?? ""}`,
    switches: [
      { label: `${missed} only`, keep: (row) => outcome(row, depth) === missed },
      { label: "failed only", keep: (row) => outcome(row, depth) === "failed" },
    ],
    cells: (row) => [
      { text: words[row.queryId] ?? row.queryId, className: "text" },
      { text: row.category ?? "–" },
      { text: relevant(row).join(", ") || "–", className: "ids" },
      { text: returned(row), className: "ids" },
      { text: outcome(row, depth), className: "n outcome" },
      { text: row.latencyMs == null ? "–" : row.latencyMs.toFixed(1), className: "n" },
    ],
  });
}
