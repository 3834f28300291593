// Relations that hold for every run of an agent: the codes and fields of
// benchsite/tracks/agents/record/violations.py, and its sentences. Expects a document whose schema was checked before.

import { violation } from "./filled.js";
import { repr } from "./numerals.js";
import { MESSAGES, TERMS } from "./sentences-agents.js";
import { members } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */

/** Scores that are no shares: means of counts, milliseconds, tokens and dollars. */
const UNBOUNDED = new Set([
  "latency_p95", "latency_var", "tokens_total", "tokens_var", "tokens_cv", "cost_total", "cost_per_success",
  "tool_calls_total", "tool_error_rate", "steps_total", "turns_total", "latency_cv", "communication_count", "handoff_count",
  "agent_to_agent_communication_count", "system_mediated_communication_count",
]);

/** @typedef {keyof typeof TERMS} Column */

/** A column, and the one that it cannot exceed. @type {[Column, Column][]} */
const PARTS = [
  ["toolCalls", "steps"], ["backtracks", "steps"], ["verifies", "steps"], ["handoffs", "steps"], ["loopNum", "loopDen"],
  ["turns", "steps"],
];

const LISTED = 5;

/**
 * Every broken relation, in the order of the receipt's members.
 * @param {Document} document
 * @returns {Violation[]}
 */
export function violations(document) {
  const { runs } = document;
  return [
    ...tables(document).flatMap(([prefix, { scores, intervals }]) => [
      ...impossible(scores, `${prefix}scores`), ...impossibleIntervals(intervals, `${prefix}intervals`),
    ]),
    ...ofTasks(document), ...ofRepeats(document), ...ofOutcomes(runs),
    ...PARTS.flatMap(([part, whole]) => [...exceeding(runs, part, whole)]),
    ...ofBudget(runs, document["config"]["budget"] ?? null), ...withoutModel(document),
  ];
}

/**
 * The table of all tasks and that of each domain, with the prefix of its fields.
 * @param {Document} document
 * @returns {[string, Document][]}
 */
export function tables(document) {
  const domains = document["byDomain"];
  return [["", document], ...members(domains).map((name) => /** @type {[string, Document]} */ ([`byDomain.${name}.`, domains[name]]))];
}

/**
 * @param {Document} scores
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* impossible(scores, field) {
  for (const name of members(scores)) {
    const value = scores[name];
    if (value >= 0 && (value <= 1 || UNBOUNDED.has(name))) continue;
    yield violation(MESSAGES, "out-of-range", `${field}.${name}`, { metric: name, value: repr(value) });
  }
}

/**
 * @param {Document} intervals
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* impossibleIntervals(intervals, field) {
  for (const name of members(intervals)) {
    const { low, high } = intervals[name];
    if (0 <= low && low <= high && (high <= 1 || UNBOUNDED.has(name))) continue;
    const values = { metric: name, low: repr(low), high: repr(high) };
    yield violation(MESSAGES, "impossible-interval", `${field}.${name}`, values);
  }
}

/**
 * Every task once, and as many as the benchmark has or the limit asked for.
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* ofTasks({ tasks, config, benchmark }) {
  /** @type {Map<string, number>} */
  const counted = new Map();
  for (const name of tasks.id) counted.set(name, (counted.get(name) ?? 0) + 1);
  for (const [name, times] of counted) {
    if (times > 1) yield violation(MESSAGES, "duplicate-task", "tasks.id", { task: name, times });
  }
  const asked = Math.min(config.limit ?? benchmark.tasks, benchmark.tasks);
  const { length } = tasks.id;
  if (length !== asked) yield violation(MESSAGES, "task-count", "tasks.id", { asked, count: length });
}

/**
 * Every task has the runs 1 to N, each once, and no other task has any.
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* ofRepeats({ tasks, runs, config: { runsPerTask } }) {
  /** @type {Map<string, number[]>} */
  const made = new Map(tasks.id.map((/** @type {string} */ name) => [name, []]));
  for (const [i, name] of runs.taskId.entries()) {
    const numbers = made.get(name);
    if (numbers !== undefined) numbers.push(runs.run[i]);
    else yield violation(MESSAGES, "unknown-task", `runs.taskId[${i}]`, runAt(runs, i));
  }
  for (const [name, numbers] of made) {
    numbers.sort((a, b) => a - b);
    if (numbers.length === runsPerTask && numbers.every((number, i) => number === i + 1)) continue;
    yield violation(MESSAGES, "run-count", "runs.run", { task: name, runs: runsPerTask, listed: listed(numbers) });
  }
}

