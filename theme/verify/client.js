// Asks a Worker for one check and always gets an answer: a Worker that cannot start, breaks or takes too long makes the
// verdict UNSUPPORTED, which says nothing about the file. What was reached in time is kept. Signature, log and verdict come
// from the engine's own Worker alone. The Worker of another package's track is asked for that track's answers; if it breaks,
// the track's numbers are not checked and all else is.

import { TROUBLES } from "./words.js";

/** @typedef {import("./types.js").Request} Request */
/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").LogReport} LogReport */
/** @typedef {import("./types.js").BoardRequest} BoardRequest */
/** @typedef {import("./types.js").BoardReport} BoardReport */
/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Step} Step */

/**
 * @typedef {(track: string | null) => URL | string} Source a Worker's script, a module of the site or the blob of a page
 *   that carries it: the engine, or the engine with another package's track
 * @typedef {{report: any} | {track: string} | {answer: any} | {trouble: string}} Answer the result, the track whose Worker is
 *   to be asked, what such a Worker says, or why there is none of these
 */

/** The milliseconds that `TROUBLES.late` names. */
const TIME_LIMIT = 30_000;
const EMPTY = new Uint8Array();
/** Values, and characters of text, that one answer of a track may hold. */
const MOST_VALUES = 200_000;
const MOST_CHARACTERS = 4_000_000;

/**
 * Check a receipt.
 * @param {Request} request
 * @param {Source} source
 * @returns {Promise<Report>} never rejects
 */
export async function check(request, source) {
  let answer = await ask("receipt", request, source);
  if ("track" in answer) {
    const told = await ask("numbers", request, source, answer.track);
    const more = "answer" in told ? { answer: told.answer } : { failed: troubleOf(told) };
    answer = await ask("receipt", { ...request, ...more }, source);
  }
  return "report" in answer ? answer.report : unsupported(troubleOf(answer));
}

/**
 * Check the served log against what this browser remembers.
 * @param {Trust} trust
 * @param {string | null} base
 * @param {Head | null} seen
 * @param {Source} source
 * @returns {Promise<LogReport>} never rejects
 */
export async function checkLog(trust, base, seen, source) {
  const request = { bytes: EMPTY, trust, base, proof: null, key: null, wanted: null, seen };
  const answer = await ask("log", request, source);
  if ("report" in answer) return answer.report;
  return { state: "unavailable", head: null, steps: [engineStep(troubleOf(answer))], evidence: null, keep: false };
}

/**
 * Verify a leaderboard.
 * @param {BoardRequest} request
 * @param {Source} source
 * @param {(done: number, of: number) => void} tell told how many receipts were read
 * @returns {Promise<BoardReport>} never rejects
 */
export async function checkBoard(request, source, tell) {
  const answer = await ask("board", request, source, null, tell);
  if ("report" in answer) return answer.report;
  return {
    state: "not checked", sentence: troubleOf(answer), stated: false, statement: null, discrepancies: [],
    steps: [engineStep(troubleOf(answer))], receipts: 0, head: null, keep: false, evidence: null,
  };
}

/** @param {Answer} answer */
function troubleOf(answer) {
  if ("trouble" in answer) return answer.trouble;
  return "track" in answer ? `its Worker does not have track '${answer.track}'` : "its Worker answered something else";
}

/**
 * @param {"receipt" | "log" | "numbers" | "board"} kind
 * @param {Request | BoardRequest} request
 * @param {Source} source
 * @param {string | null} [track] of another package, whose Worker is asked
 * @param {(done: number, of: number) => void} [tell] told of progress, which extends the time
 * @returns {Promise<Answer>}
 */
