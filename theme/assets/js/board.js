// A leaderboard that can be sorted and filtered; what was chosen stands in the address, so that it can be sent on.

const NUMBER = /^-?[0-9][0-9,]*(\.[0-9]+)?/;

/**
 * What a cell sorts by: a number if it begins with one, else its text; blanks last.
 * @param {string} text
 * @returns {number | string | null}
 */
export function sortKey(text) {
  const shown = text.trim();
  if (shown === "" || shown === "–") return null;
  const number = NUMBER.exec(shown);
  return number ? Number(number[0].replaceAll(",", "")) : shown.toLowerCase();
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
  tools.prepend(label);
  tools.after(said);

  let column = Number(address.searchParams.get("sort") ?? "0");
  let descending = address.searchParams.get("order") === "desc";
  if (!Number.isInteger(column) || column < 0 || column >= headings.length) column = 0;

  function show() {
    const wanted = input.value.trim().toLowerCase();
    // In its own order the table reads as ranked: floors last, ties bracketed.
    const natural = column === 0 && !descending;
    const rows = natural ? original : [...original].sort((a, b) => compare(key(a), key(b), descending));
    let visible = 0;
    for (const row of rows) {
      row.hidden = wanted !== "" && !(row.querySelector(".what")?.textContent ?? "").toLowerCase().includes(wanted);
      visible += row.hidden ? 0 : 1;
    }
    body?.replaceChildren(...rows);
    table?.classList.toggle("resorted", !natural || wanted !== "");
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

  function remember() {
    const next = new URL(location.href);
    const values = { q: input.value.trim(), sort: column ? String(column) : "", order: descending ? "desc" : "" };
    for (const [name, value] of Object.entries(values)) {
      if (value) next.searchParams.set(name, value);
      else next.searchParams.delete(name);
    }
    history.replaceState(null, "", next);
  }

  headings.forEach((heading, index) => {
    if (heading.classList.contains("stretch")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => {
      // A measure is first wanted best first, a name or a rank first in its own order.
      descending = column === index ? !descending : heading.classList.contains("n");
      column = index;
      show();
      remember();
    });
    heading.append(button);
  });
  input.addEventListener("input", () => {
    show();
    remember();
  });
  show();
}
