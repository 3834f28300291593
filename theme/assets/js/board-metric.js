// A leaderboard shown by another metric, or by one category of tasks: values, CIs and plots from the page's own data file.

import { against } from "./board-against.js";
import { remember } from "./facets.js";
import { loadJson } from "./table.js";

/** Value, low, high, and both as text. @typedef {[number | null, number | null, number | null, string, string]} Numbers */
/** @typedef {{key: string, label: string, isCost: boolean, percent: boolean}} Metric */
/** @typedef {{metrics: Metric[], rows: Record<string, Record<string, Numbers>>}} View */
/** @typedef {{key: string, isCost: boolean, label: string}} Chosen */

const SVG = "http://www.w3.org/2000/svg";
const [LEFT, RIGHT, MIDDLE] = [4, 196, 11];

/**
 * A scale from round numbers that holds every bound; it starts at 0 unless a bound is below.
 * @param {readonly (number | null)[]} bounds
 * @param {boolean} percent
 * @returns {{low: number, high: number}}
 */
export function scaleOf(bounds, percent) {
  const known = bounds.filter((bound) => bound !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
  const span = most - least || 1;
  const power = 10 ** Math.floor(Math.log10(span));
  const step = [0.1, 0.2, 0.5, 1, 2].map((factor) => factor * power).find((one) => span / one <= 6.5) ?? power;
  /** @param {number} steps */
  const at = (steps) => Number((steps * step).toPrecision(12));
  const high = at(Math.ceil(most / step - 1e-9) || 1);
  return { low: at(Math.floor(least / step + 1e-9)), high: percent ? Math.min(1, high) : high };
}

/**
 * @param {number} value
 * @param {boolean} percent
 */
function end(value, percent) {
  if (percent) return `${Math.round(100 * value)}%`;
  return Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });
}

/**
 * @param {Element} drawing
 * @param {string} name
 * @param {Record<string, string>} attributes
 */
function part(drawing, name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  drawing.append(made);
}

/**
 * @param {SVGElement} drawing
 * @param {string} name
 * @param {Numbers} numbers
 * @param {{low: number, high: number}} scale
 * @param {number | null} reference
 */
function draw(drawing, name, [value, low, high, text, interval], scale, reference) {
  /** @param {number} at */
  const x = (at) => (LEFT + ((at - scale.low) / (scale.high - scale.low)) * (RIGHT - LEFT)).toFixed(1);
  for (const old of drawing.querySelectorAll(".ref, .ci, .off, circle")) old.remove();
  if (reference !== null) part(drawing, "path", { class: "ref", d: `M${x(reference)} 1V21` });
  if (low !== null && high !== null) part(drawing, "path", { class: "ci", d: `M${x(low)} ${MIDDLE}H${x(high)}` });
  if (value !== null) part(drawing, "circle", { cx: x(value), cy: String(MIDDLE), r: "3.5" });
  const title = drawing.querySelector("title");
  if (title) title.textContent = `${name}: ${value === null ? "no value" : text}${interval ? `, 95% CI ${interval}` : ""}`;
}

/**
 * Bring the two selects to life; settled when the table shows what the address asks for.
 * @param {HTMLElement} place
 * @param {HTMLTableElement} table
 * @param {(numbers: ((id: string) => number | null) | null, chosen: Chosen) => void} changed what rows are ordered by;
 *   null for the headline over all tasks
 * @returns {Promise<void>}
 */
