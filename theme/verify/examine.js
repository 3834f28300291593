// Checking one receipt: bytes -> parse -> signature -> log -> re-score -> verdict. The same steps, in the same order, as
// benchsite/history/examine.py, and the same words: sentences.js. A key that a receipt carries is never used: keys come from the
// log's own events, or from the person who asks. Bad input is a verdict, never an exception.

import { base64url, equal, fromBase64url, hex } from "./bytes.js";
import { sha256, Unsupported } from "./digest.js";
import { engine, verify } from "./ed25519.js";
import { receiptEntryBytes } from "./entries.js";
import { readReceipt, signedBytes, Unclaimed } from "./envelope.js";
import { Fault } from "./fault.js";
import { JsonError } from "./json.js";
import { Findings, invalid, Stop } from "./findings.js";
import { fingerprint } from "./keyring.js";
import { materials } from "./materials.js";
import { inLog } from "./position.js";
import { about, nameOf, prepared } from "./rescore.js";
import { pem } from "./spki.js";
import { recorded, said } from "./wording.js";

/** @typedef {import("./rescore.js").Scored} Scored */
/** @typedef {import("./types.js").Materials} Materials */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./envelope.js").Receipt} Receipt */
/** @typedef {import("./record.js").SiteRecord} SiteRecord */

/**
 * Check one receipt and say what can be said of it.
 * @param {Uint8Array} bytes the file
 * @param {() => Promise<SiteRecord | null>} opening what is known of the site's log, null where there is none; asked for
 *   only once the file has proved to be a receipt
 * @param {Uint8Array | null} suppliedKey raw public key the visitor trusts, for receipts of another log
 * @param {string | null} [wanted] id of the receipt that was asked for
 * @param {Materials} [atHand] the methodologies and the evidence; what this release knows by itself
 * @param {(found: Findings) => Promise<void>} [reached] told of signature and log before the scores, which may take long
 * @returns {Promise<Findings>}
 */
export async function examine(bytes, opening, suppliedKey, wanted = null, atHand = materials(), reached = async () => {}) {
  const found = new Findings();
  /** @type {Scored | null} */
  let scored = null;
  try {
    const receipt = (found.receipt = await parsed(found, bytes, wanted));
    ({ words: found.words, subject: found.subject } = about(receipt, atHand));
    const { receiptId } = receipt.document;
    if (wanted !== null && receiptId !== wanted) {
      throw invalid("parse", `the file served for receipt ${wanted} holds receipt ${receiptId}`, "receiptId");
    }
    if (receipt.isCanonical) found.say("canonical", "pass", said("canonical"));
    else found.say("canonical", "warning", said("rewritten"));
    scored = await judged(found, receipt, atHand);
    const record = await opening();
    await signature(found, receipt, record, suppliedKey);
    if (found.verdict !== "UNKNOWN SIGNER" && record) await inLog(found, receipt, record, scored);
  } catch (error) {
    const stop = error instanceof Unsupported ? lacking(error.message) : error;
    if (!(stop instanceof Stop)) throw error;
    found.steps.push(stop.step);
    found.verdict = stop.verdict;
    if (stop.verdict === "INVALID" && found.receipt !== null) await otherBytes(found, found.receipt, await opening());
  }
  if (found.unchecked && found.verdict !== "INVALID") found.verdict = "UNSUPPORTED";
  if (scored !== null) {
    await reached(found);
    await numbers(found, scored, opening);
  }
  rescore(found);
  return found;
}

/**
 * Score again, after everything else was reached.
 * @param {Findings} found
 * @param {Scored} scored
 * @param {() => Promise<SiteRecord | null>} opening
 */
async function numbers(found, scored, opening) {
  const at = found.steps.findIndex(({ name }) => name === "schema");
  try {
    const result = await scored.rescore();
    if ("lacking" in result) {
      found.steps[at] = unscored(result.lacking);
      found.unchecked = true;
      found.figure = null;
      if (found.verdict !== "INVALID") found.verdict = "UNSUPPORTED";
      return;
    }
    if ("refused" in result) {
      found.steps[at] = invalid("schema", result.refused.message, result.refused.field).step;
      found.verdict = "INVALID";
      return;
    }
    found.rescoring = withdrawnFrom(result.rescoring, found.lost);
    found.wanting = result.wanting;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    found.steps.splice(at, found.steps.length - at, invalid("schema", error.message, error.field).step);
    found.verdict = "INVALID";
    if (found.receipt !== null) await otherBytes(found, found.receipt, await opening());
  }
}

/**
 * Scores computed from withdrawn evidence can no longer be recomputed. A difference stays one.
 * @param {Rescoring} rescoring
 * @param {string | null} reason
 * @returns {Rescoring}
 */
function withdrawnFrom(rescoring, reason) {
  if (reason === null || rescoring.rescore === "DIFFERS") return rescoring;
  return { ...rescoring, rescore: "NOT RE-SCORABLE", reason };
}

/**
 * @param {import("./rescore.js").Lacking} lacking
 * @returns {import("./types.js").Step}
 */
function unscored({ field, why }) {
  return { name: "schema", state: "not checked", detail: said("unscored", { why }), field };
}

/**
 * Of an invalid receipt: whether the log holds other bytes under its id.
 * @param {Findings} found
 * @param {Receipt} receipt
 * @param {SiteRecord | null} record
 */
async function otherBytes(found, receipt, record) {
  if (record === null || found.steps.some(({ name, state }) => name === "log" && state === "fail")) return;
  const { document, data } = receipt;
  const own = receiptEntryBytes({ receiptId: document["receiptId"], sha256: hex(await sha256(data)), size: data.length });
  const place = await record.find(document["receiptId"], own);
  if (place.state !== "at" || equal(place.entry, own)) return;
  found.steps.push(invalid("log", said("other-bytes", { index: place.index }), "sha256").step);
}

