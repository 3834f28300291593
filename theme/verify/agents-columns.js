// The run columns that follow from a trace: benchsite/tracks/agents/trace/metrics.py ("measure") and record/columns.py. A total is
// blank where no event states the value, or where an event that names a model does not.

import { ACTIONS, records } from "./agents-actions.js";
import { disagreements, impossibleSuccesses, partialNatives, tracedRun } from "./agents-agreement.js";
import { confidence, isAgent, judged, namesModel, redundancy, shortened, turns } from "./agents-conduct.js";
import { Trajectories } from "./agents-reliability.js";
import { NAME, BadTraces, unpacked } from "./agents-traces.js";
import { filled } from "./filled.js";
import { Rational } from "./rational.js";
import { DETAILS } from "./sentences-agents.js";
import { isObject } from "./shape.js";
import { fsum } from "./stats.js";
import { fail, unchecked } from "./steps.js";
import { grouped, posixSeconds } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Difference} Difference */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {{[column: string]: number | boolean | null}} Columns of one run */

const TRACED = 19;
/** Columns of tasks that follow from traces. */
const CONSISTENT = 2;
/** Above it only `benchsite rescore` reads a piece of evidence: a check has half a minute. */
const LARGEST = 64_000_000;

/** Statuses of a tool result that failed. */
const FAILED = new Set(["fail", "failed", "error", "timeout", "cancelled", "canceled"]);

/**
 * One piece of evidence, run by run; null, and why, if it is missing or cannot be read.
 * @template Run
 * @typedef {{held: Map<string, Run> | null, why: string, isBad: boolean}} Piece
 */

/**
 * The levels above the scores: columns from traces, agreement of the evidence, success from the benchmark.
 * @param {Document} document
 * @param {(sha256: string) => Promise<Uint8Array | null>} evidence
 * @returns {Promise<{steps: Step[], differences: Difference[], violations: Violation[]}>}
 */
export async function furtherLevels(document, evidence) {
  const { runs } = document;
  const { traced, ...columns } = await fromTraces(document, evidence);
  const recorded = await fromActions(document, evidence);
  const agreed = await agreement(document, traced, recorded);
  const violations = impossibleSuccesses(runs, traced.held, recorded.held);
  if (isNative(document)) violations.push(...partialNatives(runs, traced.held));
  return {
    steps: [columns.step, agreed.step, fromBenchmark(document)],
    differences: distinct([...columns.differences, ...agreed.differences]),
    violations,
  };
}

/**
 * Whether benchsite measured the runs itself.
 * @param {Document} document
 */
function isNative({ origin }) {
  return origin === "native";
}

/** @param {Difference[]} differences */
function distinct(differences) {
  return [...new Map(differences.map((one) => [JSON.stringify([one.field, one.recorded, one.computed]), one])).values()];
}

/** The columns that count steps: blank where an event of an imported run says that the source does not tell every step. */
const COUNTED = [
  "steps", "toolCalls", "toolFailures", "backtracks", "loopNum", "loopDen", "verifies", "agentToAgent", "systemMediated", "handoffs",
  "turns", "redundancy",
];

/**
 * The columns of one run.
 * @param {readonly Document[]} events
 * @param {boolean} [isMeasured] whether benchsite measured the run itself
 * @returns {Columns}
 */
export function tracedColumns(events, isMeasured = false) {
  const sends = events.filter(({ payload }) => payload?.kind === "send");
  const of = (/** @type {string} */ type) => events.filter(({ event_type: own }) => own === type).length;
  const edges = sends.map(edgesOf);
  const [loopNum, loopDen] = loop(events);
  const found = {
    completion: events[events.length - 1]?.["event_type"] !== "error" && of("finalize") > 0,
    steps: events.length,
    toolCalls: of("tool_call") - sends.filter(({ event_type: type }) => type === "tool_call").length,
    toolFailures: events.filter(isFailedTool).length,
    backtracks: events.filter(({ event_type: type, payload }) => type === "revise" || isStated(payload?.redo)).length,
    loopNum,
    loopDen,
    verifies: of("verify"),
    agentToAgent: sum(edges.map(({ reached, byAgent }) => (byAgent ? reached : 0))),
    systemMediated: sum(edges.map(({ reached, byAgent }) => (byAgent ? 0 : reached))),
    handoffs: handoffs(events),
    latencyMs: total(events, "latency_ms"),
    latencyWallMs: wall(events),
    tokens: tokens(events),
    costUsd: total(events, "cost_usd"),
    turns: turns(events),
    redundancy: redundancy(events),
    confidence: confidence(events), judged: isMeasured ? null : judged(events),
  };
  if (isMeasured) return found;
  const isPartial = events.some(({ payload }) => payload?.partial === true);
  const blank = isPartial ? Object.fromEntries(COUNTED.map((name) => [name, null])) : {};
  return { ...found, ...blank, ...totals(events, isPartial) };
}

