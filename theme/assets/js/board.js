// A leaderboard that can be sorted and filtered, column by column; the state is in the address, so that it can be shared.

import { filters, remember } from "./facets.js";

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

/**
 * The columns between name and receipt, each with a box that hides it.
 * @param {HTMLTableElement} table
 * @returns {HTMLElement}
 */
function columns(table) {
  const hidden = new Set((new URL(location.href).searchParams.get("hide") ?? "").split(","));
  const spans = new Map([...table.querySelectorAll("td")].filter((cell) => cell.colSpan > 1).map((cell) => [cell, cell.colSpan]));
  const choice = document.createElement("details");
  choice.className = "columns";
  const title = document.createElement("summary");
  title.textContent = "Columns";
  const menu = document.createElement("div");
  choice.append(title, menu);
  const headings = [...table.querySelectorAll("thead th")];

  function apply() {
    for (const row of table.rows) {
      const spanned = [...row.cells].find((cell) => spans.has(cell));
      if (spanned) spanned.colSpan = (spans.get(spanned) ?? 1) - hidden.size;
      else for (const [index, cell] of [...row.cells].entries()) cell.hidden = hidden.has(String(index));
    }
  }
  for (const [index, heading] of headings.entries()) {
    // Rank, name and the number ranked by stay, and so does the receipt.
    if (index < 3 || index === headings.length - 1) {
      hidden.delete(String(index));
      continue;
    }
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = !hidden.has(String(index));
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(String(index));
      else hidden.add(String(index));
      remember({ hide: [...hidden].join(",") });
      apply();
    });
    const label = document.createElement("label");
    label.append(box, ` ${heading.textContent}`);
    menu.append(label);
  }
  for (const name of hidden) if (!headings[Number(name)] || name !== String(Number(name))) hidden.delete(name);
  apply();
  return choice;
}

/**
 * @param {HTMLElement} place
 */
export function start(place) {
  const table = place.querySelector("table");
  const body = table?.tBodies[0];
  const tools = place.querySelector(".tools");
  if (!table || !body || !tools) return;
  const original = [...body.rows];
  const headings = [...table.querySelectorAll("thead th")];
  const address = new URL(location.href);

  const said = document.createElement("p");
  said.className = "sr";
  said.setAttribute("aria-live", "polite");

  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "system, version";
  input.value = address.searchParams.get("q") ?? "";
  const label = document.createElement("label");
  label.append("Filter ", input);
  const shown = JSON.parse(place.dataset["facets"] ?? "{}");
  const facts = new Map(original.map((row) => [row, JSON.parse(row.dataset["facets"] ?? "{}")]));
  const facets = filters(shown, [...facts.values()], show);
  tools.prepend(label, ...facets.controls, columns(table));
  tools.after(said);

  let column = Number(address.searchParams.get("sort") ?? "0");
  let descending = address.searchParams.get("order") === "desc";
  if (!Number.isInteger(column) || column < 0 || column >= headings.length) column = 0;

  function show() {
    const wanted = input.value.trim().toLowerCase();
    // Unsorted, the table is ranked: baselines last, ties bracketed.
    const natural = column === 0 && !descending;
    const rows = natural ? original : [...original].sort((a, b) => compare(key(a), key(b), descending));
    let visible = 0;
    for (const row of rows) {
      const named = (row.querySelector(".what")?.textContent ?? "").toLowerCase().includes(wanted);
      row.hidden = !named || !facets.keeps(facts.get(row));
      visible += row.hidden ? 0 : 1;
    }
    body?.replaceChildren(...rows);
    table?.classList.toggle("resorted", !natural || visible < rows.length);
    headings.forEach((heading, index) => {
      if (!heading.querySelector("button")) return;
      if (index === column) heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    said.textContent = `${visible} of ${original.length} rows shown`;
  }

  /** @param {HTMLTableRowElement} row */
  function key(row) {
    const cell = row.cells[column];
    return cell ? sortKey(cell.firstElementChild?.textContent ?? cell.textContent ?? "") : null;
  }

  function keep() {
    remember({ q: input.value.trim(), sort: column ? String(column) : "", order: descending ? "desc" : "" });
  }

  headings.forEach((heading, index) => {
    if (heading.classList.contains("stretch")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => {
      // The first click sorts numbers in descending order, names and ranks in ascending order.
      descending = column === index ? !descending : heading.classList.contains("n");
      column = index;
      show();
      keep();
    });
    heading.append(button);
  });
  input.addEventListener("input", () => {
    show();
    keep();
  });
  show();
}
