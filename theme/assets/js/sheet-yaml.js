// The YAML of a sheet (specs/rubric.md, "The sheet"), written and read. What is written is a part of YAML 1.1 that
// PyYAML reads back exactly: block mappings and lists, every text in double quotes on one line, whole numbers, true,
// false, null. The reader takes that part and nothing else: other YAML is for `benchsite run rubric` to judge.

/** @typedef {string | number | boolean | null | Mapping | Mapping[]} Value */
/** @typedef {{[key: string]: Value}} Mapping */

/** As many bytes as `benchsite run rubric` takes. */
export const LONGEST = 1024 * 1024;
const DEEPEST = 12;

// What YAML does not admit as it stands, what ends a line in it, and what would be invisible or reorder its neighbours.
const ESCAPED = new RegExp(
  '["\\\\\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ufff0-\\uffff]',
  "gu");
const SHORT = new Map([['"', '\\"'], ["\\", "\\\\"], ["\n", "\\n"], ["\t", "\\t"]]);
const HALF = /\p{Surrogate}/u;
const KEY = "[A-Za-z][A-Za-z0-9]*";
const ENTRY = new RegExp(`^(${KEY}):(?: (.+))?$`, "u");
const QUOTED = /^"(?:[^"\\\u0000-\u001f]|\\["\\nt]|\\u[0-9a-f]{4})*"$/u;
const WHOLE = /^(?:0|-?[1-9][0-9]{0,14})$/;

/** A sheet that cannot be written or read; its message is a whole sentence. */
export class SheetError extends Error {}

/**
 * A sheet as text.
 * @param {Mapping} value keys are letters and digits
 * @param {string} comment one line, ours
 * @throws {SheetError} a text holds half of a surrogate pair, which no UTF-8 file can
 */
export function write(value, comment) {
  return `# ${comment}\n${[...mapping(value, 0)].join("\n")}\n`;
}

/**
 * @param {Mapping} value
 * @param {number} depth
 * @returns {Generator<string>}
 */
function* mapping(value, depth) {
  const indent = "  ".repeat(depth);
  for (const [key, part] of Object.entries(value)) {
    if (Array.isArray(part)) {
      yield part.length === 0 ? `${indent}${key}: []` : `${indent}${key}:`;
      for (const item of part) yield* listed(item, depth + 1);
    } else if (typeof part === "object" && part !== null) {
      yield `${indent}${key}:`;
      yield* mapping(part, depth + 1);
    } else {
      yield `${indent}${key}: ${scalar(part)}`;
    }
  }
}

/**
 * An item of a list: its first line carries the dash.
 * @param {Mapping} item not empty
 * @param {number} depth
 */
function* listed(item, depth) {
  let dash = `${"  ".repeat(depth)}- `;
  for (const line of mapping(item, depth + 1)) {
    yield dash === "" ? line : dash + line.trimStart();
    dash = "";
  }
}

/** @param {string | number | boolean | null} value */
function scalar(value) {
  if (typeof value !== "string") return String(value);
  if (HALF.test(value)) throw new SheetError("A text contains an invalid Unicode character.");
  return `"${value.replace(ESCAPED, (found) => SHORT.get(found) ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;
}

/** @typedef {{depth: number, dash: boolean, key: string, text: string | undefined, number: number}} Line */

/**
 * The value of a sheet's text.
 * @param {string} text
 * @returns {Mapping}
 * @throws {SheetError} it is not of the part of YAML that `write` makes; the line is named
 */
export function read(text) {
  if (text.length > LONGEST) throw new SheetError(`The file is longer than ${LONGEST.toLocaleString("en")} characters.`);
  /** @type {Line[]} */
  const lines = [];
  text.split(/\r?\n/).forEach((found, index) => {
    if (found.trim() !== "" && !found.startsWith("#")) lines.push(lineOf(found, index + 1));
  });
  const found = taken(lines, 0, 0);
  const rest = lines[found.next];
  if (rest) throw refused(rest.number, "is not indented as its neighbors are");
  return found.value;
}

/**
 * @param {string} text
 * @param {number} number
 * @returns {Line}
 */
function lineOf(text, number) {
  const [, spaces = "", dash = "", rest = ""] = /^( *)(- )?(.*)$/.exec(text) ?? [];
  const entry = ENTRY.exec(rest);
  if (!entry || spaces.length % 2 !== 0) throw refused(number, "is not what this form writes");
  const depth = spaces.length / 2 + (dash ? 1 : 0);
  if (depth > DEEPEST) throw refused(number, `is nested deeper than ${DEEPEST}`);
  return { depth, dash: dash !== "", key: entry[1] ?? "", text: entry[2], number };
}

/**
 * The mapping that begins at a place; a dash ends it unless it opens it.
 * @param {readonly Line[]} lines
 * @param {number} start
 * @param {number} depth
 * @returns {{value: Mapping, next: number}}
 */
function taken(lines, start, depth) {
  /** @type {Mapping} */
  const value = {};
  let next = start;
  for (let line = lines[next]; line && line.depth === depth && (!line.dash || (next === start && depth > 0)); line = lines[next]) {
    if (Object.hasOwn(value, line.key)) throw refused(line.number, `gives ${line.key} twice`);
    if (line.text !== undefined) {
      value[line.key] = valueOf(line.text, line.number);
      next += 1;
    } else {
      const found = inside(lines, next + 1, line);
      value[line.key] = found.value;
      next = found.next;
    }
  }
  return { value, next };
}

/**
 * What stands below a key: a list or a mapping.
 * @param {readonly Line[]} lines
 * @param {number} start
 * @param {Line} above
 * @returns {{value: Value, next: number}}
 */
function inside(lines, start, above) {
  const first = lines[start];
  if (!first || first.depth <= above.depth) throw refused(above.number, `says nothing for ${above.key}`);
  if (!first.dash) {
    if (first.depth !== above.depth + 1) throw refused(first.number, "is indented too far");
    return taken(lines, start, first.depth);
  }
  if (first.depth !== above.depth + 2) throw refused(first.number, "is not indented as a list is");
  const items = [];
  let next = start;
  for (let line = lines[next]; line && line.dash && line.depth === first.depth; line = lines[next]) {
    const found = taken(lines, next, first.depth);
    items.push(found.value);
    next = found.next;
  }
  return { value: items, next };
}

/**
 * @param {string} text
 * @param {number} number
 * @returns {Value}
 */
function valueOf(text, number) {
  if (text === "[]") return [];
  if (text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  if (WHOLE.test(text)) return Number(text);
  if (QUOTED.test(text)) {
    const found = JSON.parse(text);
    if (!HALF.test(found) && !/\\ud[89a-f]/.test(text.replaceAll("\\\\", ""))) return found;
  }
  throw refused(number, "holds a value that this form does not write");
}

/**
 * @param {number} number
 * @param {string} why
 */
function refused(number, why) {
  return new SheetError(`Line ${number} ${why}. Import a sheet that this form downloaded, or use benchsite run rubric.`);
}
