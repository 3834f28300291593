// Agreement of the pieces of evidence of a run: trace, action record and outcome. The same differences and violations, in the
// same order, as benchsite/tracks/agents/record/agreement.py.

import { isAction } from "./agents-actions.js";
import { hex } from "./bytes.js";
import { sha256 } from "./digest.js";
import { violation } from "./filled.js";
import { serialize } from "./jcs.js";
import { MESSAGES } from "./sentences-agents.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Difference} Difference */
/** @typedef {import("./types.js").Violation} Violation */

/**
 * What the trace of a run says of its actions and of the error that ended it.
 * @typedef {object} TracedRun
 * @property {string[]} actions each as canonical JSON
 * @property {string | null} answer the last one; null without one
 * @property {string | null} error
 * @property {string | null} digest SHA-256 of the whole text, where the trace cut it
 * @property {string | null} ending the outcome that the error event states
 * @property {string | null | undefined} limit the limit that it states; undefined if it states none
 *
 * @typedef {{actions: string[], error: string | null, answer: string | null}} RecordedRun
 */

const ENDINGS = new Set(["failure", "limit", "error"]);
const NOT_SUCCESS = "not success";
/** Characters of an error that a difference quotes. */
const SHOWN = 200;
const TRACES = "traces.jsonl";
const ACTIONS = "actions.jsonl";

/**
 * @param {readonly Document[]} events
 * @returns {TracedRun}
 */
export function tracedRun(events) {
  const actions = events.filter(({ event_type: type }) => type === "tool_call")
    .map(({ payload }) => payload?.action).filter(isAction).map(serialize);
  const output = events.filter(({ event_type: type }) => type === "finalize").at(-1)?.["payload"]?.output;
  const answer = typeof output === "string" ? output : null;
  const end = endingEvent(events);
  if (end === undefined) return { actions, answer, error: null, digest: null, ending: null, limit: undefined };
  const payload = end["payload"] ?? {};
  const { text, text_sha256: digest, ending, limit } = payload;
  return {
    actions,
    answer,
    error: typeof text === "string" && text !== "" ? text : "error",
    digest: typeof digest === "string" ? digest : null,
    ending: ENDINGS.has(ending) ? ending : null,
    limit: Object.hasOwn(payload, "limit") && (limit === null || typeof limit === "string") ? limit : undefined,
  };
}

/**
 * The first error event that ended the run: a tool's error ends it only if no other event follows.
 * @param {readonly Document[]} events
 */
function endingEvent(events) {
  return events.find(({ event_type: type, payload }, place) =>
    type === "error" && (place === events.length - 1 || payload?.source !== "tool"));
}

/**
 * Compare trace, action record and outcome of every run.
 * @param {Document} runs
 * @param {Map<string, TracedRun> | null} traced by `task, run n`; null if the traces are not at hand
 * @param {Map<string, RecordedRun> | null} recorded
 * @returns {Promise<Difference[]>}
 */
export async function disagreements(runs, traced, recorded) {
  const names = named(runs);
  const known = new Set(names);
  /** @type {Difference[]} */
  const found = [...(recorded?.keys() ?? [])].filter((name) => !known.has(name))
    .map((computed) => ({ field: "runs.taskId", recorded: null, computed }));
  for (const [i, name] of names.entries()) {
    const trace = traced?.get(name);
    const record = recorded?.get(name);
    if (recorded !== null && record === undefined) found.push({ field: `runs.taskId[${i}]`, recorded: name, computed: null });
    if (trace !== undefined) found.push(...ofEnd(runs, i, trace));
    if (record !== undefined) found.push(...ofRecord(runs, i, record, trace !== undefined));
    if (trace !== undefined && record !== undefined) found.push(...await between(i, trace, record));
  }
  return found;
}

/**
 * A success needs an empty error in every piece of evidence.
 * @param {Document} runs
 * @param {Map<string, {error: string | null}> | null} traced
 * @param {Map<string, {error: string | null}> | null} recorded
 * @returns {Violation[]}
 */
