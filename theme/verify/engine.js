// One check from beginning to end, as a Worker runs it: examine the receipt, open the log where it is needed, report. Also
// the check of the log alone. Nothing here touches a page.
//
// A served log that fails verification is the site's fault, not the file's: the receipt is then not shown to be in the log
// (SIGNED-ONLY), and the step that failed says why. INVALID is kept for what is wrong with the receipt.

import { Broken } from "./broken.js";
import { Unsupported } from "./digest.js";
import { examine } from "./examine.js";
import { Fault } from "./fault.js";
import { pinned, standpoint } from "./head.js";
import { loadPem } from "./keyring.js";
import { materials } from "./materials.js";
import { SiteRecord } from "./record.js";
import { report } from "./report.js";
import { Served } from "./served.js";

/** @typedef {import("./types.js").Request} Request */
/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").LogReport} LogReport */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./head.js").Standpoint} Standpoint */

/**
 * What opening the log came to.
 * @typedef {{at: Standpoint | null, broken: Broken | null, lacking: Step | null, record: SiteRecord | null}} Opened
 */

/** @type {Opened} */
const UNOPENED = { at: null, broken: null, lacking: null, record: null };

/**
 * Check a receipt.
 * @param {Request} request
 * @param {(report: Report) => void} [tell] told what was reached before the scores, which may take long
 * @returns {Promise<Report>}
 */
export async function run(request, tell = () => {}) {
  const served = request.base === null ? null : new Served(request.base);
  const key = suppliedKey(request.key);
  let opened = UNOPENED;
  const atHand = materials({ served, mirrors: request.trust.mirrors ?? [], given: request.given ?? [], failed: request.failed ?? null,
    answer: request.answer ?? null });
  const found = await examine(request.bytes, async () => {
    opened = await open(request, served);
    if (opened.at) opened = { ...opened, record: await SiteRecord.of(opened.at, request.trust, served, request.proof) };
    return opened.record;
  }, key.bytes, request.wanted, atHand, async (early) => tell(await concluded(early.copy(), opened, key.fault)));
  return concluded(found, opened, key.fault);
}

/**
 * What is made of the findings once the log was opened.
 * @param {import("./findings.js").Findings} found
 * @param {Opened} opened
 * @param {Step | null} fault of the key that was supplied
 * @returns {Promise<Report>}
 */
async function concluded(found, opened, fault) {
  if (fault) found.steps.push(fault);
  const keysUnknown = opened.lacking !== null || (opened.broken !== null && opened.at === null);
  if (keysUnknown && found.verdict !== "INVALID") found.verdict = "UNSUPPORTED";
  const { record } = opened;
  if (record && found.verdict === "UNKNOWN SIGNER" && found.receipt?.document["logHead"]?.origin === record.origin) {
    found.say("consistency", "warning", "the receipt names this site's own log: its key may be newer than this page; reload the page");
  }
  return report(found, opened);
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
 * @returns {Promise<Opened>}
 */
async function open(request, served) {
  if (request.trust.origin === null) return UNOPENED;
  try {
    return { ...UNOPENED, at: await standpoint(request.trust, served, request.seen) };
  } catch (error) {
    if (error instanceof Broken) return { ...UNOPENED, at: await pinnedAlone(request), broken: error };
    if (!(error instanceof Unsupported)) throw error;
    return { ...UNOPENED, lacking: { name: "engine", state: "not checked", detail: error.message, field: "" } };
  }
}

/**
 * The keys that the trust data itself vouches for still say whose signature it is, though the served list is no good.
 * @param {Request} request
 * @returns {Promise<Standpoint | null>}
 */
async function pinnedAlone(request) {
  try {
    return await pinned(request.trust);
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
    return { bytes: null, fault: { name: "key", state: "not checked", detail: `the key you supplied: ${error.message}`, field: "" } };
  }
}