/** @param {string} message */
function lacking(message) {
  return new Stop("UNSUPPORTED", { name: "engine", state: "not checked", detail: message, field: "" });
}

/**
 * @param {Findings} found
 * @param {Uint8Array} bytes
 * @param {string | null} wanted
 * @returns {Promise<Receipt>}
 */
async function parsed(found, bytes, wanted) {
  const receipt = read(bytes, wanted);
  found.say("parse", "pass", said("parsed", { bytes: bytes.length, schema: receipt.schema }), [
    ["SHA-256 of the file", hex(await sha256(bytes))],
  ]);
  return receipt;
}

/**
 * @param {Uint8Array} bytes
 * @param {string | null} wanted
 * @returns {Receipt}
 */
function read(bytes, wanted) {
  try {
    return readReceipt(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw invalid("parse", error.message);
    if (error instanceof Fault) {
      const draft = error.field === "signature";
      throw invalid("parse", draft ? said("draft") : error.message, error.field);
    }
    if (!(error instanceof Unsupported)) throw error;
    if (wanted !== null && error instanceof Unclaimed) {
      throw invalid("parse", `the file served for receipt ${wanted} is not a receipt: ${error.message}`, "schemaVersion");
    }
    throw new Stop("UNSUPPORTED", { name: "parse", state: "not checked", detail: error.message, field: "schemaVersion" });
  }
}

/**
 * What the receipt's track says of it.
 * @param {Findings} found
 * @param {Receipt} receipt
 * @param {Materials} atHand
 * @returns {Promise<Scored | null>} null where this release cannot check the numbers
 */
async function judged(found, receipt, atHand) {
  try {
    const scored = await prepared(receipt, atHand);
    if (scored.lacking !== null) {
      found.steps.push(unscored(scored.lacking));
      found.unchecked = true;
      return null;
    }
    found.figure = scored.figure;
    found.say("schema", "pass", said("fields", { track: nameOf(receipt) }));
    return scored;
  } catch (error) {
    if (error instanceof Fault) throw invalid("schema", error.message, error.field);
    throw error;
  }
}

/**
 * Find the key by fingerprint, then verify; `signature` is the only member left uncovered.
 * @param {Findings} found
 * @param {Receipt} receipt
 * @param {SiteRecord | null} record
 * @param {Uint8Array | null} supplied
 */
async function signature(found, receipt, record, supplied) {
  const given = receipt.document["signature"];
  const named = given.publicKeyFingerprint;
  const known = record?.keyring.get(named) ?? null;
  if (known && known.role !== "receipt") {
    throw invalid("key", said("wrong-role", { role: known.role }), "signature.publicKeyFingerprint");
  }
  const key = known?.publicKey ?? supplied;
  const value = fromBase64url(given.value) ?? new Uint8Array();
  const signed = signedBytes(receipt);
  found.material = { canonical: receipt.isCanonical, signed, signature: value, fingerprint: named, publicKey: null };
  if (!key) {
    found.verdict = "UNKNOWN SIGNER";
    found.say("key", "warning", foreign(receipt, named));
    found.say("signature", "not checked", said("key-needed"));
    return;
  }
  const own = await fingerprint(key);
  if (own !== named) {
    found.verdict = "UNKNOWN SIGNER";
    found.say("key", "warning", said("other-key", { named, given: own }));
    found.say("signature", "not checked", said("wrong-key"));
    return;
  }
  found.material.publicKey = key;
  found.say("key", "pass", known ? named : said("supplied-key", { key: named }), [["Public key", pem(key)]]);
  if (!(await verify(key, signed, value))) {
    throw invalid("signature", said("signature-wrong"), "signature.value");
  }
  found.say("signature", "pass", said("signed"), [
    ["Signature", base64url(value)],
    ["SHA-256 of the signed bytes", hex(await sha256(signed))],
    ["Checked by", (await engine()) === "native" ? "the browser's own Ed25519" : "the bundled @noble/ed25519"],
  ]);
  if (!known) found.verdict = "UNKNOWN SIGNER";
}

/**
 * What is said of a key that is not known here.
 * @param {Receipt} receipt
 * @param {string} key
 */
function foreign(receipt, key) {
  const head = receipt.document["logHead"];
  return head ? said("foreign-log", { key, origin: head.origin }) : said("foreign-key", { key });
}

/**
 * How many values are equal, of how many where some were not recomputed.
 * @param {Rescoring} rescoring
 */
function matching({ compared, omitted = 0 }) {
  if (omitted > 0) return said("matches-some", { compared, total: compared + omitted });
  return compared === 1 ? said("matches-one") : said("matches", { compared });
}

/** @param {Findings} found */
function rescore(found) {
  const rescoring = found.rescoring;
  if (!rescoring) return;
  const first = rescoring.differences[0];
  if (rescoring.rescore === "MATCHES") {
    found.say("re-score", "pass", matching(rescoring));
  } else if (first) {
    const more = rescoring.differences.length - 1;
    const { field } = first;
    const values = { field, recorded: recorded(first.recorded), computed: recorded(first.computed), more };
    found.steps.push({ name: "re-score", state: "fail", detail: said(more ? "differs-more" : "differs", values), field });
  } else {
    found.say("re-score", "not checked", rescoring.reason);
  }
  found.steps.push(...rescoring.further ?? []);
  for (const { message, field } of rescoring.violations) {
    found.steps.push({ name: "invariants", state: "fail", detail: message, field });
  }
}
