// The column picker of a leaderboard: a box for each column between the ranked number and the receipt.

import { remember } from "./facets.js";

/** @typedef {{key: string, heading: HTMLElement, index: number, folded: boolean}} Column */

/**
 * What the address hides and shows, as far as the table has these columns.
 * @param {readonly {key: string, folded: boolean}[]} columns
 * @param {string} hide keys, with commas between
 * @param {string} show
 * @returns {Set<string>} keys of hidden columns
 */
export function hiddenOf(columns, hide, show) {
  const [hidden, shown] = [new Set(hide.split(",")), new Set(show.split(","))];
  return new Set(columns.filter(({ key, folded }) => (folded ? !shown.has(key) : hidden.has(key))).map(({ key }) => key));
}

/**
 * Fill the picker and keep the table in step with it. It closes on Escape and on a click outside.
 * @param {HTMLTableElement} table
 * @param {HTMLDetailsElement} picker
 */
export function columns(table, picker) {
  const headings = /** @type {HTMLTableCellElement[]} */ ([...table.querySelectorAll("thead th")]);
  const from = headings.findIndex((heading) => heading.classList.contains("value")) + 1;
  /** @type {Column[]} */
  const found = headings.slice(from, -1).map((heading, i) => ({
    key: heading.dataset["key"] ?? "", heading, index: from + i, folded: heading.hidden,
  }));
  const address = new URL(location.href).searchParams;
  const hidden = hiddenOf(found, address.get("hide") ?? "", address.get("show") ?? "");
  const menu = picker.querySelector("div");
  const summary = picker.querySelector("summary");

  function apply() {
    const off = new Set(found.filter(({ key }) => hidden.has(key)).map(({ index }) => index));
    for (const row of table.rows) {
      if (row.cells.length === headings.length) for (const index of found.map((one) => one.index)) {
        const cell = row.cells[index];
        if (cell) cell.hidden = off.has(index);
      }
    }
    const number = summary?.querySelector("b");
    if (number) number.textContent = `${headings.length - off.size} of ${headings.length}`;
  }
  for (const { key, heading, folded } of found) {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = !hidden.has(key);
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(key);
      else hidden.add(key);
      remember({
        hide: found.filter((one) => !one.folded && hidden.has(one.key)).map((one) => one.key).join(","),
        show: found.filter((one) => one.folded && !hidden.has(one.key)).map((one) => one.key).join(","),
      });
      apply();
    });
    const label = document.createElement("label");
    label.append(box, ` ${heading.dataset["label"] ?? heading.textContent ?? ""}`);
    if (folded) label.dataset["folded"] = "";
    menu?.append(label);
  }
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !picker.contains(event.target)) picker.open = false;
  });
  picker.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !picker.open) return;
    picker.open = false;
    summary?.focus();
  });
  apply();
}
