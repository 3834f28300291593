// The page of a receipt's runs: a list of them, one run, or two side by side, by what the address says (`?task=…&run=…&event=…&with=…`).
// Evidence is fetched only for a run, and shown only under the SHA-256 that the receipt pins.

import { fileButton, element } from "../../verify/element.js";
import { remember } from "./facets.js";
import { absence, allowedMirrors, chosen, fetched, refusal } from "./run-files.js";
import { lanes } from "./run-lanes.js";
import { actors, finalState, pair, strip, tableOf, why } from "./run-parts.js";
import { actedOf, isObject, stepsOf, stepsOfActions } from "./run-read.js";
import { detail, kept, pageOf, TURNS_PER_PAGE, turnItems } from "./run-transcript.js";
import { FILTERS, turnsOf } from "./run-turns.js";
import { verdictOf } from "./run-verdict.js";
import { loadJson, paged } from "./table.js";

/** @typedef {import("./run-read.js").Step} Step */
/** @typedef {import("./run-read.js").Acted} Acted */
/** @typedef {import("./run-files.js").Found} Found */
/** @typedef {import("../../verify/types.js").Document} Document */

/**
 * @typedef {object} Place what the page knows of its receipt
 * @property {Document} receipt
 * @property {Record<string, string | undefined>} data attributes of the page
 * @property {HTMLElement} root
 * @property {{[name: string]: Found | undefined}} files what was read already, by name
 *
 * @typedef {object} Run
 * @property {string} task
 * @property {number} run
 * @property {number} at its place in the columns
 *
 * @typedef {object} Opened
 * @property {Step[]} steps
 * @property {Acted | null} acted
 * @property {Found["state"] | "none"} traces
 */

/**
 * The run that an address names: the first one of its task without a number; null for none.
 * @param {URLSearchParams} query
 * @param {{taskId: string[], run: number[]}} columns
 * @param {string} [name] of the parameter that holds the number
 * @returns {Run | null}
 */
export function wanted(query, { taskId, run }, name = "run") {
  const task = query.get("task") ?? "";
  const number = Number(query.get(name) ?? (name === "run" ? 1 : NaN));
  const at = taskId.findIndex((id, i) => id === task && run[i] === number);
  return at < 0 ? null : { task, run: number, at };
}

/** @param {HTMLElement} root */
export async function start(root) {
  const data = { ...root.dataset };
  if (!data["receipt"] || location.protocol === "file:") return;
  const status = root.querySelector("[data-status]");
  let receipt;
  try {
    receipt = await loadJson(data["receipt"]);
  } catch {
    if (status) status.textContent = "Loading the receipt failed. Reload the page to retry.";
    return;
  }
  const query = new URL(location.href).searchParams;
  const place = { receipt, data, root, files: {} };
  const run = wanted(query, receipt.runs);
  if (run === null) {
    list(place, query.get("task"));
    return;
  }
  const other = wanted(query, receipt.runs, "with");
  if (status) status.textContent = "Reading the evidence and checking its hash…";
  await show(place, run, other?.at === run.at ? null : other);
}

/**
 * Every run of the receipt.
 * @param {Place} place
 * @param {string | null} missing a task that the receipt doesn't have
 */
function list({ receipt, root }, missing) {
  const { runs, tasks } = receipt;
  const domains = new Map(tasks.id.map((/** @type {string} */ id, /** @type {number} */ i) => [id, tasks.domain[i]]));
  const names = ["Run", "Domain", "Outcome", "Tool calls", "Tokens", "Events"];
  const holder = element("div", "", tableOf("Runs", names, [], "q", new Set([3, 4, 5])));
  const notice = missing === null ? [] : [element("p", "caution", `This receipt has no such run of task ${missing}.`)];
  root.querySelector("[data-status]")?.replaceWith(...notice, holder);
  /** @type {{task: string, run: number, domain: string, outcome: string, counts: string[]}[]} */
  const rows = runs.taskId.map((/** @type {string} */ task, /** @type {number} */ i) => ({
    task, run: runs.run[i], domain: String(domains.get(task) ?? "–"), outcome: words(runs, i),
    counts: ["toolCalls", "tokens", "steps"].map((name) => runs[name]?.[i]?.toLocaleString("en") ?? "–"),
  }));
  paged(holder, rows, {
    noun: "runs", labels: { domain: "Domain", outcome: "Outcome" },
    values: ({ domain, outcome }) => ({ domain: [domain], outcome: [outcome] }),
    text: ({ task, outcome }) => `${task} ${outcome}`,
    cells: ({ task, run, domain, outcome, counts }) => [
      { text: `${task}, run ${run}`, href: address({ task, run: String(run) }) }, { text: domain }, { text: outcome },
      ...counts.map((text) => ({ text, className: "n" })),
    ],
  });
}

