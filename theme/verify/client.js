// Asks a Worker for one check and always gets an answer: a Worker that cannot start, breaks or takes too long makes the
// verdict UNSUPPORTED, which says nothing about the file. A receipt of another package's track is checked in a Worker of
// that track; where that one breaks, the track's numbers are not checked and all else is.

/** @typedef {import("./types.js").Request} Request */
/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").LogReport} LogReport */
/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Step} Step */

/**
 * @typedef {(track: string | null) => URL | string} Source a Worker's script, a module of the site or the blob of a page
 *   that carries it: the engine, or the engine with another package's track
 * @typedef {{report: any} | {track: string} | {trouble: string}} Answer the result, the track whose Worker is to be asked,
 *   or why there is neither
 */

const SECONDS = 30;
const EMPTY = new Uint8Array();

/**
 * Check a receipt.
 * @param {Request} request
 * @param {Source} source
 * @returns {Promise<Report>} never rejects
 */
export async function check(request, source) {
  let answer = await ask("receipt", request, source);
  if ("track" in answer) {
    const { track } = answer;
    answer = await ask("receipt", request, source, track);
    if (!("report" in answer)) answer = await ask("receipt", { ...request, failed: troubleOf(answer) }, source);
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

/** @param {{track: string} | {trouble: string}} answer */
function troubleOf(answer) {
  return "trouble" in answer ? answer.trouble : `its Worker does not have track '${answer.track}'`;
}

/**
 * @param {"receipt" | "log"} kind
 * @param {Request} request
 * @param {Source} source
 * @param {string | null} [track] of another package, whose Worker is asked
 * @returns {Promise<Answer>}
 */
function ask(kind, request, source, track = null) {
  const script = source(track);
  const what = track === null ? "the checks" : "its modules";
  return new Promise((resolve) => {
    /** @type {Worker} */
    let worker;
    try {
      worker = new Worker(script, { type: String(script).startsWith("blob:") ? "classic" : "module" });
    } catch (error) {
      resolve({ trouble: `this browser cannot start a worker: ${error instanceof Error ? error.message : error}` });
      return;
    }
    const timer = setTimeout(() => end({ trouble: `no answer within ${SECONDS} seconds` }), SECONDS * 1000);
    /** @param {Answer} answer */
    function end(answer) {
      clearTimeout(timer);
      worker.terminate();
      resolve(answer);
    }
    worker.onmessage = ({ data }) => end("report" in data || "track" in data ? data : { trouble: `a bug in this page: ${data.bug}` });
    worker.onerror = (event) => {
      event.preventDefault();
      end({ trouble: `this browser cannot run ${what}: ${event.message || "the worker did not load"}` });
    };
    try {
      worker.postMessage({ kind, request });
    } catch (error) {
      end({ trouble: `the request could not be sent: ${error instanceof Error ? error.message : error}` });
    }
  });
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
