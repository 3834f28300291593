// One check from beginning to end, as a Worker runs it: open the log, examine the receipt, report. Also the check of the
// log alone. Nothing here touches a page.
//
// A served log that does not hold is the site's fault, not the file's: the receipt is then not proven to be in the log
// (SIGNED-ONLY), and the step that failed says why. INVALID is kept for what is wrong with the receipt.

import { Unsupported } from "./digest.js";
import { examine } from "./examine.js";
import { Fault } from "./fault.js";
import { Broken, misfit, standpoint } from "./head.js";
import { loadPem } from "./keyring.js";
import { SiteRecord } from "./record.js";
import { Served } from "./served.js";

/** @typedef {import("./types.js").Request} Request */
/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").LogReport} LogReport */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./head.js").Standpoint} Standpoint */

/** Steps that belong to the log and not to the receipt follow this one. */
const BEFORE_LOG_STEPS = "log";

/** @type {Step} */
const NO_LOG = { name: "log", state: "skip", detail: "this site has no log yet", field: "" };

/**
 * Check a receipt.
 * @param {Request} request
 * @returns {Promise<Report>}
 */
export async function run(request) {
  const served = request.base === null ? null : new Served(request.base);
  const opened = await open(request, served);
  const record = opened.at === null ? null : await SiteRecord.of(opened.at, request.trust, served, request.proof);
  const key = suppliedKey(request.key);
  const found = await examine(request.bytes, record, key.bytes);
  if (key.fault) found.steps.push(key.fault);
  if (opened.lacking && found.verdict !== "INVALID") found.verdict = "UNSUPPORTED";
  if (request.trust.origin === null && found.verdict === "SIGNED-ONLY") found.steps.push(NO_LOG);
  return report(found, opened, record);
}

/**
 * Check the served log against what this browser remembers, without a receipt.
 * @param {Request} request
 * @returns {Promise<LogReport>}
 */
export async function runLog(request) {
  const served = request.base === null ? null : new Served(request.base);
  const { at, broken, lacking } = await open(request, served);
  return {
    state: broken?.course ?? at?.course ?? "unavailable",
    head: at?.head ?? null,
    steps: [...(at?.steps ?? []), ...(broken ? [broken.step] : []), ...(lacking ? [lacking] : [])],
    evidence: broken?.evidence ?? null,
    keep: at?.keep ?? false,
  };
}

/**
 * @param {Request} request
 * @param {Served | null} served
 * @returns {Promise<{at: Standpoint | null, broken: Broken | null, lacking: Step | null}>}
 */
async function open(request, served) {
  if (request.trust.origin === null) return { at: null, broken: null, lacking: null };
  try {
    return { at: await standpoint(request.trust, served, request.seen), broken: null, lacking: null };
  } catch (error) {
    if (error instanceof Broken) return { at: await pinnedAlone(request, error), broken: error, lacking: null };
    if (!(error instanceof Unsupported)) throw error;
    return { at: null, broken: null, lacking: { name: "engine", state: "skip", detail: error.message, field: "" } };
  }
}

/**
 * The keys that the trust data itself vouches for still say whose signature it is, though the served list is no good.
 * @param {Request} request
 * @param {Broken} why
 * @returns {Promise<Standpoint | null>}
 */
async function pinnedAlone(request, why) {
  try {
    return { ...(await standpoint(request.trust, null, null)), course: why.course, keep: false };
  } catch (error) {
    if (error instanceof Broken) return null;
    throw error;
  }
}

/**
 * @param {string | null} text
 * @returns {{bytes: Uint8Array | null, fault: Step | null}}
 */
function suppliedKey(text) {
  if (text === null || text.trim() === "") return { bytes: null, fault: null };
  try {
    return { bytes: loadPem(text), fault: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { bytes: null, fault: { name: "key", state: "skip", detail: `the key you gave: ${error.message}`, field: "" } };
  }
}

/**
 * @param {Findings} found
 * @param {{at: Standpoint | null, broken: Broken | null, lacking: Step | null}} opened
 * @param {SiteRecord | null} record
 * @returns {Promise<Report>}
 */
async function report(found, opened, record) {
  const { at, broken, lacking } = opened;
  const document = found.receipt?.document ?? null;
  const ours = found.verdict !== "UNKNOWN SIGNER";
  const logSteps = [...(at && !broken ? at.steps : []), ...(broken ? [broken.step] : []), ...(lacking ? [lacking] : [])];
  if (record?.fault) logSteps.push(misfit(record.fault));
  const adapter = document?.["adapter"];
  return {
    verdict: found.verdict,
    steps: ours ? inOrder(found.steps, logSteps) : found.steps,
    judgement: found.judgement,
    receiptId: document?.["receiptId"] ?? null,
    ranAt: document?.["ranAt"] ?? null,
    subject: typeof adapter?.name === "string" ? { name: adapter.name, version: String(adapter.version) } : null,
    window: await provenWindow(found, record),
    index: found.index,
    head: at?.head ?? null,
    keep: at?.keep ?? false,
    material: found.material,
    evidence: broken?.evidence ?? null,
    proof: found.proof,
  };
}

/**
 * The receipt's own steps with those of the log after its place in it.
 * @param {Step[]} steps
 * @param {Step[]} logSteps
 */
function inOrder(steps, logSteps) {
  const at = steps.map(({ name }) => name).lastIndexOf(BEFORE_LOG_STEPS);
  const before = at >= 0 ? at + 1 : steps.findIndex(({ name }) => name === "re-score");
  const cut = before < 0 ? steps.length : before;
  return [...steps.slice(0, cut), ...logSteps, ...steps.slice(cut)];
}

/**
 * Between which times witnesses show the receipt to have come into being.
 * @param {Findings} found
 * @param {SiteRecord | null} record
 */
async function provenWindow(found, record) {
  const head = found.receipt?.document["logHead"] ?? null;
  if (record === null || found.index === null) return { notBefore: null, notAfter: null };
  return {
    notBefore: head === null ? null : await record.seenAfter(head.size, 0),
    notAfter: await record.seenBy(found.index),
  };
}