function ask(kind, request, source, track = null, tell = () => {}) {
  const script = source(track);
  return new Promise((resolve) => {
    /** @type {Worker} */
    let worker;
    /** @type {Report | null} */
    let partial = null;
    let isOver = false;
    try {
      worker = new Worker(script, { type: String(script).startsWith("blob:") ? "classic" : "module" });
    } catch (error) {
      resolve({ trouble: `${TROUBLES.worker.cause}: ${error instanceof Error ? error.message : error}` });
      return;
    }
    const late = () => stop(TROUBLES.late.cause, "ran out of time");
    let timer = setTimeout(late, TIME_LIMIT);
    /**
     * @param {string} trouble
     * @param {string} [why] in the words of a report that was reached before
     */
    function stop(trouble, why = trouble) {
      end(partial === null ? { trouble } : { report: cutShort(partial, why) });
    }
    /** @param {Answer} answer */
    function end(answer) {
      isOver = true;
      worker.terminate();
      clearTimeout(timer);
      resolve(answer);
    }
    worker.onmessage = ({ data }) => {
      if (isOver) return;
      if (track !== null) end(answerOf(data));
      else if ("done" in data) {
        clearTimeout(timer);
        timer = setTimeout(late, TIME_LIMIT);
        tell(data.done, data.of);
      } else if ("partial" in data) partial = data.partial;
      else if ("report" in data || "track" in data) end(data);
      else stop(`${TROUBLES.bug.cause}: ${data.bug}`);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      stop(breakdown(track, event.message));
    };
    try {
      worker.postMessage({ kind, request });
    } catch (error) {
      end({ trouble: `${TROUBLES.unsent.cause}: ${error instanceof Error ? error.message : error}` });
    }
  });
}

/**
 * Name the trouble of a Worker that broke; without a message, its script did not load.
 * @param {string | null} track
 * @param {string | undefined} message
 */
function breakdown(track, message) {
  if (track !== null) return `this browser cannot run its modules: ${message || "the worker did not load"}`;
  return message ? `${TROUBLES.run.cause}: ${message}` : TROUBLES.load.cause;
}

/**
 * The first message of another package's Worker, which may be anything: it is the last one that is read.
 * @param {unknown} data
 * @returns {Answer}
 */
function answerOf(data) {
  if (!isSmall(data)) return { trouble: "its Worker answered too much" };
  if (typeof data === "object" && data !== null) {
    if ("answer" in data && typeof data.answer === "object" && data.answer !== null) return { answer: data.answer };
    if ("bug" in data && typeof data.bug === "string") return { trouble: data.bug.slice(0, 500) };
  }
  return { trouble: "its Worker answered something else" };
}

/**
 * Whether a value that a message brought is of a size that can be looked at.
 * @param {unknown} data
 */
function isSmall(data) {
  let [values, characters] = [0, 0];
  const waiting = [data];
  while (waiting.length > 0) {
    const value = waiting.pop();
    values += 1;
    if (typeof value === "string") characters += value.length;
    else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) characters += value.byteLength;
    else if (typeof value === "object" && value !== null) {
      if (Array.isArray(value) && value.length > MOST_VALUES) return false;
      const inner = value instanceof Map || value instanceof Set ? [...value].flat() : Object.entries(value).flat();
      if (inner.length > MOST_VALUES) return false;
      waiting.push(...inner);
    }
    if (values > MOST_VALUES || characters > MOST_CHARACTERS) return false;
  }
  return true;
}

/**
 * What was reached before the time ran out or the Worker broke.
 * @param {Report} report
 * @param {string} why
 * @returns {Report}
 */
function cutShort(report, why) {
  const step = { name: "re-score", state: /** @type {const} */ ("not checked"), detail: `scores not checked: ${why}`, field: "" };
  return { ...report, steps: [...report.steps, step] };
}

/** @param {string} detail @returns {Step} */
function engineStep(detail) {
  return { name: "engine", state: "not checked", detail, field: "" };
}

/** @param {string} trouble @returns {Report} */
function unsupported(trouble) {
  return {
    verdict: "UNSUPPORTED", steps: [engineStep(trouble)], rescoring: null, receiptId: null, ranAt: null, words: null, wanting: [],
    subject: null, figure: null, window: { notBefore: null, notAfter: null }, index: null, head: null, keep: false,
    material: null, evidence: null, proof: null, course: null, compromised: false, reach: null,
  };
}
