// A pair of systems that the reader chooses, and the tasks on which their outcomes differ; the pair is in the address.

import { paged } from "./table.js";

/**
 * @typedef {object} System
 * @property {string} receiptId
 * @property {string} name
 * @property {string} label
 * @property {string[][]} outcomes one list a task, one outcome a run
 */

/**
 * @typedef {object} Outcomes
 * @property {{id: string[], domain: string[], page: string[]}} tasks
 * @property {System[]} systems
 */

/** @typedef {{id: string, domain: string, page: string, first: string, second: string}} Difference */

/**
 * The success rate of a task; null where it was not run.
 * @param {string[]} runs
 * @returns {number | null}
 */
export function rate(runs) {
  return runs.length === 0 ? null : runs.filter((outcome) => outcome === "success").length / runs.length;
}

/**
 * @param {string[]} runs
 * @returns {string}
 */
export function outcomeWords(runs) {
  if (runs.length === 1) return runs[0] ?? "";
  return `${runs.filter((outcome) => outcome === "success").length}/${runs.length} succeeded`;
}

/**
 * Wins, losses and ties of the first system, and the tasks on which the two differ.
 * @param {Outcomes} data
 * @param {System} first
 * @param {System} second
 * @returns {{wins: number, losses: number, ties: number, differing: Difference[]}}
 */
export function compared(data, first, second) {
  const found = { wins: 0, losses: 0, ties: 0, differing: /** @type {Difference[]} */ ([]) };
  data.tasks.id.forEach((id, i) => {
    const [mine, theirs] = [first.outcomes[i] ?? [], second.outcomes[i] ?? []];
    const [a, b] = [rate(mine), rate(theirs)];
    if (a === null || b === null) return;
    if (a === b) {
      found.ties += 1;
      return;
    }
    found[a > b ? "wins" : "losses"] += 1;
    const place = { id, domain: data.tasks.domain[i] ?? "", page: data.tasks.page[i] ?? "" };
    found.differing.push({ ...place, first: outcomeWords(mine), second: outcomeWords(theirs) });
  });
  return found;
}

/**
 * @param {HTMLElement} place
 */
export async function start(place) {
  const { outcomes, tasks } = place.dataset;
  if (!outcomes || !tasks || location.protocol === "file:") return;
  /** @type {Outcomes} */
  let data;
  try {
    const answer = await fetch(new URL(outcomes, location.href));
    if (!answer.ok) throw new Error(`${outcomes}: ${answer.status}`);
    data = await answer.json();
  } catch {
    place.textContent = "Loading failed. The table below is complete.";
    return;
  }
  if (data.systems.length < 2) return;
  const address = new URL(location.href);
  const line = document.createElement("div");
  line.className = "tools";
  const first = choice(line, "First ", data.systems, address.searchParams.get("a"), 0);
  const second = choice(line, "Second ", data.systems, address.searchParams.get("b"), 1);
  const result = document.createElement("div");
  result.setAttribute("aria-live", "polite");
  place.append(line, result);

  function show() {
    const [a, b] = [data.systems[first.selectedIndex], data.systems[second.selectedIndex]];
    // Without a chosen pair the table of all pairs stays in sight: the list of tasks can be long.
    const chosen = new URL(location.href).searchParams.has("a");
    if (a && b) result.replaceChildren(...pair(data, a, b, tasks ?? "").slice(0, chosen ? 2 : 1));
  }
  for (const one of [first, second]) {
    one.addEventListener("input", () => {
      const next = new URL(location.href);
      next.searchParams.set("a", data.systems[first.selectedIndex]?.receiptId ?? "");
      next.searchParams.set("b", data.systems[second.selectedIndex]?.receiptId ?? "");
      history.replaceState(null, "", next);
      show();
    });
  }
  show();
}

/**
 * @param {HTMLElement} line
 * @param {string} words
 * @param {System[]} systems
 * @param {string | null} wanted receipt id
 * @param {number} otherwise
 * @returns {HTMLSelectElement}
 */
function choice(line, words, systems, wanted, otherwise) {
  const made = document.createElement("select");
  made.append(...systems.map((system) => new Option(`${system.name} (${system.label})`)));
  const at = systems.findIndex((system) => system.receiptId === wanted);
  made.selectedIndex = at < 0 ? otherwise : at;
  const label = document.createElement("label");
  label.append(words, made);
  line.append(label);
  return made;
}

/**
 * @param {Outcomes} data
 * @param {System} first
 * @param {System} second
 * @param {string} tasks path of the pages of tasks
 * @returns {HTMLElement[]}
 */
function pair(data, first, second, tasks) {
  const found = compared(data, first, second);
  const total = found.wins + found.losses + found.ties;
  const said = document.createElement("p");
  said.className = "read";
  if (total === 0) {
    said.textContent = "Not comparable: no common tasks.";
    return [said];
  }
  const points = (100 * (found.wins - found.losses)) / total;
  const once = [first, second].every((system) => system.outcomes.every((runs) => runs.length < 2));
  const delta = once ? ` (${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)} pt)` : "";
  said.textContent =
    `${first.name} against ${second.name}, ${total.toLocaleString("en")} tasks: ` +
    `${found.wins.toLocaleString("en")} wins, ${found.losses.toLocaleString("en")} losses, ${found.ties.toLocaleString("en")} ties${delta}.`;
  if (found.differing.length === 0) return [said];
  const around = document.createElement("div");
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Tasks on which they differ");
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const words of ["Task", "Domain", first.name, second.name]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = words;
    head.append(cell);
  }
  table.createTBody();
  scroll.append(table);
  around.append(scroll);
  paged(around, found.differing, {
    noun: "differing tasks",
    text: (one) => `${one.id} ${one.domain} ${one.first} ${one.second}`,
    switches: [
      { label: "wins only", keep: (one) => wins(one) },
      { label: "losses only", keep: (one) => !wins(one) },
    ],
    cells: (one) => [
      { text: one.id, href: `${tasks}${encodeURIComponent(one.page)}/#${encodeURIComponent(one.id)}` },
      { text: one.domain.replaceAll("_", " ") },
      { text: one.first },
      { text: one.second },
    ],
  });
  return [said, around];

  /** @param {Difference} one @returns {boolean} */
  function wins(one) {
    const i = data.tasks.id.indexOf(one.id);
    return (rate(first.outcomes[i] ?? []) ?? 0) > (rate(second.outcomes[i] ?? []) ?? 0);
  }
}
