// A methodology's document as a re-score needs it: its digest, and the four keys that decide the numbers, read line by
// line. The grammar, and what of it is refused, is that of benchsite/methodology/plain.py; a document that Python takes
// reads the same there as YAML.

import { fromUtf8, hex, utf8 } from "./bytes.js";
import { sha256 } from "./digest.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { MESSAGES } from "./sentences-methodology.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./types.js").Methodology} Methodology */

const KEYS = ["track", "version", "engine", "parameters"];

const BREAKS = /\r(?!\n)|[\x85\u2028\u2029]/u;
const BLANK = /^[ \t]*(?:#.*)?$/u;
const EMPTY = /^\{\} *(?: #.*)?$/u;
const REST = /^ *(?: #.*)?$/u;
const KEY = /^([A-Za-z][A-Za-z0-9_-]*):(?=$| )/u;
const NAME = /^ {2}([A-Za-z][A-Za-z0-9]*): +/u;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?![A-Za-z0-9._/-])/u;
const QUOTED = /^(["'])([ !#-&(-[\]-~]*)\1/u;
const WORD = /^[A-Za-z0-9][A-Za-z0-9./_-]*/u;
const TEXT = /^(?:[A-Za-z][A-Za-z0-9./_-]*|[0-9]+\.[0-9]+\.[0-9]+|[0-9]+\/[0-9]+|(?!0b[01]+$)(?=[0-9]*[a-f])[0-9a-f]{64})$/u;
// What YAML 1.1 reads as something else than text, in any capitals.
const RESERVED = new Set(["yes", "no", "on", "off", "y", "n", "true", "false", "null"]);
/** @type {ReadonlyMap<string, Json>} */
const CONSTANTS = new Map([["true", true], ["false", false], ["null", null]]);
const LONGEST_NUMBER = 40;

const SLUG = /^[a-z0-9][a-z0-9-]{0,79}$/u;
const SEMVER = /^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/u;
const ENGINE = /^[a-z0-9][a-z0-9-]{0,79}\/[0-9]{1,4}$/u;

/**
 * The digest that receipts name: SHA-256 of the JCS of the two files' digests.
 * @param {Uint8Array} data the bytes of `methodology.yaml`
 * @param {Uint8Array} text those of `text.md`
 */
export async function digestOf(data, text) {
  const [first, second] = [hex(await sha256(data)), hex(await sha256(text))];
  return hex(await sha256(utf8(`{"methodology.yaml":"${first}","text.md":"${second}"}`)));
}

/**
 * What a document says of the re-score. Documents from before engines had names are of the engine that their major
 * version counts.
 * @param {Uint8Array} data the bytes of `methodology.yaml`
 * @returns {Methodology}
 * @throws {Fault} not of the plain form, or not of a methodology
 */
export function readMethodology(data) {
  const { track, version, engine, parameters } = plain(data);
  if (typeof track !== "string" || !SLUG.test(track)) throw new Fault("track is missing or malformed", "track");
  if (typeof version !== "string" || !SEMVER.test(version)) throw new Fault("version is missing or malformed", "version");
  const named = engine ?? `${track}/${version.split(".")[0]}`;
  if (typeof named !== "string" || !ENGINE.test(named)) throw new Fault("engine is malformed", "engine");
  if (parameters === undefined) throw new Fault("parameters are missing", "parameters");
  return { track, version, engine: named, parameters: /** @type {Document} */ (parameters) };
}

/**
 * The four keys, those of them that there are.
 * @param {Uint8Array} data
 * @returns {{[key: string]: Json}}
 * @throws {Fault} the line is named
 */
export function plain(data) {
  const text = fromUtf8(data);
  const lines = new Lines();
  if (text === null) throw lines.refused("not-utf8");
  const other = BREAKS.exec(text);
  if (other !== null) {
    lines.number = text.slice(0, other.index).split("\n").length;
    throw lines.refused("line-break");
  }
  for (const ended of text.split("\n")) {
    const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
    lines.number += 1;
    if (BLANK.test(line)) continue;
    if (line.startsWith(" ") || line.startsWith("- ")) lines.inner(line);
    else if (line !== "---" || Object.keys(lines.found).length > 0) lines.key(line);
  }
  return lines.found;
}

/** What has been read of the lines so far, and what an indented line would belong to. */
class Lines {
  constructor() {
    this.number = 0;
    /** @type {{[key: string]: Json}} */
    this.found = Object.create(null);
    this.under = "";
  }

  /**
   * @param {keyof typeof MESSAGES} name
   * @param {import("./filled.js").Values} [values]
   */
  refused(name, values = {}) {
    return new Fault(`methodology.yaml, line ${this.number}: ${filled(MESSAGES[name], values)}`);
  }

  /** @param {string} line */
  key(line) {
    const [whole = "", name = ""] = KEY.exec(line) ?? [];
    if (name === "") throw this.refused("no-key");
    this.under = name;
    if (!KEYS.includes(name)) return;
    if (name in this.found) throw this.refused("given-twice", { key: name });
    const rest = line.slice(whole.length).replace(/^ +/u, "");
    if (name !== "parameters") {
      this.found[name] = valueOf(rest, this);
      return;
    }
    this.found[name] = Object.create(null);
    if (EMPTY.test(rest)) this.under = "version"; // nothing may follow, as after a scalar
    else if (!BLANK.test(rest)) throw this.refused("not-alone");
  }

  /**
   * An indented line or an item: free below other keys, a parameter below `parameters`.
   * @param {string} line
   */
  inner(line) {
    if (!KEYS.includes(this.under)) return;
    const [whole = "", name = ""] = (this.under === "parameters" ? NAME.exec(line) : null) ?? [];
    if (name === "" || RESERVED.has(name.toLowerCase())) throw this.refused("no-parameter");
    const below = /** @type {{[name: string]: Json}} */ (this.found["parameters"]);
    if (name in below) throw this.refused("given-twice", { key: `parameters.${name}` });
    below[name] = valueOf(line.slice(whole.length), this);
  }
}

/**
 * The value that a line ends in.
 * @param {string} text
 * @param {Lines} lines
 * @returns {Json}
 */
function valueOf(text, lines) {
  const [value, rest] = text.startsWith("[") ? listOf(text.slice(1), lines) : scalarOf(text, lines);
  if (!REST.test(rest)) throw lines.refused("more-values");
  return value;
}

/**
 * @param {string} text after the bracket
 * @param {Lines} lines
 * @returns {[Json[], string]}
 */
function listOf(text, lines) {
  /** @type {Json[]} */
  const items = [];
  let left = text.replace(/^ +/u, "");
  if (left.startsWith("]")) return [items, left.slice(1)];
  for (;;) {
    const [value, rest] = scalarOf(left, lines);
    items.push(value);
    left = rest.replace(/^ +/u, "");
    if (left.startsWith("]")) return [items, left.slice(1)];
    if (!left.startsWith(",")) throw lines.refused("not-a-list");
    left = left.slice(1).replace(/^ +/u, "");
  }
}

/**
 * @param {string} text
 * @param {Lines} lines
 * @returns {[Json, string]} the value, and what follows it
 */
function scalarOf(text, lines) {
  const [number] = NUMBER.exec(text) ?? [];
  if (number !== undefined) return [numberOf(number, lines), text.slice(number.length)];
  const [quoted, , inner] = QUOTED.exec(text) ?? [];
  if (quoted !== undefined && inner !== undefined) return [inner, text.slice(quoted.length)];
  const [word = ""] = WORD.exec(text) ?? [];
  const constant = CONSTANTS.get(word);
  if (constant !== undefined) return [constant, text.slice(word.length)];
  if (!TEXT.test(word) || RESERVED.has(word.toLowerCase())) throw lines.refused("not-plain");
  return [word, text.slice(word.length)];
}

/**
 * @param {string} text
 * @param {Lines} lines
 */
function numberOf(text, lines) {
  const value = Number(text);
  const isWhole = text.includes(".") && Number.isInteger(value); // one language would read it as an integer
  if (isWhole || Math.abs(value) > Number.MAX_SAFE_INTEGER || text.length > LONGEST_NUMBER || Object.is(value, -0)) {
    throw lines.refused("not-exact");
  }
  return value;
}
