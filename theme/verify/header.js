// What a leaderboard keeps of a receipt once it was examined, as benchsite/history has it: its row, its numbers and every
// reason not to rank it.

import { hex, utf8 } from "./bytes.js";
import { sha256 } from "./digest.js";
import { serialize } from "./jcs.js";
import { FACES } from "./leaderboard.js";
import { reasons } from "./reasons.js";
import { broken } from "./registration.js";
import { said } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./leaderboard.js").Rules} Rules */
/** @typedef {import("./leaderboard.js").Face} Face */

/**
 * @typedef {object} Header
 * @property {string} receiptId
 * @property {number} index
 * @property {string} sentBy who submitted it; empty for a run of this site
 * @property {readonly string[]} reasons not to rank it
 * @property {string | null} intentId
 * @property {boolean} registered whether the log announced its run
 * @property {string} row digest
 * @property {string} name
 * @property {string} version
 * @property {string} label
 * @property {string} targetSha256
 * @property {number | null} value
 * @property {number | null} low
 * @property {number | null} high
 * @property {boolean} isBaseline whether a run of this site's would be one
 * @property {boolean} isOnce
 * @property {Map<string, number>} vector
 */

/**
 * @param {import("./findings.js").Findings} found of a receipt that was examined to the end
 * @param {Document} document
 * @param {number} index
 * @param {object} around
 * @param {Rules} around.rules
 * @param {import("./types.js").Methodology | null} around.methodology
 * @param {ReadonlyMap<string, {index: number, entry: import("./entries.js").Entry}>} around.intents
 * @param {import("./types.js").Target} target
 * @returns {Promise<Header>}
 */
export async function headerOf(found, document, index, { rules, methodology, intents }, target) {
  const track = String(document["track"] ?? "retrieval");
  const face = /** @type {Face} */ (FACES.get(track));
  const summary = face.summary(document, methodology);
  const departed = await broken(document, intents, target);
  const { kind = "", name: sender = "" } = document["ranBy"] ?? {};
  const { name, version, label, targetSha256, value, low, high } = summary;
  return {
    receiptId: document["receiptId"], index, sentBy: kind === "submitted" ? sender : "",
    reasons: [...reasons(found, document, summary, rules.limited), ...(departed === null ? [] : [departed])],
    intentId: document["intentId"] ?? null,
    registered: (document["intentId"] ?? null) !== null && departed === null,
    row: hex(await sha256(utf8(serialize(summary.row)))),
    name, version, label, targetSha256, value, low, high,
    isBaseline: rules.baselines.includes(name) && face.accepts(document),
    isOnce: face.isOnce(document),
    vector: rules.isCompared ? face.vector(document, rules.headline) : new Map(),
  };
}

/**
 * An announced run is reported by one receipt, the first in the log.
 * @param {readonly Header[]} headers in log order
 * @returns {Header[]}
 */
export function reported(headers) {
  /** @type {Map<string, string>} */
  const first = new Map();
  for (const { registered, intentId, receiptId } of headers) {
    if (registered && intentId !== null && !first.has(intentId)) first.set(intentId, receiptId);
  }
  return headers.map((header) => {
    const intent = header.intentId ?? "";
    const receipt = first.get(intent) ?? "";
    if (!header.registered || receipt === header.receiptId) return header;
    return { ...header, registered: false, reasons: [...header.reasons, said("intent-reported", { intent, receipt })] };
  });
}
