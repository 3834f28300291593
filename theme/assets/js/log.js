// The log's entries, filtered by kind and by words; it reads the rows of the page and fetches nothing.

import { filters, remember } from "./facets.js";

/**
 * Whether a text has every wanted word somewhere in it.
 * @param {string} text
 * @param {string} words
 * @returns {boolean}
 */
export function keeps(text, words) {
  const lower = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}

/**
 * @param {HTMLElement} place holds the table
 */
export function start(place) {
  const rows = [...(place.querySelector("tbody")?.rows ?? [])];
  if (rows.length === 0) return;
  /** @param {HTMLTableRowElement} row */
  const valuesOf = (row) => ({ kind: [row.cells[1]?.textContent ?? ""] });

  const tools = document.createElement("div");
  tools.className = "tools";
  const facets = filters({ kind: "Kind" }, rows.map(valuesOf), show);
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "id, name, digest";
  input.value = new URL(location.href).searchParams.get("q") ?? "";
  const label = document.createElement("label");
  label.append("Filter ", input);
  const said = document.createElement("span");
  said.className = "soft";
  said.setAttribute("aria-live", "polite");
  tools.append(...facets.controls, label, said);
  place.prepend(tools);

  function show() {
    let visible = 0;
    for (const row of rows) {
      row.hidden = !facets.keeps(valuesOf(row)) || !keeps(row.textContent ?? "", input.value);
      visible += row.hidden ? 0 : 1;
    }
    said.textContent = `${visible} of ${rows.length} entries on this page`;
  }
  input.addEventListener("input", () => {
    remember({ q: input.value.trim() });
    show();
  });
  show();
}
