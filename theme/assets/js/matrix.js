// The picture of items by systems: filters, a selection by dragging or by two sliders, and the list of what is selected.
// The state is in the address. The picture and its tables are whole without this script.

import { byId, pageOf, singular } from "./compare-items.js";
import { remember } from "./facets.js";
import { Brush, sliders } from "./matrix-brush.js";
import { loadJson, paged } from "./table.js";
import { visible } from "../../verify/unseen.js";

/**
 * @typedef {object} System
 * @property {string} receiptId
 * @property {string} name
 * @property {string} version
 * @property {string} label
 * @property {boolean} baseline
 * @property {string} cells a letter of a kind for each item; `-` if it was not run
 *
 * @typedef {object} Data
 * @property {{id: string[], categories: {name: string, items: number}[]}} items in the order of the picture
 * @property {{key: string, words: string, tone: string, solved: boolean}[]} kinds
 * @property {number} step every so many-th item is drawn
 * @property {number} gap between categories, the width of an item being 1
 * @property {System[]} systems best first
 *
 * @typedef {{item: number, x: number}} Column an item that is drawn, by its place among all, and where
 * @typedef {"" | "none" | "one" | "all" | "differ"} Filter
 */

const NOT_RUN = "-";
/** @type {readonly Filter[]} */
const FILTERS = ["", "none", "one", "all", "differ"];

/**
 * Where the drawn items are, as benchsite/site/charts/items.py places them.
 * @param {Data} data
 * @returns {{columns: Column[], width: number}}
 */
export function placed({ items, step, gap }) {
  /** @type {Column[]} */
  const columns = [];
  let [start, at] = [0, 0];
  for (const { items: size } of items.categories) {
    for (let item = Math.ceil(start / step) * step; item < start + size; item += step) columns.push({ item, x: at++ });
    start += size;
    at += gap;
  }
  return { columns, width: Math.max(1, at - gap) };
}

/**
 * For each item how many systems solve it, without baselines; null if one of them did not run it.
 * @param {Data} data
 * @returns {(number | null)[]}
 */
export function solvers({ items, kinds, systems }) {
  const good = new Set(kinds.filter(({ solved }) => solved).map(({ key }) => key));
  const ranked = systems.filter(({ baseline }) => !baseline);
  return items.id.map((_, i) => {
    if (ranked.length === 0 || ranked.some(({ cells }) => cells[i] === NOT_RUN)) return null;
    return ranked.filter(({ cells }) => good.has(cells[i] ?? "")).length;
  });
}

/**
 * Whether one of two systems solves an item and the other, which ran it too, does not.
 * @param {Data} data
 * @param {string} a cells
 * @param {string} b
 * @returns {boolean[]}
 */
export function differing({ items, kinds }, a, b) {
  const good = new Set(kinds.filter(({ solved }) => solved).map(({ key }) => key));
  return items.id.map((_, i) => {
    const [one, other] = [a[i] ?? NOT_RUN, b[i] ?? NOT_RUN];
    return one !== NOT_RUN && other !== NOT_RUN && good.has(one) !== good.has(other);
  });
}

/**
 * The items that each filter keeps.
 * @param {Data} data
 * @param {System | undefined} a
 * @param {System | undefined} b
 * @returns {Record<Filter, boolean[]>}
 */
export function kept(data, a, b) {
  const counts = solvers(data);
  const every = data.systems.filter(({ baseline }) => !baseline).length;
  return {
    "": counts.map(() => true),
    none: counts.map((count) => count === 0),
    one: counts.map((count) => count === 1),
    all: counts.map((count) => count === every),
    differ: a && b ? differing(data, a.cells, b.cells) : counts.map(() => false),
  };
}

/**
 * A place read from the address, or the one given if it is none.
 * @param {string | null} text
 * @param {number} count
 * @param {number} otherwise
 */
export function place(text, count, otherwise) {
  const found = Number(text);
  return text !== null && /^[0-9]{1,6}$/.test(text) && found < count ? found : otherwise;
}

/**
 * The items from one drawn column to another, those between two drawn ones among them.
 * @param {Column[]} columns
 * @param {number} from
 * @param {number} to
 * @param {number} count of all items
 * @returns {[number, number]} first place, and the place after the last
 */
export function between(columns, from, to, count) {
  return [from === 0 ? 0 : columns[from]?.item ?? 0, columns[to + 1]?.item ?? count];
}

/**
 * @param {HTMLElement} around
 */
export async function start(around) {
  const { values } = around.dataset;
  const drawn = around.querySelector(".drawn");
  if (!values || !drawn || location.protocol === "file:") return;
  /** @type {Data} */
  let data;
  try {
    data = await loadJson(values);
  } catch {
    around.querySelector(".selected")?.append("Loading failed. The tables below are complete.");
    return;
  }
  new Matrix(around, drawn, data).show();
}

