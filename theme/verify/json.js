// Strict JSON: the reader of everything whose hash or signature is checked. Owns what is refused, why, and at which
// byte; it follows RFC 8259 and the section "Strict JSON" of the log specification, as benchsite/canonical does in
// Python. Both read the same cases from tests/vectors/json/, and both say the same words of the same fault.
//
// The reader keeps its own stack and looks at every character once, so no input can exhaust the engine's stack, and
// time and memory are linear. Of one thing the two languages differ: an object whose keys are array indices
// ("0", "17") lists these first and by size, as every object of JavaScript does.

import { fromUtf8, utf8 } from "./bytes.js";
import { filled } from "./filled.js";
import { MESSAGES } from "./sentences-canonical.js";
import { lengthOfUtf8 } from "./utf8-prefix.js";

/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./types.js").JsonArray} JsonArray */
/** @typedef {import("./types.js").JsonObject} JsonObject */
/**
 * @typedef {"size" | "bom" | "utf8" | "end" | "unexpected" | "trailing" | "control" | "escape" | "lone-surrogate"
 *   | "duplicate-key" | "proto-key" | "integer-range" | "non-finite" | "negative-zero" | "depth" | "float-range"
 *   | "type"} Reason shared with Python, whose `key-type` cannot occur here: every key is text
 */

/** Largest document that is read, in bytes. */
export const MAX_BYTES = 8 * 1024 * 1024;

/** Most arrays and objects open at once; a scalar has depth 0 and `[]` depth 1. */
export const MAX_DEPTH = 64;

const SHOWN_CHARACTERS = 40;
const LONGEST_INTEGER = "-9007199254740991".length;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const CAPITAL_E = 0x45;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const SMALL_E = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @type {readonly [string, boolean | null][]} */
const LITERALS = [["true", true], ["false", false], ["null", null]];
const ESCAPES = new Map([
  ['"', '"'], ["\\", "\\"], ["/", "/"], ["b", "\b"], ["f", "\f"], ["n", "\n"], ["r", "\r"], ["t", "\t"],
]);

/** @typedef {keyof typeof MESSAGES} Message a reason, or one and what it is said of after a slash */

/** A document that is not strict JSON, or a value that has no strict JSON. */
export class JsonError extends Error {
  /**
   * @param {Reason} reason
   * @param {string} what
   * @param {number | null} [offset] in bytes; null when a value was refused, whose message gives the path instead
   */
  constructor(reason, what, offset = null) {
    super(`JSON: ${what}${offset === null ? "" : ` at byte ${offset}`}`);
    this.name = "JsonError";
    this.reason = reason;
    this.offset = offset;
  }
}

/**
 * Reads one document.
 * @param {Uint8Array} bytes UTF-8 without byte order mark; whitespace around the value is allowed
 * @param {number} [maxBytes] the largest length that is read
 * @returns {Json} its objects have no prototype
 * @throws {JsonError} with the reason and the byte offset of the first broken rule
 */
export function parse(bytes, maxBytes = MAX_BYTES) {
  if (bytes.length > maxBytes) {
    throw refusal("size", maxBytes, { count: bytes.length, most: maxBytes });
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw refusal("bom", 0);
  }
  const text = fromUtf8(bytes);
  if (text === null) throw refusal("utf8", lengthOfUtf8(bytes));
  return new Reader(text).document();
}

/**
 * @param {Message & Reason} name
 * @param {number} offset
 * @param {import("./filled.js").Values} [values]
 */
function refusal(name, offset, values = {}) {
  return new JsonError(name, filled(MESSAGES[name], values), offset);
}

/**
 * Foreign text, made fit for one line: ASCII in quotes, as Python's `ascii` writes it.
 * @param {string} text
 * @returns {string}
 */
export function quoted(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + Array.from(text, (character) => inAscii(character, mark)).join("") + mark;
}

/**
 * The first characters of a text, counted in code points.
 * @param {string} text
 * @param {number} count
 * @returns {string}
 */
