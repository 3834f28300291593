// A receipt's place in the log, which decides the keys and methodologies that were valid, and what later entries say of it.
// The same order as `_in_log` in benchsite/history/examine.py. One thing is known to Python and not always
// here: whether the log holds the receipt at all. Offline and without a proof that is unknown, and nothing is concluded
// from it but "not proven".

import { base64, equal, hex } from "./bytes.js";
import { sha256 } from "./digest.js";
import { receiptEntryBytes } from "./entries.js";
import { invalid } from "./findings.js";
import { standing } from "./keyring.js";
import { posixSeconds, said, utcText } from "./wording.js";

/** @typedef {import("./rescore.js").Scored} Scored */
/** @typedef {import("./types.js").Verdict} Verdict */
/** @typedef {import("./envelope.js").Receipt} Receipt */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./record.js").SiteRecord} SiteRecord */
/** @typedef {import("./record.js").Place} Place */

const PERHAPS_COMPROMISED = "the signing key was revoked as compromised; whether this receipt is older is not shown here";

/** @type {[string, Verdict][]} */
const GRAVEST_FIRST = [["retract", "RETRACTED"], ["supersede", "SUPERSEDED"], ["dispute", "DISPUTED"]];

/**
 * @param {Findings} found
 * @param {Receipt} receipt
 * @param {SiteRecord} record
 * @param {Scored | null} scored null where its numbers were not checked
 */
export async function inLog(found, receipt, record, scored) {
  const { document, data } = receipt;
  const digest = hex(await sha256(data));
  const own = receiptEntryBytes({ receiptId: document["receiptId"], sha256: digest, size: data.length });
  const place = await record.find(document["receiptId"], own);
  const index = place.state === "at" ? place.index : null;
  const worth = keyWorth(found, receipt, record, place);
  await composedAfter(found, receipt, record, index);
  const doubts = await doubtsAbout(receipt, record, worth);
  found.compromised = worth !== null;
  if (place.state !== "at") {
    if (place.state === "absent") found.say("log", "warning", said("not-logged", { size: record.size, origin: record.origin }));
    else found.say("log", "not checked", place.why);
    found.verdict = ofEvents(found, document["receiptId"], record, doubts) ?? "SIGNED-ONLY";
    return;
  }
  if (!equal(place.entry, own)) {
    throw invalid("log", said("other-bytes", { index: place.index }), "sha256");
  }
  found.index = place.index;
  found.proof = place.proof;
  documents(receipt, record, place.index, scored);
  const { index: at, size } = place;
  found.say("log", "pass", said("logged", { index: at, last: size - 1, origin: record.origin }), place.shown);
  const witnessed = await cosigned(found, place.index, record);
  withdrawn(found, receipt, record, scored);
  found.verdict = ofEvents(found, document["receiptId"], record, doubts) ?? (witnessed ? "WITNESSED" : "LOGGED");
}

/**
 * Why the key's signature is not worth much at the receipt's position; null where it is. Where the position is unknown,
 * a retired key may have signed in its time, and one that was compromised later may or may not have.
 * @param {Findings} found
 * @param {Receipt} receipt
 * @param {SiteRecord} record
 * @param {Place} place
 * @returns {string | null}
 */
function keyWorth(found, receipt, record, place) {
  const key = record.keyring.get(receipt.document["signature"].publicKeyFingerprint);
  if (!key) throw new Error("the signature was checked with a key that is not in the keyring");
  if (place.state === "unknown") {
    if (key.state === "retired") {
      found.say("key", "warning", `the key was retired at entry ${key.toIndex}; that the receipt is older is not shown here`);
    }
    return key.state === "compromised" ? PERHAPS_COMPROMISED : null;
  }
  const position = place.state === "at" ? place.index : record.size;
  const worth = standing(key, position);
  if (worth === "outside") {
    const at = "signature.publicKeyFingerprint";
    throw invalid("key", said("key-outside", { index: position }), at);
  }
  return worth === "suspect" ? said("compromised") : null;
}

/**
 * The head the receipt saw must be one this log had, before the receipt's own entry.
 * @param {Findings} found
 * @param {Receipt} receipt
 * @param {SiteRecord} record
 * @param {number | null} index
 */
