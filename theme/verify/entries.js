// What a log entry may say, type by type, and the exact bytes each has: the RFC 8785 serialisation of its object. The
// same acceptance as benchsite/log/entries.py: no unknown type or field, no null for an absent one, at most 65,535
// bytes.

import { equal, utf8 } from "./bytes.js";
import { isOrigin } from "./checkpoint.js";
import { Fault } from "./fault.js";
import { serialize } from "./jcs.js";
import { JsonError, MAX_BYTES, parse } from "./json.js";
import { publishedPath, UUID4_FORM } from "./receipt-id.js";
import {
  BASE64_HASH, BASE64URL_64, COUNT, FINGERPRINT, flawed, integer, object, oneOf, SEMVER, SHA256_HEX, SLUG, text,
  UUID4,
} from "./shape.js";

/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./types.js").JsonObject} JsonObject */
/** @typedef {"root" | "receipt" | "log"} Role */

/**
 * An entry of any type; only the fields of its own type are there.
 * @typedef {object} Entry
 * @property {1} v
 * @property {string} type one of the keys of `FIELDS`
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

/** @typedef {import("./shape.js").Check} Check */

// One line of prose of at most 2,000 characters: no C0, DEL or C1 controls, and no line or paragraph separators.
const PROSE = text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u);
// At most 2,000 characters, and only those that RFC 3986 allows in a URL.
const URL_TEXT = text(/^(?=.{1,2000}$)https?:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/u);

/** @type {Check} */
const ORIGIN = (value) => (typeof value === "string" && isOrigin(value) ? null : flawed("is not the origin of a log"));

/** @type {Check} */
const RECEIPT_PATH = (value) => {
  const id = typeof value === "string" ? value.slice(-41, -5) : "";
  const isDerived = UUID4_FORM.test(id) && value === publishedPath(id);
  return isDerived ? null : flawed("is not results/published/<first 2 hex>/<receipt id>.json");
};

const KEY_EVENT = {
  origin: ORIGIN,
  seq: COUNT,
  role: oneOf("root", "receipt", "log"),
  fingerprint: FINGERPRINT,
  publicKey: text(/^[A-Za-z0-9_-]{43}$/u),
  "reason?": PROSE,
  rootFingerprint: FINGERPRINT,
  rootSignature: BASE64URL_64,
};

/**
 * The fields of each type besides `v` and `type`; a question mark says that one may be absent.
 * @type {{[type: string]: {[field: string]: Check}}}
 */
const FIELDS = {
  "receipt": { path: RECEIPT_PATH, sha256: SHA256_HEX, size: integer(1, MAX_BYTES) },
  "methodology": { track: SLUG, version: SEMVER, sha256: SHA256_HEX },
  "fixture": { id: SLUG, sha256: SHA256_HEX },
  "intent": {
    intentId: UUID4, track: SLUG, subjectSha256: SHA256_HEX, configSha256: SHA256_HEX, target: SLUG, methodology: SEMVER,
    seed: COUNT,
  },
  "retract": { receiptId: UUID4, reason: PROSE },
  "supersede": { receiptId: UUID4, by: UUID4 },
  "dispute": { receiptId: UUID4, url: URL_TEXT },
  "withdraw-evidence": { sha256: SHA256_HEX, reason: PROSE },
  "key-add": KEY_EVENT,
  "key-retire": KEY_EVENT,
  "key-compromise": { ...KEY_EVENT, "trustedBelowIndex?": COUNT, "frozenSize?": COUNT, "frozenRoot?": BASE64_HASH },
};

const ONE = integer(1, 1);
const SHAPES = new Map(Object.entries(FIELDS).map(([type, fields]) => [type, object({ v: ONE, type: oneOf(type), ...fields })]));

/**
 * Read one entry's bytes.
 * @param {Uint8Array} bytes
 * @returns {Entry}
 * @throws {Fault} naming the type and the field
 */
export function decodeEntry(bytes) {
  if (bytes.length > MAX_ENTRY_BYTES) {
    throw new Fault(`log entry: ${bytes.length} bytes, the limit is ${MAX_ENTRY_BYTES}`);
  }
  const value = parsed(bytes);
  const kind = checked(value);
  if (!equal(utf8(serialize(value)), bytes)) throw new Fault(`log entry: ${kind}: not in canonical form`);
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
 * @returns {string} its type
 */
function checked(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("log entry: not a JSON object");
  }
  const kind = value["type"];
  const shape = typeof kind === "string" ? SHAPES.get(kind) : undefined;
  if (typeof kind !== "string" || shape === undefined) {
    throw new Fault(`log entry: unknown type ${JSON.stringify(kind ?? null).slice(0, 40)}`, "type");
  }
  const flaw = shape(value);
  if (flaw !== null) {
    const field = flaw.path.slice(1);
    throw new Fault(`log entry: ${kind}: ${field.slice(0, 40)} ${flaw.message}`, field);
  }
  if (kind === "key-compromise") checkLimit(value);
  return kind;
}

/**
 * Each role is limited in its own way.
 * @param {JsonObject} event
 */
function checkLimit(event) {
  const isReceipt = event["role"] === "receipt";
  const isLog = event["role"] === "log";
  const fits = "trustedBelowIndex" in event === isReceipt && "frozenSize" in event === isLog &&
    "frozenRoot" in event === isLog;
  if (fits) return;
  throw new Fault(
    "log entry: key-compromise: fields: a receipt key needs trustedBelowIndex, a log key frozenSize and frozenRoot, " +
      "a root key none of them",
    "fields",
  );
}
