// The events of a run in the order and the groups in which a person reads them: rounds, turns of an actor, decisions; counts by kind
// and by actor; two runs aligned. Pure.

import { callOfStep } from "./run-verdict.js";

/** @typedef {import("./run-read.js").Step} Step */

/**
 * @typedef {object} Turn consecutive events of one actor
 * @property {number} first number of its first event
 * @property {number} last
 * @property {string} actor
 * @property {string} what such as `2 tools, then answer`
 * @property {"turn" | "messages" | "decision"} sort
 * @property {number} round from 0; -1 if no event states one
 * @property {Step[]} steps
 * @property {number | null} tokens null if no event states any
 * @property {number | null} latency milliseconds
 */

/** What the reader may choose to see. @type {Readonly<Record<string, (step: Step) => boolean>>} */
export const FILTERS = {
  "all": () => true,
  "model calls": isModelCall,
  "tool calls": ({ kind }) => kind === "tool",
  "messages": ({ kind }) => kind === "message",
  "decisions": ({ kind }) => kind === "decision",
  "failures": isFailed,
};

/** Made once: `toLocaleString` makes one a call, which costs as much as the rest for 10,000 events. */
const NUMBERS = new Intl.NumberFormat("en");
/** Events of a turn: all of them are shown. */
const MOST_OF_TURN = 12;

/** @param {Step} step */
export function isModelCall({ payload, kind }) {
  return kind !== "tool" && kind !== "result" && kind !== "message" && (payload["model_requested"] ?? payload["model_responded"] ?? null) !== null;
}

/** @param {Step} step */
export function isFailed({ kind, payload }) {
  if (kind === "error") return true;
  const status = String(payload["status"] ?? "").toLowerCase();
  return kind === "result" && (payload["error"] === true || (payload["error_code"] ?? payload["exception"] ?? null) !== null ||
    ["fail", "failed", "error", "timeout", "cancelled", "canceled"].includes(status));
}

/**
 * @param {readonly Step[]} steps
 * @returns {Turn[]}
 */
export function turnsOf(steps) {
  /** @type {Turn[]} */
  const turns = [];
  let round = -1;
  for (const step of steps) {
    if (step.round > round) round = step.round;
    const sort = step.kind === "decision" ? "decision" : step.kind === "message" ? "messages" : "turn";
    const open = turns.at(-1);
    if (open && sort !== "decision" && open.sort === sort && open.actor === step.actor && open.round === round && open.steps.length < MOST_OF_TURN) {
      open.steps.push(step);
    } else {
      turns.push({ first: step.number, last: step.number, actor: step.actor, what: "", sort, round, steps: [step], tokens: null, latency: null });
    }
  }
  for (const turn of turns) {
    turn.last = turn.steps.at(-1)?.number ?? turn.first;
    turn.what = whatOf(turn);
    turn.tokens = sum(turn.steps.map(tokensOf));
    turn.latency = sum(turn.steps.map(({ latency }) => (latency === null || latency < 0 ? null : latency)));
  }
  return turns;
}

/** @param {Step} step */
export function tokensOf({ tokensIn, tokensOut }) {
  return tokensIn === null && tokensOut === null ? null : (tokensIn ?? 0) + (tokensOut ?? 0);
}

