// A configuration in words, as benchsite.words and benchsite.history write it: options by name, on one printable line.

import { inOrder } from "./differences.js";
import { repr } from "./numerals.js";

/** Characters of a label that pages and commands show. */
const LONGEST = 120;
/** What Python calls unprintable: other and separator characters, but for the space. */
const UNPRINTABLE = /[^\P{C}]|(?! )\p{Z}/gu;
const NAMED = new Map([["\t", "\\t"], ["\n", "\\n"], ["\r", "\\r"]]);

/**
 * Options in words, by name: `k1 1.2`, `stemming`, `no stemming`.
 * @param {{[name: string]: unknown}} options
 * @returns {string[]}
 */
export function optionsWords(options) {
  return inOrder(Object.keys(options)).map((name) => {
    const value = options[name];
    if (value === true) return name;
    return value === false ? `no ${name}` : `${name} ${written(value)}`;
  });
}

/**
 * A value of JSON as Python writes it in a text.
 * @param {unknown} value
 */
export function written(value) {
  if (value === null) return "None";
  return typeof value === "number" ? repr(value) : String(value);
}

/**
 * One printable line of at most so many characters.
 * @param {string} text
 */
export function oneLine(text) {
  const shown = [...text].slice(0, LONGEST + 1).join("").replace(UNPRINTABLE, escaped);
  const characters = [...shown];
  return characters.length <= LONGEST ? shown : `${characters.slice(0, LONGEST - 1).join("")}…`;
}

/** @param {string} character */
function escaped(character) {
  const code = character.codePointAt(0) ?? 0;
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
