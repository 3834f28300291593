// What a log entry may say, type by type, and the exact bytes each has: the RFC 8785 serialisation of its object. The
// same acceptance as benchsite/log/entries.py: no unknown type or field, no null for an absent one, at most 65,535
// bytes.

import { equal, utf8 } from "./bytes.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { serialize } from "./jcs.js";
import { firstOf, JsonError, parse, quoted } from "./json.js";
import { publishedPath } from "./receipt-id.js";
import { ENTRIES } from "./schemas.js";
import { MESSAGES } from "./sentences-log.js";

/** @typedef {import("./types.js").Json} Json */
/** @typedef {"root" | "receipt" | "log"} Role */

/**
 * An entry of any type; only the fields of its own type are there.
 * @typedef {object} Entry
 * @property {1} v
 * @property {string} type one of the keys of `ENTRIES`
 * @property {string} path of a receipt's file
 * @property {string} sha256
 * @property {number} size
 * @property {string} track
 * @property {string} version
 * @property {string} id
 * @property {string} intentId
 * @property {string} subjectSha256
 * @property {string} configSha256
 * @property {string} target
 * @property {string} methodology
 * @property {number} seed
 * @property {string} [dueBy] of an intent: a position of the log, or a time
 * @property {string} subject
 * @property {string} receiptId
 * @property {string} by
 * @property {string} url
 * @property {string} reason
 * @property {string} origin
 * @property {number} seq
 * @property {Role} role
 * @property {string} fingerprint
 * @property {string} publicKey base64url
 * @property {string} rootFingerprint
 * @property {string} rootSignature base64url
 * @property {number} [trustedBelowIndex]
 * @property {number} [frozenSize]
 * @property {string} [frozenRoot] standard base64
 */

const MAX_ENTRY_BYTES = 65_535;

/**
 * Read one entry's bytes.
 * @param {Uint8Array} bytes
 * @returns {Entry}
 * @throws {Fault} naming the type and the field
 */
export function decodeEntry(bytes) {
  if (bytes.length > MAX_ENTRY_BYTES) {
    throw new Fault(filled(MESSAGES["entry-large"], { count: bytes.length, most: MAX_ENTRY_BYTES }));
  }
  const value = parsed(bytes);
  const { kind, isWhole } = checked(value);
  if (!isWhole || !equal(utf8(serialize(value)), bytes)) {
    throw new Fault(filled(MESSAGES["entry-canonical"], { type: kind }));
  }
  return /** @type {Entry} */ (/** @type {unknown} */ (value));
}

/**
 * The bytes of the entry that a published receipt has; `sha256` and `size` are those of its file.
 * @param {{receiptId: string, sha256: string, size: number}} receipt
 * @returns {Uint8Array}
 */
export function receiptEntryBytes({ receiptId, sha256, size }) {
  return utf8(serialize({ v: 1, type: "receipt", path: publishedPath(receiptId), sha256, size }));
}

/**
 * Whether an entry of the log speaks of this receipt, whatever bytes it records for it.
 * @param {Uint8Array} bytes
 * @param {string} receiptId
 */
export function isEntryOf(bytes, receiptId) {
  try {
    const entry = decodeEntry(bytes);
    return entry.type === "receipt" && entry.path === publishedPath(receiptId);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/**
 * @param {Uint8Array} bytes
 * @returns {Json}
 */
function parsed(bytes) {
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw new Fault(`log entry: ${error.message}`);
    throw error;
  }
}

/**
 * @param {Json} value
 * @returns {{kind: string, isWhole: boolean}} its type, and whether no field that may be absent is null instead
 */
function checked(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault(MESSAGES["entry-object"]);
  }
  const kind = value["type"];
  const shape = typeof kind === "string" ? ENTRIES.get(kind) : undefined;
  if (typeof kind !== "string" || shape === undefined) {
    const why = typeof kind === "string" ? filled(MESSAGES["entry-type"], { type: quoted(firstOf(kind, 40)) })
      : MESSAGES["entry-untyped"];
    throw new Fault(why, "type");
  }
  if (value["v"] !== 1) throw new Fault(filled(MESSAGES["entry-version"], { type: kind }), "v");
  const flaw = shape(value);
  if (flaw !== null) {
    const field = flaw.path.slice(1) || "fields";
    throw new Fault(`log entry: ${kind}: ${field.slice(0, 40)}: ${flaw.message}`, field);
  }
  return { kind, isWhole: !Object.values(value).includes(null) };
}
