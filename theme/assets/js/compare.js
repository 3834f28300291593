// Two to five systems that the reader chooses, compared from per-query.json; the ids are in the address, `a` to `e`.
// Without script the page has the best two.

import { byCategory, byMetric, delta, differing, figure, interval, pValue, sentence } from "./compare-lines.js";
import { eachItem } from "./compare-items.js";
import { element, regionOf, tableOf } from "./compare-parts.js";
import { valuesOf } from "./compare-values.js";
import { remember } from "./facets.js";
import { loadJson } from "./table.js";
import { visible } from "../../verify/unseen.js";

/** @typedef {import("./compare-values.js").Data} Data */
/** @typedef {import("./compare-values.js").System} System */
/** @typedef {import("./compare-values.js").Values} Values */
/** @typedef {import("./compare-lines.js").Line} Line */

export const NAMES = ["a", "b", "c", "d", "e"];

/**
 * The places of the systems that an address names: two to five different ones. What is missing is filled from the best.
 * @param {System[]} systems best first
 * @param {URLSearchParams} given
 * @returns {{places: number[], unknown: string[]}}
 */
export function asked(systems, given) {
  const ids = NAMES.map((name) => given.get(name) ?? "").filter(Boolean);
  const found = ids.map((id) => systems.findIndex(({ receiptId }) => receiptId === id));
  const places = [...new Set(found.filter((place) => place >= 0))];
  for (let next = 0; places.length < Math.min(2, systems.length); next += 1) if (!places.includes(next)) places.push(next);
  return { places, unknown: ids.filter((_, i) => found[i] === -1).map((id) => id.slice(0, 36)) };
}

/**
 * @param {HTMLElement} place
 */
export async function start(place) {
  const { values } = place.dataset;
  const [tools, compared] = [place.querySelector(".tools"), place.querySelector(".compared")];
  if (!values || !tools || !compared || location.protocol === "file:") return;
  /** @type {Data} */
  let data;
  try {
    data = await loadJson(values);
  } catch {
    tools.append("Loading failed. The comparison below is of the best two.");
    return;
  }
  if (data.systems.length < 2) return;
  let { places, unknown } = asked(data.systems, new URL(location.href).searchParams);
  /** @type {Map<number, Values>} */
  const known = new Map();
  const selects = NAMES.slice(0, data.systems.length).map((_, side) => choice(tools, data, side));

  function show() {
    selects.forEach((select, side) => {
      select.value = String(places[side] ?? -1);
      for (const option of select.options) option.disabled = places.includes(Number(option.value)) && option.value !== select.value;
      const around = select.parentElement;
      if (around) around.hidden = side > places.length;
    });
    const systems = places.map((at) => /** @type {System} */ (data.systems[at]));
    const scored = places.map((at, i) => {
      const found = known.get(at) ?? valuesOf(data, /** @type {System} */ (systems[i]));
      known.set(at, found);
      return found;
    });
    compared?.replaceChildren(...told(place, data, systems, scored, unknown));
  }
  selects.forEach((select, side) => {
    select.addEventListener("input", () => {
      const value = Number(select.value);
      if (value < 0) places.splice(side, 1);
      else places[side] = value;
      unknown = [];
      remember(Object.fromEntries(NAMES.map((name, i) => [name, data.systems[places[i] ?? -1]?.receiptId ?? ""])));
      show();
    });
  });
  show();
}

/**
 * @param {Element} tools
 * @param {Data} data
 * @param {number} side
 */
function choice(tools, data, side) {
  const select = document.createElement("select");
  if (side > 1) select.append(new Option(side === 2 ? "add a third" : "add another", "-1"));
  data.systems.forEach((system, i) => select.append(new Option(visible(`${system.name} (${system.label || system.version})`.slice(0, 120)), String(i))));
  const label = document.createElement("label");
  label.append(["First ", "Second ", "Third ", "Fourth ", "Fifth "][side] ?? "", select);
  tools.append(label);
  return select;
}

