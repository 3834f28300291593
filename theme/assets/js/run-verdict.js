// What the grader's verdict on a run is due to: the change that no action made, or the event that made an unexpected one. Works on
// what the evidence states (the differences of the final state, the actions, the error) and, where the benchmark may be shown,
// on the actions that the task expects. Says nothing that these do not show.

import { isObject } from "./run-read.js";

/** @typedef {import("./run-read.js").Step} Step */
/** @typedef {import("./run-read.js").Acted} Acted */
/** @typedef {import("./run-read.js").Change} Change */

/**
 * @typedef {object} Call an action, or a call that a task expects
 * @property {string} tool
 * @property {Map<string, string>} values argument to value as text
 * @property {string} text one line
 *
 * @typedef {object} Cause one reason for the verdict
 * @property {string} head such as `Expected change never made`; empty for a remark
 * @property {string} text
 * @property {string} more what else the evidence shows; may be empty
 * @property {number} step number of the event; 0 if there is none
 *
 * @typedef {object} Verdict
 * @property {"good" | "bad" | "caution"} tone
 * @property {string} word `success`, `failure, harmful`, `limit: iterations`
 * @property {boolean} stated whether the outcome is the word of an imported file
 * @property {Cause[]} causes the first of them is shown first
 */

/** Causes that a verdict names; the table of the final state has every change. */
export const MOST_CAUSES = 3;
const SHOWN = 160;

/**
 * @param {object} run
 * @param {string} run.outcome
 * @param {string | null} run.limit
 * @param {boolean} run.harmful
 * @param {Step[]} run.steps
 * @param {Acted | null} run.acted null if the receipt pins no actions or they are not at hand
 * @param {readonly string[] | null} run.expected actions that the task expects; null if unknown
 * @param {boolean} [run.stated] whether the receipt names an external evaluator: outcomes are as an imported file states them
 * @returns {Verdict}
 */
export function verdictOf({ outcome, limit, harmful, steps, acted, expected, stated = false }) {
  const word = `${outcome === "limit" && limit ? `limit: ${limit}` : outcome}${harmful ? ", harmful" : ""}`;
  const ended = endOf(steps, acted, outcome);
  if (outcome === "success") return { tone: "good", word, stated, causes: [stated ? asStated("Success", steps) : succeeded(steps, acted)] };
  const found = stated ? [] : changes(steps, acted, expected);
  if (outcome === "limit" || outcome === "error") {
    return { tone: outcome === "error" ? "caution" : "bad", word, stated, causes: [ended, ...found].slice(0, MOST_CAUSES) };
  }
  if (found.length === 0 && acted?.error) return { tone: "bad", word, stated, causes: [ended] };
  const other = stated ? asStated("Failure", steps) : unknown(steps, acted);
  return { tone: "bad", word, stated, causes: found.length > 0 ? found : [other] };
}

/**
 * The causes among the differences of the final state, the ones that an action made first.
 * @param {Step[]} steps
 * @param {Acted | null} acted
 * @param {readonly string[] | null} expected
 */
function changes(steps, acted, expected) {
  if (acted === null) return [];
  const known = knownOf(steps, acted, expected);
  const found = acted.difference.map((change) => causeOf(change, known));
  const made = found.filter(({ step, head }) => head === UNEXPECTED && step > 0);
  const others = found.filter((cause) => !made.includes(cause));
  return [...made.slice(0, others.length > 0 ? MOST_CAUSES - 1 : MOST_CAUSES), ...others].slice(0, MOST_CAUSES);
}

const UNEXPECTED = "Unexpected change";

/**
 * @typedef {{call: Call, step: number, failed: boolean}} Made a call of the run; the number of its event, 0 without one
 *
 * @typedef {object} Known
 * @property {Step[]} steps
 * @property {Made[]} made
 * @property {Call[] | null} wanted the expected actions; null if unknown
 * @property {Call[]} missing expected actions that the run lacks
 * @property {Made[]} extra actions of the run that the task doesn't expect and that change a state, as far as names say it
 */

/**
 * @param {Change} change
 * @param {Known} known
 * @returns {Cause}
 */
