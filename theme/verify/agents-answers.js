// Figures of judged answers and of retrieved evidence: benchsite/tracks/agents/scores/answers.py.

import { mean } from "./agents-descriptor.js";
import { fsum } from "./stats.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {{value: number, success: boolean}} Stated a run's confidence */

/** Runs of a bin. */
const BIN = 100;

/**
 * The member `answers` of a receipt; null if no run states a verdict or a recall.
 * @param {Map<string, number[]>} held places of the runs of each task
 * @param {Document} runs
 * @returns {Document | null}
 */
export function answers(held, runs) {
  /** @type {(boolean | null)[] | null} */
  const judged = statedIn(runs["judged"]);
  /** @type {(number | null)[] | null} */
  const recall = statedIn(runs["evidenceRecall"]);
  if (judged === null && recall === null) return null;
  const places = [...held.values()].flat();
  /** @type {string[]} */
  const outcomes = runs["outcome"];
  return {
    judgeSuccess: judged === null ? null : meanOfTasks(held, judged.map((one) => Number(one === true))),
    judgeVerdicts: judged === null ? 0 : places.filter((i) => judged[i] !== null).length,
    judgeCalibrationError: judged === null ? null : error(runs, places, judged),
    exactCalibrationError: error(runs, places, outcomes.map((one, i) => (judged !== null && judged[i] === null ? null : one === "success"))),
    evidenceRecall: recall === null ? null : meanOfTasks(held, recall),
  };
}

/**
 * The RMS calibration error over bins of 100 runs; the last one isn't counted. Null if no bin counts.
 * @param {readonly Stated[]} stated by ascending confidence
 * @returns {number | null}
 */
export function binnedError(stated) {
  const n = stated.length;
  const terms = [];
  for (let start = 0; start < (Math.floor(n / BIN) - 1) * BIN; start += BIN) {
    const bin = stated.slice(start, start + BIN);
    const gap = fsum(bin.map(({ value }) => value)) / BIN - bin.filter(({ success }) => success).length / BIN;
    terms.push(BIN / n * (gap * gap));
  }
  return terms.length === 0 ? null : Math.sqrt(fsum(terms));
}

/**
 * A column; null if no run states a value.
 * @template Cell
 * @param {(Cell | null)[] | null | undefined} column
 */
function statedIn(column) {
  return column?.some((cell) => cell !== null) ? column : null;
}

/**
 * @param {Document} runs
 * @param {readonly number[]} places
 * @param {readonly (boolean | null)[]} correct
 */
function error(runs, places, correct) {
  const cells = runs["confidence"] ?? null;
  if (cells === null) return null;
  const chosen = places.filter((i) => cells[i] !== null && correct[i] !== null)
    .map((i) => ({ value: cells[i], task: String(runs["taskId"][i]), run: runs["run"][i], success: correct[i] === true }));
  chosen.sort((a, b) => a.value - b.value || (a.task === b.task ? a.run - b.run : a.task < b.task ? -1 : 1));
  return binnedError(chosen);
}

/**
 * @param {Map<string, number[]>} held
 * @param {readonly (number | null)[]} cells
 */
function meanOfTasks(held, cells) {
  const means = [...held.values()].flatMap((places) => {
    const values = places.flatMap((i) => cells[i] ?? []);
    return places.length > 0 && values.length === places.length ? [mean(values)] : [];
  });
  return means.length === 0 ? null : mean(means);
}