/**
 * Everything below the choice.
 * @param {HTMLElement} place
 * @param {Data} data
 * @param {System[]} systems
 * @param {Values[]} values
 * @param {string[]} unknown
 * @returns {HTMLElement[]}
 */
function told(place, data, systems, values, unknown) {
  const { noun = "items", subject = "system" } = place.dataset;
  const [first, ...others] = systems;
  const [own, ...rest] = values;
  if (!first || !own) return [];
  const lines = others.map((other, i) => byMetric(data, [first, other], [own, /** @type {Values} */ (rest[i])]));
  const parts = others.map((other, i) => byCategory(data, [first, other], [own, /** @type {Values} */ (rest[i])]));
  const result = element("div", "");
  result.setAttribute("aria-live", "polite");
  for (const [i, other] of others.entries()) result.append(element("p", "lede", sentence(data, [first, other], lines[i] ?? [], noun)));
  if (unknown.length > 0) {
    const more = data.more > 0 ? ` This page has the ${data.systems.length} best.` : "";
    result.prepend(element("p", "caution", `Not on this page: ${unknown.join(", ")}.${more} Run benchsite compare with the receipt ids.`));
  }
  result.append(comparable(data, systems, values, noun));
  if (data.test !== null && lines.some((found) => found.length > 0)) result.append(metrics(data, systems, lines));
  if (data.test !== null && parts.some((found) => found.length > 0)) result.append(...categories(data, systems, parts));
  return [result, eachItem(place, data, systems, values, { noun, subject })];
}

/**
 * What the systems share and in what they differ, before any number.
 * @param {Data} data
 * @param {System[]} systems
 * @param {Values[]} values
 * @param {string} noun
 */
function comparable(data, systems, values, noun) {
  const key = data.metrics[0]?.key ?? "";
  const ran = data.items.id.map((_, i) => values.map((found) => (found.get(key)?.[i] ?? null) !== null));
  const common = ran.filter((each) => each.every(Boolean)).length;
  const every = ran.filter((each) => each.some(Boolean)).length;
  const found = differing(systems);
  const [tone, glyph, word] = common === 0 ? ["bad", "✗", "Not comparable"]
    : common === every && found.length === 0 ? ["good", "✓", "Comparable"] : ["caution", "△", "Comparable, with differences"];
  const box = element("div", `comparable ${tone}`);
  const line = element("p", "");
  const mark = element("span", "", glyph);
  mark.setAttribute("aria-hidden", "true");
  const bold = element("b", "");
  bold.append(mark, ` ${word}`);
  line.append(bold, ` Same methodology ${data.methodology}; ${common.toLocaleString("en")} of ${every.toLocaleString("en")} ${noun} are common.`);
  box.append(line);
  if (found.length > 0) {
    const list = document.createElement("ul");
    for (const [name, each] of found) list.append(element("li", "", `${name}: ${each.map((text) => (text.length > 120 ? `${text.slice(0, 117)}…` : text)).join("; ")}`));
    box.append(list);
  }
  return box;
}

/**
 * @param {Data} data
 * @param {System[]} systems
 * @param {Line[][]} lines
 */
