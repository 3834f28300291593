// What a document must look like: small checks that generated modules (benchsite/cli/shapes.py) put together into schemas.
// Owns the order in which faults are found, which is that of benchsite/schema.py's models: declared fields first, then
// unknown ones; of a list or record the first faulty entry, or the first that is one too many. Objects are closed:
// unknown fields are faults.

import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { MESSAGES } from "./sentences-schema.js";

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
 * A flaw in the words of benchsite.sentences.
 * @param {keyof typeof MESSAGES} name
 * @param {import("./filled.js").Values} [values]
 * @param {string} [path]
 */
export function faulty(name, values = {}, path = "") {
  return flawed(filled(MESSAGES[name], values), path);
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
    if (typeof value !== "string") return faulty("not-text");
    if (value.length < min) return faulty("few-characters", { count: min });
    if (value.length > max && (value.length > 2 * max || [...value].length > max)) {
      return faulty("many-characters", { count: max });
    }
    return pattern === undefined || pattern.test(value) ? null : faulty("other-form");
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
    if (!Number.isSafeInteger(value)) return faulty("not-integer");
    const number = /** @type {number} */ (value);
    if (number < min) return faulty("too-low", { bound: min });
    return number > max ? faulty("too-high", { bound: max }) : null;
  };
}

/**
 * @param {{min?: number, above?: number, max?: number, below?: number}} [bounds]
 * @returns {Check}
 */
export function number({ min = -Infinity, above = -Infinity, max = Infinity, below = Infinity } = {}) {
  return (value) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return faulty("not-number");
    if (value < min) return faulty("too-low", { bound: min });
    if (value <= above) return faulty("not-above", { bound: above });
    if (value > max) return faulty("too-high", { bound: max });
    return value < below ? null : faulty("not-below", { bound: below });
  };
}

/** @type {Check} */
export const BOOLEAN = (value) => (typeof value === "boolean" ? null : faulty("not-boolean"));

/**
 * One of a few values.
 * @param {...(string | number | boolean | null)} values
 * @returns {Check}
 */
export function only(...values) {
  return (value) => {
    if (values.some((one) => one === value)) return null;
    const shown = values.map((one) => (typeof one === "string" ? `'${one}'` : String(one)));
    const last = shown.pop() ?? "";
    return faulty("other-value", { values: shown.length > 0 ? `${shown.join(", ")} or ${last}` : last });
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
    if (!Array.isArray(value)) return faulty("not-list");
    const first = firstOfMany(value.length, max, (place) => {
      const flaw = item(value[place]);
      return flaw && within(flaw, `[${place}]`);
    });
    if (first !== null) return first;
    return value.length < min ? faulty("few-entries", { count: min }) : null;
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
    if (!isObject(value)) return faulty("not-object");
    const names = members(value);
    const first = firstOfMany(names.length, max, (place) => {
      const key = /** @type {string} */ (names[place]);
      const flaw = name(key);
      if (flaw !== null) return within(flaw, `.${key}.[key]`);
      const inner = entry(value[key]);
      return inner && within(inner, `.${key}`);
    });
    if (first !== null) return first;
    return names.length < min ? faulty("few-entries", { count: min }) : null;
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
    if (place >= max) return faulty("many-entries", { count: max });
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
    if (!isObject(value)) return faulty("not-object");
    let present = 0;
    for (const { name, check, isOptional } of declared) {
      if (Object.hasOwn(value, name)) {
        present += 1;
        const flaw = check(value[name]);
        if (flaw !== null) return within(flaw, `.${name}`);
      } else if (!isOptional) {
        return faulty("absent-field", {}, `.${name}`);
      }
    }
    if (Object.keys(value).length === present) return null;
    const unknown = members(value).find((name) => !known.has(name));
    return faulty("unknown-field", {}, `.${unknown}`);
  };
}
