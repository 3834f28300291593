// What a log entry may say, type by type, and the exact bytes each has: the RFC 8785 serialisation of its object. The
// same acceptance as benchsite/log/entries.py: no unknown type or field, no null for an absent one, at most 65,535
// bytes.

import { equal, utf8 } from "./bytes.js";
import { isOrigin } from "./checkpoint.js";
import { Fault } from "./fault.js";
import { serialize } from "./jcs.js";
import { JsonError, MAX_BYTES, parse } from "./json.js";

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
const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** @typedef {(value: Json) => boolean} Check */

/**
 * @param {RegExp} pattern
 * @param {number} [longest]
 * @returns {Check}
 */
function text(pattern, longest = Infinity) {
  return (value) => typeof value === "string" && value.length <= longest && pattern.test(value);
}

/**
 * @param {number} least
 * @param {number} most
 * @returns {Check}
 */
function integer(least, most) {
  return (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

/**
 * @param {...string} words
 * @returns {Check}
 */
function oneOf(...words) {
  return (value) => typeof value === "string" && words.includes(value);
}

const SHA256 = text(/^[0-9a-f]{64}$/);
const SLUG = text(/^[a-z0-9][a-z0-9-]{0,79}$/);
const SEMVER = text(/^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/);
const ID = text(UUID4);
const INDEX = integer(0, Number.MAX_SAFE_INTEGER);
const FINGERPRINT = text(/^sha256:[0-9a-f]{64}$/);
// One line of prose of at most 2,000 characters: no C0, DEL or C1 controls, and no line or paragraph separators.
const PROSE = text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u);
// Only the characters RFC 3986 allows in a URL.
const URL_TEXT = text(/^https?:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/, 2000);

/** @type {[string, Check][]} */
const KEY_EVENT = [
  ["origin", (value) => typeof value === "string" && isOrigin(value)],
  ["seq", INDEX],
  ["role", oneOf("root", "receipt", "log")],
  ["fingerprint", FINGERPRINT],
  ["publicKey", text(/^[A-Za-z0-9_-]{43}$/)],
  ["reason?", PROSE],
  ["rootFingerprint", FINGERPRINT],
  ["rootSignature", text(/^[A-Za-z0-9_-]{86}$/)],
];

/**
 * The fields of each type besides `v` and `type`; a question mark says that one may be absent.
 * @type {Map<string, [string, Check][]>}
 */
const FIELDS = new Map([
  ["receipt", [["path", text(/^/, 100)], ["sha256", SHA256], ["size", integer(1, MAX_BYTES)]]],
  ["methodology", [["track", SLUG], ["version", SEMVER], ["sha256", SHA256]]],
  ["fixture", [["id", SLUG], ["sha256", SHA256]]],
  ["intent", [
    ["intentId", ID], ["track", SLUG], ["subjectSha256", SHA256], ["configSha256", SHA256], ["target", SLUG],
    ["methodology", SEMVER], ["seed", INDEX],
  ]],
  ["retract", [["receiptId", ID], ["reason", PROSE]]],
  ["supersede", [["receiptId", ID], ["by", ID]]],
  ["dispute", [["receiptId", ID], ["url", URL_TEXT]]],
  ["withdraw-evidence", [["sha256", SHA256], ["reason", PROSE]]],
  ["key-add", KEY_EVENT],
  ["key-retire", KEY_EVENT],
  ["key-compromise", [
    ...KEY_EVENT, ["trustedBelowIndex?", INDEX], ["frozenSize?", INDEX],
    ["frozenRoot?", text(/^[A-Za-z0-9+/]{43}=$/)],
  ]],
]);

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
  return utf8(serialize({ v: 1, type: "receipt", path: receiptPath(receiptId), sha256, size }));
}

/**
 * Whether an entry of the log speaks of this receipt, whatever bytes it records for it.
 * @param {Uint8Array} bytes
 * @param {string} receiptId
 */
export function isEntryOf(bytes, receiptId) {
  try {
    const entry = decodeEntry(bytes);
    return entry.type === "receipt" && entry.path === receiptPath(receiptId);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** @param {string} receiptId */
function receiptPath(receiptId) {
  return `results/published/${receiptId.slice(0, 2)}/${receiptId}.json`;
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
  const fields = typeof kind === "string" ? FIELDS.get(kind) : undefined;
  if (typeof kind !== "string" || fields === undefined) {
    throw new Fault(`log entry: unknown type ${JSON.stringify(kind ?? null).slice(0, 40)}`, "type");
  }
  if (value["v"] !== 1) throw new Fault(`log entry: ${kind}: v is not 1`, "v");
  checkFields(kind, value, fields);
  if (kind === "receipt") checkPath(String(value["path"]));
  if (kind === "key-compromise") checkLimit(value);
  return kind;
}

/**
 * @param {string} kind
 * @param {JsonObject} value
 * @param {[string, Check][]} fields
 */
function checkFields(kind, value, fields) {
  const known = new Set(["v", "type"]);
  for (const [spelling, check] of fields) {
    const name = spelling.replace("?", "");
    known.add(name);
    const found = value[name];
    if (found === undefined && name !== spelling) continue;
    if (found === undefined) throw new Fault(`log entry: ${kind}: ${name} is missing`, name);
    if (!check(found)) throw new Fault(`log entry: ${kind}: ${name} is malformed`, name);
  }
  const stranger = Object.keys(value).find((name) => !known.has(name));
  if (stranger !== undefined) {
    throw new Fault(`log entry: ${kind}: unknown field ${JSON.stringify(stranger.slice(0, 40))}`, stranger);
  }
}

/**
 * The path is derived from the receipt's id.
 * @param {string} path
 */
function checkPath(path) {
  const id = path.slice(-41, -5);
  if (!UUID4.test(id) || path !== receiptPath(id)) {
    const derived = "results/published/<first 2 hex>/<receipt id>.json";
    throw new Fault(`log entry: receipt: path is not ${derived}`, "path");
  }
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
