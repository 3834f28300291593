// Parts of the run page besides the transcript: the first line, the cause of the verdict, the differences of the final state, the same
// task elsewhere, the use by actor, and two runs side by side.

import { element } from "../../verify/element.js";
import { clock } from "./run-lanes.js";
import { aligned, byActor, isModelCall, MOST_ALIGNED, plural, resultText, sum, textOf, tokensOf } from "./run-turns.js";
import { clip } from "./run-transcript.js";
import { callOfStep } from "./run-verdict.js";

/** @typedef {import("./run-read.js").Step} Step */
/** @typedef {import("./run-read.js").Acted} Acted */
/** @typedef {import("./run-verdict.js").Verdict} Verdict */

const MARKS = { good: "✓", bad: "✗", caution: "△" };
const CHANGES = 20;

/**
 * @typedef {object} Evidence what was read of the transcript
 * @property {import("./run-files.js").Found["state"] | "none"} state none: the receipt pins no traces
 * @property {string} sha256
 */

/**
 * Outcome, tokens, time, cost, end and evidence.
 * @param {Verdict} verdict
 * @param {readonly Step[]} steps
 * @param {Evidence} evidence
 * @param {{tokens: number | null, latency: number | null, cost: number | null, toolCalls: number | null}} columns of the receipt
 */
export function strip(verdict, steps, evidence, columns) {
  const models = steps.filter(isModelCall).length;
  const tools = steps.filter(({ kind }) => kind === "tool").length || columns.toolCalls || 0;
  const tokens = columns.tokens ?? sum(steps.map(tokensOf));
  const latency = columns.latency ?? sum(steps.map((step) => step.latency));
  const stop = steps.filter(({ kind }) => kind === "decision").at(-1);
  const reason = typeof stop?.payload["reason"] === "string" ? stop.payload["reason"] : "";
  const last = steps.at(-1);
  const list = element("dl", "strip");
  const add = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string} */ small, tone = "") => {
    list.append(element("div", "", element("dt", "", name), element("dd", tone, value, element("small", "", small))));
  };
  add("Outcome", `${MARKS[verdict.tone]} ${verdict.word}`, verdict.causes[0]?.head.toLowerCase() || (verdict.stated ? "as the imported file states it" : "graded by the benchmark"), verdict.tone);
  add("Tokens", tokens === null ? "–" : tokens.toLocaleString("en"), tokens === null ? "not stated" : "in and out");
  add("Time", latency === null ? "–" : clock(latency), `${models > 0 ? `${plural(models, "model call")}, ` : ""}${plural(tools, "tool call")}`);
  add("Cost", columns.cost === null ? "–" : `${columns.cost.toPrecision(3)} USD`, columns.cost === null ? "no price in the receipt" : "");
  add("Stopped by", reason ? clip(reason, 40).replaceAll("_", " ") : last === undefined ? "–" : last.kind === "error" ? "an error" : last.type === "finalize" ? "final answer" : "end of record", stop && stop.round >= 0 ? `round ${stop.round + 1}` : "");
  const unchecked = `${evidence.sha256.slice(0, 8)}…, not checked`;
  const words = /** @type {const} */ ({
    found: ["✓ hash matches", `${plural(steps.length, "event")}, ${evidence.sha256.slice(0, 8)}…, checked here`, "good"],
    differs: ["✗ hash differs", "not shown", "bad"], missing: ["– not at hand", unchecked, ""],
    large: ["– too large", unchecked, ""], failed: ["– not loaded", unchecked, ""],
    none: ["–", "the receipt pins no traces", ""],
  })[evidence.state];
  add("Evidence", words[0], words[1], words[2]);
  return list;
}

/**
 * Why the run was graded so, with a button for each event.
 * @param {Verdict} verdict
 * @param {(number: number) => void} select
 */
export function why(verdict, select) {
  const box = element("div", `why ${verdict.tone}`);
  for (const { head, text, more, step } of verdict.causes) {
    const line = element("p", "");
    if (head !== "") line.append(element("b", verdict.tone, `${MARKS[verdict.tone]} ${head}:`), " ");
    line.append(clip(text, 500));
    const after = element("p", "", clip(more, 500));
    if (step > 0) after.append(more === "" ? "" : " ", eventButton(step, select));
    box.append(line, after);
  }
  return box;
}

/**
 * @param {number} number
 * @param {(number: number) => void} select
 */
function eventButton(number, select) {
  const made = element("button", "link", `Show event ${number}`);
  made.type = "button";
  made.addEventListener("click", () => select(number));
  return made;
}

