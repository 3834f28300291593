// A leaderboard that can be sorted, filtered and shown by another metric; its state is in the address. The page has every
// control already, without effect until this module runs.

import { columns } from "./board-columns.js";
import { metrics } from "./board-metric.js";
import { gather } from "./board-sheets.js";
import { tray } from "./board-tray.js";
import { chips, remember } from "./facets.js";

const NUMBER = /^[-+−]?[0-9][0-9,]*(\.[0-9]+)?/;

/**
 * The sort key of a cell: the number at its start, else its text; blanks last.
 * @param {string} text
 * @returns {number | string | null}
 */
export function sortKey(text) {
  const shown = text.trim();
  if (shown === "" || shown === "–") return null;
  const number = NUMBER.exec(shown);
  return number ? Number(number[0].replaceAll(",", "").replace("−", "-")) : shown.toLowerCase();
}

/**
 * @param {number | string | null} a
 * @param {number | string | null} b
 * @param {boolean} descending
 * @returns {number}
 */
export function compare(a, b, descending) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
  return descending ? -order : order;
}

/** @typedef {{row: HTMLTableRowElement, body: HTMLTableSectionElement, id: string, baseline: string, text: string, facets: import("./facets.js").Values}} Line */

/**
 * The rows of systems and baselines in their own order.
 * @param {HTMLTableElement} table
 * @returns {Line[]}
 */
function linesOf(table) {
  return [...table.tBodies].flatMap((body) => [...body.rows].filter((row) => !row.classList.contains("group")).map((row) => ({
    row,
    body,
    id: row.dataset["id"] ?? "",
    baseline: row.dataset["baseline"] ?? "",
    text: (row.querySelector(".what")?.textContent ?? "").toLowerCase(),
    facets: JSON.parse(row.dataset["facets"] ?? "{}"),
  })));
}

/**
 * A control of the page, brought to life.
 * @template {HTMLElement} Control
 * @param {HTMLElement} place
 * @param {string} name
 * @param {new () => Control} kind
 * @returns {Control | null}
 */
function control(place, name, kind) {
  const found = place.querySelector(`[data-control="${name}"]`);
  if (!(found instanceof kind)) return null;
  found.removeAttribute("disabled");
  return found;
}

/**
 * The phone's buttons: one opens the filters, one shares the address.
 * @param {HTMLElement} place
 */
function buttons(place) {
  const filtering = control(place, "filters", HTMLButtonElement);
  filtering?.addEventListener("click", () => {
    const isOpen = filtering.getAttribute("aria-expanded") !== "true";
    filtering.setAttribute("aria-expanded", String(isOpen));
    place.querySelector(".controls")?.classList.toggle("open", isOpen);
  });
  const sharing = control(place, "share", HTMLButtonElement);
  sharing?.addEventListener("click", () => {
    const done = navigator.share ? navigator.share({ title: document.title, url: location.href })
      : navigator.clipboard?.writeText(location.href).then(() => { sharing.textContent = "Copied"; });
    done?.catch(() => { sharing.textContent = "Not shared"; });
  });
}

/**
 * @param {HTMLElement} place
 */
