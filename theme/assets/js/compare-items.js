// The items of a comparison, the largest difference first: outcomes, or where the relevant items were ranked; the ranked
// lists are read from the receipts on demand.

import { delta, figure, nameOf } from "./compare-lines.js";
import { element, regionOf, tableOf } from "./compare-parts.js";
import { loadJson, paged } from "./table.js";

/** @typedef {import("./compare-values.js").Data} Data */
/** @typedef {import("./compare-values.js").System} System */
/** @typedef {import("./compare-values.js").Values} Values */

/**
 * @typedef {object} Item
 * @property {string} id
 * @property {number} place
 * @property {string} category
 * @property {number} difference of two systems, else of the highest and the lowest value
 */

/**
 * The page of an item: its id is a folder, or the value of a query.
 * @param {string} root ends in `/` or `=`
 * @param {string} id
 */
export function pageOf(root, id) {
  return `${root}${encodeURIComponent(id)}${root.endsWith("=") ? "" : "/"}`;
}

/** @param {string} noun in the plural */
export function singular(noun) {
  if (noun === "criteria") return "criterion";
  return noun.endsWith("ies") ? `${noun.slice(0, -3)}y` : noun.replace(/s$/, "");
}

const LISTED = 10;
/** Items of a ranked list. */

/**
 * The items that every system ran, the largest difference first.
 * @param {Data} data
 * @param {Values[]} values
 * @returns {Item[]}
 */
export function ordered(data, values) {
  const key = data.metrics[0]?.key ?? "";
  const columns = values.map((found) => found.get(key) ?? []);
  const categories = data.items.categories.flatMap(({ name, items }) => Array.from({ length: items }, () => name));
  const found = data.items.id.flatMap((id, place) => {
    const each = columns.map((column) => column[place] ?? null);
    if (each.includes(null)) return [];
    const numbers = each.map(Number);
    const difference = numbers.length === 2 ? (numbers[0] ?? 0) - (numbers[1] ?? 0) : Math.max(...numbers) - Math.min(...numbers);
    return [{ id, place, category: categories[place] ?? "", difference }];
  });
  return found.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || b.difference - a.difference || a.place - b.place);
}

/**
 * What a system did with an item: how its runs ended, the ranks of the relevant items, or the value.
 * @param {Data} data
 * @param {System} system
 * @param {Values} values
 * @param {number} place
 */
export function did(data, system, values, place) {
  const own = system.own?.[place] ?? null;
  const metric = data.metrics[0];
  if (own === null || !metric) return metric ? figure(metric, values.get(metric.key)?.[place] ?? null) : "–";
  if (data.track === "agents") return own.length === 1 ? own[0] : `${own.filter((/** @type {string} */ one) => one === "success").length}/${own.length} succeeded`;
  const ranks = own.filter((/** @type {number} */ rank) => rank > 0).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  return ranks.length === 0 ? "no hit" : `hit at ${ranks.join(", ")}${ranks.length < own.length ? ` (of ${own.length} relevant)` : ""}`;
}

/**
 * @param {HTMLElement} place
 * @param {Data} data
 * @param {System[]} systems
 * @param {Values[]} values
 * @param {{noun: string, subject: string}} words
 * @returns {HTMLElement}
 */