/**
 * The columns that the last member `totals` of a payload states: `tokens`, and `toolCalls` where steps are not told.
 * @param {readonly Document[]} events
 * @param {boolean} isPartial
 * @returns {Columns}
 */
function totals(events, isPartial) {
  const told = events.map(({ payload }) => payload?.totals).filter((one) => isObject(one));
  const stated = told[told.length - 1] ?? {};
  const names = isPartial ? ["tokens", "toolCalls"] : ["tokens"];
  return Object.fromEntries(names.filter((name) => isCount(stated[name])).map((name) => [name, stated[name]]));
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
}

/**
 * The bytes of a piece of evidence, or why they are not read.
 * @param {Document} document
 * @param {(sha256: string) => Promise<Uint8Array | null>} evidence
 * @param {string} name
 * @param {string} absent what is said if the receipt pins none
 * @returns {Promise<{data: Uint8Array | null, why: string}>}
 */
async function pieceOf(document, evidence, name, absent) {
  const entry = pinned(document, name);
  if (entry === undefined) return { data: null, why: absent };
  const { size, sha256 } = entry;
  if (size > LARGEST) return { data: null, why: `${name} is above ${grouped(LARGEST)} bytes: benchsite rescore reads it` };
  const data = await evidence(sha256);
  return { data, why: data === null ? filled(DETAILS["not-at-hand"], { name, sha256 }) : "" };
}

/**
 * @param {Document} document
 * @param {(sha256: string) => Promise<Uint8Array | null>} evidence
 * @returns {Promise<{step: Step, differences: Difference[], traced: Piece<import("./agents-agreement.js").TracedRun>}>}
 */
async function fromTraces(document, evidence) {
  const { data, why } = await pieceOf(document, evidence, NAME, DETAILS["no-traces"]);
  if (data === null) return { step: unchecked("traces", why), differences: [], traced: { held: null, why, isBad: false } };
  const { runs, tasks } = document;
  const total = grouped(TRACED * runs.taskId.length + CONSISTENT * tasks.id.length);
  const held = new Map();
  try {
    const differences = [...differing(document, data, held)];
    const field = differences[0]?.field ?? "";
    const detail = field === "" ? filled(DETAILS["traces-match"], { total, name: NAME })
      : filled(DETAILS["traces-differ"], { count: differences.length, total, field });
    return { step: result("traces", detail, field), differences, traced: { held, why: "", isBad: false } };
  } catch (error) {
    if (!(error instanceof BadTraces)) throw error;
    const differences = [{ field: "runs", recorded: DETAILS["as-recorded"], computed: null }];
    return { step: fail("traces", error.message), differences, traced: { held: null, why: error.message, isBad: true } };
  }
}

/**
 * @param {Document} document
 * @param {(sha256: string) => Promise<Uint8Array | null>} evidence
 * @returns {Promise<Piece<import("./agents-agreement.js").RecordedRun>>}
 */
async function fromActions(document, evidence) {
  const { data, why } = await pieceOf(document, evidence, ACTIONS, DETAILS["no-actions"]);
  if (data === null) return { held: null, why, isBad: false };
  try {
    const held = new Map();
    for (const { task, run, ...kept } of records(data)) held.set(`${task}, run ${run}`, kept);
    return { held, why: "", isBad: false };
  } catch (error) {
    if (!(error instanceof BadTraces)) throw error;
    return { held: null, why: error.message, isBad: true };
  }
}

