// What the agents of one run did: benchsite/tracks/agents/trace/conduct.py. Turns, actions, artifacts and confidence from the
// events of its trace, and nothing that depends on a version of Unicode.

import { fsum } from "./stats.js";

/** @typedef {import("./types.js").Document} Document */

const MOST_AGENTS = 50;
const LONGEST_ARTIFACT = 6_000;
/** Characters of a sender, a recipient or a tool's name. */
const LONGEST_NAME = 200;
/** Senders that are no agent. */
const MEDIATORS = new Set(["", "system", "mediator"]);

/**
 * Completions of a model; null where no event names one.
 * @param {readonly Document[]} events
 */
export function turns(events) {
  return events.filter(namesModel).length || null;
}

/** @param {Document} event */
export function namesModel({ payload }) {
  return (payload?.model_requested ?? payload?.model_responded ?? null) !== null;
}

/**
 * What a run did, in order; a `tool_result` is what an action brought about.
 * @param {readonly Document[]} events
 * @returns {string[]}
 */
export function actions(events) {
  return events.filter(({ event_type: type }) => type !== "tool_result").map(({ event_type: type, payload }) => {
    if (payload?.kind === "send") return "send";
    if (type !== "tool_call") return type;
    const tool = payload?.tool;
    return `tool:${typeof tool === "string" ? shortened(tool, LONGEST_NAME) : ""}`;
  });
}

/**
 * The confidence of the last `finalize` event that has one as a number in [0, 1].
 * @param {readonly Document[]} events
 * @returns {number | null}
 */
export function confidence(events) {
  const stated = events.filter(({ event_type: type }) => type === "finalize").map(({ payload }) => payload?.confidence);
  return stated.reverse().find((value) => typeof value === "number" && value >= 0 && value <= 1) ?? null;
}

/**
 * The verdict of a judge elsewhere: `judged` of the last `finalize` event that has one as a boolean.
 * @param {readonly Document[]} events
 * @returns {boolean | null}
 */
export function judged(events) {
  const stated = events.filter(({ event_type: type }) => type === "finalize").map(({ payload }) => payload?.judged);
  return stated.reverse().find((value) => typeof value === "boolean") ?? null;
}

/**
 * The mean similarity over pairs of agents of their last artifacts; null with fewer than two agents, or over 50.
 * @param {readonly Document[]} events
 * @returns {number | null}
 */
export function redundancy(events) {
  /** @type {Map<string, string>} */
  const artifacts = new Map();
  for (const { actor, payload } of events) {
    const text = textOf(payload?.artifact);
    if (text !== null && isAgent(actor)) artifacts.set(actor, text);
  }
  if (artifacts.size < 2 || artifacts.size > MOST_AGENTS) return null;
  const held = [...artifacts.values()].map(words);
  const pairs = held.flatMap((one, i) => held.slice(i + 1).map((other) => similarity(one, other)));
  return fsum(pairs) / pairs.length;
}

/**
 * @param {unknown} artifact
 * @returns {string | null}
 */
function textOf(artifact) {
  const found = artifact !== null && typeof artifact === "object" && !Array.isArray(artifact)
    ? /** @type {Document} */ (artifact)["answer_artifact"] : artifact;
  return typeof found === "string" ? found : null;
}

/**
 * @param {Set<string>} a
 * @param {Set<string>} b
 */
function similarity(a, b) {
  const both = [...a].filter((word) => b.has(word)).length;
  const either = a.size + b.size - both;
  return either === 0 ? 1 : both / either;
}

/** @param {string} text */
export function words(text) {
  const lower = shortened(text, LONGEST_ARTIFACT).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return new Set(lower.split(/[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/).filter((word) => word !== ""));
}

/**
 * The first characters of a text, counted as Python does.
 * @param {string} text
 * @param {number} most
 */
export function shortened(text, most = LONGEST_NAME) {
  return text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join("");
}

/** @param {string} name */
export function isAgent(name) {
  let [start, end] = [0, name.length];
  while (start < end && name[start] === " ") start += 1;
  while (end > start && name[end - 1] === " ") end -= 1;
  return !MEDIATORS.has(name.slice(start, end).toLowerCase());
}