async function composedAfter(found, receipt, record, index) {
  const head = receipt.document["logHead"] ?? null;
  if (head === null) return;
  if (head.origin !== record.origin) {
    throw invalid("log", said("other-log", { origin: head.origin }), "logHead.origin");
  }
  if (index === null && head.size > record.size) {
    found.say("log", "warning", said("older-copy", { seen: head.size, size: record.size }));
    return;
  }
  if (head.size > (index ?? record.size)) {
    throw invalid("log", said("too-many-seen", { size: head.size }), "logHead.size");
  }
  const root = await record.root(head.size);
  if (root !== null && base64(root) !== head.root) {
    throw invalid("log", said("wrong-root", { size: head.size }), "logHead.root");
  }
}

/**
 * Why the receipt is suspect, in words; the log and the witnesses decide, its own date is only a claim.
 * @param {Receipt} receipt
 * @param {SiteRecord} record
 * @param {string | null} worth
 */
async function doubtsAbout(receipt, record, worth) {
  const doubts = worth === null ? [] : [worth];
  const head = receipt.document["logHead"] ?? null;
  const ranAt = receipt.document["ranAt"];
  const seen = head === null ? null : await record.cosignatures.after(head.size, posixSeconds(ranAt));
  if (seen !== null) {
    doubts.push(said("back-dated", { ran: ranAt, time: utcText(seen) }));
  }
  return doubts;
}

/**
 * The methodology and the data must be those that the log named before this receipt.
 * @param {Receipt} receipt
 * @param {SiteRecord} record
 * @param {number} index
 * @param {Scored | null} scored null where its numbers were not checked
 */
function documents(receipt, record, index, scored) {
  const rules = receipt.document["methodology"] ?? null;
  if (rules !== null) {
    const logged = record.methodologies.get(`${rules.id} ${rules.version}`);
    if (!logged || logged.index > index || logged.sha256 !== rules.sha256) {
      throw invalid("log", said("no-methodology"), "methodology.sha256");
    }
  }
  const target = scored?.target;
  if (!target || target.sha256 === null) return;
  const known = record.fixtures.get(target.id);
  if (!known || known.index > index || known.sha256 !== target.sha256) {
    throw invalid("log", said("no-data", { id: target.id }), `${target.field}.sha256`);
  }
}

/**
 * Whether a trusted witness has cosigned a checkpoint that covers the entry.
 * @param {Findings} found
 * @param {number} index
 * @param {SiteRecord} record
 */
async function cosigned(found, index, record) {
  const { witnesses, whole } = record.cosignatures;
  if (witnesses.length === 0) return false;
  const names = await record.cosignatures.namesHolding(index);
  if (names.length === 0 && !whole) {
    found.say("witness", "not checked", "the cosignatures of witnesses could not be read");
    return false;
  }
  const detail = said("cosigned", { count: names.length, total: witnesses.length });
  found.say("witness", names.length > 0 ? "pass" : "warning", detail, names.map((name) => ["Witness", name]));
  return names.length > 0;
}

/**
 * Withdrawn evidence is a warning; scores computed from it can no longer be recomputed.
 * @param {Findings} found
 * @param {Receipt} receipt
 * @param {SiteRecord} record
 * @param {Scored | null} scored null where its numbers were not checked
 */
function withdrawn(found, receipt, record, scored) {
  const needed = scored?.needs;
  for (const pinned of receipt.document["evidence"] ?? []) {
    const event = record.withdrawn.get(pinned.sha256);
    if (!event) continue;
    const { index, reason: why } = event;
    const detail = said("withdrawn", { index, name: pinned.name, reason: why });
    found.steps.push({ name: "evidence", state: "warning", detail, field: pinned.sha256 });
    if (needed?.has(pinned.sha256)) found.lost = said("evidence-withdrawn", { reason: why });
  }
}

/**
 * Doubts and later events speak in order of gravity, and every one of them is listed; null where there are none.
 * @param {Findings} found
 * @param {string} receiptId
 * @param {SiteRecord} record
 * @param {string[]} doubts
 * @returns {Verdict | null}
 */
function ofEvents(found, receiptId, record, doubts) {
  const events = record.about.get(receiptId) ?? [];
  for (const { index, event } of events) found.say("events", "warning", sentence(index, event));
  for (const doubt of doubts) found.say("events", "warning", doubt);
  if (doubts.length > 0) return "SUSPECT";
  /** @type {Set<string>} */
  const kinds = new Set(events.map(({ event }) => event.type));
  return GRAVEST_FIRST.find(([kind]) => kinds.has(kind))?.[1] ?? null;
}

/**
 * @param {number} index
 * @param {import("./entries.js").Entry} event
 */
function sentence(index, event) {
  if (event.type === "retract") return said("retract", { index, reason: event.reason });
  return event.type === "supersede" ? said("supersede", { index, by: event.by }) : said("dispute", { index, url: event.url });
}