/**
 * Compare trace, action record and outcome of every run, as far as they are at hand.
 * @param {Document} document
 * @param {Piece<import("./agents-agreement.js").TracedRun>} traced
 * @param {Piece<import("./agents-agreement.js").RecordedRun>} recorded
 * @returns {Promise<{step: Step, differences: Difference[]}>}
 */
async function agreement(document, traced, recorded) {
  const { runs } = document;
  const differences = await disagreements(runs, traced.held, recorded.held, isNative(document));
  if (recorded.isBad) differences.push({ field: "runs.outcome", recorded: DETAILS["as-recorded"], computed: null });
  if (traced.isBad || recorded.isBad) return { step: fail("agreement", traced.isBad ? traced.why : recorded.why), differences };
  const field = differences[0]?.field ?? "";
  if (field !== "") {
    return { step: result("agreement", filled(DETAILS["evidence-differs"], { count: differences.length, field }), field), differences };
  }
  const why = traced.why || recorded.why;
  if (why !== "") return { step: unchecked("agreement", filled(DETAILS["agreement-unchecked"], { why })), differences };
  return { step: result("agreement", filled(DETAILS["evidence-agrees"], { total: grouped(runs["taskId"].length) }), ""), differences };
}

/**
 * A step that failed at a field, or passed.
 * @param {string} name
 * @param {string} detail
 * @param {string} field
 * @returns {Step}
 */
function result(name, detail, field) {
  return { name, state: field === "" ? "pass" : "fail", detail, field };
}

/**
 * The evaluator is Python's: this says what was not decided.
 * @param {Document} document
 * @returns {Step}
 */
function fromBenchmark(document) {
  if (pinned(document, ACTIONS) === undefined) return unchecked("evaluation", DETAILS["no-actions"]);
  const { id, sha256, evaluator } = document["benchmark"];
  if (evaluator) return unchecked("evaluation", filled(DETAILS["stated"], { evaluator }));
  return unchecked("evaluation", filled(DETAILS["not-evaluated"], { id, sha256: sha256.slice(0, 12) }));
}

/**
 * The entry of a receipt's evidence by its name.
 * @param {Document} document
 * @param {string} name
 * @returns {{name: string, sha256: string, size: number} | undefined}
 */
function pinned(document, name) {
  return document["evidence"].find((/** @type {Document} */ item) => item["name"] === name);
}

/**
 * Compare the columns with the traces, and note what each trace says of actions and end. A run without a trace, or a trace
 * without a run, is one difference.
 * @param {Document} document
 * @param {Uint8Array} data
 * @param {Map<string, import("./agents-agreement.js").TracedRun>} traced
 * @returns {Generator<Difference>}
 */
function* differing(document, data, traced) {
  const { runs } = document;
  const trajectories = new Trajectories();
  /** @type {Map<string, number>} */
  const places = new Map();
  for (const [i, task] of runs["taskId"].entries()) places.set(`${task}, run ${runs["run"][i]}`, i);
  for (const { task, run, events } of unpacked(data)) {
    const name = `${task}, run ${run}`;
    traced.set(name, tracedRun(events));
    const i = places.get(name);
    if (i === undefined) {
      yield { field: "runs.taskId", recorded: null, computed: name };
      continue;
    }
    places.delete(name);
    for (const [column, computed] of Object.entries(tracedColumns(events, isNative(document)))) {
      const recorded = runs[column]?.[i] ?? null;
      if (recorded !== computed) yield { field: `runs.${column}[${i}]`, recorded, computed };
    }
    trajectories.add(task, run, events, runs["outcome"][i] === "success");
  }
  for (const [name, i] of places) yield { field: `runs.taskId[${i}]`, recorded: name, computed: null };
  yield* inconsistent(document["tasks"], trajectories);
}

/**
 * Where a task's consistency is not that of its traces.
 * @param {Document} tasks
 * @param {Trajectories} trajectories
 * @returns {Generator<Difference>}
 */
function* inconsistent(tasks, trajectories) {
  for (const [column, cells] of Object.entries(trajectories.columns(tasks["id"]))) {
    for (const [i, computed] of cells.entries()) {
      const recorded = tasks[column]?.[i] ?? null;
      if (recorded !== computed) yield { field: `tasks.${column}[${i}]`, recorded, computed };
    }
  }
}

