// How the sentences of steps, and numbers, values and times in them, are written.

import { filled } from "./filled.js";
import { serialize } from "./jcs.js";
import { DETAILS } from "./sentences.js";

/** @typedef {import("./types.js").Json} Json */

/**
 * A whole number with a comma between thousands.
 * @param {number} number
 */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * A sentence that Python says too, with its braces filled in: a number with a comma between thousands.
 * @param {keyof typeof DETAILS} name
 * @param {{[key: string]: string | number}} [values]
 */
export function said(name, values = {}) {
  const shown = Object.entries(values).map(([key, value]) => [key, typeof value === "number" ? grouped(value) : value]);
  return filled(DETAILS[name], Object.fromEntries(shown));
}

/**
 * A value of a receipt in a sentence: its canonical JSON, which every language writes alike.
 * @param {Json | undefined} value
 */
export function recorded(value) {
  return value === null || value === undefined ? "absent" : serialize(value);
}

/**
 * Seconds since 1970 of an RFC 3339 text whose shape the schema has checked; a fraction is dropped, and a day that
 * no month has counts on into the next, as in benchsite/log/posix.py.
 * @param {string} text
 */
export function posixSeconds(text) {
  const part = (/** @type {number} */ from, /** @type {number} */ to) => Number(text.slice(from, to));
  const day = new Date(0);
  day.setUTCFullYear(part(0, 4), part(5, 7) - 1, part(8, 10));
  return day.getTime() / 1000 + part(11, 13) * 3600 + part(14, 16) * 60 + part(17, 19);
}

/**
 * The inverse of `posixSeconds`; times beyond what a Date can hold are given in seconds.
 * @param {number} seconds
 */
export function utcText(seconds) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `${seconds} seconds after 1970`;
  return date.toISOString().replace(/\.\d{3}Z$/, "Z").replace(/^\+0*(?=\d{5})/, "");
}