function metrics(data, systems, lines) {
  const isPair = systems.length === 2;
  const heads = ["Metric", ...systems.map((system) => headOf(system))];
  if (isPair) heads.push("Δ", "95% CI of Δ (paired)", "Test", "Holm-adjusted", "Wins / losses / ties");
  const table = tableOf(heads, "versus");
  for (const metric of data.metrics) {
    const found = lines.map((each) => each.find(({ name }) => name === metric.key));
    if (found.every((each) => each === undefined)) continue;
    const row = table.tBodies[0]?.insertRow();
    if (!row) continue;
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = metric.label;
    row.append(head, element("td", "n", figure(metric, found.find(Boolean)?.first ?? null)));
    for (const each of found) {
      const cell = element("td", "n", figure(metric, each?.second ?? null));
      row.append(cell);
      if (!each) continue;
      const counted = `${each.wins.toLocaleString("en")} / ${each.losses.toLocaleString("en")} / ${(each.n - each.wins - each.losses).toLocaleString("en")}`;
      if (isPair) {
        const bold = element("td", "n");
        bold.append(element("b", "", delta(metric, each.difference)));
        row.append(bold, ...[interval(metric, each.interval), pValue(each.p), pValue(each.holm), counted].map((text) => element("td", "n", text)));
      } else {
        cell.append(element("small", "", `Δ ${delta(metric, each.difference)} ${interval(metric, each.interval)}`), element("small", "", `${pValue(each.p)}; ${counted}`));
      }
    }
  }
  return regionOf(table, "Metrics");
}

/**
 * A name, with version and options below it.
 * @param {System} system
 */
export function headOf(system) {
  return `${system.name}\n${[system.version, system.label, system.sent].filter(Boolean).join(" · ")}`;
}

/**
 * @param {Data} data
 * @param {System[]} systems
 * @param {Line[][]} parts
 * @returns {HTMLElement[]}
 */
function categories(data, systems, parts) {
  const metric = /** @type {Data["metrics"][number]} */ (data.metrics[0]);
  const isPair = systems.length === 2;
  const heads = ["Category", "n", ...systems.map(headOf)];
  if (isPair) heads.push("Δ", "95% CI of Δ (paired)", "Holm-adjusted", "Plot");
  const table = tableOf(heads, "versus");
  const ends = parts.flat().flatMap((one) => (one.interval ? [one.interval.low, one.interval.high] : [one.difference]));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  for (const { name } of data.items.categories) {
    const found = parts.map((each) => each.find((one) => one.name === name));
    const known = found.find(Boolean);
    const row = known && table.tBodies[0]?.insertRow();
    if (!known || !row) continue;
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = name.replaceAll("_", " ");
    row.append(head, element("td", "n", known.n.toLocaleString("en")), element("td", "n", figure(metric, known.first)));
    for (const each of found) {
      const cell = element("td", "n", figure(metric, each?.second ?? null));
      row.append(cell);
      if (!each) continue;
      if (isPair) {
        const bold = element("td", "n");
        bold.append(element("b", "", delta(metric, each.difference)));
        const drawn = element("td", "strip");
        drawn.append(plot(each, low, high));
        row.append(bold, ...[interval(metric, each.interval), pValue(each.holm)].map((text) => element("td", "n", text)), drawn);
      } else {
        cell.append(element("small", "", `Δ ${delta(metric, each.difference)} ${interval(metric, each.interval)}`));
      }
    }
  }
  return [element("h2", "", `Δ ${metric.label} by category`), regionOf(table, "By category")];
}

/**
 * A difference with its CI on the shared scale; zero is dashed.
 * @param {Line} line
 * @param {number} low
 * @param {number} high
 */
function plot(line, low, high) {
  const names = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(names, "svg");
  svg.setAttribute("viewBox", "0 0 224 18");
  svg.setAttribute("aria-hidden", "true");
  const at = (/** @type {number} */ value) => (4 + (216 * (value - low)) / (high - low || 1)).toFixed(1);
  const drawn = [["axis", "M4 9h216"], ["zero", `M${at(0)} 1v16`]];
  if (line.interval) drawn.push(["ci", `M${at(line.interval.low)} 9H${at(line.interval.high)}`]);
  for (const [name, path] of drawn) {
    const one = document.createElementNS(names, "path");
    one.setAttribute("class", name ?? "");
    one.setAttribute("d", path ?? "");
    svg.append(one);
  }
  const dot = document.createElementNS(names, "circle");
  dot.setAttribute("cx", at(line.difference));
  dot.setAttribute("cy", "9");
  dot.setAttribute("r", "4");
  svg.append(dot);
  return svg;
}
