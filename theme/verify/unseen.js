// Characters that nobody sees: by the table of benchsite/unseen.py, which says what is in it and why.

import { INVISIBLE, SPACE } from "./tables.js";

const BUT_LAYOUT = new RegExp(`(?![\\t\\n])[${INVISIBLE}\\ud800-\\udfff]`, "gu");
const BUT_SPACE = new RegExp(`(?![\\t\\n\\v\\f\\r\\u2028\\u2029])[${INVISIBLE}]`, "gu");
const DRAWN = new RegExp(`[^${INVISIBLE}${SPACE}]`, "u");

/**
 * Whether there is nothing to see: no characters at all, or spaces and invisible ones alone.
 * @param {string} text
 */
export function isBlank(text) {
  return !DRAWN.test(text);
}

/**
 * The rule that makes foreign text inert on a page: every invisible character but tabs and line feeds is written out.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  return text.replace(BUT_LAYOUT, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

/**
 * Text without its invisible characters; ends of lines and tabs stay, as the white space that they are.
 * @param {string} text
 */
export function withoutInvisible(text) {
  return text.replace(BUT_SPACE, "");
}