function causeOf(change, { steps, made, wanted, missing, extra }) {
  if (change.table === "answer") return otherAnswer(change, steps);
  const text = placed(change);
  const named = made.filter(({ call }) => names(call, change) && !wanted?.some((one) => isSame(one, call)));
  const meant = missing.find((call) => names(call, change));
  const wish = (/** @type {Call | undefined} */ call) => (call === undefined ? "" : ` Expected: ${short(call.text)}.`);
  const maker = named.filter(({ failed }) => !failed).at(-1);
  if (maker !== undefined) {
    return { head: UNEXPECTED, text, more: `Made by event ${maker.step}: ${short(maker.call.text)}.${wish(meant)}`, step: maker.step };
  }
  const lacking = meant ?? (change.before === "present" ? missing[0] : undefined);
  const done = made.filter(({ failed, call }) => !failed && !CREATES_NOTHING.test(call.tool) && !wanted?.some((one) => isSame(one, call)));
  if (change.before === "absent" && lacking === undefined && done.length > 0) {
    const maker = done.filter(({ call }) => isBuiltBy(call, change)).at(-1);
    if (maker !== undefined) return { head: UNEXPECTED, text, more: `Made by event ${maker.step}: ${short(maker.call.text)}.`, step: maker.step };
    const [first] = extra;
    const more = first === undefined
      ? "No action names it: an action created it, or an expected deletion is missing."
      : `Event ${first.step} is the first action that the task doesn’t expect: ${short(first.call.text)}.`;
    return { head: UNEXPECTED, text, more, step: first?.step ?? 0 };
  }
  const tried = named.at(-1);
  if (tried !== undefined) {
    return { head: NEVER, text: `${text} Event ${tried.step} tried and failed.`, more: `${short(tried.call.text)}.${wish(lacking)}`, step: tried.step };
  }
  const seen = lastResult(change, steps);
  const hint = seen === null ? "" : ` Event ${seen.number} is the last result that contains it.`;
  return { head: NEVER, text: `${text} No action ${change.before === "absent" ? "deleted" : "made"} it.`, more: `${wish(lacking)}${hint}`.trim(), step: seen?.number ?? 0 };
}

const NEVER = "Expected change never made";

/**
 * @param {Change} change
 * @param {Step[]} steps
 * @returns {Cause}
 */
function otherAnswer({ before, after }, steps) {
  const last = steps.filter(({ type }) => type === "finalize").at(-1);
  const text = after === null ? "none was given" : `found “${short(after)}”`;
  const more = last === undefined ? "The run has no final answer." : `Given by event ${last.number}, ${last.actor}.`;
  return { head: after === null ? "Answer missing" : "Unexpected answer", text: `Expected “${short(before ?? "")}”, ${text}.`, more, step: last?.number ?? 0 };
}

/**
 * @param {Step[]} steps
 * @param {Acted | null} acted
 * @returns {Cause}
 */
function succeeded(steps, acted) {
  const last = steps.filter(({ type }) => type === "finalize").at(-1);
  const done = acted === null ? "The benchmark’s evaluator accepted the run." : "Answer and final state are as expected.";
  return { head: "", text: done, more: last === undefined ? "" : `Final answer: event ${last.number}.`, step: last?.number ?? 0 };
}

/**
 * An outcome that only the imported file states: nothing was compared here.
 * @param {string} outcome
 * @param {Step[]} steps
 * @returns {Cause}
 */
function asStated(outcome, steps) {
  const answer = steps.filter(({ type }) => type === "finalize").at(-1);
  const last = answer ?? steps.at(-1);
  const more = answer !== undefined ? `Final answer: event ${answer.number}.` : last !== undefined ? `The run ends with event ${last.number}.` : "";
  return { head: "", text: `${outcome}, as the imported file states it.`, more, step: last?.number ?? 0 };
}

/**
 * Where a run ended that a limit or an error ended.
 * @param {Step[]} steps
 * @param {Acted | null} acted
 * @param {string} outcome
 * @returns {Cause}
 */
function endOf(steps, acted, outcome) {
  const end = steps.find((step, place) => step.kind === "error" && (place === steps.length - 1 || step.payload["source"] !== "tool")) ?? steps.at(-1);
  const stated = end?.kind === "error" && typeof end.payload["text"] === "string" ? end.payload["text"] : acted?.error ?? "";
  const head = outcome === "limit" ? "Limit reached" : outcome === "error" ? "Error" : "Ended by an error";
  const before = end === undefined || end.number < 2 ? "" : ` after ${end.number - 1} ${end.number === 2 ? "event" : "events"}`;
  return {
    head,
    text: stated === "" ? `The run ended${before}.` : short(stated),
    more: end === undefined ? "The evidence has no event." : `At event ${end.number}, ${end.actor}${stated === "" ? "" : before}.`,
    step: end?.number ?? 0,
  };
}

/**
 * @param {Step[]} steps
 * @param {Acted | null} acted
 * @returns {Cause}
 */
function unknown(steps, acted) {
  const why = acted === null ? "The actions of the run aren’t at hand." : "The evaluator states no difference.";
  const last = steps.at(-1);
  return { head: "", text: `${why} The outcome is in the receipt.`, more: last === undefined ? "" : `The run ends with event ${last.number}.`, step: last?.number ?? 0 };
}

/**
 * @param {Step[]} steps
 * @param {Acted} acted
 * @param {readonly string[] | null} expected
 * @returns {Known}
 */
