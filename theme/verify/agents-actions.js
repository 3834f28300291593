// The action records of a receipt: benchsite/tracks/agents/record/action_log.py ("read"). What Python refuses is refused, with the
// number of the line.

import { BadTraces, linesOf, place, refusal, strict } from "./agents-traces.js";
import { SLUG } from "./schemas.js";
import { serialize } from "./jcs.js";
import { DETAILS } from "./sentences-agents.js";
import { flawed, integer, isObject, list, members, nullable, object, text } from "./shape.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */

/** The name of this evidence in a receipt. */
export const ACTIONS = "actions.jsonl";

const MOST = { max: 10_000 };
/** Characters of the actions of one run, and of a receipt. */
const MOST_OF_RUN = 1_000_000;
const MOST_OF_ALL = 32_000_000;

/**
 * Whether a value is an action: text, or an object of `tool` and `arguments`.
 * @param {unknown} value
 */
export function isAction(value) {
  if (typeof value === "string") return true;
  return isObject(value) && members(value).length === 2 && typeof value["tool"] === "string" && isObject(value["arguments"]);
}

const ACTED = object({
  task: SLUG,
  run: integer(1),
  actions: list((value) => (isAction(value) ? null : flawed(DETAILS["no-action"])), MOST),
  "answer?": nullable(text()),
  error: nullable(text()),
  skipped: list(object({ action: integer(0), reason: text() }), MOST),
  difference: list(object({
    table: text(), row: text(), "column?": nullable(text()), before: nullable(text()), after: nullable(text()),
  }), MOST),
});

/** An entry of a list, which Python writes as `difference.0`. */
const ENTRY = /^\.(actions|skipped|difference)\[([0-9]+)\]/u;

/**
 * @typedef {object} Acted one run
 * @property {string} task
 * @property {number} run
 * @property {string[]} actions each as canonical JSON
 * @property {string | null} error
 * @property {string | null} answer null if it is not recorded
 */

/**
 * The runs of a file, one at a time.
 * @param {Uint8Array} data
 * @returns {Generator<Acted>}
 * @throws {BadTraces} a line is malformed, or a run occurs twice
 */
export function* records(data) {
  /** @type {Set<string>} */
  const seen = new Set();
  let line = 0;
  let total = 0;
  for (const bytes of linesOf(data, ACTIONS)) {
    line += 1;
    const where = `${ACTIONS} line ${line}`;
    const value = strict(bytes, where);
    const flaw = ACTED(value);
    if (flaw !== null) throw new BadTraces(`${place({ ...flaw, path: flaw.path.replace(ENTRY, ".$1.$2") })}: ${where}`);
    const { task, run, actions, error, answer } = /** @type {Document} */ (value);
    if (seen.has(`${run} ${task}`)) throw refusal("run-twice", { run, task, where });
    seen.add(`${run} ${task}`);
    const size = sizeOf(actions);
    total += size;
    for (const { found, most, whose } of [
      { found: size, most: MOST_OF_RUN, whose: "a run" }, { found: total, most: MOST_OF_ALL, whose: "a receipt" },
    ]) {
      if (found > most) throw refusal("actions-too-long", { whose, most: grouped(most), where });
    }
    yield { task, run, actions: actions.map(serialize), error: error || null, answer: answer ?? null };
  }
}

/**
 * Characters of some actions, calls as canonical JSON.
 * @param {readonly unknown[]} actions
 */
function sizeOf(actions) {
  return actions.reduce((/** @type {number} */ sum, action) =>
    sum + characters(typeof action === "string" ? action : serialize(action)), 0);
}

/**
 * Code points of a text, counted without holding them.
 * @param {string} text
 */
function characters(text) {
  let pairs = 0;
  for (let i = 0; i < text.length; i += 1) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) pairs += 1;
  return text.length - pairs;
}
