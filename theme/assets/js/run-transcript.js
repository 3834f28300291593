// The transcript of a run: its turns a page at a time, with filters, a search and one selected event; and the panel of that event.
// All text is foreign and is set as text.

import { element } from "../../verify/element.js";
import { clock } from "./run-lanes.js";
import { FILTERS, isFailed, isModelCall, plain, resultText, textOf, tokensOf } from "./run-turns.js";
import { callOfStep } from "./run-verdict.js";

/** @typedef {import("./run-read.js").Step} Step */
/** @typedef {import("./run-turns.js").Turn} Turn */

export const TURNS_PER_PAGE = 40;
const TEXT = 360;
const RESULT = 180;
const RAW = 5000;

/**
 * The turns that have an event which the filter and the words keep.
 * @param {readonly Turn[]} turns
 * @param {string} filter
 * @param {string} words
 * @returns {Turn[]}
 */
export function kept(turns, filter, words) {
  const keeps = FILTERS[filter] ?? FILTERS["all"];
  const wanted = words.trim().toLowerCase();
  return turns.filter(({ steps }) => steps.some((step) => keeps?.(step) && (wanted === "" || haystack(step).includes(wanted))));
}

/** @param {Step} step */
function haystack(step) {
  return `${step.actor} ${JSON.stringify(step.payload)}`.toLowerCase();
}

/**
 * The page of the list on which an event is; 0 if it is on none.
 * @param {readonly Turn[]} turns
 * @param {number} number
 */
export function pageOf(turns, number) {
  return Math.max(0, Math.floor(turns.findIndex(({ first, last }) => first <= number && number <= last) / TURNS_PER_PAGE));
}

/**
 * @param {readonly Turn[]} turns
 * @param {object} how
 * @param {number} how.selected
 * @param {Map<string, Step>} how.results tool result by the id of its call
 * @param {ReadonlySet<number>} how.causes events that the verdict names
 * @param {(number: number) => void} how.select
 */
export function turnItems(turns, { selected, results, causes, select }) {
  const found = [];
  let round = -2;
  for (const turn of turns) {
    if (turn.round !== round && turn.round >= 0) found.push(element("li", "round", `Round ${turn.round + 1}`));
    round = turn.round;
    found.push(turnItem(turn, { selected, results, causes, select }));
  }
  return found;
}

/**
 * @param {Turn} turn
 * @param {Parameters<typeof turnItems>[1]} how
 */
function turnItem(turn, { selected, results, causes, select }) {
  const isChosen = turn.first <= selected && selected <= turn.last;
  const item = element("li", [turn.sort === "decision" ? "dec" : "", isChosen ? "sel" : ""].filter(Boolean).join(" "));
  const number = element("button", "no", element("span", "sr", "Event "), turn.first === turn.last ? String(turn.first) : `${turn.first}–${turn.last}`);
  number.type = "button";
  if (isChosen) number.setAttribute("aria-current", "true");
  number.addEventListener("click", () => select(turn.first));
  const body = element("div", "");
  const shown = turn.steps.filter((step) => step.kind !== "result" || !results.has(step.parent));
  let before = "";
  for (const step of shown) {
    body.append(...linesOf(step, { results, causes, select }, before));
    before = textOf(step) || before;
  }
  const counts = element("span", "m", turn.tokens === null ? "" : turn.tokens.toLocaleString("en"));
  if (turn.latency !== null && turn.latency > 0) counts.append(document.createElement("br"), clock(turn.latency));
  item.append(number, element("span", "who", turn.actor, element("small", "", turn.what)), body, counts);
  return item;
}

/**
 * @param {Step} step
 * @param {Pick<Parameters<typeof turnItems>[1], "results" | "causes" | "select">} how
 * @param {string} before the text of the event before, which an artifact repeats
 */
function linesOf(step, { results, causes, select }, before) {
  const found = textOf(step);
  const text = found === before ? "" : found;
  /** @type {HTMLElement[]} */
  const lines = [];
  if (text !== "") lines.push(element("p", step.kind === "error" ? "bad" : step.kind === "other" ? "soft" : "", clip(text, TEXT)));
  if (step.kind === "tool") {
    const result = results.get(step.id);
    const call = callOfStep(step);
    const line = element("p", `t${result && isFailed(result) ? " warn" : ""}${causes.has(step.number) ? " cause" : ""}`);
    const name = element("button", "call", element("span", "sr", "Event "), String(step.number));
    name.type = "button";
    name.addEventListener("click", () => select(step.number));
    line.append(name, " ", element("b", "", clip(call.text, TEXT)));
    if (result) line.append(element("span", "r", `→ ${oneLine(resultText(result)) || "no text"}`));
    lines.push(line);
  } else if (step.kind === "result") {
    lines.push(element("p", `t${isFailed(step) ? " warn" : ""}`, element("span", "r", `→ ${oneLine(resultText(step))}`)));
  } else if (step.kind === "other" && step.payload["kind"] === "truncation") {
    lines.push(element("p", "caution", `Truncated: ${plain(step.payload["what"])}, ${plain(step.payload["characters"])} → ${plain(step.payload["kept"])} characters.`));
  }
  return lines;
}

/** The beginning of a result: the panel of its event has it whole. @param {string} text */
function oneLine(text) {
  return clip(text.slice(0, 2 * RESULT).replace(/\s+/gu, " "), RESULT).replace(/ \([0-9,]+ more characters\)$/u, "");
}

/**
 * The panel of one event.
 * @param {Step} step
 * @param {object} how
 * @param {Step | undefined} how.parent
 * @param {string} how.link address of the page with this event
 * @param {(number: number) => void} how.select
 */
export function detail(step, { parent, link, select }) {
  const words = isModelCall(step) ? "model call" : step.kind === "other" ? step.type.replaceAll("_", " ") : step.kind === "tool" ? "tool call" : step.kind === "result" ? "tool result" : step.kind;
  const facts = element("dl", "");
  const add = (/** @type {string} */ name, /** @type {Node | string} */ value) => { if (value !== "") facts.append(element("dt", "", name), element("dd", "", value)); };
  add("Started", step.start === null ? "" : `${clock(step.start)}${step.latency === null ? "" : `, ${clock(Math.max(0, step.latency))} long`}`);
  add("Tokens", tokensOf(step) === null ? "" : `${(step.tokensIn ?? 0).toLocaleString("en")} in, ${(step.tokensOut ?? 0).toLocaleString("en")} out`);
  add("Cost", step.cost === null ? "" : `${step.cost} USD`);
  add("Model", plain(step.payload["model_responded"] ?? step.payload["model_requested"]));
  add("Ended by", plain(step.payload["finish_reason"]));
  if (parent) {
    const to = element("button", "plain", `${parent.number} · ${parent.type.replaceAll("_", " ")}`);
    to.type = "button";
    to.addEventListener("click", () => select(parent.number));
    add("Parent", to);
  }
  const raw = element("pre", "", clip(JSON.stringify(step.payload, null, 1), RAW));
  raw.tabIndex = 0;
  raw.setAttribute("aria-label", `Content of event ${step.number}`);
  const anchor = element("a", "", "Link to this event");
  anchor.href = link;
  return [element("h3", "", `Event ${step.number} · ${clip(step.actor, 60)}, ${words}`), facts, raw, element("p", "small", anchor)];
}

/**
 * @param {string} text
 * @param {number} most
 */
export function clip(text, most) {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/u, "")}… (${(text.length - most).toLocaleString("en")} more characters)`;
}