class Matrix {
  /**
   * @param {HTMLElement} around
   * @param {Element} drawn
   * @param {Data} data
   */
  constructor(around, drawn, data) {
    this.around = around;
    this.data = data;
    this.noun = around.dataset["noun"] ?? "items";
    this.past = around.dataset["past"] ?? "solved";
    this.counts = solvers(data);
    const { columns, width } = placed(data);
    this.columns = columns;
    const given = new URL(location.href).searchParams;
    const last = columns.length - 1;
    this.from = place(given.get("from"), columns.length, 0);
    this.to = Math.max(this.from, place(given.get("to"), columns.length, last));
    this.filter = FILTERS.find((one) => one === given.get("solved")) ?? "";
    const places = ["a", "b"].map((name) => data.systems.findIndex((one) => one.receiptId === given.get(name)));
    const [a = -1, b = -1] = places;
    /** @type {[number, number]} */
    this.pair = [a, b === a ? -1 : b];
    this.brush = new Brush(drawn, width, data.systems.length, columns, (from, to) => this.select(from, to));
    this.range = sliders(columns.length, this.noun, (from, to) => this.select(from, to));
    around.querySelector("figure")?.after(this.range.element);
    this.buttons = this.tools();
    /** @type {Promise<Record<string, string>> | null} */
    this.texts = null;
  }

  /** @returns {Map<Filter, HTMLButtonElement>} */
  tools() {
    const line = document.createElement("div");
    line.className = "tools";
    const every = this.data.systems.filter(({ baseline }) => !baseline).length;
    /** @type {Map<Filter, HTMLButtonElement>} */
    const buttons = new Map();
    const words = { "": "all", none: `${this.past} by none`, one: "by exactly one", all: `by all ${every}`, differ: "selected two differ" };
    for (const filter of FILTERS) {
      if (every < 2 && filter !== "" && filter !== "differ") continue;
      if (filter === "differ" && this.data.systems.length < 2) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      const count = document.createElement("span");
      count.className = "mono";
      button.append(words[filter], count);
      button.addEventListener("click", () => {
        this.filter = filter;
        if (filter === "differ") this.pair = chosen(this.pair);
        this.show();
      });
      buttons.set(filter, button);
      line.append(button);
    }
    if (this.data.systems.length > 1) line.append(...this.selects());
    this.around.prepend(line);
    return buttons;
  }

