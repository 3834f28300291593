// One run out of a receipt's evidence: its events from `traces.jsonl`, its action record from `actions.jsonl`. The caller has
// compared the SHA-256 of the files with the receipt. Lines are read in slices, so that the page answers meanwhile.

import { BadTraces, linesOf, NAME } from "../../verify/agents-traces.js";
import { ACTIONS } from "../../verify/agents-actions.js";

/** @typedef {import("../../verify/types.js").Document} Document */

/**
 * One event as pages show it.
 * @typedef {object} Step
 * @property {number} number from 1
 * @property {string} id
 * @property {string} actor
 * @property {string} type
 * @property {Kind} kind
 * @property {Document} payload
 * @property {number | null} start milliseconds since the run's first event
 * @property {number | null} end
 * @property {number | null} tokensIn
 * @property {number | null} tokensOut
 * @property {number | null} latency milliseconds
 * @property {number | null} cost US dollars
 * @property {string} parent empty without one
 * @property {number} round from 0; -1 if the event states none
 *
 * @typedef {"model" | "tool" | "result" | "message" | "decision" | "error" | "answer" | "other"} Kind
 *
 * @typedef {object} Change a cell or row of the final state that is not as expected
 * @property {string} table
 * @property {string} row
 * @property {string} column empty for a whole row
 * @property {string | null} before expected
 * @property {string | null} after found
 *
 * @typedef {object} Acted the action record of a run
 * @property {unknown[]} actions
 * @property {string | null} answer
 * @property {string | null} error
 * @property {{action: number, reason: string}[]} skipped
 * @property {Change[]} difference
 */

/** Lines that are read before the page may answer. */
const SLICE = 1000;
const STRICT = new TextDecoder("utf-8", { fatal: true });
const HEAD = new TextEncoder().encode('{"run":');

/**
 * The events of a run; null if the file does not have the run.
 * @param {Uint8Array} data
 * @param {string} task
 * @param {number} run
 * @param {() => Promise<void>} [pause] called between slices
 * @returns {Promise<Step[] | null>}
 * @throws {BadTraces} a line of the run is no event
 */
export async function stepsOf(data, task, run, pause = nextTurn) {
  const found = [];
  let isWanted = false;
  let isThere = false;
  let line = 0;
  for (const bytes of linesOf(data, NAME)) {
    line += 1;
    if (HEAD.every((byte, i) => bytes[i] === byte)) {
      if (isThere) break;
      const head = parsed(bytes, `${NAME} line ${line}`);
      isWanted = head["task"] === task && head["run"] === run;
      isThere = isWanted;
    } else if (isWanted) {
      found.push(stepOf(parsed(bytes, `${NAME} line ${line}`), found.length + 1));
      if (found.length % SLICE === 0) await pause();
    }
  }
  return isThere ? sinceFirst(found) : null;
}

/**
 * The action record of a run; null if the file does not have the run.
 * @param {Uint8Array} data
 * @param {string} task
 * @param {number} run
 * @param {() => Promise<void>} [pause]
 * @returns {Promise<Acted | null>}
 */
export async function actedOf(data, task, run, pause = nextTurn) {
  const decoder = new TextDecoder();
  const word = JSON.stringify(task);
  let line = 0;
  for (const bytes of linesOf(data, ACTIONS)) {
    line += 1;
    if (line % SLICE === 0) await pause();
    if (!decoder.decode(bytes).includes(word)) continue;
    const value = parsed(bytes, `${ACTIONS} line ${line}`);
    if (value["task"] !== task || value["run"] !== run) continue;
    return {
      actions: listOf(value["actions"]),
      answer: textOrNull(value["answer"]),
      error: textOrNull(value["error"]) || null,
      skipped: listOf(value["skipped"]).filter(isObject).map(({ action, reason }) =>
        ({ action: Number(action), reason: String(reason ?? "") })),
      difference: listOf(value["difference"]).filter(isObject).map((one) => ({
        table: String(one["table"] ?? ""), row: String(one["row"] ?? ""), column: textOrNull(one["column"]) ?? "",
        before: textOrNull(one["before"]), after: textOrNull(one["after"]),
      })),
    };
  }
  return null;
}

