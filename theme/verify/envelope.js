// A receipt: bytes to a checked envelope, and which bytes its signature covers. Schema 1.0.0, the fields that every
// track shares, as benchsite/receipt/envelope.py has them; the track's own keys stand beside them at the top level and
// are the track's to check. A schema that is not known is Unsupported, and a file that names none of ours Unclaimed:
// "cannot be checked here" is not "invalid". Refused: a receipt that names the methodology of another track.

import { equal, utf8 } from "./bytes.js";
import { Unsupported } from "./digest.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { serialize, without } from "./jcs.js";
import { firstOf, parse, quoted } from "./json.js";
import { MESSAGES } from "./sentences-receipt.js";
import { LEGACY_RECEIPT, RECEIPT, RECEIPT_FIELDS } from "./schemas.js";
import { demand, isObject } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */

/**
 * @typedef {object} Receipt
 * @property {Document} document the parsed object, every field, as it was read; frozen throughout
 * @property {Uint8Array<ArrayBuffer>} data its JCS bytes
 * @property {"1.0.0" | "0.0.1"} schema
 * @property {boolean} isCanonical whether the bytes read were `data` already
 */

const SCHEMA_VERSION = "1.0.0";

/** A JSON object that names none of our schemas, such as another benchmark's receipt. */
export class Unclaimed extends Unsupported {}

/**
 * The members of a receipt that the envelope knows, or those it leaves to the track.
 * @param {Document} document
 * @param {boolean} isShared
 * @returns {Document}
 */
export function part(document, isShared) {
  const chosen = Object.create(null);
  for (const name of Object.keys(document)) {
    if (RECEIPT_FIELDS.has(name) === isShared) chosen[name] = document[name];
  }
  return chosen;
}

/**
 * Read a signed receipt of any known schema.
 * @param {Uint8Array} bytes
 * @returns {Receipt}
 * @throws {import("./json.js").JsonError} the bytes are not strict JSON
 * @throws {Fault} the object breaks its schema
 * @throws {Unsupported} the schema version is not one this release knows
 */
export function readReceipt(bytes) {
  const read = parse(bytes);
  const data = utf8(serialize(read));
  const isCanonical = equal(data, bytes);
  // Members in canonical order, so that every engine meets the same fault first.
  const document = isCanonical ? read : JSON.parse(new TextDecoder().decode(data));
  if (!isObject(document)) throw new Fault(MESSAGES["not-an-object"], "$");
  const schema = schemaOf(document);
  return { document: frozen(document), data, schema, isCanonical };
}

/**
 * A value that no code of a track can alter: what it is given is what the signature covers.
 * @template Value
 * @param {Value} value
 * @returns {Value}
 */
function frozen(value) {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/**
 * @param {Document} document
 * @returns {"1.0.0" | "0.0.1"} the schema, which the document was found to meet
 */
function schemaOf(document) {
  const version = document["schemaVersion"] ?? null;
  if (version === null && Object.hasOwn(document, "perQuery") && Object.hasOwn(document, "benchVersion")) {
    demand(LEGACY_RECEIPT, document);
    return "0.0.1";
  }
  if (version !== SCHEMA_VERSION) {
    if (typeof version !== "string") throw new Unclaimed(MESSAGES["schema-unnamed"]);
    throw new Unsupported(filled(MESSAGES["schema-unknown"], { schema: quoted(firstOf(version, 80)) }));
  }
  demand(RECEIPT, part(document, true));
  const { track, methodology } = document;
  if (methodology.id !== track) {
    throw new Fault(filled(MESSAGES["other-methodology"], { track, other: methodology.id }), "methodology.id");
  }
  return SCHEMA_VERSION;
}

/**
 * A receipt of a track that is not here.
 * @param {string} track
 */
export function absentTrack(track) {
  return filled(MESSAGES["no-track"], { track });
}

/**
 * JCS of the receipt without its top-level `signature`: what the signature covers.
 * @param {Receipt} receipt
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function signedBytes(receipt) {
  return utf8(serialize(without(receipt.document, "signature")));
}