  /** @returns {HTMLElement[]} */
  selects() {
    this.choices = /** @type {const} */ ([0, 1]).map((side) => {
      const select = document.createElement("select");
      select.append(new Option("–", "-1"), ...this.data.systems.map((one, i) => new Option(visible(`${one.name} (${one.label || one.version})`.slice(0, 120)), String(i))));
      select.addEventListener("input", () => {
        const value = Number(select.value);
        const other = this.pair[1 - side] === value ? -1 : this.pair[1 - side] ?? -1;
        this.pair = side === 0 ? [value, other] : [other, value];
        this.filter = this.pair.includes(-1) ? this.filter : "differ";
        this.show();
      });
      return select;
    });
    return this.choices.map((select, side) => {
      const label = document.createElement("label");
      label.append(side === 0 ? "First " : "Second ", select);
      return label;
    });
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  select(from, to) {
    [this.from, this.to] = [from, to];
    this.show();
  }

  show() {
    const [a, b] = this.pair.map((at) => this.data.systems[at]);
    const keeping = kept(this.data, a, b);
    if (this.filter === "differ" && !(a && b)) this.filter = "";
    for (const [filter, button] of this.buttons) {
      button.setAttribute("aria-pressed", String(filter === this.filter));
      const count = button.querySelector(".mono");
      if (count) count.textContent = filter === "differ" && !(a && b) ? "" : ` ${keeping[filter].filter(Boolean).length.toLocaleString("en")}`;
    }
    this.choices?.forEach((select, side) => { select.value = String(this.pair[side]); });
    const keeps = keeping[this.filter];
    const whole = this.from === 0 && this.to === this.columns.length - 1;
    this.range.set(this.from, this.to);
    this.brush.show(whole ? null : [this.from, this.to], this.columns.filter(({ item }) => !keeps[item]).map(({ x }) => x));
    const [first, end] = between(this.columns, this.from, this.to, this.data.items.id.length);
    const found = [];
    for (let i = first; i < end; i += 1) if (keeps[i]) found.push(i);
    void this.list(found);
    remember({
      solved: this.filter,
      a: a?.receiptId ?? "",
      b: b?.receiptId ?? "",
      from: whole ? "" : String(this.from),
      to: whole ? "" : String(this.to),
    });
  }

  /** @param {number[]} found */
  async list(found) {
    const { data, noun } = this;
    const { texts: address, root, subject = "system" } = this.around.dataset;
    this.texts ??= address ? loadJson(address).then(byId, () => ({})) : Promise.resolve({});
    const asked = (this.asked = {});
    const texts = await this.texts;
    if (this.asked !== asked) return;
    const holder = this.around.querySelector(".selected");
    if (!holder) return;
    const good = new Set(data.kinds.filter(({ solved }) => solved).map(({ key }) => key));
    const words = new Map(data.kinds.map(({ key, words: said }) => [key, said]));
    const category = categoriesOf(data);
    const [a, b] = this.pair.map((at) => data.systems[at]);
    const summary = document.createElement("p");
    summary.className = "summary";
    summary.setAttribute("aria-live", "polite");
    summary.textContent = said(found, this.counts, noun, this.past);
    const titled = Object.keys(texts).length > 0;
    /** @param {number} i */
    const textOf = (i) => {
      const id = data.items.id[i] ?? "";
      return Object.hasOwn(texts, id) ? texts[id] ?? "" : "";
    };
    const heads = [one(noun), ...(titled ? ["Text"] : []), ...(category.some(Boolean) ? ["Category"] : []), ...(a && b ? [titleOf(a), titleOf(b)] : [`${capital(this.past)} by`])];
    const table = shell(heads, `Selected ${noun}`);
    holder.replaceChildren(summary, table);
    const solvedBy = (/** @type {number} */ i) => data.systems.filter(({ cells }) => good.has(cells[i] ?? "")).map(titleOf).join(", ") || `no ${subject}`;
    const kindOf = (/** @type {System} */ of, /** @type {number} */ i) => words.get(of.cells[i] ?? "") ?? "not run";
    const holding = document.createElement("div");
    holding.append(table);
    holder.append(holding);
    paged(holding, found, {
      noun,
      per: 25,
      text: (i) => `${data.items.id[i]} ${textOf(i)} ${category[i]} ${solvedBy(i)}`,
      cells: (i) => {
        const id = data.items.id[i] ?? "";
        return [
          { text: id, ...(root ? { href: pageOf(root, id) } : {}) },
          ...(titled ? [{ text: shortened(textOf(i) || "–"), className: "text" }] : []),
          ...(category.some(Boolean) ? [{ text: (category[i] ?? "").replaceAll("_", " ") }] : []),
          ...(a && b ? [a, b].map((of) => ({ text: kindOf(of, i), phone: `${titleOf(of)}:` }))
            : [{ text: solvedBy(i), className: "by", phone: `${capital(this.past)} by` }]),
        ];
      },
    });
  }
}

/**
 * Two systems, the best ones if none is chosen.
 * @param {[number, number]} pair
 * @returns {[number, number]}
 */
export function chosen([a, b]) {
  if (a < 0) return b === 0 ? [1, 0] : [0, b < 0 ? 1 : b];
  return b < 0 ? [a, a === 0 ? 1 : 0] : [a, b];
}

/**
 * What is selected, in a sentence.
 * @param {number[]} found
 * @param {(number | null)[]} counts
 * @param {string} noun
 * @param {string} [past] participle of the verb
 */
export function said(found, counts, noun, past = "solved") {
  const none = found.filter((i) => counts[i] === 0).length;
  const alone = found.filter((i) => counts[i] === 1).length;
  return `${found.length.toLocaleString("en")} ${found.length === 1 ? one(noun).toLowerCase() : noun} selected: ${none.toLocaleString("en")} ${past} by none, ${alone.toLocaleString("en")} by exactly one.`;
}

/** @param {string} noun in the plural */
function one(noun) {
  return capital(singular(noun));
}

/** @param {string} word */
function capital(word) {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** @param {string} text */
function shortened(text) {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

/**
 * The category of each item; empty without categories.
 * @param {Data} data
 * @returns {string[]}
 */
function categoriesOf({ items }) {
  return items.categories.flatMap(({ name, items: size }) => Array.from({ length: size }, () => name));
}

/**
 * @param {string[]} heads
 * @param {string} name
 */
function shell(heads, name) {
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", name);
  const table = document.createElement("table");
  const row = table.createTHead().insertRow();
  for (const words of heads) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = words;
    row.append(cell);
  }
  table.createTBody();
  scroll.append(table);
  return scroll;
}

/**
 * The name of a system, with its configuration if it has one.
 * @param {Pick<System, "name" | "label">} system
 */
export function titleOf({ name, label }) {
  return label ? `${name} (${label})` : name;
}
