// What a document must look like: small checks that generated modules (benchsite/cli/shapes.py) put together into schemas.
// Owns the order in which faults are found, which is that of benchsite/schema.py's models: declared fields first, then
// unknown ones; of a list or record the first faulty entry, or the first that is one too many. Objects are closed:
// unknown fields are faults.

import { Fault } from "./fault.js";

/** The largest name that engines take for the index of an array. */
const LAST_INDEX = 2 ** 32 - 2;

/**
 * @typedef {{message: string, path: string}} Flaw `path` leads from the checked value to the faulty one
 * @typedef {(value: unknown) => Flaw | null} Check
 */

/**
 * Throws the first fault of a value.
 * @param {Check} check
 * @param {unknown} value
 * @param {string} [prefix] path of the value itself
 */
export function demand(check, value, prefix = "") {
  const flaw = check(value);
  if (flaw === null) return;
  const field = (prefix + flaw.path).replace(/^\.+/, "") || "$";
  throw new Fault(`field ${field}: ${flaw.message}`, field);
}

/**
 * Member names in the order Python reads them. Engines list names such as "10" first and by value; where there are
 * any, the order is that of a canonical file.
 * @param {object} value
 * @returns {string[]}
 */
export function members(value) {
  const names = Object.keys(value);
  const first = names[0] ?? "";
  return /^(0|[1-9][0-9]*)$/.test(first) && Number(first) <= LAST_INDEX ? names.sort() : names;
}

/**
 * @param {unknown} value
 * @returns {value is import("./types.js").Document}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {string} message
 * @param {string} [path]
 * @returns {Flaw}
 */
export function flawed(message, path = "") {
  return { message, path };
}

/**
 * @param {Flaw} flaw
 * @param {string} step
 * @returns {Flaw}
 */
function within(flaw, step) {
  return { message: flaw.message, path: step + flaw.path };
}

/** @type {Check} */
export const ANY = () => null;

/**
 * @param {RegExp} [pattern] with the flag `u`
 * @param {{min?: number, max?: number}} [lengths] in code points
 * @returns {Check}
 */
export function text(pattern, { min = 0, max = Infinity } = {}) {
  return (value) => {
    if (typeof value !== "string") return flawed("must be text");
    if (value.length < min) return flawed(`must have at least ${min} characters`);
    if (value.length > max && (value.length > 2 * max || [...value].length > max)) {
      return flawed(`must have at most ${max} characters`);
    }
    return pattern === undefined || pattern.test(value) ? null : flawed("is not of the form it must have");
  };
}

/**
 * A whole number that every engine holds exactly.
 * @param {number} [min]
 * @param {number} [max]
 * @returns {Check}
 */
export function integer(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  return (value) => {
    if (!Number.isSafeInteger(value)) return flawed("must be a whole number");
    const number = /** @type {number} */ (value);
    if (number < min) return flawed(`must be at least ${min}`);
    return number > max ? flawed(`must be at most ${max}`) : null;
  };
}

/**
 * @param {{min?: number, above?: number, max?: number, below?: number}} [bounds]
 * @returns {Check}
 */
export function number({ min = -Infinity, above = -Infinity, max = Infinity, below = Infinity } = {}) {
  return (value) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return flawed("must be a number");
    if (value < min) return flawed(`must be at least ${min}`);
    if (value <= above) return flawed(`must be more than ${above}`);
    if (value > max) return flawed(`must be at most ${max}`);
    return value < below ? null : flawed(`must be less than ${below}`);
  };
}

/** @type {Check} */
export const BOOLEAN = (value) => (typeof value === "boolean" ? null : flawed("must be true or false"));

/**
 * One of a few values.
 * @param {...(string | number | boolean | null)} values
 * @returns {Check}
 */
export function only(...values) {
  return (value) => {
    if (values.some((one) => one === value)) return null;
    return flawed(`must be ${values.map((one) => (typeof one === "string" ? `'${one}'` : one)).join(" or ")}`);
  };
}

/**
 * A value of one of several kinds. The fault is that of the first, and its path ends in what Python calls that kind.
 * @param {string} kind
 * @param {...Check} checks
 * @returns {Check}
 */
export function either(kind, ...checks) {
  return (value) => {
    const flaws = checks.map((check) => check(value));
    return flaws.includes(null) ? null : flawed(flaws[0]?.message ?? "", `.${kind}`);
  };
}

/**
 * @param {Check} check
 * @returns {Check}
 */
export function nullable(check) {
  return (value) => (value === null ? null : check(value));
}

/**
 * @param {Check} item
 * @param {{min?: number, max?: number}} [lengths]
 * @returns {Check}
 */
export function list(item, { min = 0, max = Infinity } = {}) {
  return (value) => {
    if (!Array.isArray(value)) return flawed("must be a list");
    const first = firstOfMany(value.length, max, (place) => {
      const flaw = item(value[place]);
      return flaw && within(flaw, `[${place}]`);
    });
    if (first !== null) return first;
    return value.length < min ? flawed(`must have at least ${min} entries`) : null;
  };
}

/**
 * An object whose member names are data.
 * @param {Check} name
 * @param {Check} entry
 * @param {{min?: number, max?: number}} [sizes]
 * @returns {Check}
 */
export function record(name, entry, { min = 0, max = Infinity } = {}) {
  return (value) => {
    if (!isObject(value)) return flawed("must be an object");
    const names = members(value);
    const first = firstOfMany(names.length, max, (place) => {
      const key = /** @type {string} */ (names[place]);
      const flaw = name(key);
      if (flaw !== null) return within(flaw, `.${key}.[key]`);
      const inner = entry(value[key]);
      return inner && within(inner, `.${key}`);
    });
    if (first !== null) return first;
    return names.length < min ? flawed(`must have at least ${min} entries`) : null;
  };
}

/**
 * The first flaw of many entries, or that there are more than `max` before any flaw.
 * @param {number} count
 * @param {number} max
 * @param {(place: number) => Flaw | null} check
 * @returns {Flaw | null}
 */
function firstOfMany(count, max, check) {
  for (let place = 0; place < count; place += 1) {
    const flaw = check(place);
    if (flaw !== null) return flaw;
    if (place >= max) return flawed(`must have at most ${max} entries`);
  }
  return null;
}

/**
 * A closed object. A name that ends in `?` need not be there.
 * @param {{[name: string]: Check}} fields in the order in which faults are named
 * @returns {Check}
 */
export function object(fields) {
  const declared = Object.entries(fields).map(([name, check]) => {
    const isOptional = name.endsWith("?");
    return { name: isOptional ? name.slice(0, -1) : name, check, isOptional };
  });
  const known = new Set(declared.map(({ name }) => name));
  return (value) => {
    if (!isObject(value)) return flawed("must be an object");
    let present = 0;
    for (const { name, check, isOptional } of declared) {
      if (Object.hasOwn(value, name)) {
        present += 1;
        const flaw = check(value[name]);
        if (flaw !== null) return within(flaw, `.${name}`);
      } else if (!isOptional) {
        return flawed("is missing", `.${name}`);
      }
    }
    if (Object.keys(value).length === present) return null;
    const unknown = members(value).find((name) => !known.has(name));
    return flawed("is not a field of this schema", `.${unknown}`);
  };
}