/**
 * The final state, expected and found; nothing if an imported file states the outcome, for then no state was compared.
 * @param {Acted | null} acted
 * @param {string} outcome
 * @param {boolean} stated
 */
export function finalState(acted, outcome, stated) {
  if (stated) return [];
  const head = element("h4", "", "Final state, expected → found");
  if (acted === null) return [head, element("p", "soft", "The actions of the run aren’t at hand.")];
  if (acted.difference.length === 0) return [head, element("p", "soft", outcome === "success" ? "As expected." : "No difference is recorded.")];
  const rows = acted.difference.slice(0, CHANGES).map(({ table, row, column, before, after }) =>
    [[table, row, column].filter(Boolean).join(", "), before ?? "–", after ?? "–"].map((text) => clip(text, 200)));
  const found = [head, tableOf("Differences of the final state", ["Record", "Expected", "Found"], rows, "tight")];
  if (acted.difference.length > CHANGES) found.push(element("p", "soft", `${acted.difference.length - CHANGES} more differences are in the file of actions.`));
  return found;
}

/**
 * @param {string} label
 * @param {string[]} names
 * @param {(Node | string)[][]} rows
 * @param {string} className
 * @param {ReadonlySet<number>} [numbers] columns of numbers
 */
export function tableOf(label, names, rows, className, numbers = new Set()) {
  const head = element("tr", "", ...names.map((name, i) => { const made = element("th", numbers.has(i) ? "n" : "", name); made.scope = "col"; return made; }));
  const body = rows.map((cells) => element("tr", "", ...cells.map((cell, i) => {
    if (i > 0) return element("td", numbers.has(i) ? "n" : "", cell);
    const made = element("th", "", cell);
    made.scope = "row";
    return made;
  })));
  const scroll = element("div", "scroll", element("table", className, element("thead", "", head), element("tbody", "", ...body)));
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", label);
  return scroll;
}

/** @param {readonly Step[]} steps */
export function actors(steps) {
  const shares = byActor(steps);
  const total = sum(shares.map(({ tokensIn, tokensOut }) => (tokensIn ?? 0) + (tokensOut ?? 0))) || 0;
  const count = (/** @type {number | null} */ value) => (value === null ? "–" : value.toLocaleString("en"));
  const rows = shares.slice(0, 40).map(({ actor, models, tools, tokensIn, tokensOut, latency }) => {
    const own = (tokensIn ?? 0) + (tokensOut ?? 0);
    const meter = element("meter", "", "");
    [meter.min, meter.max, meter.value] = [0, Math.max(1, total), own];
    meter.setAttribute("aria-label", `Share of the tokens, ${clip(actor, 60)}`);
    const share = element("span", "share", total > 0 ? `${Math.round((100 * own) / total)}%` : "–", total > 0 ? meter : "");
    return [clip(actor, 60), String(models), String(tools), count(tokensIn), count(tokensOut), share, latency === null ? "–" : clock(latency)];
  });
  return tableOf("Tokens and time by actor", ["Actor", "Model calls", "Tool calls", "Tokens in", "Tokens out", "Share", "Time"], rows, "tight actors", new Set([1, 2, 3, 4, 5, 6]));
}

/**
 * Two runs side by side: calls, decisions, errors and answers, equal ones in one row.
 * @param {{name: string, steps: readonly Step[]}} one
 * @param {{name: string, steps: readonly Step[]}} other
 */
export function pair(one, other) {
  const rows = aligned(one.steps, other.steps);
  const same = rows.filter((row) => row.same).length;
  const cells = (/** @type {Step | null} */ step) => (step === null ? "" : `${step.number} · ${lineOf(step)}`);
  const table = tableOf("Two runs side by side", ["Same", one.name, other.name], rows.map((row) => [row.same ? "=" : "≠", cells(row.left), cells(row.right)]), "pairing");
  const most = Math.max(one.steps.length, other.steps.length) > MOST_ALIGNED ? ` The first ${MOST_ALIGNED} of each run.` : "";
  return [element("p", "soft", `Tool calls, decisions and answers in order. ${plural(same, "row")} of ${rows.length.toLocaleString("en")} the same (=).${most}`), table];
}

/** @param {Step} step */
function lineOf(step) {
  if (step.kind === "tool") return clip(callOfStep(step).text, 300);
  return clip(`${step.kind === "decision" ? "decision: " : step.type === "finalize" ? "answer: " : ""}${textOf(step) || resultText(step)}`, 300);
}