export function impossibleSuccesses(runs, traced, recorded) {
  const pieces = /** @type {const} */ ([[TRACES, traced], [ACTIONS, recorded]]);
  return pieces.flatMap(([name, held]) => named(runs).flatMap((key, i) => {
    if (runs["outcome"][i] !== "success" || (held?.get(key)?.error ?? null) === null) return [];
    const values = { run: runs["run"][i], task: runs["taskId"][i], name };
    return [violation(MESSAGES, "error-success", `runs.outcome[${i}]`, values)];
  }));
}

/** @param {Document} runs */
function named({ taskId, run }) {
  return /** @type {string[]} */ (taskId).map((task, i) => `${task}, run ${run[i]}`);
}

/**
 * The outcome, and the limit, as far as the trace states them.
 * @param {Document} runs
 * @param {number} i
 * @param {TracedRun} trace
 * @returns {Generator<Difference>}
 */
function* ofEnd(runs, i, trace) {
  const outcome = runs["outcome"][i];
  const field = `runs.outcome[${i}]`;
  if (trace.error === null) {
    if (outcome === "limit" || outcome === "error") yield { field, recorded: outcome, computed: null };
    return;
  }
  if (outcome === "success" || (trace.ending !== null && outcome !== trace.ending)) {
    yield { field, recorded: outcome, computed: trace.ending ?? NOT_SUCCESS };
  }
  const limit = runs["limit"]?.[i] ?? null;
  if (trace.limit !== undefined && limit !== trace.limit) {
    yield { field: `runs.limit[${i}]`, recorded: limit, computed: trace.limit };
  }
}

/**
 * The outcome; without a trace, which counts the tool calls, their number too.
 * @param {Document} runs
 * @param {number} i
 * @param {RecordedRun} record
 * @param {boolean} isCounted
 * @returns {Generator<Difference>}
 */
function* ofRecord(runs, i, record, isCounted) {
  const outcome = runs["outcome"][i];
  const field = `runs.outcome[${i}]`;
  if (record.error === null && (outcome === "limit" || outcome === "error")) yield { field, recorded: outcome, computed: null };
  if (record.error !== null && outcome === "success") yield { field, recorded: outcome, computed: NOT_SUCCESS };
  const calls = runs["toolCalls"]?.[i] ?? null;
  if (!isCounted && calls !== null && calls < record.actions.length) {
    yield { field: `runs.toolCalls[${i}]`, recorded: calls, computed: record.actions.length };
  }
}

/**
 * Actions and error of the record compared with those of the trace.
 * @param {number} i
 * @param {TracedRun} trace
 * @param {RecordedRun} record
 * @returns {Promise<Difference[]>}
 */
async function between(i, trace, record) {
  /** @type {Difference[]} */
  const found = [];
  const [count, other] = [record.actions.length, trace.actions.length];
  if (count !== other || record.actions.some((action, at) => action !== trace.actions[at])) {
    const computed = count === other ? "other actions" : `${other} actions`;
    found.push({ field: `${ACTIONS}[${i}].actions`, recorded: `${count} actions`, computed });
  }
  if (record.answer !== null && record.answer !== trace.answer) {
    found.push({ field: `${ACTIONS}[${i}].answer`, recorded: quoted(record.answer), computed: quoted(trace.answer) });
  }
  if (!await isSameError(trace, record.error)) {
    found.push({ field: `${ACTIONS}[${i}].error`, recorded: quoted(record.error), computed: quoted(trace.error) });
  }
  return found;
}

/**
 * Whether the texts are equal, or the trace's is the beginning and the digest of the record's.
 * @param {TracedRun} trace
 * @param {string | null} error
 */
async function isSameError(trace, error) {
  if (trace.error === error) return true;
  if (trace.error === null || error === null || trace.digest === null || !error.startsWith(trace.error)) return false;
  return hex(await sha256(new TextEncoder().encode(error))) === trace.digest;
}

/** @param {string | null} text */
function quoted(text) {
  return text === null ? null : [...text.slice(0, 2 * SHOWN)].slice(0, SHOWN).join("");
}
