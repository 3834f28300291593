// The further pages of a long leaderboard, put into the first one, so that filters, sorting and metrics are of every row.

/**
 * Where rows of a further page go: each before the baseline that it is above there, else at the end. A page has every
 * baseline and continues the ranks of the pages before it.
 * @template Row
 * @param {readonly Row[]} rows so far
 * @param {readonly Row[]} more
 * @param {(row: Row) => string} idOf
 * @returns {Row[]}
 */
export function merged(rows, more, idOf) {
  const known = new Set(rows.map(idOf));
  /** @type {Map<string, Row[]>} */
  const before = new Map();
  let next = "";
  for (const row of [...more].reverse()) {
    if (known.has(idOf(row))) next = idOf(row);
    else before.set(next, [row, ...(before.get(next) ?? [])]);
  }
  return [...rows.flatMap((row) => [...(before.get(idOf(row)) ?? []), row]), ...(before.get("") ?? [])];
}

/**
 * @param {HTMLTableRowElement} row
 * @returns {string} its id; a title and a baseline that was not run are told by their words
 */
function idOf(row) {
  return row.dataset["id"] ?? row.textContent?.trim() ?? "";
}

/**
 * A page as served, its addresses absolute.
 * @param {URL} address
 * @returns {Promise<HTMLTableSectionElement[]>}
 */
async function groupsOf(address) {
  const answer = await fetch(address, { credentials: "omit", redirect: "error" });
  if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const name of ["href", "data-verify"]) {
    for (const link of page.querySelectorAll(`.board a[${name}]`)) link.setAttribute(name, new URL(link.getAttribute(name) ?? "", address).href);
  }
  const table = page.querySelector(".leaderboard table");
  if (!(table instanceof HTMLTableElement)) throw new Error(`${address.pathname}: no table`);
  return [...table.tBodies];
}

/**
 * Put the rows of every further page into the table if the address asks for them.
 * @param {HTMLElement} place
 * @param {HTMLTableElement} table
 * @returns {Promise<void>}
 */
export async function gather(place, table) {
  const note = place.querySelector("[data-sheets]");
  if (!(note instanceof HTMLElement)) return;
  const link = note.querySelector("a");
  link?.addEventListener("click", () => {
    // What was chosen on this page is kept.
    const there = new URL(link.href);
    for (const [name, value] of new URL(location.href).searchParams) if (name !== "rows") there.searchParams.set(name, value);
    link.href = there.href;
  });
  const addresses = /** @type {string[]} */ (JSON.parse(note.dataset["sheets"] ?? "[]"));
  if (new URL(location.href).searchParams.get("rows") !== "all" || addresses.length === 0) return;
  try {
    const pages = await Promise.all(addresses.map((address) => groupsOf(new URL(address, location.href))));
    for (const group of pages.flat()) {
      const title = group.querySelector("tr.group")?.textContent?.trim();
      const body = [...table.tBodies].find((one) => one.querySelector("tr.group")?.textContent?.trim() === title) ?? table.createTBody();
      body.replaceChildren(...merged([...body.rows], [...group.rows].map((row) => document.importNode(row, true)), idOf));
    }
    note.textContent = "All rows are on this page.";
    place.querySelector("nav")?.setAttribute("hidden", "");
  } catch {
    note.textContent = "The other pages could not be loaded: only the rows of this page are shown.";
  }
}
