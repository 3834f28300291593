// The packed traces of a receipt, read one run at a time: benchsite/tracks/agents/trace/archive.py and event.py. Before the events
// of each run, a line names its task and its number. What Python refuses is refused, with the number of the line.

import { filled } from "./filled.js";
import { JsonError, parse } from "./json.js";
import { SLUG, TEXT } from "./schemas.js";
import { DETAILS } from "./sentences-agents.js";
import { ANY, integer, nullable, number, object, only, record, text } from "./shape.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */

/** The name of packed traces among a receipt's evidence. */
export const NAME = "traces.jsonl";

const LARGEST_LINE = 16 * 1024 * 1024;
const MOST_EVENTS = 100_000;
const LARGEST_RUN = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const HEAD_BYTES = new TextEncoder().encode('{"run":');

const HEAD = object({ run: integer(1), task: SLUG });

const TIMESTAMP = text(
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z$/u,
);
const AMOUNT = { max: Number.MAX_SAFE_INTEGER };
const EVENT = object({
  id: TEXT,
  actor: text(/^[^\x00-\x1f\x7f-\x9f]{0,200}$/u),
  event_type: only("plan", "act", "tool_call", "tool_result", "verify", "revise", "finalize", "error"),
  "payload?": record(text(), ANY),
  "timestamp_start?": nullable(TIMESTAMP),
  "timestamp_end?": nullable(TIMESTAMP),
  "token_in?": nullable(integer(0)),
  "token_out?": nullable(integer(0)),
  "latency_ms?": nullable(number({ min: -Number.MAX_SAFE_INTEGER, ...AMOUNT })),
  "cost_usd?": nullable(number({ min: 0, ...AMOUNT })),
  "state_id?": nullable(TEXT),
  "parent?": nullable(TEXT),
});

/** Traces that are not of the form that they must have; the message names the line. */
export class BadTraces extends Error {}

/** @typedef {{task: string, run: number, events: Document[]}} Traced the events of one run */

/**
 * @param {keyof typeof DETAILS} name
 * @param {import("./filled.js").Values} values
 */
export function refusal(name, values) {
  return new BadTraces(filled(DETAILS[name], values));
}

/**
 * The runs of a file, one at a time.
 * @param {Uint8Array} data
 * @returns {Generator<Traced>}
 * @throws {BadTraces} a line is refused, or a run occurs twice
 */
export function* unpacked(data) {
  /** @type {Set<string>} */
  const seen = new Set();
  /** @type {{task: string, run: number} | null} */
  let head = null;
  /** @type {Uint8Array[]} */
  let held = [];
  let size = 0;
  let first = 1;
  let line = 0;
  for (const bytes of linesOf(data, NAME)) {
    line += 1;
    const where = `${NAME} line ${line}`;
    if (!isHead(bytes)) {
      if (head === null) throw refusal("no-run-yet", { where });
      held.push(bytes);
      size += bytes.length;
      if (held.length > MOST_EVENTS || size > LARGEST_RUN) {
        const most = { events: grouped(MOST_EVENTS), bytes: grouped(LARGEST_RUN) };
        throw refusal("run-too-long", { run: head.run, task: head.task, ...most, where });
      }
      continue;
    }
    if (head !== null) yield { ...head, events: eventsOf(held, first) };
    [head, held, size, first] = [headOf(bytes, where), [], 0, line];
    const { task, run } = head;
    if (seen.has(`${run} ${task}`)) throw refusal("run-twice", { run, task, where });
    seen.add(`${run} ${task}`);
  }
  if (head !== null) yield { ...head, events: eventsOf(held, first) };
}

/**
 * The lines of a file, without their line feeds.
 * @param {Uint8Array} data
 * @param {string} where
 * @returns {Generator<Uint8Array>}
 * @throws {BadTraces} the last line has no line feed
 */
export function* linesOf(data, where) {
  if (data.length > 0 && data[data.length - 1] !== LINE_FEED) throw refusal("half-line", { where });
  for (let at = 0, end = 0; at < data.length; at = end + 1) {
    end = data.indexOf(LINE_FEED, at);
    yield data.subarray(at, end);
  }
}

/** @param {Uint8Array} line */
function isHead(line) {
  return HEAD_BYTES.every((byte, i) => line[i] === byte);
}

/**
 * @param {Uint8Array} bytes
 * @param {string} where
 * @returns {{task: string, run: number}}
 */
function headOf(bytes, where) {
  const head = strict(bytes, where);
  const flaw = HEAD(head);
  if (flaw !== null) throw new BadTraces(`${place(flaw)}: ${where}`);
  return /** @type {{task: string, run: number}} */ (head);
}

/**
 * The events of one run; their lines are counted from the line that names it.
 * @param {Uint8Array[]} lines
 * @param {number} first
 * @returns {Document[]}
 */
function eventsOf(lines, first) {
  /** @type {Set<string>} */
  const seen = new Set();
  return lines.map((bytes, i) => {
    const where = `${NAME} from line ${first + 1}, event line ${i + 1}`;
    if (bytes.length > LARGEST_LINE) throw refusal("line-too-long", { bytes: grouped(LARGEST_LINE), where });
    const event = strict(bytes, where);
    const flaw = EVENT(event);
    if (flaw !== null) throw new BadTraces(`no event: ${place(flaw)}: ${where}`);
    const { id } = /** @type {Document} */ (event);
    if (seen.has(id)) throw refusal("id-twice", { where });
    seen.add(id);
    return /** @type {Document} */ (event);
  });
}

/**
 * @param {Uint8Array} bytes
 * @param {string} where
 */
export function strict(bytes, where) {
  try {
    return parse(bytes);
  } catch (error) {
    throw error instanceof JsonError ? new BadTraces(`${error.message}: ${where}`) : error;
  }
}

/** @param {import("./shape.js").Flaw} flaw */
export function place({ path, message }) {
  return `${path.replace(/^\.+/, "") || "line"}: ${message}`;
}