/**
 * Whether a member of a payload says something: present, and not null, false, 0 or empty text.
 * @param {unknown} value
 */
function isStated(value) {
  return Boolean(value);
}

/** @param {Document} event */
function isFailedTool({ event_type: type, payload }) {
  if (!payload || (type !== "tool_result" && type !== "error")) return false;
  if (type === "error") return payload.source === "tool";
  const { status } = payload;
  return (typeof status === "string" && FAILED.has(asciiLower(status)))
    || [payload.error, payload.error_code, payload.exception].some(isStated);
}

/**
 * Text in lower case where it is ASCII; empty for everything else.
 * @param {string} text
 */
function asciiLower(text) {
  return /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : "";
}

/**
 * How many a send reaches, the sender not counted, and whether an agent is its sender.
 * @param {Document} event
 */
function edgesOf({ actor, payload }) {
  const sender = shortened(typeof payload.sender === "string" ? payload.sender : actor);
  const named = Array.isArray(payload.recipients) ? payload.recipients : [];
  const names = named.filter((/** @type {unknown} */ name) => typeof name === "string").map((/** @type {string} */ name) => shortened(name));
  const reached = new Set(names.filter((/** @type {string} */ name) => name !== sender));
  return { reached: reached.size, byAgent: isAgent(sender) };
}

/**
 * The sum over the events that state a value; null where none does, or not every event that names a model.
 * @param {readonly Document[]} events
 * @param {string} name
 * @returns {number | null}
 */
function total(events, name) {
  const values = events.map((event) => event[name] ?? null);
  const stated = values.filter((value) => isCounted(value));
  const isWhole = events.every((event, i) => isCounted(values[i]) || !namesModel(event));
  return stated.length > 0 && isWhole ? fsum(stated) : null;
}

/**
 * A negative value, which only a latency can be, is blank.
 * @param {number | null} value
 */
function isCounted(value) {
  return value !== null && value >= 0;
}

/**
 * Input and output tokens, both of which every event that names a model must state; null where no receipt could state
 * their number.
 * @param {readonly Document[]} events
 */
function tokens(events) {
  const [input, output] = [total(events, "token_in"), total(events, "token_out")];
  return input !== null && output !== null && Number.isSafeInteger(input + output) ? input + output : null;
}

/** @param {readonly number[]} counts */
function sum(counts) {
  return counts.reduce((before, count) => before + count, 0);
}

/**
 * Last end minus first start in milliseconds; null without both, or where it would be negative.
 * @param {readonly Document[]} events
 */
function wall(events) {
  const of = (/** @type {string} */ name) => events.map((event) => event[name] ?? null).filter((time) => time !== null).sort();
  const first = of("timestamp_start")[0];
  const last = of("timestamp_end").at(-1);
  if (first === undefined || last === undefined || last < first) return null;
  const parts = (/** @type {string} */ time) => /** @type {const} */ ([posixSeconds(time), Number(time.slice(20, 26))]);
  const [from, to] = [parts(first), parts(last)];
  const seconds = to[0] - from[0];
  const micros = to[1] - from[1];
  const whole = seconds * 1_000_000 + micros;
  if (Number.isSafeInteger(whole)) return whole / 1000;
  return new Rational(BigInt(seconds) * 1_000_000n + BigInt(micros), 1000n).toDouble();
}

/**
 * @param {readonly Document[]} events
 * @returns {[number, number]}
 */
function loop(events) {
  const states = events.map(({ state_id: state }) => state ?? null).filter((state) => state !== null);
  if (states.length >= 2) return [states.length - new Set(states).size, states.length];
  if (events.length < 2) return [0, 0];
  const pairs = events.slice(1).map(({ event_type: type }, i) => `${events[i]?.["event_type"]} ${type}`);
  return [pairs.length - new Set(pairs).size, pairs.length];
}

/** @param {readonly Document[]} events */
function handoffs(events) {
  const actors = events.map(({ actor }) => actor).filter(isAgent);
  return actors.filter((actor, i) => i > 0 && actor !== actors[i - 1]).length;
}
