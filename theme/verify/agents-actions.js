// The action records of a receipt: benchsite/tracks/agents/record/action_log.py ("read"). What Python refuses is refused, with the
// number of the line.

import { BadTraces, linesOf, place, refusal, strict } from "./agents-traces.js";
import { SLUG } from "./schemas.js";
import { integer, list, nullable, object, text } from "./shape.js";
import { grouped } from "./wording.js";

/** The name of this evidence in a receipt. */
export const ACTIONS = "actions.jsonl";

const MOST = { max: 10_000 };
/** Characters of the actions of one run, and of a receipt. */
const MOST_OF_RUN = 1_000_000;
const MOST_OF_ALL = 32_000_000;
const ACTED = object({
  task: SLUG,
  run: integer(1),
  actions: list(text(), MOST),
  error: nullable(text()),
  skipped: list(object({ action: integer(0), reason: text() }), MOST),
  difference: list(object({
    table: text(), row: text(), "column?": nullable(text()), before: nullable(text()), after: nullable(text()),
  }), MOST),
});

/** An entry of a list, which Python writes as `difference.0`. */
const ENTRY = /^\.(actions|skipped|difference)\[([0-9]+)\]/u;

/** @typedef {{task: string, run: number, actions: string[], error: string | null}} Acted one run */

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
    const { task, run, actions, error } = /** @type {Acted} */ (value);
    if (seen.has(`${run} ${task}`)) throw refusal("run-twice", { run, task, where });
    seen.add(`${run} ${task}`);
    const size = actions.reduce((sum, action) => sum + characters(action), 0);
    total += size;
    for (const { found, most, whose } of [
      { found: size, most: MOST_OF_RUN, whose: "a run" }, { found: total, most: MOST_OF_ALL, whose: "a receipt" },
    ]) {
      if (found > most) throw refusal("actions-too-long", { whose, most: grouped(most), where });
    }
    yield { task, run, actions, error: error || null };
  }
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
