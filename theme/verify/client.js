// Asks a Worker for one check and always gets an answer: a Worker that cannot start, breaks or takes too long makes the
// verdict UNSUPPORTED, which says nothing about the file.

/** @typedef {import("./types.js").Request} Request */
/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").LogReport} LogReport */
/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Step} Step */

const SECONDS = 30;
const EMPTY = new Uint8Array();

/**
 * Check a receipt.
 * @param {Request} request
 * @param {URL | string} source the Worker's script: a module of the site, or the blob of a page that carries it
 * @returns {Promise<Report>} never rejects
 */
export async function check(request, source) {
  const answer = await ask("receipt", request, source);
  return "report" in answer ? answer.report : unsupported(answer.trouble);
}

/**
 * Check the served log against what this browser remembers.
 * @param {Trust} trust
 * @param {string | null} base
 * @param {Head | null} seen
 * @param {URL | string} source the Worker's script: a module of the site, or the blob of a page that carries it
 * @returns {Promise<LogReport>} never rejects
 */
export async function checkLog(trust, base, seen, source) {
  const request = { bytes: EMPTY, trust, base, proof: null, key: null, wanted: null, seen };
  const answer = await ask("log", request, source);
  if ("report" in answer) return answer.report;
  return { state: "unavailable", head: null, steps: [engineStep(answer.trouble)], evidence: null, keep: false };
}

/**
 * @param {"receipt" | "log"} kind
 * @param {Request} request
 * @param {URL | string} source
 * @returns {Promise<{report: any} | {trouble: string}>}
 */
function ask(kind, request, source) {
  return new Promise((resolve) => {
    /** @type {Worker} */
    let worker;
    try {
      worker = new Worker(source, { type: String(source).startsWith("blob:") ? "classic" : "module" });
    } catch (error) {
      resolve({ trouble: `this browser cannot start a worker: ${error instanceof Error ? error.message : error}` });
      return;
    }
    const timer = setTimeout(() => end({ trouble: `no answer within ${SECONDS} seconds` }), SECONDS * 1000);
    /** @param {{report: any} | {trouble: string}} answer */
    function end(answer) {
      clearTimeout(timer);
      worker.terminate();
      resolve(answer);
    }
    worker.onmessage = ({ data }) => end("report" in data ? data : { trouble: `a bug in this page: ${data.bug}` });
    worker.onerror = (event) => {
      event.preventDefault();
      end({ trouble: `this browser cannot run the checks: ${event.message || "the worker did not load"}` });
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
  return { name: "engine", state: "skip", detail, field: "" };
}

/** @param {string} trouble @returns {Report} */
function unsupported(trouble) {
  return {
    verdict: "UNSUPPORTED", steps: [engineStep(trouble)], judgement: null, receiptId: null, ranAt: null, words: null,
    subject: null, figure: null, window: { notBefore: null, notAfter: null }, index: null, head: null, keep: false,
    material: null, evidence: null, proof: null, course: null, stolen: false, reach: null,
  };
}
