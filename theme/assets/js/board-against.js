// The columns Δ and Test of a leaderboard shown by another metric or category: each row with the reference baseline and with the
// best system, computed from per-query.json by the code of the comparison page. A metric that has no value of each item, such as
// latency, isn't tested, and the headings say so.

import { delta, line, pValue } from "./compare-lines.js";
import { valuesOf } from "./compare-values.js";
import { Flips } from "../../verify/resample.js";

/** @typedef {import("./compare-values.js").Data} Data */
/** @typedef {import("./compare-lines.js").Line} Line */
/** @typedef {{key: string, category: string, isCost: boolean, percent: boolean, label: string}} Asked */
/** @typedef {{id: string, row: HTMLElement}} Row */
/** @typedef {{delta: string, p: string, tied: boolean, isBetter: boolean}} Found */

/** Rows that are tested before the page may be painted again. */
const AT_ONCE = 4;

/**
 * Each row against one other, a few at a time; rows that ran other items than it have no answer.
 * @param {Data} data
 * @param {readonly string[]} ids of the rows
 * @param {string} reference id of the row that they are compared with
 * @param {Asked} asked
 * @returns {AsyncGenerator<[string, Found | null]>}
 */
export async function* compared(data, ids, reference, { key, category, isCost, percent }) {
  const metric = data.metrics.find((one) => one.key === key);
  const systems = new Map(data.systems.map((one) => [one.receiptId, one]));
  const base = systems.get(reference);
  const places = placesOf(data, category);
  if (!metric || !base || !data.test || places.length === 0) return;
  const only = { ...data, metrics: data.metrics.filter((one) => one === metric || one === data.metrics[0]) };
  const flips = new Flips(BigInt(data.test.seed), data.test.flips);
  const second = valuesOf(only, base);
  let made = 0;
  for (const id of ids) {
    const system = systems.get(id);
    if (!system || id === reference) continue;
    const first = valuesOf(only, system);
    const [a, b] = [first.get(key) ?? [], second.get(key) ?? []];
    const isSame = places.every((i) => ((a[i] ?? null) === null) === ((b[i] ?? null) === null));
    const [found] = isSame ? line(only, [system, base], [first, second], key, key, places, flips) : [];
    yield [id, found && found.p !== null ? wordsOf({ ...metric, percent }, found, found.p, data.test.level, isCost) : null];
    made += 1;
    if (made % AT_ONCE === 0) await new Promise((done) => { setTimeout(done, 0); });
  }
}

/**
 * @param {Data["metrics"][number]} metric
 * @param {Line} found
 * @param {number} p
 * @param {number} level
 * @param {boolean} isCost
 * @returns {Found}
 */
function wordsOf(metric, found, p, level, isCost) {
  return { delta: delta(metric, found.difference), p: pValue(p), tied: p >= level, isBetter: isCost ? found.difference < 0 : found.difference > 0 };
}

/**
 * The places of a category's items; of every item without one.
 * @param {Data} data
 * @param {string} category
 */
function placesOf({ items }, category) {
  if (category === "") return items.id.map((_, i) => i);
  let start = 0;
  for (const { name, items: size } of items.categories) {
    if (name === category) return Array.from({ length: size }, (_, i) => start + i);
    start += size;
  }
  return [];
}

/**
 * The columns of a table, changed and brought back.
 * @param {HTMLTableElement} table
 * @param {readonly Row[]} rows
 * @param {() => Promise<Data>} load
 */
export function against(table, rows, load) {
  const heads = [...table.querySelectorAll("thead th")].map((one) => /** @type {HTMLTableCellElement} */ (one));
  const rank = heads.find(({ dataset }) => dataset["key"] === "rank");
  const columns = ["delta-leader", "delta", "test"].flatMap((key) => heads.filter(({ dataset }) => dataset["key"] === key));
  const name = heads.find(({ dataset }) => dataset["key"] === "delta")?.dataset["label"]?.replace(/^Δ /u, "") ?? "";
  const reference = rows.find(({ row }) => row.dataset["baseline"] === "reference")?.id ?? "";
  const systems = new Set(rows.filter(({ row }) => row.dataset["baseline"] === undefined).map(({ id }) => id));
  const kept = columns.map((head) => ({
    head,
    nodes: [...inside(head).childNodes],
    cells: rows.map(({ row }) => cellOf(row, head)).flatMap((cell) => (cell ? [{ cell, nodes: [...cell.childNodes] }] : [])),
  }));
  const rankNodes = rank ? [...inside(rank).childNodes] : [];
  let turn = 0;

  /** @param {string} key @param {Row} row */
  function cell(key, { row }) {
    const head = columns.find(({ dataset }) => dataset["key"] === key);
    return head ? cellOf(row, head) : undefined;
  }

  /**
   * @param {string} key
   * @param {string} id
   * @param {Found | null} found
   */
  function fill(key, id, found) {
    const row = rows.find((one) => one.id === id);
    if (!row) return;
    cell(key, row)?.replaceChildren(...(found ? [found.delta, small(found.p)] : ["–"]));
    if (key !== "delta") return;
    const words = document.createElement("span");
    words.className = !found ? "" : found.tied ? "caution" : found.isBetter ? "soft" : "bad";
    words.textContent = !found ? "" : found.tied ? `not better than ${name}` : `${found.isBetter ? "better" : "worse"} than ${name}`;
    cell("test", row)?.replaceChildren(words);
  }

  return {
    restore() {
      turn += 1;
      for (const { head, nodes, cells } of kept) {
        inside(head).replaceChildren(...nodes);
        for (const one of cells) one.cell.replaceChildren(...one.nodes);
      }
      if (rank) inside(rank).replaceChildren(...rankNodes);
    },

    /**
     * Show the columns of what is asked; whether the table still shows that.
     * @param {Asked} asked
     * @param {string} headline label of the metric that ranks are by
     * @param {string} best id of the row that is best by it
     * @returns {Promise<boolean>}
     */
    async show(asked, headline, best) {
      turn += 1;
      const mine = turn;
      if (rank) inside(rank).replaceChildren("Rank ", small(`by ${headline}`));
      if (columns.length === 0) return true;
      for (const { id } of rows) for (const key of ["delta-leader", "delta"]) fill(key, id, null);
      /** @param {string} words @param {string} p */
      const title = (words, p) => {
        for (const { head, nodes } of kept) {
          const isTest = head.dataset["key"] === "test";
          inside(head).replaceChildren(nodes[0]?.cloneNode() ?? "", isTest ? " " : "", small(isTest ? words : words + p));
        }
      };
      title(asked.label, ", unadjusted p");
      let tested = 0;
      try {
        const data = await load();
        for (const [key, other] of /** @type {const} */ ([["delta", reference], ["delta-leader", best]])) {
          const among = rows.flatMap(({ id }) => (key === "delta" || systems.has(id) ? [id] : []));
          for await (const [id, found] of compared(data, among, other, asked)) {
            if (mine !== turn) return false;
            fill(key, id, found);
            tested += found ? 1 : 0;
          }
        }
      } catch {
        tested = 0;
      }
      if (mine !== turn) return false;
      if (tested === 0) title(`not tested: ${asked.label}`, "");
      return true;
    },
  };
}

/**
 * @param {HTMLElement} row
 * @param {HTMLTableCellElement} head
 */
function cellOf(row, head) {
  return /** @type {HTMLTableRowElement} */ (row).cells[head.cellIndex];
}

/** @param {HTMLElement} head */
function inside(head) {
  return head.querySelector("button") ?? head;
}

/** @param {string} words */
function small(words) {
  const made = document.createElement("small");
  made.textContent = words;
  return made;
}