/**
 * @param {Document} runs
 * @param {number} i
 */
function words(runs, i) {
  const limit = runs["limit"]?.[i];
  return `${limit ? `limit: ${limit}` : runs["outcome"][i]}${runs["harmful"]?.[i] ? ", harmful" : ""}`;
}

/** @param {Record<string, string>} parameters */
function address(parameters) {
  return `?${new URLSearchParams(parameters)}`;
}

/**
 * One piece of evidence, read once.
 * @param {Place} place
 * @param {"actions" | "traces"} which
 * @returns {Promise<Found | null>} null if the receipt doesn't pin it
 */
async function evidence({ files, data }, which) {
  const sha256 = data[`${which}Sha`];
  if (!sha256) return null;
  files[which] ??= await fetched({ name: which, sha256, size: 0, served: data[which] ?? "" }, allowedMirrors());
  return files[which] ?? null;
}

/**
 * @param {Place} place
 * @param {Run} run
 * @returns {Promise<Opened>}
 */
async function opened(place, { task, run }) {
  const [actions, traces] = await Promise.all([evidence(place, "actions"), evidence(place, "traces")]);
  const acted = actions?.state === "found" ? await actedOf(actions.data, task, run) : null;
  const steps = traces?.state === "found" ? await stepsOf(traces.data, task, run) : null;
  return { steps: steps ?? (acted === null ? [] : stepsOfActions(acted)), acted, traces: traces?.state ?? "none" };
}

/**
 * The expected actions and the query of a task; nulls if they may not be shown.
 * @param {Place} place
 * @param {string} task
 * @returns {Promise<{query: string, expected: string[] | null}>}
 */
async function textsOf({ data, receipt }, task) {
  if (!data["texts"]) return { query: "", expected: null };
  try {
    const found = await loadJson(data["texts"]);
    const at = found.benchmark.sha256 === receipt["benchmark"].sha256 ? found.tasks.id.indexOf(task) : -1;
    return { query: found.tasks.query[at] ?? "", expected: found.tasks.actions[at] ?? null };
  } catch {
    return { query: "", expected: null };
  }
}

/**
 * @param {Place} place
 * @param {Run} run
 * @param {Run | null} other
 */
async function show(place, run, other) {
  const { root, receipt, data } = place;
  let found;
  let second = null;
  let texts;
  try {
    [found, texts] = await Promise.all([opened(place, run), textsOf(place, run.task)]);
    second = other === null ? null : await opened(place, other);
  } catch (error) {
    const status = root.querySelector("[data-status]");
    if (status) status.textContent = `The evidence can’t be read: ${error instanceof Error ? error.message : String(error)}`;
    return;
  }
  const title = `${run.task}, run ${run.run}`;
  document.title = `${title} · ${document.title}`;
  const { runs } = receipt;
  const verdict = verdictOf({
    outcome: runs.outcome[run.at], limit: runs.limit?.[run.at] ?? null, harmful: runs.harmful?.[run.at] === true,
    steps: found.steps, acted: found.acted, expected: texts.expected, stated: Boolean(receipt["benchmark"].evaluator),
  });
  const column = (/** @type {string} */ name) => runs[name]?.[run.at] ?? null;
  const columns = { tokens: column("tokens"), latency: column("latencyWallMs") ?? column("latencyMs"), cost: column("costUsd"), toolCalls: column("toolCalls") };
  const view = transcript(place, run, found, verdict.causes.map(({ step }) => step));
  const head = [element("h1", "", title), ...(texts.query === "" ? [] : [element("p", "lede task", `“${texts.query}”`)])];
  const side = element("aside", "detail");
  side.setAttribute("aria-label", "Selected event");
  side.append(view.detail, ...finalState(found.acted, runs.outcome[run.at], verdict.stated), ...await elsewhere(place, run));
  root.replaceChildren(
    crumbs(place, run), ...head, ...simulated(place), strip(verdict, found.steps, { state: found.traces, sha256: data["tracesSha"] ?? "" }, columns),
    why(verdict, view.select), ...absent(place, run, other, found),
    ...(second !== null && other !== null
      ? [element("h2", "", "Side by side"), ...pair({ name: title, steps: found.steps }, { name: `run ${other.run}`, steps: second.steps })]
      : []),
    ...(found.steps.length === 0 ? [] : [
      element("h2", "sr", "Timeline"), view.tools, view.timeline,
      element("p", "small soft", "Bar: model call, with tokens. Diamond: tool call; filled: it failed. Arrow: message. Dashed line: decision. Tick: answer or error."),
    ]),
    element("h2", "", "Transcript ", view.said), element("div", "cols", view.list, side),
    ...(found.steps.length === 0 ? [] : [element("h2", "", "Tokens and time by actor"), actors(found.steps)]),
    element("p", "foot-note", found.traces === "found" ? "The transcript has the SHA-256 that the receipt pins. This doesn’t prove that the model answered as recorded." : "Outcome, tokens and time are from the receipt."),
  );
  view.draw();
}