/**
 * Events that stand for the ones of a transcript that is not at hand: the actions, the error, the answer.
 * @param {Acted} acted
 * @returns {Step[]}
 */
export function stepsOfActions({ actions, error, answer }) {
  /** @type {Document[]} */
  const events = actions.map((action, i) => ({ id: `action-${i + 1}`, actor: "agent", event_type: "tool_call", payload: { action } }));
  if (error !== null) events.push({ id: "error", actor: "agent", event_type: "error", payload: { text: error } });
  if (answer !== null) events.push({ id: "answer", actor: "agent", event_type: "finalize", payload: { output: answer } });
  return events.map((event, i) => stepOf(event, i + 1));
}

/**
 * @param {Uint8Array} bytes
 * @param {string} where
 * @returns {Document}
 */
function parsed(bytes, where) {
  let value;
  try {
    value = JSON.parse(STRICT.decode(bytes));
  } catch {
    throw new BadTraces(`not JSON: ${where}`);
  }
  if (!isObject(value)) throw new BadTraces(`not a JSON object: ${where}`);
  return value;
}

/**
 * @param {Document} event
 * @param {number} number
 * @returns {Step}
 */
function stepOf(event, number) {
  const payload = isObject(event["payload"]) ? event["payload"] : {};
  return {
    number,
    id: String(event["id"] ?? ""),
    actor: String(event["actor"] ?? "") || "system",
    type: String(event["event_type"] ?? ""),
    kind: kindOf(String(event["event_type"] ?? ""), payload),
    payload,
    start: time(event["timestamp_start"] ?? event["timestamp_end"]),
    end: time(event["timestamp_end"] ?? event["timestamp_start"]),
    tokensIn: countOrNull(event["token_in"]),
    tokensOut: countOrNull(event["token_out"]),
    latency: countOrNull(event["latency_ms"]),
    cost: countOrNull(event["cost_usd"]),
    parent: textOrNull(event["parent"]) ?? "",
    round: roundOf(payload["round"], event["state_id"]),
  };
}

/**
 * @param {string} type
 * @param {Document} payload
 * @returns {Kind}
 */
function kindOf(type, payload) {
  if (payload["kind"] === "send") return "message";
  if (payload["kind"] === "termination") return "decision";
  if (type === "error") return "error";
  if (type === "tool_call") return "tool";
  if (type === "tool_result") return "result";
  if ((payload["model_requested"] ?? payload["model_responded"] ?? null) !== null) return "model";
  return type === "finalize" ? "answer" : "other";
}

/**
 * The round that an event states: in its payload, or before the first dot of its state.
 * @param {unknown} stated
 * @param {unknown} state
 */
function roundOf(stated, state) {
  if (Number.isInteger(stated)) return Number(stated);
  const found = typeof state === "string" ? /^([0-9]{1,4})\.[0-9]/u.exec(state) : null;
  return found ? Number(found[1]) : -1;
}

/** @param {Step[]} steps */
function sinceFirst(steps) {
  const starts = steps.flatMap(({ start }) => (start === null ? [] : [start]));
  const first = starts.reduce((least, start) => Math.min(least, start), Infinity);
  for (const step of steps) {
    if (step.start !== null) step.start -= first;
    if (step.end !== null) step.end -= first;
  }
  return steps;
}

/**
 * Milliseconds of a time with six decimals.
 * @param {unknown} text
 */
function time(text) {
  if (typeof text !== "string") return null;
  const whole = Date.parse(`${text.slice(0, 19)}Z`);
  const micros = Number(text.slice(20, 26));
  return Number.isFinite(whole) && Number.isFinite(micros) ? whole + micros / 1000 : null;
}

/**
 * @param {unknown} value
 * @returns {value is Document}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value */
function countOrNull(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** @param {unknown} value */
function textOrNull(value) {
  return typeof value === "string" ? value : null;
}

/**
 * @param {unknown} value
 * @returns {any[]}
 */
function listOf(value) {
  return Array.isArray(value) ? value : [];
}

/** @returns {Promise<void>} */
function nextTurn() {
  return new Promise((done) => { setTimeout(done); });
}