/** @param {Turn} turn */
function whatOf({ sort, steps }) {
  if (sort === "decision") return "decision";
  if (sort === "messages") return plural(steps.length, "message");
  const calls = steps.filter(({ kind }) => kind === "tool").length;
  const models = steps.filter(isModelCall).length;
  const last = steps.at(-1);
  const end = last?.type === "finalize" ? "answer" : last?.kind === "error" ? "error" : last?.type === "verify" ? "check" : "";
  const parts = [models > 0 ? plural(models, "model call") : "", calls > 0 ? plural(calls, "tool call") : "", end].filter((part) => part !== "");
  return parts.join(", ") || (last?.type.replaceAll("_", " ") ?? "");
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function plural(count, noun) {
  return `${NUMBERS.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The sum of what is stated; null if nothing is. @param {readonly (number | null)[]} values */
export function sum(values) {
  const stated = values.filter((value) => value !== null);
  return stated.length === 0 ? null : stated.reduce((/** @type {number} */ total, value) => total + (value ?? 0), 0);
}

/**
 * The text that an event is shown by, in one or two lines; empty if it has none.
 * @param {Step} step
 */
export function textOf({ kind, payload, type }) {
  if (kind === "decision") return decisionText(payload);
  if (kind === "message") {
    const to = Array.isArray(payload["recipients"]) ? payload["recipients"].map(String).join(", ") : "";
    return `${to === "" ? "" : `to ${to}: `}${plain(payload["content"])}`;
  }
  // The rest of a model's own words is the call, which is shown below them.
  if (kind === "tool") return (plain(payload["log"]).split("```")[0] ?? "").replace(/\s*\bAction:\s*$/u, "").trim();
  const stated = payload["text"] ?? payload["output"] ?? payload["answer"] ?? payload["content"] ?? artifactText(payload["artifact"]) ?? payload["log"];
  if (stated !== undefined && stated !== null) return plain(stated);
  const calls = Array.isArray(payload["calls"]) ? payload["calls"].length : 0;
  if (calls > 0) return "";
  const name = payload["kind"];
  return typeof name === "string" ? name.replaceAll("_", " ") : kind === "other" || type === "error" ? type.replaceAll("_", " ") : "";
}

/** @param {unknown} artifact */
function artifactText(artifact) {
  if (typeof artifact === "string") return artifact;
  const answer = typeof artifact === "object" && artifact !== null ? /** @type {any} */ (artifact)["answer_artifact"] : null;
  return typeof answer === "string" ? answer : undefined;
}

/**
 * @param {Record<string, unknown>} payload
 */
function decisionText(payload) {
  const stops = payload["should_stop"] ?? payload["stop"] ?? payload["terminate"];
  const word = stops === true ? "stop: " : stops === false ? "continue: " : "";
  const facts = ["mean_delta", "round", "rounds", "valid", "expected", "consensus_source"]
    .filter((name) => payload[name] !== undefined && payload[name] !== null)
    .map((name) => `${name.replaceAll("_", " ")} ${typeof payload[name] === "number" ? Number(payload[name].toFixed(3)) : plain(payload[name])}`);
  return [`${word}${plain(payload["reason"]) || "decision"}`, ...facts].join(", ");
}

/** @param {unknown} value */
export function plain(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a tool answered, as text. @param {Step} step */
export function resultText({ payload }) {
  return plain(payload["result"] ?? payload["output"] ?? payload["observation"] ?? payload["text"] ?? payload["exception"] ?? "");
}

/**
 * @typedef {object} Share of an actor
 * @property {string} actor
 * @property {number} models
 * @property {number} tools
 * @property {number | null} tokensIn
 * @property {number | null} tokensOut
 * @property {number | null} latency milliseconds
 */

/**
 * What each actor did and used, most tokens first.
 * @param {readonly Step[]} steps
 * @returns {Share[]}
 */
export function byActor(steps) {
  const names = [...new Set(steps.map(({ actor }) => actor))];
  const found = names.map((actor) => {
    const own = steps.filter((step) => step.actor === actor);
    return {
      actor,
      models: own.filter(isModelCall).length,
      tools: own.filter(({ kind }) => kind === "tool").length,
      tokensIn: sum(own.map(({ tokensIn }) => tokensIn)),
      tokensOut: sum(own.map(({ tokensOut }) => tokensOut)),
      latency: sum(own.map(({ latency }) => (latency === null || latency < 0 ? null : latency))),
    };
  });
  const total = (/** @type {Share} */ { tokensIn, tokensOut }) => (tokensIn ?? 0) + (tokensOut ?? 0);
  return found.sort((a, b) => total(b) - total(a) || b.tools - a.tools);
}

/**
 * @typedef {{left: Step | null, right: Step | null, same: boolean}} Aligned
 */

/** Events of each run that are aligned; more would take seconds. */
export const MOST_ALIGNED = 600;

/**
 * Two runs side by side: calls, decisions, errors and answers. Equal ones are in one row (longest common
 * subsequence); what differs between them is paired in order.
 * @param {readonly Step[]} one
 * @param {readonly Step[]} other
 * @returns {Aligned[]}
 */
export function aligned(one, other) {
  const [left, right] = [one, other].map((steps) => steps.filter(isKey).slice(0, MOST_ALIGNED).map((step) => ({ step, sign: signOf(step) })));
  if (left === undefined || right === undefined) return [];
  const [rows, columns] = [left.length, right.length];
  const table = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
  const at = (/** @type {number} */ i, /** @type {number} */ j) => table[i]?.[j] ?? 0;
  for (let i = rows - 1; i >= 0; i -= 1) {
    const row = table[i];
    for (let j = columns - 1; row && j >= 0; j -= 1) {
      row[j] = left[i]?.sign === right[j]?.sign ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  /** @type {Aligned[]} */
  const found = [];
  /** @type {[Step[], Step[]]} */
  let between = [[], []];
  const flush = () => {
    const [lone, others] = between;
    for (let k = 0; k < Math.max(lone.length, others.length); k += 1) {
      found.push({ left: lone[k] ?? null, right: others[k] ?? null, same: false });
    }
    between = [[], []];
  };
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    const [a, b] = [left[i], right[j]];
    if (a && b && a.sign === b.sign) {
      flush();
      found.push({ left: a.step, right: b.step, same: true });
      i += 1;
      j += 1;
    } else if (a && (!b || at(i + 1, j) >= at(i, j + 1))) {
      between[0].push(a.step);
      i += 1;
    } else if (b) {
      between[1].push(b.step);
      j += 1;
    }
  }
  flush();
  return found;
}

/** @param {Step} step */
export function isKey({ kind, type }) {
  return kind === "tool" || kind === "decision" || kind === "error" || type === "finalize";
}

/** @param {Step} step */
function signOf(step) {
  if (step.kind === "tool") {
    const { tool, values } = callOfStep(step);
    return JSON.stringify([tool, [...values].sort()]);
  }
  return JSON.stringify([step.kind, step.type, textOf(step)]);
}
