// The timeline of a run: a lane an actor, a bar a model call, a diamond a tool call, an arrow a message, a dashed line a decision; below,
// the tokens so far. A few paths, however many events: 10,000 elements would take seconds.

import { visible } from "../../verify/unseen.js";
import { isFailed, isModelCall, tokensOf } from "./run-turns.js";

/** @typedef {import("./run-read.js").Step} Step */

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 1184;
const LEFT = 132;
const RIGHT = 1170;
const TOP = 18;
const LANE = 32;
const MOST_LANES = 10;
const TOKENS_HEIGHT = 46;
/** Labels on bars, arrows and named decisions are drawn up to so many events. */
const FEW = 400;

/**
 * @typedef {object} Scale
 * @property {(step: Step) => [number, number]} span first and last position of an event
 * @property {boolean} isTime whether positions are times; else the number of the event
 * @property {number} most milliseconds, or the number of events
 */

/**
 * Positions by time if every event states one, else by number.
 * @param {readonly Step[]} steps
 * @returns {Scale}
 */
export function scaleOf(steps) {
  const isTime = steps.length > 0 && steps.every(({ start, end }) => start !== null && end !== null);
  const most = isTime ? Math.max(1e-3, ...lastOf(steps)) : Math.max(1, steps.length);
  const x = (/** @type {number} */ value) => Math.round((LEFT + (Math.min(Math.max(value, 0), most) / most) * (RIGHT - LEFT)) * 10) / 10;
  return {
    isTime,
    most,
    span: ({ start, end, number }) => (isTime ? [x(start ?? 0), x(Math.max(end ?? 0, start ?? 0))] : [x(number - 1), x(number - 0.2)]),
  };
}

/** @param {readonly Step[]} steps */
function lastOf(steps) {
  return [steps.reduce((most, { start, end }) => Math.max(most, start ?? 0, end ?? 0), 0)];
}

/** The actors that have a lane, in the order in which they act; the rest share the last one. @param {readonly Step[]} steps */
export function lanesOf(steps) {
  const names = [...new Set(steps.map(({ actor }) => actor))];
  return names.length <= MOST_LANES ? names : [...names.slice(0, MOST_LANES - 1), `${names.length - MOST_LANES + 1} others`];
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
function svg(name, attributes, text) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = visible(text);
  return made;
}

/**
 * @param {readonly Step[]} steps
 * @param {number} selected number of an event
 * @param {number | null} limit of tokens
 * @param {(number: number) => void} select called with the number of the event that was clicked
 */
export function lanes(steps, selected, limit, select) {
  const scale = scaleOf(steps);
  const names = lanesOf(steps);
  const rows = new Map(names.map((name, i) => [name, TOP + LANE / 2 + i * LANE]));
  const y = (/** @type {string} */ actor) => rows.get(actor) ?? TOP + LANE / 2 + (names.length - 1) * LANE;
  const bottom = TOP + names.length * LANE;
  const counted = tokensPath(steps, scale, limit, bottom + 34);
  const drawing = svg("svg", {
    class: "lanes", viewBox: `0 0 ${WIDTH} ${bottom + 24 + (counted ? TOKENS_HEIGHT + 12 : 0)}`, role: "img",
    "aria-label": `Timeline: ${steps.length.toLocaleString("en")} events of ${names.length} actors${scale.isTime ? ` in ${clock(scale.most)}` : ", by number"}`,
  });
  for (const { at, words } of axis(scale)) {
    drawing.append(svg("path", { class: "tick", d: `M${at} ${TOP}V${bottom}` }), svg("text", { class: "mono", x: at, y: bottom + 15, "text-anchor": "middle" }, words));
  }
  for (const [name, at] of rows) {
    drawing.append(svg("path", { class: "line", d: `M${LEFT} ${at}H${RIGHT}` }), svg("text", { class: "name", x: 0, y: at + 4 }, name.length > 18 ? `${name.slice(0, 17)}…` : name));
  }
  drawing.append(...marks(steps, scale, y, bottom));
  if (counted) drawing.append(...counted);
  const one = steps[selected - 1];
  if (one) {
    const [from, to] = scale.span(one);
    drawing.append(svg("rect", { class: "chosen", x: from - 2, y: y(one.actor) - 12, width: Math.max(4, to - from + 4), height: 24 }));
  }
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const [px, py] = [(event.clientX - box.left) * WIDTH / box.width, (event.clientY - box.top) * WIDTH / box.width];
    const near = nearest(steps, scale, y, px, py);
    if (near > 0) select(near);
  });
  return drawing;
}

/**
 * Bars, diamonds, arrows and decisions.
 * @param {readonly Step[]} steps
 * @param {Scale} scale
 * @param {(actor: string) => number} y
 * @param {number} bottom
 */
