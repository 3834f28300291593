// One query of a large dataset: the rank of each relevant item by system, read from per-query.json. The address names the
// query. Datasets with fewer queries have a file for each (benchsite/tracks/retrieval/pages/queries.py).

import { figure, nameOf } from "./compare-lines.js";
import { byId } from "./compare-items.js";
import { element, regionOf, tableOf } from "./compare-parts.js";
import { valuesOf } from "./compare-values.js";
import { loadJson } from "./table.js";

/** @typedef {import("./compare-values.js").Data & {items: {relevant?: (string[] | null)[]}}} Data */
/** @typedef {import("./compare-values.js").System} System */

/**
 * @typedef {object} Same systems that returned the relevant items at the same ranks
 * @property {System[]} systems
 * @property {number | null} value of the headline metric
 * @property {number[]} ranks 0: not returned
 */

const COLUMNS = 8;

/**
 * The systems that asked a query, equal ranks together, best first.
 * @param {Data} data
 * @param {number} place of the query
 * @returns {Same[]}
 */
export function groups(data, place) {
  const metric = data.metrics[0]?.key ?? "";
  const shared = data.items.shared[place];
  /** @type {Map<string, Same>} */
  const found = new Map();
  for (const system of data.systems) {
    const ranks = system.own?.[place];
    if (!Array.isArray(ranks)) continue;
    const own = system.shared ? [system.shared[place]] : [shared];
    const one = { ...data, items: { ...data.items, id: [data.items.id[place] ?? ""], shared: own } };
    const value = valuesOf(one, { ...system, own: [ranks], shared: own }).get(metric)?.[0] ?? null;
    const key = JSON.stringify([value, ranks]);
    /** @type {Same} */
    const same = found.get(key) ?? { systems: [], value, ranks };
    same.systems.push(system);
    found.set(key, same);
  }
  return [...found.values()].sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
}

/**
 * The place of the query that an address names: -1 if it is none of this dataset, the first one without a name.
 * @param {Data} data
 * @param {URLSearchParams} given
 */
export function asked(data, given) {
  const id = given.get("id");
  return id === null ? 0 : data.items.id.indexOf(id);
}

/** @param {HTMLElement} around */
export async function start(around) {
  const { values, texts: address } = around.dataset;
  if (!values || location.protocol === "file:") return;
  try {
    const [data, texts] = await Promise.all([loadJson(values), address ? loadJson(address).then(byId, () => ({})) : {}]);
    const place = asked(data, new URL(location.href).searchParams);
    around.replaceChildren(...(place < 0 ? unknown() : shown(around, data, texts, place)));
  } catch {
    around.append(element("p", "caution", "Loading failed. Reload the page."));
  }
}

function unknown() {
  return [element("h1", "", "Query not found"), element("p", "lede", "This dataset has no scored query with the id in the address. The list of queries has every id.")];
}

/**
 * @param {HTMLElement} around
 * @param {Data} data
 * @param {Record<string, string>} texts
 * @param {number} place
 */
function shown(around, data, texts, place) {
  const id = data.items.id[place] ?? "";
  const text = Object.hasOwn(texts, id) ? (texts[id] ?? "").replace(/\s+/g, " ").trim() : "";
  const title = text.length > 160 ? `${text.slice(0, 159)}…` : text || id;
  document.title = `${title} - ${document.title}`.slice(0, 200);
  const found = groups(data, place);
  const all = found.reduce((sum, { systems }) => sum + systems.length, 0);
  const hit = found.filter(({ ranks }) => ranks.some(Boolean)).reduce((sum, { systems }) => sum + systems.length, 0);
  const category = categoryOf(data, place).replaceAll("_", " ");
  const made = [
    element("h1", "", title),
    element("p", "lede", `Query ${id}${category ? `, category: ${category}` : ""}. ${hit} of ${all} ${all === 1 ? "system" : "systems"}, baselines included, returned a relevant item.`),
  ];
  if (text.length > 160) made.push(element("p", "read prose-text", text.slice(0, 10_000)));
  made.push(element("h2", "", "Rank by system"), ranks(around, data, place, found));
  made.push(element("p", "small soft", "A number is the rank of the item in the results; –: not returned. Systems with equal results share a row. A name leads to the receipt."));
  made.push(neighbors(data, place));
  return made;
}

/**
 * @param {HTMLElement} place
 * @param {Data} data
 * @param {number} at
 * @param {Same[]} found
 */
function ranks(place, data, at, found) {
  const metric = /** @type {Data["metrics"][number]} */ (data.metrics[0]);
  const grades = data.items.shared[at] ?? [];
  const ids = data.items.relevant?.[at] ?? grades.map((/** @type {number} */ _, /** @type {number} */ i) => `relevant item ${i + 1}`);
  const heads = ["System", metric.label, ...ids.slice(0, COLUMNS).map((/** @type {string} */ id, /** @type {number} */ i) => `${id}\ngrade ${grades[i]}`)];
  const table = tableOf(heads, "ranked");
  for (const { systems, value, ranks: own } of found) {
    const row = table.tBodies[0]?.insertRow();
    const head = element("th");
    head.setAttribute("scope", "row");
    systems.forEach((system, i) => {
      const link = document.createElement("a");
      link.href = `${place.dataset["home"] ?? ""}receipts/${system.receiptId.slice(0, 2)}/${system.receiptId}/`;
      link.textContent = nameOf(data, system);
      head.append(...(i > 0 ? [", "] : []), link);
    });
    row?.append(head, element("td", "n", figure(metric, value)), ...own.slice(0, COLUMNS).map((rank) => element("td", rank ? "n good" : "n soft", rank ? String(rank) : "–")));
  }
  return regionOf(table, "Rank by system");
}

/**
 * Links to the queries before and after.
 * @param {Data} data
 * @param {number} place
 */
function neighbors(data, place) {
  const nav = element("nav", "around");
  nav.setAttribute("aria-label", "Previous and next query");
  for (const [rel, word, id] of [["prev", "Previous", data.items.id[place - 1]], ["next", "Next", data.items.id[place + 1]]]) {
    if (id === undefined || rel === undefined) continue;
    const link = document.createElement("a");
    link.rel = rel;
    link.href = `?id=${encodeURIComponent(id)}`;
    link.append(element("span", "", word), ` ${id}`);
    nav.append(link);
  }
  return nav;
}

/**
 * @param {Data} data
 * @param {number} place
 */
function categoryOf({ items }, place) {
  let end = 0;
  for (const { name, items: size } of items.categories) {
    end += size;
    if (place < end) return name;
  }
  return "";
}