/** @param {Place} place */
function simulated({ receipt }) {
  if (!receipt["simulated"]) return [];
  return [element("p", "simulated caution", "△ Simulated: no real model answered.")];
}

/**
 * What to do without the transcript.
 * @param {Place} place
 * @param {Run} run
 * @param {Run | null} other
 * @param {Opened} opened
 */
function absent(place, run, other, { traces, acted }) {
  if (traces === "found" || traces === "none") return [];
  const line = element("p", "", absence(traces, acted !== null));
  const digest = element("p", "small soft", `traces.jsonl, SHA-256 ${place.data["tracesSha"]}`);
  const button = fileButton("Choose traces.jsonl", (file) => {
    void chosen({ name: "traces", sha256: place.data["tracesSha"] ?? "", size: 0, served: "" }, file).then((found) => {
      if (found.state !== "found") {
        line.textContent = refusal(found.state);
        return;
      }
      place.files["traces"] = found;
      void show(place, run, other);
    });
  });
  return [element("div", "absent", line, digest, button)];
}

/**
 * Where the run is, and the runs before and after it.
 * @param {Place} place
 * @param {Run} run
 */
function crumbs({ receipt, data }, { task, run, at }) {
  const { taskId, run: numbers } = receipt["runs"];
  const link = (/** @type {string} */ words, /** @type {string} */ href) => { const made = element("a", "", words); made.href = href; return made; };
  const to = (/** @type {number} */ i) => address({ task: taskId[i], run: String(numbers[i]) });
  const path = element("p", "crumb", link("Agents", data["track"] ?? ""), " · ", link(receipt["benchmark"].id, data["board"] ?? ""), " · ",
    link(receipt["system"].name, data["page"] ?? ""), " · ", link("all runs", "?"), ` · run ${run}`);
  if (data["tasks"]) path.append(" of ", link(task, `${data["tasks"]}${task}/`));
  const others = numbers.flatMap((/** @type {number} */ number, /** @type {number} */ i) => (taskId[i] === task && i !== at ? [number] : []));
  const out = element("p", "out");
  const parts = [
    ...(at > 0 ? [link(`← ${taskId[at - 1] === task ? `run ${numbers[at - 1]}` : taskId[at - 1]}`, to(at - 1))] : []),
    ...(at + 1 < taskId.length ? [link(`${taskId[at + 1] === task ? `run ${numbers[at + 1]}` : taskId[at + 1]} →`, to(at + 1))] : []),
    ...others.slice(0, 3).map((/** @type {number} */ number) => link(`Compare with run ${number}`, address({ task, run: String(run), with: String(number) }))),
  ];
  parts.forEach((part) => out.append(part, " "));
  return element("div", "crumbs", path, out);
}

/**
 * The same task: other runs of the receipt, and other systems.
 * @param {Place} place
 * @param {Run} run
 */
async function elsewhere({ receipt, data }, { task, at }) {
  const { runs } = receipt;
  const link = (/** @type {string} */ text, /** @type {string} */ href) => { const made = element("a", "", text); made.href = href; return made; };
  const rows = runs.taskId.flatMap((/** @type {string} */ id, /** @type {number} */ i) => {
    if (id !== task) return [];
    const name = `run ${runs.run[i]}`;
    return [[i === at ? element("b", "", name) : link(name, address({ task, run: String(runs.run[i]) })), words(runs, i), runs.tokens?.[i]?.toLocaleString("en") ?? "–"]];
  });
  try {
    const found = data["outcomes"] ? await loadJson(data["outcomes"]) : { systems: [], tasks: { id: [] } };
    const place = found.tasks.id.indexOf(task);
    for (const { receiptId, name, outcomes } of found.systems) {
      const own = Array.isArray(outcomes[place]) ? outcomes[place] : [];
      if (receiptId === receipt["receiptId"] || own.length === 0) continue;
      const said = own.length === 1 ? own[0] : `${own.filter((/** @type {string} */ one) => one === "success").length} of ${own.length}`;
      rows.push([link(name, `../${receiptId}/${address({ task, run: "1" })}`), said, "–"]);
    }
  } catch {
    // The other systems are a convenience: without them the page is complete.
  }
  return [element("h4", "", "The same task"), tableOf("The same task", ["Run or system", "Outcome", "Tokens"], rows.slice(0, 20), "tight", new Set([2]))];
}

/** Of the keys j and k, for the run that is shown. @type {AbortController | null} */
let listening = null;

