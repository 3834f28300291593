// The words that only the page says: which steps share a row, what is said of the log by itself and of troubles of the
// engine, and what no result can show. What Python says too is in sentences.js.

import { TITLES } from "./sentences.js";

/** @typedef {import("./types.js").TrackWords} TrackWords */
/** @typedef {import("./types.js").Course} Course */
/** @typedef {import("./sentences.js").Mark} Mark */

/**
 * The steps of specs/verify.md under their own numbers, with the names of the findings that belong to each.
 * @type {readonly {number: string, title: string, names: readonly string[]}[]}
 */
export const ROWS = Object.freeze([
  { number: "1", title: "Parse and schema", names: ["parse", "schema"] },
  { number: "2", title: TITLES.canonical, names: ["canonical"] },
  { number: "3", title: TITLES.key, names: ["key"] },
  { number: "4", title: TITLES.signature, names: ["signature"] },
  { number: "5", title: TITLES.log, names: ["log"] },
  { number: "6", title: TITLES.checkpoint, names: ["checkpoint"] },
  { number: "7", title: TITLES.consistency, names: ["consistency"] },
  { number: "8", title: TITLES.witness, names: ["witness"] },
  { number: "9", title: TITLES.events, names: ["events", "evidence"] },
  { number: "10", title: TITLES["re-score"], names: ["re-score", "invariants"] },
]);

/** What is said of a log and the head this browser remembers. @type {Readonly<Record<Course, Mark & {sentence: string}>>} */
export const LOG_STATES = Object.freeze({
  same: {
    glyph: "✓", word: "same log", tone: "good",
    sentence: "This is the log that this browser saw before, unchanged.",
  },
  grown: {
    glyph: "✓", word: "consistent", tone: "good",
    sentence: "Entries were added since this browser last saw the log. No entry was changed or removed.",
  },
  first: {
    glyph: "–", word: "first visit", tone: "soft",
    sentence: "The log verified. This browser has no earlier checkpoint to compare.",
  },
  stale: {
    glyph: "△", word: "stale", tone: "caution",
    sentence: "Stale: the served log is older than one seen before. Retry later.",
  },
  fork: {
    glyph: "✗", word: "fork", tone: "bad",
    sentence: "Two signed checkpoints of this log are inconsistent: the one that this browser saw before and the one served now. " +
      "Save both checkpoints and show them to others.",
  },
  unavailable: {
    glyph: "–", word: "not checked", tone: "soft",
    sentence: "The served log could not be read or compared. The checkpoint stored in this browser is kept.",
  },
  broken: {
    glyph: "✗", word: "log verification failed", tone: "bad",
    sentence: "A signature or a hash of the served log does not match.",
  },
});

const ELSEWHERE = "Reload the page, or verify on your machine: benchsite verify.";

/**
 * Troubles of the engine, not of a file. The detail of the step `engine` begins with the cause; an error may follow, which
 * can hold foreign words and so never reaches a headline.
 * @satisfies {Readonly<Record<string, {cause: string, remedy: string}>>}
 */
export const TROUBLES = Object.freeze({
  cryptography: {
    cause: "this browser offers no cryptography on http:// pages",
    remedy: "Open the site over https, or save this page and open the file.",
  },
  ed25519: { cause: "this browser failed to check an Ed25519 signature", remedy: ELSEWHERE },
  worker: { cause: "this browser cannot start a worker", remedy: ELSEWHERE },
  load: { cause: "the verification engine could not be loaded", remedy: ELSEWHERE },
  run: { cause: "this browser cannot run the checks", remedy: ELSEWHERE },
  late: { cause: "no answer within 30 seconds", remedy: ELSEWHERE },
  unsent: { cause: "the request could not be sent", remedy: ELSEWHERE },
  bug: { cause: "a bug in this page", remedy: ELSEWHERE },
  other: { cause: "the verification engine failed", remedy: ELSEWHERE },
});

/**
 * The result as a screen reader announces it.
 * @param {string} word of the verdict
 */
export function verified(word) {
  return `Verification result: ${word}.`;
}

/**
 * What no result can show, whatever it says.
 * @param {TrackWords | null} words of the receipt's track, where it is known
 */
export function limitsOf(words) {
  return [...LIMITS.slice(0, 2), ...(words === null ? [] : [words.limit]), ...LIMITS.slice(2)];
}

const LIMITS = Object.freeze([
  "That the submitter ran the benchmark honestly: only an independent reproduction can show it. Unregistered runs are not visible.",
  "When the run took place: its date is self-reported. A cosignature shows only by when the receipt was in the log.",
  "That every retraction, dispute and key revocation is shown, unless step 9 says that all entries were read.",
  "That this page is genuine: its host can replace it. A saved copy cannot be replaced.",
  "That every visitor is shown the same log, unless witnesses cosign it or you kept an earlier checkpoint.",
]);
