// Characters that nobody sees: the same table as benchsite/unseen.py, which says what is in it and why.

const INVISIBLE =
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160" +
  "\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164" +
  "\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff" +
  "\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}" +
  Array.from({ length: 16 }, (_, plane) => `\\u{${(plane + 1).toString(16)}fffe}\\u{${(plane + 1).toString(16)}ffff}`).join("");

const SPACE = " \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000";

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