/**
 * Timeline, filters, list and panel of the events, in step with each other.
 * @param {Place} place
 * @param {Run} run
 * @param {Opened} found
 * @param {number[]} causes
 */
function transcript(place, run, { steps }, causes) {
  const turns = turnsOf(steps);
  const results = new Map(steps.filter(({ kind, parent }) => kind === "result" && parent !== "").map((step) => [step.parent, step]));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const asked = Number(new URL(location.href).searchParams.get("event"));
  const state = { selected: steps[asked - 1] ? asked : causes.find((one) => one > 0) ?? (steps.length > 0 ? 1 : 0), filter: "all", words: "", page: 0 };
  const list = element("div", "");
  const panel = element("div", "");
  const timeline = element("div", "timeline");
  timeline.tabIndex = 0;
  timeline.setAttribute("role", "group");
  timeline.setAttribute("aria-label", "Timeline");
  const said = element("small", "");
  said.setAttribute("aria-live", "polite");
  const limit = isObject(place.receipt["config"].budget) ? place.receipt["config"].budget["tokens"] ?? null : null;

  function draw() {
    const held = list.contains(document.activeElement);
    const shown = kept(turns, state.filter, state.words);
    const pages = Math.max(1, Math.ceil(shown.length / TURNS_PER_PAGE));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const items = turnItems(shown.slice(state.page * TURNS_PER_PAGE, (state.page + 1) * TURNS_PER_PAGE), { selected: state.selected, results, causes: new Set(causes), select });
    const ordered = element("ol", "turns", ...items);
    list.replaceChildren(ordered, ...(pages > 1 ? [turn(pages)] : []), ...(shown.length === 0 ? [element("p", "soft", steps.length === 0 ? "No event is at hand." : "No event matches.")] : []));
    timeline.replaceChildren(...(steps.length > 0 ? [lanes(steps, state.selected, limit, select)] : []));
    const one = steps[state.selected - 1];
    const link = address({ task: run.task, run: String(run.run), event: String(state.selected) });
    panel.replaceChildren(...(one ? detail(one, { parent: byId.get(one.parent), link, select }) : []));
    said.textContent = one ? `selected: event ${state.selected} of ${steps.length.toLocaleString("en")}` : "";
    const current = list.querySelector("[aria-current]");
    if (held && current instanceof HTMLElement) current.focus({ preventScroll: true });
  }

  /** @param {number} pages */
  function turn(pages) {
    const line = element("div", "tools");
    for (const [name, step] of /** @type {const} */ ([["Previous", -1], ["Next", 1]])) {
      const made = element("button", "plain", name);
      made.type = "button";
      made.disabled = step < 0 ? state.page === 0 : state.page === pages - 1;
      made.addEventListener("click", () => { state.page += step; draw(); list.scrollIntoView({ block: "start" }); });
      line.append(made);
    }
    line.append(element("span", "soft", `page ${state.page + 1} of ${pages.toLocaleString("en")}`));
    return line;
  }

  /** @param {number} number */
  function select(number) {
    if (!steps[number - 1]) return;
    state.selected = number;
    let shown = kept(turns, state.filter, state.words);
    if (!shown.some(({ first, last }) => first <= number && number <= last)) {
      [state.filter, state.words] = ["all", ""];
      shown = turns;
    }
    state.page = pageOf(shown, number);
    remember({ event: String(number) });
    draw();
    list.querySelector(".sel")?.scrollIntoView({ block: "nearest" });
  }

  const tools = element("ul", "chips");
  for (const [name, keeps] of Object.entries(FILTERS)) {
    const count = steps.filter(keeps).length;
    if (count === 0 && name !== "all") continue;
    const chip = element("button", "chip", `${name} `, element("b", "", count.toLocaleString("en")));
    chip.type = "button";
    chip.setAttribute("aria-pressed", String(name === state.filter));
    chip.addEventListener("click", () => {
      [state.filter, state.page] = [name, 0];
      for (const one of tools.querySelectorAll(".chip")) one.setAttribute("aria-pressed", String(one === chip));
      draw();
    });
    tools.append(element("li", "", chip));
  }
  const search = element("input", "");
  search.type = "search";
  search.placeholder = "Search in this run";
  search.setAttribute("aria-label", "Search in this run");
  search.addEventListener("input", () => { [state.words, state.page] = [search.value, 0]; draw(); });
  tools.append(element("li", "last", search), element("li", "soft small", "j / k: next, previous event"));
  listening?.abort();
  listening = new AbortController();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]"))) return;
    if (event.key === "j") select(state.selected + 1);
    else if (event.key === "k") select(state.selected - 1);
  }, { signal: listening.signal });
  state.page = pageOf(turns, state.selected);
  return { tools, timeline, list, detail: panel, said, select, draw };
}
