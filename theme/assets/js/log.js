// The log's entries, filtered by kind and by words; it looks at the rows the page holds and fetches nothing.

/**
 * Whether a row stays: of the wanted kind (or any), and with every wanted word somewhere in it.
 * @param {string} kind
 * @param {string} text
 * @param {{kind: string, words: string}} wanted
 * @returns {boolean}
 */
export function keeps(kind, text, wanted) {
  if (wanted.kind !== "" && kind !== wanted.kind) return false;
  const lower = text.toLowerCase();
  return wanted.words.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}

/**
 * @param {HTMLElement} place holds the table
 */
export function start(place) {
  const rows = [...(place.querySelector("tbody")?.rows ?? [])];
  if (rows.length === 0) return;
  /** @param {HTMLTableRowElement} row */
  const kindOf = (row) => row.cells[1]?.textContent ?? "";

  const tools = document.createElement("div");
  tools.className = "tools";
  const select = document.createElement("select");
  select.append(new Option("every kind", ""));
  for (const kind of [...new Set(rows.map(kindOf))].sort()) select.append(new Option(kind, kind));
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "id, name, digest";
  for (const [words, control] of /** @type {[string, HTMLElement][]} */ ([["Kind ", select], ["Filter ", input]])) {
    const label = document.createElement("label");
    label.append(words, control);
    tools.append(label);
  }
  const said = document.createElement("span");
  said.className = "soft";
  said.setAttribute("aria-live", "polite");
  tools.append(said);
  place.prepend(tools);

  function show() {
    let visible = 0;
    for (const row of rows) {
      row.hidden = !keeps(kindOf(row), row.textContent ?? "", { kind: select.value, words: input.value });
      visible += row.hidden ? 0 : 1;
    }
    said.textContent = `${visible} of ${rows.length} entries on this page`;
  }
  select.addEventListener("change", show);
  input.addEventListener("input", show);
  show();
}
