// A pair of systems that the reader chooses, and the tasks on which their outcomes differ; the pair is in the address.

import { loadJson, paged } from "./table.js";

/**
 * @typedef {object} System
 * @property {string} receiptId
 * @property {string} name
 * @property {string} label
 * @property {string[][]} outcomes one list a task, one outcome a run
 */

/**
 * @typedef {object} Pair
 * @property {string} first receipt id
 * @property {string} second
 * @property {{delta: string, interval: string, p: string}} shown
 * @property {number} wins
 * @property {number} losses
 * @property {number} ties
 */

/**
 * @typedef {object} Outcomes
 * @property {{id: string[], domain: string[]}} tasks
 * @property {System[]} systems
 * @property {Pair[]} pairs
 */

/** @typedef {{id: string, domain: string, first: string, second: string, won: boolean}} Difference */

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
 * The tasks on which the success rates of two systems differ.
 * @param {Outcomes} data
 * @param {System} first
 * @param {System} second
 * @returns {Difference[]}
 */
export function differing(data, first, second) {
  return data.tasks.id.flatMap((id, i) => {
    const [mine, theirs] = [first.outcomes[i] ?? [], second.outcomes[i] ?? []];
    const [a, b] = [rate(mine), rate(theirs)];
    if (a === null || b === null || a === b) return [];
    const domain = data.tasks.domain[i] ?? "";
    return [{ id, domain, first: outcomeWords(mine), second: outcomeWords(theirs), won: a > b }];
  });
}

/**
 * The comparison of two systems, in the order given; null where they did not run the same tasks.
 * @param {Outcomes} data
 * @param {System} first
 * @param {System} second
 * @returns {Pair | null}
 */
export function pairOf(data, { receiptId: first }, { receiptId: second }) {
  return data.pairs.find((pair) => pair.first === first && pair.second === second) ?? null;
}

/**
 * Two different places in a list, as near as possible to those wanted; a system is not compared with itself.
 * @param {number} first -1 for none
 * @param {number} second
 * @returns {[number, number]}
 */
export function chosen(first, second) {
  const one = Math.max(0, first);
  if (second >= 0 && second !== one) return [one, second];
  return [one, one === 0 ? 1 : 0];
}

/**
 * @param {HTMLElement} place
 */
export async function start(place) {
  const { outcomes, tasks = "" } = place.dataset;
  if (!outcomes || location.protocol === "file:") return;
  /** @type {Outcomes} */
  let data;
  try {
    data = await loadJson(outcomes);
  } catch {
    place.textContent = "Loading failed. The table below is complete.";
    return;
  }
  if (data.systems.length < 2) return;
  const address = new URL(location.href);
  const line = document.createElement("div");
  line.className = "tools";
  const [first, second] = [choice(line, "First ", data.systems), choice(line, "Second ", data.systems)];
  const places = ["a", "b"].map((name) => data.systems.findIndex((one) => one.receiptId === address.searchParams.get(name)));
  [first.selectedIndex, second.selectedIndex] = chosen(places[0] ?? -1, places[1] ?? -1);
  const result = document.createElement("div");
  result.setAttribute("aria-live", "polite");
  place.append(line, result);

  function show() {
    for (const [one, other] of [[first, second], [second, first]]) {
      [...(one?.options ?? [])].forEach((option, i) => { option.disabled = i === other?.selectedIndex; });
    }
    const [a, b] = [data.systems[first.selectedIndex], data.systems[second.selectedIndex]];
    // Without a chosen pair the table of all pairs stays in sight: the list of tasks can be long.
    const named = new URL(location.href).searchParams.has("a");
    if (a && b) result.replaceChildren(...told(data, a, b), ...(named ? listed(data, a, b, tasks) : []));
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
 * @returns {HTMLSelectElement}
 */
function choice(line, words, systems) {
  const made = document.createElement("select");
  made.append(...systems.map((system) => new Option(`${system.name} (${system.label})`)));
  const label = document.createElement("label");
  label.append(words, made);
  line.append(label);
  return made;
}

/**
 * Difference, CI, p, wins, losses and ties of a pair, side by side.
 * @param {Outcomes} data
 * @param {System} first
 * @param {System} second
 * @returns {HTMLElement[]}
 */
function told(data, first, second) {
  const found = pairOf(data, first, second);
  if (!found) {
    const said = document.createElement("p");
    said.textContent = "Not comparable: the two did not run the same tasks.";
    return [said];
  }
  const list = document.createElement("dl");
  list.className = "pair";
  const { shown, wins, losses, ties } = found;
  for (const [name, words] of [
    ["Δ success", shown.delta],
    ["95% CI of Δ", shown.interval],
    ["Test", shown.p],
    ["Wins", wins.toLocaleString("en")],
    ["Losses", losses.toLocaleString("en")],
    ["Ties", ties.toLocaleString("en")],
  ]) {
    const around = document.createElement("div");
    const term = document.createElement("dt");
    const value = document.createElement("dd");
    term.textContent = name ?? "";
    value.textContent = words ?? "";
    around.append(term, value);
    list.append(around);
  }
  return [list];
}

/**
 * The tasks on which two systems differ; nothing where there are none.
 * @param {Outcomes} data
 * @param {System} first
 * @param {System} second
 * @param {string} tasks path of the pages of tasks
 * @returns {HTMLElement[]}
 */
function listed(data, first, second, tasks) {
  const found = differing(data, first, second);
  if (found.length === 0) return [];
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
  paged(around, found, {
    noun: "differing tasks",
    text: (one) => `${one.id} ${one.domain} ${one.first} ${one.second}`,
    switches: [
      { label: "wins only", keep: (one) => one.won },
      { label: "losses only", keep: (one) => !one.won },
    ],
    cells: (one) => [
      { text: one.id, href: `${tasks}${encodeURIComponent(one.id)}/` },
      { text: one.domain.replaceAll("_", " ") },
      { text: one.first },
      { text: one.second },
    ],
  });
  return [around];
}