/**
 * The first of several numbers of runs.
 * @param {readonly number[]} numbers in order
 */
function listed(numbers) {
  const shown = numbers.slice(0, LISTED).join(", ");
  return numbers.length > LISTED ? `${shown}, …` : shown || "none";
}

/**
 * A limit is named where a limit ended the run; what succeeded did no harm; what an error ended is not complete.
 * @param {Document} runs
 * @returns {Generator<Violation>}
 */
function* ofOutcomes(runs) {
  for (const [i, outcome] of runs["outcome"].entries()) {
    const limit = runs["limit"]?.[i] ?? null;
    if ((outcome === "limit") !== (limit !== null)) {
      const values = { ...runAt(runs, i), outcome, limit: limit ?? "blank" };
      yield violation(MESSAGES, "limit-outcome", `runs.limit[${i}]`, values);
    }
    if (outcome === "success" && runs["harmful"]?.[i]) {
      yield violation(MESSAGES, "harmful-success", `runs.harmful[${i}]`, runAt(runs, i));
    }
    if (outcome === "error" && runs["completion"]?.[i]) {
      yield violation(MESSAGES, "complete-error", `runs.completion[${i}]`, runAt(runs, i));
    }
  }
}

/**
 * @param {Document} runs
 * @param {Column} part
 * @param {Column} whole
 * @returns {Generator<Violation>}
 */
function* exceeding(runs, part, whole) {
  const above = runs[part] ?? [];
  const below = runs[whole] ?? [];
  for (const [i, some] of above.entries()) {
    const every = below[i] ?? null;
    if (some === null || every === null || some <= every) continue;
    const values = { ...runAt(runs, i), some, part: TERMS[part], every, whole: TERMS[whole] };
    yield violation(MESSAGES, "part-above-whole", `runs.${part}[${i}]`, values);
  }
}

/** The limits that the harness counts, and their members of the budget. @type {Readonly<Record<string, string>>} */
const COUNTED = Object.freeze({ "tool-calls": "toolCalls", messages: "messages", tokens: "tokens", seconds: "seconds" });

/**
 * A limit that the harness counts is in the budget; no run has more tool calls than the budget.
 * @param {Document} runs
 * @param {Document | null} budget
 * @returns {Generator<Violation>}
 */
function* ofBudget(runs, budget) {
  if (budget === null) return;
  for (const [i, limit] of (runs["limit"] ?? []).entries()) {
    const member = Object.hasOwn(COUNTED, limit ?? "") ? COUNTED[limit] : undefined;
    if (member === undefined || budget[member] !== null) continue;
    yield violation(MESSAGES, "unbudgeted-limit", `runs.limit[${i}]`, { ...runAt(runs, i), limit });
  }
  const most = budget["toolCalls"];
  for (const [i, calls] of (runs["toolCalls"] ?? []).entries()) {
    if (most === null || calls === null || calls <= most) continue;
    const values = { ...runAt(runs, i), some: calls, part: TERMS.toolCalls, most };
    yield violation(MESSAGES, "above-budget", `runs.toolCalls[${i}]`, values);
  }
}

/**
 * Tokens and cost come from models.
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* withoutModel({ system, runs }) {
  const models = system?.["models"];
  if (models === undefined || members(models).length > 0) return;
  for (const part of /** @type {const} */ (["tokens", "costUsd", "turns"])) {
    for (const [i, value] of (runs[part] ?? []).entries()) {
      if (!value) continue;
      yield violation(MESSAGES, "no-model", `runs.${part}[${i}]`, { ...runAt(runs, i), part: TERMS[part] });
    }
  }
}

/**
 * What messages name a run by.
 * @param {Document} runs
 * @param {number} i
 */
function runAt(runs, i) {
  return { run: runs["run"][i], task: runs["taskId"][i] };
}
