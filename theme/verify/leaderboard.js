// What each of our tracks ranks and by which number, as its `board` and `verification` say in Python: the summary of a
// receipt, the numbers that a paired test compares, and its baselines. Tracks of other packages are not here: their
// leaderboards are not verified in a browser.

import { AGENTS_BOARD } from "./board-agents.js";
import { RETRIEVAL_BOARD } from "./board-retrieval.js";
import { RUBRIC_BOARD } from "./board-rubric.js";
import { LEADERBOARDS } from "./leaderboards.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Methodology} Methodology */
/** @typedef {import("./types.js").Json} Json */

/**
 * @typedef {object} Summary what a leaderboard keeps of a receipt
 * @property {string} name
 * @property {string} version
 * @property {string} label its configuration in words
 * @property {string} targetSha256
 * @property {Json} row equal for equal subject, version and configuration
 * @property {string} metric
 * @property {number | null} value
 * @property {number | null} low
 * @property {number | null} high
 * @property {string[]} unranked the track's own reasons not to rank it
 *
 * @typedef {object} Face one `board-<track>.js`
 * @property {(document: Document, methodology: Methodology | null) => Summary} summary
 * @property {(document: Document, headline: string) => Map<string, number>} vector one number a task; empty without one
 * @property {(document: Document) => boolean} isOnce whether these are of one run a task, 0 or 1
 * @property {(document: Document) => boolean} accepts whether a receipt with a baseline's name is one
 * @property {(methodology: Methodology | null) => {headline?: string, flips?: number, level?: number}} under what a methodology
 *   has otherwise
 *
 * @typedef {object} Rules
 * @property {string} headline
 * @property {string} tasks
 * @property {string} limited
 * @property {readonly string[]} baselines
 * @property {boolean} imports
 * @property {boolean} isCompared
 * @property {number} flips
 * @property {number} level
 */

/** @type {ReadonlyMap<string, Face>} */
export const FACES = new Map([["agents", AGENTS_BOARD], ["retrieval", RETRIEVAL_BOARD], ["rubric", RUBRIC_BOARD]]);

/**
 * The rules of a track's leaderboards under a methodology; null for a track of another package.
 * @param {string} track
 * @param {Methodology | null} methodology
 * @returns {Rules | null}
 */
export function rulesOf(track, methodology) {
  const [face, rules] = [FACES.get(track), LEADERBOARDS.get(track)];
  return face === undefined || rules === undefined ? null : { ...rules, ...face.under(methodology) };
}
