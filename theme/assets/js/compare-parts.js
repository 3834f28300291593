// Parts of the comparison page: elements with text, tables with heads, and the region that they scroll in.

import { visible } from "../../verify/unseen.js";

/**
 * @param {string} name
 * @param {string} [css]
 * @param {string} [text]
 * @returns {HTMLElement}
 */
export function element(name, css = "", text = "") {
  const made = document.createElement(name);
  if (css) made.className = css;
  if (text) made.textContent = visible(text);
  return made;
}

/**
 * A table with a head; what follows a line break is a small second line.
 * @param {string[]} heads the first one is not a number
 * @param {string} css
 */
export function tableOf(heads, css) {
  const table = document.createElement("table");
  table.className = css;
  const row = table.createTHead().insertRow();
  for (const [i, words] of heads.entries()) {
    const cell = document.createElement("th");
    cell.scope = "col";
    if (i > 0) cell.className = "n";
    const [text = "", small = ""] = words.split("\n");
    cell.append(visible(text));
    if (small) cell.append(element("small", "", small));
    row.append(cell);
  }
  table.createTBody();
  return table;
}

/**
 * @param {HTMLTableElement} table
 * @param {string} name
 */
export function regionOf(table, name) {
  const scroll = element("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", name);
  scroll.append(table);
  return scroll;
}
