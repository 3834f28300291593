// Every compared metric of each item and system, from the evidence in per-query.json by the code that re-scores receipts.
// Of a track without such evidence the values are those of the receipts.

import { perTask } from "../../verify/agents-scoring.js";
import { everyMetric } from "../../verify/retrieval-scoring.js";

/**
 * @typedef {object} System
 * @property {string} receiptId
 * @property {string} path of the receipt file
 * @property {string} name
 * @property {string} version
 * @property {string} label
 * @property {string} sent
 * @property {boolean} baseline
 * @property {number | null} value of the headline, as the receipt states it
 * @property {number | null} low
 * @property {number | null} high
 * @property {boolean} once one run per item
 * @property {Record<string, string>} settings
 * @property {any[]} [own] what the system did, by item; null if it did not run it
 * @property {any[]} [shared] of the items, if this system's receipt states something else than the first one's
 * @property {(number | null)[]} [values]
 *
 * @typedef {object} Data
 * @property {string} track
 * @property {string} methodology
 * @property {{key: string, label: string, digits: number, percent: boolean}[]} metrics the headline first
 * @property {{seed: string, flips: number, level: number} | null} test
 * @property {number} more systems that the file does not have
 * @property {{id: string[], categories: {name: string, items: number}[], shared: any[]}} items
 * @property {System[]} systems best first
 *
 * @typedef {Map<string, (number | null)[]>} Values by metric, of every item
 */

/**
 * @param {Data} data
 * @param {System} system
 * @returns {Values}
 */
export function valuesOf(data, system) {
  if (system.own === undefined) return new Map([[data.metrics[0]?.key ?? "", system.values ?? []]]);
  const shared = system.shared ?? data.items.shared;
  return data.track === "agents" ? ofTasks(data, system.own, shared) : ofQueries(data, system.own, shared);
}

/**
 * Ranks of the relevant items of each query, and their grades.
 * @param {Data} data
 * @param {(number[] | null)[]} own
 * @param {number[][]} shared
 * @returns {Values}
 */
function ofQueries({ metrics, items }, own, shared) {
  const places = items.id.flatMap((_, i) => (own[i] && shared[i] ? [i] : []));
  const queries = places.map((i) => {
    const [ranks, ideal] = [own[i] ?? [], shared[i] ?? []];
    const relevant = ideal.map((_, j) => String(j));
    return {
      relevant,
      ideal,
      ranks: new Map(relevant.flatMap((id, j) => (ranks[j] ? [[id, ranks[j]]] : []))),
      answerable: true,
      failed: false,
      category: null,
    };
  });
  const ks = [...new Set(metrics.map(({ key }) => Number(/_at_([0-9]+)$/.exec(key)?.[1] ?? 0)))].filter((k) => k > 0).sort((a, b) => a - b);
  const scored = everyMetric(queries, ks);
  return new Map(metrics.map(({ key }) => {
    /** @type {(number | null)[]} */
    const column = items.id.map(() => null);
    places.forEach((place, j) => { column[place] = scored.get(key)?.[j] ?? null; });
    return [key, column];
  }));
}

/**
 * How each run of a task ended, and whether a task needs an action.
 * @param {Data} data
 * @param {(string[] | null)[]} own
 * @param {(boolean | null)[]} shared
 * @returns {Values}
 */
function ofTasks({ metrics, items }, own, shared) {
  const runs = items.id.flatMap((id, i) => (own[i] ?? []).map((outcome) => ({ id, outcome })));
  const tells = runs.some(({ outcome }) => outcome.endsWith(HARMFUL));
  const found = perTask({
    tasks: { id: items.id, needsAction: shared.every((needs) => needs !== null) ? shared : [] },
    runs: {
      taskId: runs.map(({ id }) => id),
      outcome: runs.map(({ outcome }) => (outcome.endsWith(HARMFUL) ? outcome.slice(0, -HARMFUL.length) : outcome)),
      harmful: tells || runs.length > 0 ? runs.map(({ outcome }) => outcome.endsWith(HARMFUL)) : null,
    },
  });
  return new Map(metrics.map(({ key }) => [key, items.id.map((id) => found.get(key)?.get(id) ?? null)]));
}

const HARMFUL = ", harmful";