export function eachItem(place, data, systems, values, { noun }) {
  const around = element("div", "each");
  const found = ordered(data, values);
  if (found.length === 0) return around;
  const differ = found.filter(({ difference }) => difference !== 0).length;
  const single = singular(noun);
  around.append(element("h2", "", `${single.slice(0, 1).toUpperCase()}${single.slice(1)} by ${single}`));
  around.append(element("p", "small soft", `${differ.toLocaleString("en")} of ${found.length.toLocaleString("en")} ${noun} differ; the largest difference comes first.`));
  const list = element("div", "");
  around.append(list);
  const isPair = systems.length === 2;
  /**
   * @param {Record<string, string>} texts
   * @param {Map<string, string>[]} lists by system
   */
  function show(texts, lists) {
    const metric = /** @type {Data["metrics"][number]} */ (data.metrics[0]);
    const holder = element("div", "");
    const table = tableOf([single.slice(0, 1).toUpperCase() + single.slice(1), "Δ", ...systems.map((system) => nameOf(data, system))], "");
    for (const head of [...table.querySelectorAll("th")].slice(2)) head.className = "";
    holder.append(regionOf(table, `${single} by ${single}`));
    list.replaceChildren(holder);
    const textOf = (/** @type {string} */ id) => (Object.hasOwn(texts, id) ? texts[id] ?? "" : "");
    const root = place.dataset["root"];
    paged(holder, found, {
      noun,
      per: 25,
      text: ({ id, category }) => `${id} ${textOf(id)} ${category}`,
      switches: isPair ? systems.map((system, i) => ({
        label: `${nameOf(data, system)} higher`.slice(0, 60),
        keep: (/** @type {Item} */ item) => (i === 0 ? item.difference > 0 : item.difference < 0),
      })) : [],
      cells: (item) => [
        {
          text: shortened(textOf(item.id) || item.id),
          small: [textOf(item.id) ? item.id : "", item.category.replaceAll("_", " ")].filter(Boolean).join(" · "),
          className: "text",
          ...(root ? { href: pageOf(root, item.id) } : {}),
        },
        { text: delta(metric, item.difference), className: "n" },
        ...systems.map((system, i) => ({
          text: lists[i]?.get(item.id) ?? did(data, system, /** @type {Values} */ (values[i]), item.place),
          className: "list",
          ...(data.track === "agents" ? { href: runOf(place, system, item.id) } : {}),
        })),
      ],
    });
  }
  const address = place.dataset["texts"];
  show({}, []);
  const texts = address ? loadJson(address).then(byId, () => ({})) : Promise.resolve({});
  if (address) void texts.then((loaded) => show(loaded, []));
  if (data.track === "retrieval") around.insertBefore(listing(place, systems, async (lists) => show(await texts, lists)), list);
  return around;
}

/**
 * A button that reads the ranked lists from the receipts.
 * @param {HTMLElement} place
 * @param {System[]} systems
 * @param {(lists: Map<string, string>[]) => Promise<void>} show
 */
function listing(place, systems, show) {
  const button = element("button", "plain", `Show the first ${LISTED} of each ranked list`);
  button.addEventListener("click", async () => {
    if (!(button instanceof HTMLButtonElement)) return;
    button.disabled = true;
    try {
      const receipts = await Promise.all(systems.map(({ path }) => loadJson(`${place.dataset["home"] ?? ""}${path}`)));
      await show(receipts.map(({ perQuery }) => new Map(perQuery.map((/** @type {any} */ row) => [row.queryId, ranked(row)]))));
      line.remove();
    } catch {
      button.textContent = "Loading failed. Retry";
      button.disabled = false;
    }
  });
  const line = element("p", "screen");
  line.append(button);
  return line;
}

/**
 * The first items that a system returned for a query, relevant ones marked.
 * @param {{retrieved: string[], expected?: {id: string, grade: number}[], error?: unknown}} row
 */
export function ranked({ retrieved, expected = [], error }) {
  if (error) return "failed";
  const hits = new Set(expected.filter(({ grade }) => grade >= 1).map(({ id }) => id));
  const distinct = [...new Set(retrieved)];
  const shown = distinct.slice(0, LISTED).map((id, i) => `${i + 1} ${hits.has(id) ? "✓ " : ""}${id}`).join(" · ");
  return distinct.length > LISTED ? `${shown} +${distinct.length - LISTED}` : shown || "nothing returned";
}

/**
 * @param {HTMLElement} place
 * @param {System} system
 * @param {string} task
 */
function runOf(place, { receiptId }, task) {
  return `${place.dataset["board"] ?? ""}runs/${receiptId}/?task=${encodeURIComponent(task)}&run=1`;
}

/** @param {string} text */
function shortened(text) {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/**
 * Texts by id, from either form of file.
 * @param {any} found
 * @returns {Record<string, string>}
 */
export function byId(found) {
  if (!found.tasks) return found;
  return Object.fromEntries(found.tasks.id.map((/** @type {string} */ id, /** @type {number} */ i) => [id, found.tasks.query[i] ?? ""]));
}