export function firstOf(text, count) {
  return Array.from(text.slice(0, 2 * count)).slice(0, count).join("");
}

/**
 * @param {string} character one code point
 * @param {string} mark the quotation mark around it
 * @returns {string}
 */
function inAscii(character, mark) {
  if (character === "\\" || character === mark) return `\\${character}`;
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return character;
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

/** A cursor over one document, counted in UTF-16 code units, with the containers that are open at it. */
class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
    /** @type {{container: JsonArray | JsonObject, isEmpty: boolean}[]} */
    this.open = [];
  }

  /** @returns {Json} */
  document() {
    const root = this.beginValue();
    while (this.open.length > 0) this.step();
    this.skipSpace();
    if (this.at < this.text.length) throw this.fault("trailing");
    return root;
  }

  /** Closes the innermost container, or reads its next item; a nested container is only opened. */
  step() {
    const level = /** @type {{container: JsonArray | JsonObject, isEmpty: boolean}} */ (this.open.at(-1));
    const { container } = level;
    const unit = this.nextUnit();
    if (unit === (Array.isArray(container) ? CLOSE_ARRAY : CLOSE_OBJECT)) {
      this.at += 1;
      this.open.pop();
      return;
    }
    if (!level.isEmpty) {
      if (unit !== COMMA) throw this.unexpected();
      this.at += 1;
    }
    level.isEmpty = false;
    if (Array.isArray(container)) {
      container.push(this.beginValue());
    } else {
      const key = this.key(container);
      if (this.nextUnit() !== COLON) throw this.unexpected();
      this.at += 1;
      container[key] = this.beginValue();
    }
  }

  /** @returns {Json} */
  beginValue() {
    const unit = this.nextUnit();
    if (unit === QUOTE) return this.string();
    if (unit === OPEN_OBJECT) return this.beginContainer(Object.create(null));
    if (unit === OPEN_ARRAY) return this.beginContainer([]);
    const end = this.endOfInteger(this.at);
    if (end > this.at) return this.number(end);
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    throw this.unexpected();
  }

  /**
   * @param {JsonArray | JsonObject} container
   * @returns {Json}
   */
  beginContainer(container) {
    if (this.open.length === MAX_DEPTH) throw this.fault("depth", this.at, { most: MAX_DEPTH });
    this.at += 1;
    this.open.push({ container, isEmpty: true });
    return container;
  }

  /**
   * @param {JsonObject} container
   * @returns {string}
   */
  key(container) {
    if (this.nextUnit() !== QUOTE) throw this.unexpected();
    const start = this.at;
    const key = this.string();
    if (key in container) {
      const beginning = firstOf(key, SHOWN_CHARACTERS);
      const shown = quoted(beginning === key ? key : `${beginning}...`);
      throw this.fault("duplicate-key", start, { key: shown });
    }
    if (key === "__proto__") throw this.fault("proto-key", start);
    return key;
  }

  /**
   * @param {number} endOfInteger
   * @returns {number}
   */
  number(endOfInteger) {
    const start = this.at;
    this.at = this.endOfExponent(this.endOfFraction(endOfInteger));
    const isInteger = this.at === endOfInteger;
    // The length is looked at first: a token without point or exponent may be as long as the document.
    const isTooLong = isInteger && this.at - start > LONGEST_INTEGER;
    const value = isTooLong ? Number.NaN : Number(this.text.slice(start, this.at));
    if (isTooLong || (isInteger && Math.abs(value) > Number.MAX_SAFE_INTEGER)) {
      throw this.fault("integer-range", start);
    }
    if (!Number.isFinite(value)) throw this.fault("non-finite", start);
    if (Object.is(value, -0)) throw this.fault("negative-zero", start);
    return value;
  }

  /**
   * @param {number} at
   * @returns {number} behind `-?(0|[1-9][0-9]*)`; the same place where that is not
   */
  endOfInteger(at) {
    const first = this.text.charCodeAt(at) === MINUS ? at + 1 : at;
    const end = this.text.charCodeAt(first) === ZERO ? first + 1 : this.endOfDigits(first);
    return end > first ? end : at;
  }

  /**
   * @param {number} at
   * @returns {number} behind `\.[0-9]+`; the same place where that is not
   */
  endOfFraction(at) {
    if (this.text.charCodeAt(at) !== POINT) return at;
    const end = this.endOfDigits(at + 1);
    return end > at + 1 ? end : at;
  }

  /**
   * @param {number} at
   * @returns {number} behind `[eE][+-]?[0-9]+`; the same place where that is not
   */
  endOfExponent(at) {
    const mark = this.text.charCodeAt(at);
    if (mark !== SMALL_E && mark !== CAPITAL_E) return at;
    const sign = this.text.charCodeAt(at + 1);
    const first = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
    const end = this.endOfDigits(first);
    return end > first ? end : at;
  }

  /**
   * @param {number} at
   * @returns {number}
   */
  endOfDigits(at) {
    for (let end = at; ; end += 1) {
      const unit = this.text.charCodeAt(end);
      if (!(unit >= ZERO && unit <= NINE)) return end;
    }
  }

  /** @returns {string} */
  string() {
    this.at += 1;
    const plain = this.unescaped();
    if (this.unit() === QUOTE) {
      this.at += 1;
      return plain;
    }
    const parts = [plain];
    for (; this.unit() !== QUOTE; parts.push(this.unescaped())) {
      if (this.unit() !== BACKSLASH) throw this.fault("control");
      parts.push(this.escape());
    }
    this.at += 1;
    return parts.join("");
  }

  /** @returns {string} the characters up to a quote, a backslash, a control character or the end */
  unescaped() {
    const { text, at } = this;
    let end = at;
    for (; end < text.length; end += 1) {
      const unit = text.charCodeAt(end);
      if (unit === QUOTE || unit === BACKSLASH || unit < SPACE) break;
    }
    this.at = end;
    return text.slice(at, end);
  }

  /** @returns {string} */
  escape() {
    const simple = ESCAPES.get(this.text.charAt(this.at + 1));
    if (simple !== undefined) {
      this.at += 2;
      return simple;
    }
    const unit = this.escapedUnit(this.at);
    if (unit === null) throw this.fault("escape");
    if (unit < 0xd800 || unit > 0xdfff) {
      this.at += 6;
      return String.fromCharCode(unit);
    }
    const low = this.escapedUnit(this.at + 6);
    if (unit >= 0xdc00 || low === null || low < 0xdc00 || low > 0xdfff) {
      throw this.fault("lone-surrogate");
    }
    this.at += 12;
    return String.fromCharCode(unit, low);
  }

  /**
   * @param {number} at
   * @returns {number | null} the code unit that is escaped there with \u, if one is
   */
  escapedUnit(at) {
    const token = this.text.slice(at, at + 6);
    return /^\\u[0-9a-fA-F]{4}$/.test(token) ? Number.parseInt(token.slice(2), 16) : null;
  }

  skipSpace() {
    for (; ; this.at += 1) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) return;
    }
  }

  /** @returns {number} */
  nextUnit() {
    this.skipSpace();
    return this.unit();
  }

  /** @returns {number} */
  unit() {
    if (this.at === this.text.length) throw this.fault("end");
    return this.text.charCodeAt(this.at);
  }

  /** @returns {JsonError} */
  unexpected() {
    return this.fault("unexpected", this.at, { found: quoted(firstOf(this.text.slice(this.at, this.at + 2), 1)) });
  }

  /**
   * @param {Message & Reason} name
   * @param {number} [at]
   * @param {import("./filled.js").Values} [values]
   * @returns {JsonError}
   */
  fault(name, at = this.at, values = {}) {
    return refusal(name, utf8(this.text.slice(0, at)).length, values);
  }
}
