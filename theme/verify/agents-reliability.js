// Consistency of the trajectories of one task, and calibration of confidence: benchsite/tracks/agents/scores/reliability.py.

import { actions } from "./agents-conduct.js";
import { log2 } from "./logarithm.js";
import { fsum } from "./stats.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {{value: number, success: boolean}} Stated a run's confidence */

const BINS = 10;
const MOST_RUNS = 10;
const MOST_ACTIONS = 500;

/** The actions of successful runs by task, as their consistency needs them. */
export class Trajectories {
  /** @type {Map<string, Map<number, string[]>>} */
  #runs = new Map();

  /** @type {Set<string>} */
  #blank = new Set();

  /**
   * A run whose source does not tell every step blanks its task.
   * @param {string} task
   * @param {number} run
   * @param {readonly Document[]} events
   * @param {boolean} isSuccess
   */
  add(task, run, events, isSuccess) {
    if (!isSuccess) return;
    if (events.some(({ payload }) => payload?.partial === true)) this.#blank.add(task);
    const held = this.#runs.get(task) ?? new Map();
    this.#runs.set(task, held.set(run, actions(events)));
  }

  /**
   * The columns of tasks that follow, blank ones included.
   * @param {readonly string[]} tasks
   * @returns {{[column: string]: (number | null)[]}}
   */
  columns(tasks) {
    const found = tasks.map((task) => {
      const runs = this.#blank.has(task) ? [] : [...this.#runs.get(task) ?? []];
      return consistency(runs.sort(([a], [b]) => a - b).map(([, done]) => done));
    });
    return {
      actionConsistency: found.map(([ofActions]) => ofActions),
      sequenceConsistency: found.map(([, ofSequence]) => ofSequence),
    };
  }
}

/**
 * Of actions and of their sequence.
 * @param {string[][]} trajectories of the successful runs of a task, by number
 * @returns {[number | null, number | null]}
 */
export function consistency(trajectories) {
  const acted = trajectories.filter(({ length }) => length > 0).slice(0, MOST_RUNS);
  if (acted.length < 2 || acted.some(({ length }) => length > MOST_ACTIONS)) return [null, null];
  return [alike(acted, divergence), alike(acted, distance)];
}

/**
 * @param {string[][]} acted
 * @param {(a: string[], b: string[]) => number} differ
 */
function alike(acted, differ) {
  const pairs = acted.flatMap((one, i) => acted.slice(i + 1).map((other) => differ(one, other)));
  return 1 - fsum(pairs) / pairs.length;
}

/**
 * The Jensen-Shannon divergence, base 2, of how often each action occurs.
 * @param {string[]} a not empty
 * @param {string[]} b not empty
 */
export function divergence(a, b) {
  const [p, q] = [shares(a), shares(b)];
  const terms = [p, q].flatMap((held) => [...held].map(([action, share]) => {
    return share * log2(share / (((p.get(action) ?? 0) + (q.get(action) ?? 0)) / 2)) / 2;
  }));
  return Math.min(1, Math.max(0, fsum(terms)));
}

/** @param {string[]} done */
function shares(done) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const action of done) counts.set(action, (counts.get(action) ?? 0) + 1);
  return new Map([...counts].map(([action, count]) => [action, count / done.length]));
}

/**
 * The edit distance over the longer length.
 * @param {string[]} a not empty
 * @param {string[]} b not empty
 */
export function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, one] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries()) {
      const [left, above, before] = [Number(next[j]), Number(row[j + 1]), Number(row[j])];
      next.push(Math.min(left + 1, above + 1, before + (one === other ? 0 : 1)));
    }
    row = next;
  }
  return Number(row[b.length]) / Math.max(a.length, b.length);
}

/**
 * Calibration pooled over runs, as a receipt states it; null if no run states a confidence.
 * @param {readonly Stated[]} stated
 */
export function calibration(stated) {
  if (stated.length === 0) return null;
  /** @type {Map<number, Stated[]>} */
  const bins = new Map();
  for (const one of stated) {
    const bin = Math.min(BINS - 1, Math.floor(one.value * BINS));
    bins.set(bin, [...bins.get(bin) ?? [], one]);
  }
  const gaps = [...bins.values()].map((held) => Math.abs(fsum(held.map(({ value }) => value)) - successes(held)));
  return { runs: stated.length, calibrationError: fsum(gaps) / stated.length, auroc: auroc(stated) };
}

/** @param {readonly Stated[]} stated */
function successes(stated) {
  return stated.filter(({ success }) => success).length;
}

/**
 * Twice the pairs in which the success has more, plus ties, over twice the pairs; null without both outcomes.
 * @param {readonly Stated[]} stated
 */
function auroc(stated) {
  const won = successes(stated);
  const pairs = won * (stated.length - won);
  if (pairs === 0) return null;
  /** @type {Map<number, [number, number]>} */
  const levels = new Map();
  for (const { value, success } of stated) {
    const held = levels.get(value) ?? [0, 0];
    held[success ? 1 : 0] += 1;
    levels.set(value, held);
  }
  let [doubled, below] = [0, 0];
  for (const [, [lostHere, wonHere]] of [...levels].sort(([a], [b]) => a - b)) {
    doubled += wonHere * (2 * below + lostHere);
    below += lostHere;
  }
  return doubled / (2 * pairs);
}
