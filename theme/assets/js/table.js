// A long list shown a hundred rows at a time, with a filter; every cell is text, never markup.

import { visible } from "../../verify/unseen.js";
import { filters, remember } from "./facets.js";

export const PER_PAGE = 100;

/**
 * @typedef {object} Cell
 * @property {string} text
 * @property {string} [href]
 * @property {string} [small] a second line; the first is then set in bold
 * @property {string} [linkClass]
 * @property {string} [className]
 * @property {string} [phone] what the cell is, where a phone has no column headings
 */

/**
 * @param {Cell} cell
 * @returns {HTMLTableCellElement}
 */
function cellOf(cell) {
  const element = document.createElement("td");
  if (cell.className) element.className = cell.className;
  if (cell.phone) element.dataset["phone"] = visible(cell.phone);
  /** @type {Node} */
  let said = document.createTextNode(visible(cell.text));
  if (cell.href) {
    const link = document.createElement("a");
    link.href = cell.href;
    if (cell.linkClass) link.className = cell.linkClass;
    link.append(said);
    said = link;
  }
  if (cell.small === undefined) {
    element.append(said);
  } else {
    const first = document.createElement("b");
    const second = document.createElement("small");
    first.append(said);
    second.textContent = visible(cell.small);
    element.append(first, second);
  }
  return element;
}

/**
 * The pages of a list: at least one, the last one short.
 * @param {number} count
 * @param {number} [per] rows a page
 * @returns {number}
 */
export function pagesOf(count, per = PER_PAGE) {
  return Math.max(1, Math.ceil(count / per));
}

/**
 * Put a filter and page buttons around a table and keep its body in step with them.
 * @template Item
 * @param {HTMLElement} place holds the table
 * @param {readonly Item[]} items
 * @param {object} how
 * @param {(item: Item) => Cell[]} how.cells
 * @param {(item: Item) => string} how.text what the filter looks at
 * @param {{label: string, keep: (item: Item) => boolean}[]} [how.switches]
 * @param {Record<string, string>} [how.labels] of the filters, by name
 * @param {(item: Item) => import("./facets.js").Values} [how.values] what holds of an item, by the filter's name
 * @param {string} how.noun
 * @param {number} [how.per] rows a page
 */
export function paged(place, items, { cells, text, switches = [], labels = {}, values = () => ({}), noun, per = PER_PAGE }) {
  const body = place.querySelector("tbody");
  const scroll = place.querySelector(".scroll");
  if (!body || !scroll) return;
  const tools = document.createElement("div");
  tools.className = "tools";
  const input = document.createElement("input");
  input.type = "search";
  input.value = new URL(location.href).searchParams.get("q") ?? "";
  const label = document.createElement("label");
  label.append("Filter ", input);
  const facets = filters(labels, items.map(values), () => go(0));
  tools.append(label, ...facets.controls);
  const boxes = switches.map(({ label: words, keep }) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    const around = document.createElement("label");
    around.append(box, ` ${words}`);
    tools.append(around);
    box.addEventListener("change", () => go(0));
    return { box, keep };
  });
  const said = document.createElement("span");
  said.setAttribute("aria-live", "polite");
  said.className = "soft";
  tools.append(said);
  (place.querySelector(".sideways") ?? scroll).before(tools);

  const back = document.createElement("button");
  const next = document.createElement("button");
  const turn = document.createElement("div");
  turn.className = "tools";
  for (const [button, words, step] of /** @type {const} */ ([[back, "Previous", -1], [next, "Next", 1]])) {
    button.type = "button";
    button.className = "plain";
    button.textContent = words;
    button.addEventListener("click", () => go(page + step));
    turn.append(button);
  }
  scroll.after(turn);

  let page = 0;
  /** @param {number} wanted */
  function go(wanted) {
    const words = input.value.trim().toLowerCase();
    const kept = items.filter((item) =>
      facets.keeps(values(item)) &&
      boxes.every(({ box, keep }) => !box.checked || keep(item)) &&
      (words === "" || text(item).toLowerCase().includes(words)));
    const last = pagesOf(kept.length, per) - 1;
    page = Math.min(Math.max(wanted, 0), last);
    const shown = kept.slice(page * per, (page + 1) * per);
    body?.replaceChildren(...shown.map((item) => {
      const row = document.createElement("tr");
      row.append(...cells(item).map(cellOf));
      return row;
    }));
    const from = kept.length ? page * per + 1 : 0;
    said.textContent =
      `${from.toLocaleString("en")} to ${(page * per + shown.length).toLocaleString("en")} of ${kept.length.toLocaleString("en")} ${noun}`;
    back.disabled = page === 0;
    next.disabled = page === last;
    turn.hidden = last === 0;
  }
  input.addEventListener("input", () => {
    remember({ q: input.value.trim() });
    go(0);
  });
  go(0);
}

/**
 * A button before `place` that loads a long list and goes once it is shown; pages opened from a folder have none.
 * @template Loaded
 * @param {HTMLElement} place
 * @param {string} label
 * @param {() => Promise<Loaded>} load
 * @param {(loaded: Loaded) => void} show
 */
export function onDemand(place, label, load, show) {
  if (location.protocol === "file:") return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = label;
  const line = document.createElement("p");
  line.className = "screen";
  line.append(button);
  place.before(line);
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = "Loading";
    try {
      show(await load());
      line.remove();
    } catch {
      button.textContent = "Loading failed. Retry";
      button.disabled = false;
    }
  });
}

/**
 * A JSON file beside the page; throws where it is not served.
 * @param {string} address relative to the page
 * @returns {Promise<any>}
 */
export async function loadJson(address) {
  const answer = await fetch(new URL(address, location.href));
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}
