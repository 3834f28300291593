// RFC 8785 (JCS): the one text of a value that hashes and signatures are taken over. Owns `serialize`, the inverse of
// json.js's `parse`, which refuses whatever `parse` would not give back as the same value, in the words of
// benchsite/canonical's `dumps`.
//
// Numbers and strings are the engine's own: RFC 8785 is written in terms of ECMAScript's Number::toString and
// JSON.stringify, and sorts keys by UTF-16 code units as `<` does.

import { filled } from "./filled.js";
import { JsonError, MAX_DEPTH, firstOf, quoted } from "./json.js";
import { MESSAGES } from "./sentences-canonical.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./json.js").Reason} Reason */

/** From here on ECMAScript writes numbers with an exponent, so that they are not read back as integers. */
const FIRST_EXPONENT = 1e21;

const SHOWN_STEPS = 20;
const SHOWN_CHARACTERS = 40;

/** Text that JSON.stringify would only put in quotes, which is nearly all there is: told at a fraction of its price. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * The canonical text of a value.
 * @param {unknown} value null, boolean, number, string, array, or an object that is plain or has no prototype
 * @returns {string}
 * @throws {JsonError} without offset: for a number with 2^53 <= |x| < 1e21 (it would be read back as a forbidden
 *   integer), negative zero, NaN or infinity, a lone surrogate, a key `__proto__`, nesting over `MAX_DEPTH`, or
 *   any other type
 */
export function serialize(value) {
  try {
    return written(value, 0);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const steps = error.path.slice(-SHOWN_STEPS).reverse();
    throw new JsonError(error.reason, `$${steps.map((step) => `[${shown(step)}]`).join("")} ${error.message}`);
  }
}

/**
 * An object less one member, present or not; what is left is shared.
 * @param {Document} document
 * @param {string} name
 * @returns {Document} has no prototype
 */
export function without(document, name) {
  const rest = Object.create(null);
  for (const key of Object.keys(document)) {
    if (key !== name) rest[key] = document[key];
  }
  return rest;
}

/** An offence on its way out; each container adds its step, so that no path is built for good values. */
class Refused extends Error {
  /**
   * @param {`${Reason}/value` & keyof typeof MESSAGES} name
   * @param {import("./filled.js").Values} [values]
   */
  constructor(name, values = {}) {
    super(filled(MESSAGES[name], values));
    this.reason = /** @type {Reason} */ (name.slice(0, -"/value".length));
    /** @type {(string | number)[]} */
    this.path = [];
  }
}

/**
 * @param {unknown} value
 * @param {number} depth
 * @returns {string}
 */
function written(value, depth) {
  if (typeof value === "string") return writtenText(value);
  if (typeof value === "number") return writtenNumber(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (!Array.isArray(value) && !isMapping(value)) {
    throw new Refused("type/value", { kind: typeName(value) });
  }
  if (depth === MAX_DEPTH) throw new Refused("depth/value", { most: MAX_DEPTH });
  return Array.isArray(value) ? writtenArray(value, depth + 1) : writtenObject(value, depth + 1);
}

/**
 * @param {unknown[]} items
 * @param {number} depth
 * @returns {string}
 */
function writtenArray(items, depth) {
  const parts = [];
  // By index, as a hole has to be refused and not skipped.
  for (let i = 0; i < items.length; i += 1) {
    try {
      parts.push(written(items[i], depth));
    } catch (error) {
      throw stepped(error, i);
    }
  }
  return `[${parts.join(",")}]`;
}

/**
 * @param {Document} fields
 * @param {number} depth
 * @returns {string}
 */
function writtenObject(fields, depth) {
  const keys = Object.keys(fields);
  const members = [];
  // The value is judged before its key, and members in the object's own order, so that Python names the same one.
  for (const key of keys) {
    try {
      const item = written(fields[key], depth);
      members.push(`${writtenKey(key)}:${item}`);
    } catch (error) {
      throw stepped(error, key);
    }
  }
  return `{${inOrder(keys, members).join(",")}}`;
}

/**
 * RFC 8785 section 3.2.3. Of a document that was canonical already, the keys are in order.
 * @param {string[]} keys
 * @param {string[]} members
 * @returns {string[]} the members in the order of their keys' UTF-16 code units
 */
function inOrder(keys, members) {
  if (keys.every((key, i) => i === 0 || /** @type {string} */ (keys[i - 1]) < key)) return members;
  const memberOf = new Map(keys.map((key, i) => [key, /** @type {string} */ (members[i])]));
  return keys.sort().map((key) => /** @type {string} */ (memberOf.get(key)));
}

/**
 * @param {unknown} error
 * @param {string | number} step
 * @returns {unknown}
 */
function stepped(error, step) {
  if (error instanceof Refused) error.path.push(step);
  return error;
}

/**
 * @param {string} key
 * @returns {string}
 */
function writtenKey(key) {
  if (key === "__proto__") throw new Refused("proto-key/value");
  return writtenText(key);
}

/**
 * @param {string} text
 * @returns {string}
 */
function writtenText(text) {
  if (PLAIN.test(text)) return `"${text}"`;
  if (/\p{Surrogate}/u.test(text)) throw new Refused("lone-surrogate/value");
  return JSON.stringify(text);
}

/**
 * @param {number} value
 * @returns {string}
 */
function writtenNumber(value) {
  if (!Number.isFinite(value)) throw new Refused("non-finite/value");
  if (Object.is(value, -0)) throw new Refused("negative-zero/value");
  const magnitude = Math.abs(value);
  if (magnitude > Number.MAX_SAFE_INTEGER && magnitude < FIRST_EXPONENT) {
    throw new Refused("float-range/value");
  }
  return String(value);
}

/**
 * @param {unknown} value
 * @returns {value is Document}
 */
function isMapping(value) {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function typeName(value) {
  return typeof value === "object" ? Object.prototype.toString.call(value).slice("[object ".length, -1) : typeof value;
}

/**
 * One step of a path: an index, or a key cut short and in ASCII, as keys may be hostile.
 * @param {string | number} step
 * @returns {string}
 */
function shown(step) {
  return typeof step === "string" ? quoted(firstOf(step, SHOWN_CHARACTERS)) : String(step);
}