export async function start(place) {
  const table = place.querySelector("table");
  if (!table || table.tBodies.length === 0) return;
  await gather(place, table);
  const lines = linesOf(table);
  const headings = /** @type {HTMLTableCellElement[]} */ ([...table.querySelectorAll("thead th")]);
  const address = new URL(location.href).searchParams;
  const said = place.querySelector("[data-said]");
  const filter = control(place, "q", HTMLInputElement);
  const shown = control(place, "baselines", HTMLSelectElement);
  const order = control(place, "sort", HTMLSelectElement);
  const systems = lines.filter(({ baseline }) => baseline === "").map(({ facets }) => facets);

  for (const button of place.querySelectorAll("[data-facet] button")) button.removeAttribute("disabled");
  const facets = chips(place, show);
  if (filter) filter.value = address.get("q") ?? "";
  if (shown && [...shown.options].some(({ value }) => value === address.get("baselines"))) shown.value = address.get("baselines") ?? "";

  /** @type {((id: string) => number | null) | null} */
  let numbers = null;
  let isCost = false;
  let measure = "";
  let column = headings.findIndex(({ dataset, classList }) => dataset["key"] === address.get("sort") && !classList.contains("stretch"));
  let descending = address.get("order") === "desc";
  if (column < 0) [column, descending] = [-1, false];

  /** @param {Line} line */
  function key({ row, id }) {
    const cell = row.cells[column];
    if (!cell) return null;
    if (numbers && cell.classList.contains("value")) return numbers(id);
    return sortKey(cell.firstChild?.textContent ?? "");
  }

  /** The rows in the order that was asked for; unsorted, the leaderboard's own. */
  function ordered() {
    if (column >= 0) return [...lines].sort((a, b) => compare(key(a), key(b), descending));
    return numbers ? [...lines].sort((a, b) => compare(numbers?.(a.id) ?? null, numbers?.(b.id) ?? null, !isCost)) : lines;
  }

  /** @param {Line} line */
  function keeps({ baseline, text, facets: values }) {
    if (!text.includes(filter?.value.trim().toLowerCase() ?? "")) return false;
    if (baseline === "") return facets.keeps(values);
    return !shown || shown.value === "" || shown.value === baseline;
  }

  function show() {
    const natural = column < 0 && numbers === null;
    let visible = 0;
    for (const line of lines) {
      line.row.hidden = !keeps(line);
      visible += line.row.hidden ? 0 : 1;
    }
    const first = table?.tBodies[0];
    for (const { row, body } of ordered()) (natural ? body : first)?.append(row);
    for (const row of table?.querySelectorAll("tr.group") ?? []) {
      const group = /** @type {HTMLTableRowElement} */ (row);
      group.hidden = !natural || ![...(group.parentElement?.children ?? [])].some((one) => one !== group && !(/** @type {HTMLElement} */ (one).hidden));
    }
    table?.classList.toggle("resorted", !natural || visible < lines.length);
    table?.classList.toggle("reread", numbers !== null);
    headings.forEach((heading, index) => {
      if (index === column) heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    says();
    facets.count(systems);
    const filtering = place.querySelector("[data-control=filters]");
    const active = facets.active() + (filter?.value.trim() ? 1 : 0) + (shown?.value ? 1 : 0);
    if (filtering) filtering.textContent = active ? `Filters ${active}` : "Filters";
    if (said) said.textContent = `${visible} of ${lines.length} rows shown`;
    said?.classList.toggle("sr", visible > 0);
  }

  /** The phone's sort control: the first choice is what orders the rows unasked, the rank or the metric shown. */
  function says() {
    if (!order) return;
    const value = headings.find(({ classList }) => classList.contains("value"))?.dataset["key"];
    for (const option of order.options) {
      if (option.value === "") option.textContent = measure || "Rank";
      if (option.value === value) option.textContent = measure || (option.dataset["label"] ?? "");
      option.hidden = option.value === (measure ? value : "rank");
    }
    order.value = headings[column]?.dataset["key"] ?? "";
  }

  function keep() {
    remember({
      q: filter?.value.trim() ?? "",
      baselines: shown?.value ?? "",
      sort: headings[column]?.dataset["key"] ?? "",
      order: column >= 0 && descending ? "desc" : "",
    });
    show();
  }

  headings.forEach((heading, index) => {
    if (heading.classList.contains("stretch") || heading.classList.contains("pick")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => {
      // The first click sorts numbers in descending order, names in ascending order; rank is the leaderboard's own order,
      // unless another metric orders the rows.
      descending = column === index ? !descending : heading.classList.contains("n");
      column = heading.dataset["key"] === "rank" && !descending && numbers === null ? -1 : index;
      keep();
    });
    heading.append(button);
    const option = new Option(heading.dataset["label"] ?? heading.textContent ?? "", heading.dataset["key"]);
    option.dataset["label"] = option.text;
    order?.append(option);
  });
  order?.prepend(new Option("Rank", ""));
  order?.addEventListener("change", () => {
    column = headings.findIndex(({ dataset }) => dataset["key"] === order.value);
    descending = headings[column]?.classList.contains("n") ?? false;
    keep();
  });
  filter?.addEventListener("input", keep);
  shown?.addEventListener("change", keep);
  const picker = place.querySelector("details.columns");
  if (picker instanceof HTMLDetailsElement) columns(table, picker);
  buttons(place);
  show();
  const headline = table.querySelector("thead th.value")?.textContent ?? "";
  const settled = metrics(place, table, (found, chosen) => {
    [numbers, isCost, measure] = [found, chosen.isCost, found ? chosen.label : ""];
    show();
  });
  tray(place, headline);
  void settled.then(() => { delete document.documentElement.dataset["asked"]; });
}
