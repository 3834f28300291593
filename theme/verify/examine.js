// Checking one receipt: bytes -> parse -> signature -> log -> re-score -> verdict. The same steps, in the same order
// and the same words, as benchsite/history/examine.py. A key that a receipt carries is never used: keys come from the
// log's own events, or from the person who asks. Bad input is a verdict, never an exception.

import { base64url, fromBase64url, hex } from "./bytes.js";
import { sha256, Unsupported } from "./digest.js";
import { engine, verify } from "./ed25519.js";
import { readReceipt, signedBytes, Unclaimed } from "./envelope.js";
import { Fault } from "./fault.js";
import { JsonError } from "./json.js";
import { Findings, invalid, Stop } from "./findings.js";
import { fingerprint } from "./keyring.js";
import { materials } from "./materials.js";
import { inLog } from "./position.js";
import { about, nameOf, rescored } from "./rescore.js";
import { pem } from "./spki.js";
import { grouped, recorded } from "./wording.js";

/** @typedef {import("./rescore.js").Scored} Scored */
/** @typedef {import("./types.js").Materials} Materials */
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
 * @returns {Promise<Findings>}
 */
export async function examine(bytes, opening, suppliedKey, wanted = null, atHand = materials()) {
  const found = new Findings();
  try {
    const receipt = (found.receipt = await parsed(found, bytes, wanted));
    ({ words: found.words, subject: found.subject } = about(receipt));
    const { receiptId } = receipt.document;
    if (wanted !== null && receiptId !== wanted) {
      throw invalid("parse", `the file served for receipt ${wanted} holds receipt ${receiptId}`, "receiptId");
    }
    if (receipt.isCanonical) found.say("canonical", "pass", "the bytes are the canonical form (RFC 8785)");
    else found.say("canonical", "note", "the file is laid out differently; its canonical form was checked instead");
    const scored = await judged(found, receipt, atHand);
    const record = await opening();
    await signature(found, receipt, record, suppliedKey);
    if (found.verdict !== "UNKNOWN SIGNER" && record) await inLog(found, receipt, record, scored);
  } catch (error) {
    const stop = error instanceof Unsupported ? lacking(error.message) : error;
    if (!(stop instanceof Stop)) throw error;
    found.steps.push(stop.step);
    found.verdict = stop.verdict;
  }
  if (found.unchecked && found.verdict !== "INVALID") found.verdict = "UNSUPPORTED";
  rescore(found);
  return found;
}

/** @param {string} message */
function lacking(message) {
  return new Stop("UNSUPPORTED", { name: "engine", state: "skip", detail: message, field: "" });
}

/**
 * @param {Findings} found
 * @param {Uint8Array} bytes
 * @param {string | null} wanted
 * @returns {Promise<Receipt>}
 */
async function parsed(found, bytes, wanted) {
  const receipt = read(bytes, wanted);
  found.say("parse", "pass", `strict JSON, ${grouped(bytes.length)} bytes, schema ${receipt.schema}`, [
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
      throw invalid("parse", draft ? "this is a draft: it carries no signature yet" : error.message, error.field);
    }
    if (!(error instanceof Unsupported)) throw error;
    if (wanted !== null && error instanceof Unclaimed) {
      throw invalid("parse", `the file served for receipt ${wanted} is not a receipt: ${error.message}`, "schemaVersion");
    }
    throw new Stop("UNSUPPORTED", { name: "parse", state: "skip", detail: error.message, field: "schemaVersion" });
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
    const scored = await rescored(receipt, atHand);
    if (scored.lacking !== null) {
      const detail = `numbers not checked: ${scored.lacking.why}`;
      found.steps.push({ name: "schema", state: "skip", detail, field: scored.lacking.field });
      found.unchecked = true;
      return null;
    }
    found.judgement = scored.judgement;
    found.figure = scored.figure;
    found.say("schema", "pass", `every field is known to track ${nameOf(receipt)}`);
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
    throw invalid("key", `the ${known.role} key must not sign receipts`, "signature.publicKeyFingerprint");
  }
  const key = known?.publicKey ?? supplied;
  const value = fromBase64url(given.value) ?? new Uint8Array();
  const signed = signedBytes(receipt);
  found.material = { canonical: receipt.isCanonical, signed, signature: value, fingerprint: named, publicKey: null };
  if (!key) {
    found.verdict = "UNKNOWN SIGNER";
    found.say("key", "note", `${named} is not one of the known keys${foreignLog(receipt)}`);
    found.say("signature", "skip", "signature not checked: the signer's public key is needed");
    return;
  }
  const own = await fingerprint(key);
  if (own !== named) {
    found.verdict = "UNKNOWN SIGNER";
    found.say("key", "note", `the receipt names ${named}; the key you gave is ${own}`);
    found.say("signature", "skip", "signature not checked: that is another key");
    return;
  }
  found.material.publicKey = key;
  found.say("key", "pass", known ? named : `${named}, the key you supplied`, [["Public key", pem(key)]]);
  if (!(await verify(key, signed, value))) {
    throw invalid("signature", "the signature does not fit the receipt's content", "signature.value");
  }
  found.say("signature", "pass", "Ed25519, every field but the signature itself is covered", [
    ["Signature", base64url(value)],
    ["SHA-256 of the signed bytes", hex(await sha256(signed))],
    ["Checked by", (await engine()) === "native" ? "the browser's own Ed25519" : "the bundled @noble/ed25519"],
  ]);
  if (!known) found.verdict = "UNKNOWN SIGNER";
}

/** @param {Receipt} receipt */
function foreignLog(receipt) {
  const head = receipt.document["logHead"];
  return head ? `; the receipt says it belongs to the log ${head.origin}` : "";
}

/** @param {Findings} found */
function rescore(found) {
  const judgement = found.judgement;
  if (!judgement) return;
  const first = judgement.differences[0];
  if (judgement.rescore === "MATCHES") {
    found.say("re-score", "pass", `all ${judgement.compared} numbers come out again`);
  } else if (first) {
    const more = judgement.differences.length - 1;
    const said = `${first.field} is recorded as ${recorded(first.recorded)} and comes out as ${recorded(first.computed)}`;
    found.steps.push({
      name: "re-score", state: "fail", detail: said + (more ? `, and ${more} more` : ""), field: first.field,
    });
  } else {
    found.say("re-score", "skip", judgement.reason);
  }
  for (const { message, field } of judgement.violations) {
    found.steps.push({ name: "invariants", state: "fail", detail: message, field });
  }
}
