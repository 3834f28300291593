// Relations that hold for every run of an agent: the codes, fields and sentences of
// benchsite/tracks/agents/violations.py. Expects a document whose schema was checked before.

import { repr } from "./numerals.js";
import { members } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */

/** Scores that are no shares: means of counts, milliseconds, tokens and dollars. */
const UNBOUNDED = new Set([
  "latency_p95", "latency_var", "tokens_total", "tokens_var", "tokens_cv", "cost_total", "cost_per_success",
  "tool_calls_total", "tool_error_rate", "steps_total", "communication_count", "handoff_count",
  "agent_to_agent_communication_count", "system_mediated_communication_count",
]);

/** A column, the one that it cannot exceed, and what both count. @type {[string, string, string, string][]} */
const PARTS = [
  ["toolCalls", "steps", "tool calls", "steps"],
  ["backtracks", "steps", "backtracks", "steps"],
  ["verifies", "steps", "verifications", "steps"],
  ["handoffs", "steps", "handoffs", "steps"],
  ["loopNum", "loopDen", "repeats", "events that could repeat"],
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
    ...PARTS.flatMap(([part, whole, parts, wholes]) => [...exceeding(runs, part, whole, parts, wholes)]),
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
    yield {
      code: "out-of-range",
      message: `${name} is ${repr(value)}; a share is in [0, 1] and a mean of counts is not negative.`,
      field: `${field}.${name}`,
    };
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
    yield {
      code: "impossible-interval",
      message: `The 95% CI of ${name} is [${repr(low)}, ${repr(high)}]; it must ascend within the range of the metric.`,
      field: `${field}.${name}`,
    };
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
    if (times > 1) yield { code: "duplicate-task", message: `Task ${name} is listed ${times} times.`, field: "tasks.id" };
  }
  const asked = Math.min(config.limit ?? benchmark.tasks, benchmark.tasks);
  const { length } = tasks.id;
  if (length === asked) return;
  yield {
    code: "task-count",
    message: `The run has ${asked} tasks but tasks lists ${length}. A task that failed is counted, never excluded.`,
    field: "tasks.id",
  };
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
    else {
      yield {
        code: "unknown-task",
        message: `Run ${runs.run[i]} is of task ${name}, which tasks does not list.`,
        field: `runs.taskId[${i}]`,
      };
    }
  }
  for (const [name, numbers] of made) {
    numbers.sort((a, b) => a - b);
    if (numbers.length === runsPerTask && numbers.every((number, i) => number === i + 1)) continue;
    yield {
      code: "run-count",
      message: `Task ${name} must have the runs 1 to ${runsPerTask}, each once; it has ${listed(numbers)}.`,
      field: "runs.run",
    };
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
      yield {
        code: "limit-outcome",
        message: `${runAt(runs, i)} ended with ${outcome} but its limit is ${limit ?? "blank"}.`,
        field: `runs.limit[${i}]`,
      };
    }
    if (outcome === "success" && runs["harmful"]?.[i]) {
      yield {
        code: "harmful-success", message: `${runAt(runs, i)} is a success and harmful at once.`, field: `runs.harmful[${i}]`,
      };
    }
    if (outcome === "error" && runs["completion"]?.[i]) {
      yield {
        code: "complete-error", message: `${runAt(runs, i)} is complete and ended with error.`, field: `runs.completion[${i}]`,
      };
    }
  }
}

/**
 * @param {Document} runs
 * @param {string} part
 * @param {string} whole
 * @param {string} parts
 * @param {string} wholes
 * @returns {Generator<Violation>}
 */
function* exceeding(runs, part, whole, parts, wholes) {
  const above = runs[part] ?? [];
  const below = runs[whole] ?? [];
  for (const [i, some] of above.entries()) {
    const every = below[i] ?? null;
    if (some === null || every === null || some <= every) continue;
    yield {
      code: "part-above-whole", message: `${runAt(runs, i)} has ${some} ${parts} among ${every} ${wholes}.`, field: `runs.${part}[${i}]`,
    };
  }
}

/**
 * @param {Document} runs
 * @param {number} i
 */
function runAt(runs, i) {
  return `Run ${runs["run"][i]} of task ${runs["taskId"][i]}`;
}