function marks(steps, scale, y, bottom) {
  /** @type {Record<string, string>} */
  const paths = { msg: "", dec: "", call: "", tool: "", miss: "", end: "" };
  const labels = [];
  const isFew = steps.length <= FEW;
  let free = -Infinity;
  const drawn = new Set();
  for (const step of steps) {
    const [from, to] = scale.span(step);
    const at = y(step.actor);
    if (!isFew) {
      // One mark for all events of a kind within a pixel of their lane.
      const place = `${step.kind} ${at} ${Math.round(from)}`;
      if (drawn.has(place)) continue;
      drawn.add(place);
    }
    if (isModelCall(step) && step.kind !== "decision") {
      paths["call"] += `M${from} ${at - 8}H${Math.max(to, from + 1.5)}V${at + 8}H${from}Z`;
      const tokens = tokensOf(step);
      if (isFew && tokens !== null && to - from > 26) labels.push(svg("text", { class: "mono", x: (from + to) / 2, y: at + 4, "text-anchor": "middle" }, short(tokens)));
    } else if (step.kind === "tool") {
      paths["tool"] += diamond(from, at);
    } else if (step.kind === "result" && isFailed(step)) {
      paths["miss"] += diamond(from, at);
    } else if (step.kind === "error" || step.type === "finalize") {
      paths["end"] += `M${from - 1.5} ${at - 10}h3v20h-3z`;
    } else if (step.kind === "message" && isFew) {
      for (const to of recipients(step)) if (y(to) !== at) paths["msg"] += `M${from} ${at}V${y(to)}m-3 ${y(to) > at ? -5 : 5}l3 ${y(to) > at ? 5 : -5}l3 ${y(to) > at ? -5 : 5}`;
    } else if (step.kind === "decision") {
      paths["dec"] += `M${from} ${TOP - 6}V${bottom}`;
      const words = decisionWords(step);
      if (isFew && from - words.length * 6 > free) {
        labels.push(svg("text", { class: "decl", x: from - 4, y: TOP - 8, "text-anchor": "end" }, words));
        free = from;
      }
    }
  }
  return [...Object.entries(paths).filter(([, d]) => d !== "").map(([name, d]) => svg("path", { class: name, d })), ...labels];
}

/** @param {Step} step */
function recipients({ payload }) {
  return Array.isArray(payload["recipients"]) ? payload["recipients"].map(String).slice(0, 20) : [];
}

/** @param {Step} step */
function decisionWords({ payload, round }) {
  const reason = typeof payload["reason"] === "string" ? payload["reason"].slice(0, 30).replaceAll("_", " ") : "decision";
  return round < 0 ? reason : `round ${round + 1}: ${reason}`;
}

/**
 * @param {number} x
 * @param {number} y
 */
function diamond(x, y) {
  return `M${x} ${y - 5}l5 5l-5 5l-5 -5z`;
}

/**
 * The tokens so far, and the limit; null if no event states tokens.
 * @param {readonly Step[]} steps
 * @param {Scale} scale
 * @param {number | null} limit
 * @param {number} top
 */
function tokensPath(steps, scale, limit, top) {
  let total = 0;
  for (const step of steps) total += tokensOf(step) ?? 0;
  if (total === 0) return null;
  const most = limit !== null && limit < 4 * total ? Math.max(limit, total) : total;
  const base = top + TOKENS_HEIGHT;
  const y = (/** @type {number} */ value) => Math.round((base - (value / most) * TOKENS_HEIGHT) * 10) / 10;
  let sum = 0;
  let last = LEFT;
  let d = `M${LEFT} ${base}`;
  for (const step of steps) {
    const tokens = tokensOf(step);
    if (!tokens) continue;
    sum += tokens;
    const at = scale.span(step)[1];
    if (steps.length > FEW && Math.abs(at - last) < 1) continue;
    d += `H${at}V${y(sum)}`;
    last = at;
  }
  d += `V${y(sum)}H${RIGHT}`;
  const found = [
    svg("path", { class: "tokf", d: `${d}V${base}H${LEFT}Z` }), svg("path", { class: "tok", d }),
    svg("path", { class: "line", d: `M${LEFT} ${base}H${RIGHT}` }),
    svg("text", { class: "name", x: 0, y: base - TOKENS_HEIGHT / 2 + 4 }, "tokens, total"),
    svg("text", { class: "mono", x: RIGHT, y: y(sum) - 4, "text-anchor": "end" }, total.toLocaleString("en")),
  ];
  if (limit !== null && most === Math.max(limit, total)) {
    found.push(svg("path", { class: "limit", d: `M${LEFT} ${y(limit)}H${RIGHT}` }), svg("text", { class: "mono lim", x: LEFT + 4, y: y(limit) - 4 }, `limit ${limit.toLocaleString("en")}`));
  }
  return found;
}

/**
 * Round places on the axis.
 * @param {Scale} scale
 */
function axis(scale) {
  const { most, isTime } = scale;
  const raw = most / 10;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? raw;
  const found = [];
  for (let i = 0; i * step <= most * 1.0001 && i < 30; i += 1) {
    const value = i * step;
    if (!isTime && !Number.isInteger(value)) continue;
    const at = Math.round((LEFT + (value / most) * (RIGHT - LEFT)) * 10) / 10;
    found.push({ at, words: isTime ? clock(value) : value.toLocaleString("en") });
  }
  return found;
}

/**
 * @param {readonly Step[]} steps
 * @param {Scale} scale
 * @param {(actor: string) => number} y
 * @param {number} px
 * @param {number} py
 */
function nearest(steps, scale, y, px, py) {
  let [best, least] = [0, Infinity];
  for (const step of steps) {
    const [from, to] = scale.span(step);
    const away = Math.max(0, from - px, px - to) + Math.abs(y(step.actor) - py) * 2;
    if (away < least) [best, least] = [step.number, away];
  }
  return best;
}

/** `26.0 s`, `340 ms`, `3 min 20 s`. @param {number} ms */
export function clock(ms) {
  if (ms < 1000) return `${Number(ms.toFixed(ms < 10 ? 1 : 0))} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes.toLocaleString("en")} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `1.3k`. @param {number} tokens */
function short(tokens) {
  return tokens < 1000 ? String(tokens) : `${(tokens / 1000).toFixed(1)}k`;
}
