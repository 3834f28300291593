// A receipt: bytes to a checked envelope, and which bytes its signature covers. Schema 1.0.0, the fields that every
// track shares, as benchsite/receipt/envelope.py has them; the track's own keys stand beside them at the top level and
// are the track's to check. A schema that is not known is Unsupported, and a file that names none of ours Unclaimed:
// "cannot be checked here" is not "invalid". Refused: a receipt that names the methodology of another track.

import { equal, utf8 } from "./bytes.js";
import { Unsupported } from "./digest.js";
import { Fault } from "./fault.js";
import { serialize, without } from "./jcs.js";
import { parse, quoted } from "./json.js";
import { LEGACY_RECEIPT } from "./legacy.js";
import {
  BASE64URL_64, BASE64_HASH, BOOLEAN, COUNT, FINGERPRINT, GIT_COMMIT, POSITIVE, SEEN, SEMVER, SHA256_HEX, SLUG, TEXT,
  UTC_SECONDS, UUID4, demand, isObject, list, nullable, number, object, oneOf, record, text,
} from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./shape.js").Check} Check */

/**
 * @typedef {object} Receipt
 * @property {Document} document the parsed object, every field, as it was read
 * @property {Uint8Array<ArrayBuffer>} data its JCS bytes
 * @property {"1.0.0" | "0.0.1"} schema
 * @property {boolean} isCanonical whether the bytes read were `data` already
 */

const SCHEMA_VERSION = "1.0.0";

/** A JSON object that names none of our schemas, such as another benchmark's receipt. */
export class Unclaimed extends Unsupported {}

/** @type {{[name: string]: Check}} */
const ENVELOPE = {
  schemaVersion: oneOf(SCHEMA_VERSION),
  track: SLUG,
  receiptId: UUID4,
  benchVersion: SEMVER,
  ranAt: UTC_SECONDS,
  ranBy: object({ kind: oneOf("workflow", "maintainer", "submitted"), name: SEEN }),
  origin: oneOf("native", "external-run", "import"),
  methodology: object({ id: SLUG, version: SEMVER, sha256: SHA256_HEX }),
  config: record(text(), () => null),
  environment: object({
    python: TEXT,
    platform: TEXT,
    cpu: nullable(TEXT),
    cores: nullable(POSITIVE),
    loadAverage: nullable(number({ min: 0 })),
    runner: nullable(TEXT),
    containerImage: nullable(TEXT),
    git: object({ commit: nullable(GIT_COMMIT), dirty: nullable(BOOLEAN), tag: nullable(TEXT) }),
    packages: nullable(SHA256_HEX),
  }),
  logHead: nullable(object({ origin: TEXT, size: COUNT, root: BASE64_HASH })),
  supersedes: nullable(UUID4),
  reproduces: nullable(UUID4),
  intentId: nullable(UUID4),
  derivedFrom: nullable(UUID4),
  evidence: list(object({ name: SEEN, sha256: SHA256_HEX, size: COUNT, mediaType: TEXT })),
  simulated: BOOLEAN,
  signature: object({ algorithm: oneOf("Ed25519"), publicKeyFingerprint: FINGERPRINT, value: BASE64URL_64 }),
};

const SIGNED_ENVELOPE = object(ENVELOPE);

/**
 * The members of a receipt that the envelope knows, or those it leaves to the track.
 * @param {Document} document
 * @param {boolean} isShared
 * @returns {Document}
 */
export function part(document, isShared) {
  const chosen = Object.create(null);
  for (const name of Object.keys(document)) {
    if (Object.hasOwn(ENVELOPE, name) === isShared) chosen[name] = document[name];
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
  const document = parse(bytes);
  const data = utf8(serialize(document));
  if (!isObject(document)) throw new Fault("a receipt is a JSON object", "$");
  return { document, data, schema: schemaOf(document), isCanonical: equal(data, bytes) };
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
    if (typeof version !== "string") throw new Unclaimed("the file names no receipt schema that this release can check");
    throw new Unsupported(`receipt schema ${quoted(version)} is not one this release can check`);
  }
  demand(SIGNED_ENVELOPE, part(document, true));
  const { track, methodology } = document;
  if (methodology.id !== track) {
    const said = `a receipt of track ${track} cannot name the methodology of ${methodology.id}`;
    throw new Fault(`field methodology.id: ${said}`, "methodology.id");
  }
  return SCHEMA_VERSION;
}

/**
 * JCS of the receipt without its top-level `signature`: what the signature covers.
 * @param {Receipt} receipt
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function signedBytes(receipt) {
  return utf8(serialize(without(receipt.document, "signature")));
}