function knownOf(steps, acted, expected) {
  const stated = steps.filter(({ kind, payload }) => kind === "tool" && (isObject(payload["action"]) || typeof payload["action"] === "string"));
  const failed = new Set(steps.flatMap(({ kind, parent, payload }) => (kind === "result" && payload["error"] === true ? [parent] : [])));
  const skipped = new Set(acted.skipped.map(({ action }) => action));
  const made = acted.actions.map((action, i) => {
    const step = stated[i];
    return { call: callOf(action), step: step?.number ?? 0, failed: skipped.has(i) || (step !== undefined && failed.has(step.id)) };
  });
  if (expected === null) return { steps, made, wanted: null, missing: [], extra: [] };
  const wanted = expected.map(callOf);
  return {
    steps, made, wanted,
    missing: wanted.filter((call) => !made.some((one) => !one.failed && isSame(one.call, call))),
    extra: made.filter(({ call, failed: isLost }) => !isLost && CHANGING.test(call.tool) && !wanted.some((one) => isSame(one, call))),
  };
}

/** Tools that read or delete, by their names: a record that should be absent and is present was there before them. */
const CREATES_NOTHING = /(^|[._])(get|list|search|read|find|look|query|count|show|view|fetch|delete|remove)(?![a-z])/u;
const CHANGING = /(^|[._])(create|delete|update|send|forward|reply|add|remove|set|assign|cancel|move|plot)/u;

/** @param {Step} step */
export function callOfStep({ payload }) {
  const { action, tool, input } = payload;
  return callOf(action ?? { tool: tool ?? "tool", arguments: input ?? {} });
}

/**
 * An action: an object of tool and arguments, or the text `tool.func(name="value")`.
 * @param {unknown} action
 * @returns {Call}
 */
export function callOf(action) {
  if (isObject(action)) {
    const given = isObject(action["arguments"]) ? action["arguments"] : { input: action["arguments"] };
    const values = new Map(Object.entries(given).map(([name, value]) => [name, valueText(value)]));
    const tool = String(action["tool"] ?? "tool");
    return { tool, values, text: `${tool}(${[...values].map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(", ")})` };
  }
  const text = String(action ?? "");
  const found = /^([\w.-]{1,200}?)(?:\.func)?\((.*)\)$/su.exec(text);
  if (found === null) return { tool: text.slice(0, 80), values: new Map(), text };
  /** @type {Map<string, string>} */
  const values = new Map();
  for (const [, name, quoted, bare] of (found[2] ?? "").matchAll(/(?<!\w)(\w{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^,"]*))/gu)) {
    values.set(name ?? "", (quoted ?? bare ?? "").replace(/\\(.)/gu, "$1"));
  }
  return { tool: found[1] ?? "", values, text: `${found[1]}(${found[2]})` };
}

/** @param {unknown} value */
function valueText(value) {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/**
 * Whether a call names what changed: its row, or the call itself where the evaluator compares calls.
 * @param {Call} call
 * @param {Change} change
 */
function names(call, change) {
  if (call.tool === change.table) return [...call.values].every(([name, value]) => folded(change.row).includes(folded(`${name}: ${value}`)));
  if (change.row === "") return false;
  return [...call.values.values()].some((value) => folded(value) === folded(change.row));
}

/**
 * Whether the name of a record consists of a call's values, as a plot's does of its dates and its kind.
 * @param {Call} call
 * @param {Change} change
 */
function isBuiltBy(call, change) {
  const row = ` ${folded(change.row).replaceAll(".", " ")} `;
  return call.values.size > 1 && [...call.values.values()].every((value) => folded(value) !== "" && row.includes(` ${folded(value)} `));
}

/**
 * @param {Call} one
 * @param {Call} other
 */
function isSame(one, other) {
  return one.tool === other.tool && one.values.size === other.values.size &&
    [...one.values].every(([name, value]) => folded(other.values.get(name) ?? "\0") === folded(value));
}

/** @param {string} text */
function folded(text) {
  return text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}.@:-]+/gu, " ").trim();
}

/**
 * The last tool result that contains the row.
 * @param {Change} change
 * @param {Step[]} steps
 */
function lastResult({ row }, steps) {
  if (row.length < 2) return null;
  return steps.filter((step) => step.kind === "result" && valueText(step.payload["result"] ?? step.payload["output"] ?? step.payload["observation"] ?? "").includes(row)).at(-1) ?? null;
}

/** @param {Change} change */
function placed({ table, row, column, before, after }) {
  const place = [table, row, column].filter((part) => part !== "").map(short).join(", ");
  return `${place} is ${after === null ? "empty" : short(after)}, expected ${before === null ? "empty" : short(before)}.`;
}

/** @param {string} text */
function short(text) {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/u, "")}…`;
}
