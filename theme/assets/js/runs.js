// The whole table of runs of an agents receipt, read from the receipt file on demand.

import { loadJson, onDemand, paged } from "./table.js";

/**
 * @typedef {object} Columns
 * @property {string[]} taskId
 * @property {number[]} run
 * @property {string[]} outcome
 * @property {(string | null)[]} [limit]
 * @property {boolean[]} [harmful]
 * @property {(number | null)[]} [toolCalls]
 * @property {(number | null)[]} [steps]
 */

/**
 * The runs of a receipt as the page shows them: task, domain, outcome, harmful, tool calls, steps.
 * @param {{tasks: {id: string[], domain: string[]}, runs: Columns}} receipt
 * @returns {{task: string, run: number, cells: string[]}[]}
 */
export function rowsOf({ tasks, runs }) {
  const domains = new Map(tasks.id.map((id, i) => [id, tasks.domain[i] ?? "–"]));
  return runs.taskId.map((task, i) => {
    const limit = runs.limit?.[i];
    const harmful = runs.harmful?.[i];
    const number = runs.run[i] ?? 1;
    const cells = [
      number === 1 ? task : `${task}, run ${number}`,
      domains.get(task) ?? "–",
      limit == null ? runs.outcome[i] ?? "–" : `limit: ${limit}`,
      harmful === undefined ? "–" : harmful ? "yes" : "no",
      ...[runs.toolCalls?.[i], runs.steps?.[i]].map((count) => (count == null ? "–" : count.toLocaleString("en"))),
    ];
    return { task, run: number, cells };
  });
}

/**
 * @param {HTMLElement} place
 */
export function start(place) {
  const { receipt, total, runs = "" } = place.dataset;
  if (!receipt) return;
  const label = `Show all ${Number(total).toLocaleString("en")} runs`;
  onDemand(place, label, () => loadJson(receipt), (found) => show(place, rowsOf(found), runs));
}

/**
 * @param {HTMLElement} place
 * @param {{task: string, run: number, cells: string[]}[]} rows
 * @param {string} page path of the page of runs; empty without one
 */
function show(place, rows, page) {
  paged(place, rows, {
    noun: "runs",
    text: ({ cells }) => cells.join(" "),
    switches: [
      { label: "harmful only", keep: ({ cells }) => cells[3] === "yes" },
      { label: "not successful only", keep: ({ cells }) => cells[2] !== "success" },
    ],
    cells: ({ task, run, cells }) =>
      cells.map((text, i) => ({
        text,
        className: i > 3 ? "n" : "",
        ...(i === 0 && page ? { href: `${page}?${new URLSearchParams({ task, run: String(run) })}` } : {}),
      })),
  });
}