export async function metrics(place, table, changed) {
  const selects = ["metric", "tasks"].map((name) => place.querySelector(`select[data-control=${name}]`));
  const [metric, tasks] = selects.map((one) => (one instanceof HTMLSelectElement ? one : null));
  const headline = place.dataset["metric"] ?? "";
  const heading = table.querySelector("thead th.value");
  const plot = table.querySelector("thead th.stretch");
  if (!heading || !plot || (!metric && !tasks)) return;
  const kept = [...heading.childNodes].map((node) => node.cloneNode(true));
  const words = plot.textContent ?? "";
  const axis = place.querySelector(".axis-words");
  const axisWords = axis?.textContent ?? "";
  const address = new URL(location.href).searchParams;
  /** @type {Promise<View> | undefined} */
  let loading;
  const rows = [...table.querySelectorAll("tr[data-id]")].flatMap((row) => (row instanceof HTMLElement ? [{ id: row.dataset["id"] ?? "", row }] : []));
  const label = kept.map((node) => node.textContent).join("");
  /** @type {Promise<import("./compare-values.js").Data> | undefined} */
  let values;
  const tests = against(table, rows, () => (values ??= loadJson(place.dataset["values"] ?? "")));
  const cells = rows.map(({ id, row }) => ({
    id,
    isReference: row.dataset["baseline"] === "reference",
    isSystem: row.dataset["baseline"] === undefined,
    name: row.querySelector(".what b")?.textContent ?? "",
    value: /** @type {HTMLElement} */ (row.querySelector("td.value")),
    was: [...(row.querySelector("td.value")?.childNodes ?? [])],
    drawing: row.querySelector("svg.plot"),
    drawn: [...(row.querySelector("svg.plot")?.childNodes ?? [])].map((node) => node.cloneNode(true)),
  }));

  function restore() {
    for (const cell of cells) {
      cell.value.replaceChildren(...cell.was);
      cell.drawing?.replaceChildren(...cell.drawn.map((node) => node.cloneNode(true)));
    }
    (heading?.querySelector("button") ?? heading)?.replaceChildren(...kept.map((node) => node.cloneNode(true)));
    if (plot) plot.textContent = words;
    if (axis) axis.textContent = axisWords;
    tests.restore();
    changed(null, { key: headline, isCost: false, label });
  }

  /**
   * @param {View} view
   * @param {Metric} shown
   * @param {string} key
   * @param {string} small
   * @returns {Promise<void>} settled when the rows are tested by it
   */
  async function show(view, shown, key, small) {
    /** @type {Numbers} */
    const none = [null, null, null, "–", ""];
    /** @param {string} id */
    const numbers = (id) => view.rows[id]?.[key] ?? none;
    const scale = scaleOf(cells.flatMap(({ id }) => numbers(id).slice(0, 3)).map((one) => (typeof one === "number" ? one : null)), shown.percent);
    const reference = numbers(cells.find(({ isReference }) => isReference)?.id ?? "")[0];
    for (const { id, name, value, drawing } of cells) {
      const [, , , text, interval] = numbers(id);
      value.replaceChildren(text);
      if (interval) {
        const second = document.createElement("small");
        second.textContent = interval;
        value.append(second);
      }
      if (drawing instanceof SVGElement) draw(drawing, name, numbers(id), scale, reference);
    }
    const gloss = document.createElement("small");
    gloss.textContent = small;
    (heading?.querySelector("button") ?? heading)?.replaceChildren(`${shown.label} `, gloss);
    const dashed = words.includes(";") && reference !== null ? words.slice(words.indexOf(";")) : "";
    if (plot) plot.textContent = `95% CI, ${end(scale.low, shown.percent).replace("%", "")}–${end(scale.high, shown.percent)}${dashed}`;
    if (axis && plot) axis.textContent = plot.textContent;
    const category = key.startsWith("part:") ? key.slice("part:".length) : "";
    const chosen = { key, isCost: shown.isCost, label: category ? small : shown.label };
    changed((id) => numbers(id)[0], chosen);
    const [best] = cells.filter(({ id, isSystem }) => isSystem && numbers(id)[0] !== null)
      .sort((a, b) => (Number(numbers(b.id)[0]) - Number(numbers(a.id)[0])) * (shown.isCost ? -1 : 1));
    const asked = { ...chosen, key: shown.key, category, percent: shown.percent };
    if (await tests.show(asked, label, best?.id ?? "")) changed((id) => numbers(id)[0], chosen);
  }

  async function choose() {
    const [wanted, only] = [metric?.value ?? headline, tasks?.value ?? ""];
    remember({ metric: wanted === headline ? "" : wanted, tasks: only });
    if (wanted === headline && only === "") return restore();
    loading ??= loadJson(place.dataset["view"] ?? "");
    /** @type {View} */
    let view;
    try {
      view = await loading;
    } catch {
      loading = undefined;
      if (metric) metric.value = headline;
      if (tasks) tasks.value = "";
      return restore();
    }
    const shown = view.metrics.find(({ key }) => key === wanted);
    if (!shown || (metric?.value ?? headline) !== wanted || (tasks?.value ?? "") !== only) return;
    const part = tasks?.selectedOptions[0]?.textContent ?? "";
    await show(view, shown, only === "" ? wanted : `part:${only}`, only === "" ? "not ranked by" : part);
  }

  for (const [one, other, name] of /** @type {const} */ ([[metric, tasks, "metric"], [tasks, metric, "tasks"]])) {
    if (!one) continue;
    const asked = address.get(name) ?? "";
    if ([...one.options].some((option) => option.value === asked)) one.value = asked;
    one.disabled = false;
    one.addEventListener("change", () => {
      // Categories have the headline alone: the other select goes back.
      if (other && name === "metric" && one.value !== headline) other.value = "";
      if (other && name === "tasks" && one.value !== "") other.value = headline;
      void choose();
    });
  }
  if (metric && tasks && tasks.value !== "") metric.value = headline;
  if ((metric && metric.value !== headline) || (tasks && tasks.value !== "")) await choose();
}
