// The whole question-by-question table of a certificate, read from the receipt's own bytes on demand.

import { paged } from "./table.js";

/**
 * @typedef {object} Row
 * @property {string} queryId
 * @property {string} [category]
 * @property {{id: string, grade: number}[]} [expected]
 * @property {string[]} retrieved
 * @property {number | null} rank
 * @property {unknown} [error]
 * @property {number | null} [latencyMs]
 */

/**
 * Where the first right answer stood, in the words of the page.
 * @param {Row} row
 * @returns {string}
 */
export function outcome(row) {
  if (row.error) return "failed";
  if (row.rank) return String(row.rank);
  if (row.expected && !row.expected.some(({ grade }) => grade >= 1)) return row.retrieved.length ? "apart" : "silent";
  return "missed";
}

/**
 * @param {HTMLElement} place
 */
export function start(place) {
  const { receipt, texts } = place.dataset;
  if (!receipt || location.protocol === "file:") return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = "Show all of them, with a filter";
  const line = document.createElement("p");
  line.className = "screen";
  line.append(button);
  place.before(line);
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = "Loading";
    try {
      const [document_, words] = await Promise.all([load(receipt), texts ? load(texts) : {}]);
      show(place, document_.perQuery, words);
      line.remove();
    } catch {
      button.textContent = "The receipt could not be loaded; try again";
      button.disabled = false;
    }
  });
}

/**
 * @param {string} address
 * @returns {Promise<any>}
 */
async function load(address) {
  const answer = await fetch(new URL(address, location.href));
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

/**
 * @param {HTMLElement} place
 * @param {Row[]} rows
 * @param {Record<string, string>} words
 */
function show(place, rows, words) {
  paged(place, rows, {
    noun: "questions",
    text: (row) => `${row.queryId} ${words[row.queryId] ?? ""} ${row.category ?? ""}`,
    switches: [
      { label: "missed only", keep: (row) => outcome(row) === "missed" },
      { label: "failed only", keep: (row) => outcome(row) === "failed" },
    ],
    cells: (row) => [
      { text: words[row.queryId] ?? row.queryId, className: "text" },
      { text: (row.expected ?? []).filter(({ grade }) => grade >= 1).map(({ id }) => id).join(", ") || "–" },
      { text: outcome(row), className: "n" },
      { text: row.latencyMs == null ? "–" : row.latencyMs.toFixed(1), className: "n" },
    ],
  });
}
