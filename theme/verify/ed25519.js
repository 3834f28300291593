// The one question "is this signature good", answered as benchsite/signing answers it, by every engine alike.
//
// Ed25519 implementations disagree about twelve known kinds of signature (Chalkias, Garillot and Nikolaenko, "Taming
// the many EdDSAs", 2020). What they disagree about is refused before an engine is asked. The engine is WebCrypto, or
// vendor/noble-ed25519.js where WebCrypto has no Ed25519.

import { hex } from "./bytes.js";
import { Unsupported, subtle } from "./digest.js";
import { TROUBLES } from "./words.js";
import { Point, verifyAsync } from "./vendor/noble-ed25519.js";

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const REMEMBERED_KEYS = 1024;
const SIGN_BIT = 1n << 255n;
const ALGORITHM = { name: "Ed25519" };

/** RFC 8032 section 7.1, TEST 1: some key that every engine must know how to import. */
const PROBE = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

/** @type {Map<string, boolean>} */
const judgedKeys = new Map();

/** @type {Promise<"native" | "bundled"> | null} */
let chosen = null;

/**
 * Whether `signature` (R, S) over `message` is accepted under `publicKey` (A).
 *
 * In this order; the first that fails gives false:
 *
 * 1. All three are bytes; A has 32 and the signature 64.
 * 2. S < L, so that no second signature can be derived from a first.
 * 3. R is a canonical encoding: its y is below p, and no sign is set where x is 0.
 * 4. A is a canonical encoding of a point on the curve, not the identity, of prime order. Remembered per key.
 * 5. The engine: SHA-512 of R, A and message gives k, and S·B = R + k·A.
 *
 * The Web Cryptography API demands that equation as it stands, without the cofactor, so that R has prime order where
 * it holds; the bundled engine multiplies it by the cofactor, and L·R = identity is checked as well. The API also
 * has engines refuse every R of small order (not all do). Of these the identity alone can satisfy the equation for an
 * A of prime order, and OpenSSL, by which Python decides, accepts it: such a signature always goes to the bundled
 * engine.
 *
 * @param {Uint8Array} publicKey
 * @param {Uint8Array} message
 * @param {Uint8Array} signature
 * @returns {Promise<boolean>} never an exception for malformed input
 * @throws {Unsupported} where this engine cannot tell
 */
export async function verify(publicKey, message, signature) {
  if (![publicKey, message, signature].every((part) => part instanceof Uint8Array)) return false;
  if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const r = signature.subarray(0, KEY_BYTES);
  if (number(signature.subarray(KEY_BYTES)) >= Point.CURVE().n || !hasCanonicalForm(r)) return false;
  if (!isAcceptableKey(publicKey)) return false;
  const native = (await engine()) === "native" && number(r) !== 1n;
  return native ? verifyNatively(publicKey, message, signature) : verifyBundled(publicKey, message, signature);
}

/**
 * Which engine decides; asked once.
 * @returns {Promise<"native" | "bundled">}
 * @throws {Unsupported} without WebCrypto, whose SHA-512 the bundled engine needs too
 */
export async function engine() {
  chosen ??= probe();
  return chosen;
}

/** @returns {Promise<"native" | "bundled">} */
async function probe() {
  const key = Uint8Array.from(PROBE.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  try {
    await subtle().importKey("raw", key, ALGORITHM, false, ["verify"]);
    return "native";
  } catch (error) {
    if (isUnknownAlgorithm(error)) return "bundled";
    throw unsupported(error);
  }
}

/**
 * @param {Uint8Array} publicKey
 * @param {Uint8Array} message
 * @param {Uint8Array} signature
 * @returns {Promise<boolean>}
 */
async function verifyNatively(publicKey, message, signature) {
  try {
    const key = await subtle().importKey("raw", source(publicKey), ALGORITHM, false, ["verify"]);
    return await subtle().verify(ALGORITHM, key, source(signature), source(message));
  } catch (error) {
    // An acceptable key cannot be malformed: it is the engine that failed, which says nothing about the signature.
    throw unsupported(error);
  }
}

/**
 * @param {Uint8Array} publicKey
 * @param {Uint8Array} message
 * @param {Uint8Array} signature
 * @returns {Promise<boolean>}
 */
async function verifyBundled(publicKey, message, signature) {
  subtle();
  if (!(await verifyAsync(signature, message, publicKey, { zip215: false }))) return false;
  return Point.fromBytes(signature.subarray(0, KEY_BYTES)).isTorsionFree();
}

/**
 * Whether any signature can be accepted under these bytes: a canonical point of prime order.
 * @param {Uint8Array} publicKey 32 bytes
 * @returns {boolean}
 */
export function isAcceptableKey(publicKey) {
  const name = hex(publicKey);
  let acceptable = judgedKeys.get(name);
  if (acceptable === undefined) {
    acceptable = hasCanonicalForm(publicKey) && hasPrimeOrder(publicKey);
    if (judgedKeys.size === REMEMBERED_KEYS) judgedKeys.clear();
    judgedKeys.set(name, acceptable);
  }
  return acceptable;
}

/**
 * @param {Uint8Array} encoding 32 bytes
 * @returns {boolean} whether they encode a point on the curve, not the identity, that L takes to the identity
 */
function hasPrimeOrder(encoding) {
  let point;
  try {
    point = Point.fromBytes(encoding);
  } catch {
    return false;
  }
  return !point.is0() && point.isTorsionFree();
}

/**
 * Whether 32 bytes could be the one encoding of a point; says nothing about whether that point exists.
 * @param {Uint8Array} encoding
 * @returns {boolean}
 */
function hasCanonicalForm(encoding) {
  const { p } = Point.CURVE();
  const bits = number(encoding);
  const isSigned = bits >= SIGN_BIT;
  const y = isSigned ? bits - SIGN_BIT : bits;
  // x = 0 exactly where y^2 = 1; RFC 8032 section 5.1.3 step 4 then refuses a set sign bit.
  return y < p && !(isSigned && (y === 1n || y === p - 1n));
}

/**
 * @param {Uint8Array} encoding little-endian
 * @returns {bigint}
 */
function number(encoding) {
  return BigInt(`0x${hex(encoding.slice().reverse())}`);
}

/**
 * Engines before the standard had words of their own for an algorithm they do not know.
 * @param {unknown} error
 * @returns {boolean}
 */
function isUnknownAlgorithm(error) {
  if (!(error instanceof Error)) return false;
  return error.name === "NotSupportedError" || /\bunrecogni[sz]ed\b/i.test(error.message);
}

/**
 * @param {unknown} error
 * @returns {Unsupported}
 */
function unsupported(error) {
  if (error instanceof Unsupported) return error;
  return new Unsupported(`${TROUBLES.ed25519.cause}: ${String(error)}`);
}

/**
 * @param {Uint8Array} bytes
 * @returns {BufferSource}
 */
function source(bytes) {
  return /** @type {BufferSource} */ (bytes);
}
