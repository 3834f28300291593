// Agreement of the pieces of evidence of a run: trace, action record and outcome; and what a native trace may say of calls. The
// same differences and violations, in the same order, as benchsite/tracks/agents/record/agreement.py.

import { isAction } from "./agents-actions.js";
import { hex } from "./bytes.js";
import { sha256 } from "./digest.js";
import { filled, violation } from "./filled.js";
import { serialize } from "./jcs.js";
import { DETAILS, MESSAGES } from "./sentences-agents.js";

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
 * @property {{id: string, isCall: boolean} | null} unlike the first event that no native trace has
 * @property {boolean} isPartial an event says that steps are left out
 *
 * @typedef {{actions: string[], error: string | null, answer: string | null}} RecordedRun
 */

const ENDINGS = new Set(["failure", "limit", "error"]);
const NOT_SUCCESS = "not success";
/** Characters of an error that a difference quotes. */
const SHOWN = 200;
const TRACES = "traces.jsonl";
const ACTIONS = "actions.jsonl";
/** Members of a payload that state a call. */
const CALL = ["action", "tool", "input"];

/**
 * @param {readonly Document[]} events
 * @returns {TracedRun}
 */
export function tracedRun(events) {
  const actions = events.filter(isCall).map(({ payload }) => payload?.action).filter(isAction).map(serialize);
  const outputs = events.filter(({ event_type: type }) => type === "finalize").map(({ payload }) => payload?.output);
  const answer = outputs.filter((output) => typeof output === "string").at(-1) ?? null;
  const other = events.find((event) => !isNative(event));
  const unlike = other === undefined ? null : { id: String(other["id"]), isCall: isCall(other) };
  const isPartial = events.some(({ payload }) => payload?.partial === true);
  const found = { actions, answer, unlike, isPartial };
  const end = endingEvent(events);
  if (end === undefined) return { ...found, error: null, digest: null, ending: null, limit: undefined };
  const payload = end["payload"] ?? {};
  const { text, text_sha256: digest, ending, limit } = payload;
  return {
    ...found,
    error: typeof text === "string" && text !== "" ? text : "error",
    digest: typeof digest === "string" ? digest : null,
    ending: ENDINGS.has(ending) ? ending : null,
    limit: Object.hasOwn(payload, "limit") && (limit === null || typeof limit === "string") ? limit : undefined,
  };
}

/** @param {Document} event */
function isCall({ event_type: type, payload }) {
  return type === "tool_call" && payload?.kind !== "send";
}

/**
 * Whether an event states a call as the harness does: a tool call its own, any other event none.
 * @param {Document} event
 */
function isNative(event) {
  const payload = event["payload"] ?? {};
  if (!isCall(event)) return !CALL.some((name) => Object.hasOwn(payload, name));
  const { action = null, tool = null, input = null } = payload;
  if (tool === null) return typeof input === "string" && action === input;
  const own = { tool, arguments: input };
  return isAction(own) && serialize(action) === serialize(own);
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
 * @param {boolean} isMeasured whether benchsite measured the runs itself
 * @returns {Promise<Difference[]>}
 */
export async function disagreements(runs, traced, recorded, isMeasured) {
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
    if (isMeasured && trace?.unlike) found.push(otherCall(i, trace.unlike));
    if (record !== undefined) found.push(...ofRecord(runs, i, record, trace !== undefined));
    if (trace !== undefined && record !== undefined) found.push(...await between(i, trace, record, isMeasured));
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

/**
 * A native trace tells every step.
 * @param {Document} runs
 * @param {Map<string, TracedRun> | null} traced
 * @returns {Violation[]}
 */
export function partialNatives(runs, traced) {
  return named(runs).flatMap((key, i) => {
    if (!traced?.get(key)?.isPartial) return [];
    return [violation(MESSAGES, "partial-native", `${TRACES}[${i}]`, { run: runs["run"][i], task: runs["taskId"][i] })];
  });
}

/**
 * An event whose action is not its own tool and input, or which is no tool call and states one.
 * @param {number} i
 * @param {{id: string, isCall: boolean}} event
 * @returns {Difference}
 */
function otherCall(i, { id, isCall: isOne }) {
  const values = { event: id };
  const computed = isOne ? filled(DETAILS["call-of"], values) : null;
  return { field: `${TRACES}[${i}].actions`, recorded: filled(DETAILS["action-of"], values), computed };
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
 * Actions, answer and error of the record compared with those of the trace.
 * @param {number} i
 * @param {TracedRun} trace
 * @param {RecordedRun} record
 * @param {boolean} isMeasured
 * @returns {Promise<Difference[]>}
 */
async function between(i, trace, record, isMeasured) {
  /** @type {Difference[]} */
  const found = [];
  const [count, other] = [record.actions.length, trace.actions.length];
  if (count !== other || record.actions.some((action, at) => action !== trace.actions[at])) {
    const computed = count === other ? "other actions" : `${other} actions`;
    found.push({ field: `${ACTIONS}[${i}].actions`, recorded: `${count} actions`, computed });
  }
  if ((isMeasured || record.answer !== null) && record.answer !== trace.answer) {
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
