// The tray of a leaderboard: two to five chosen rows, compared with the first of them before the page of the comparison.

import { visible } from "../../verify/unseen.js";
import { remember } from "./facets.js";
import { loadJson } from "./table.js";

export const MOST = 5;
const LONGEST = 80;
const LETTERS = ["a", "b", "c", "d", "e"];

/** @typedef {{label: string, first: string, second: string}} Both */
/**
 * @typedef {object} Answer
 * @property {string} first receipt id
 * @property {string} second
 * @property {{delta: string, interval: string, p: string}} shown
 * @property {number | null} p
 * @property {boolean | null} tied
 * @property {number} wins
 * @property {number} losses
 * @property {number} ties
 * @property {Both | null} category
 * @property {Both | null} cost
 */
/** @typedef {{pairs: Answer[], receipts: string[]}} Answers */
/** @typedef {{id: string, name: string, more: string, isShared: boolean, box: HTMLInputElement, row: HTMLElement}} Line */

/**
 * The receipts that an address names, at most five, as far as the leaderboard has them.
 * @param {string} text ids with commas between
 * @param {readonly string[]} known
 * @returns {string[]}
 */
export function picked(text, known) {
  const there = new Set(known);
  return [...new Set(text.split(","))].filter((id) => there.has(id)).slice(0, MOST);
}

/**
 * The address of the comparison: the first two are `a` and `b`, as ever.
 * @param {string} page
 * @param {readonly string[]} ids
 * @returns {string}
 */
export function comparison(page, ids) {
  return `${page}?${ids.map((id, i) => `${LETTERS[i]}=${encodeURIComponent(id)}`).join("&")}`;
}

/**
 * Difference, CI and test in a line, and what is small below it.
 * @param {Answer} answer
 * @returns {[string, string]}
 */
export function words({ shown, p, tied, wins, losses, ties, category, cost }) {
  const test = p === null ? (tied === null ? "not tested" : `95% CIs ${tied ? "overlap" : "do not overlap"}`)
    : `95% CI ${shown.interval}, unadjusted ${shown.p}`;
  /** @param {number} value @param {string} one @param {string} many */
  const amount = (value, one, many) => `${value.toLocaleString("en")} ${value === 1 ? one : many}`;
  return [
    `${shown.delta}, ${test}`,
    [
      `${amount(wins, "win", "wins")}, ${amount(losses, "loss", "losses")}, ${amount(ties, "tie", "ties")}`,
      ...(cost ? [`${cost.label.toLowerCase()} ${cost.first} and ${cost.second}`] : []),
      ...(category ? [`${category.label} differs most: ${category.first} and ${category.second}`] : []),
    ].join(" · "),
  ];
}

/**
 * @param {HTMLElement} place
 * @returns {Line[]}
 */
function linesOf(place) {
  const found = [...place.querySelectorAll("tr[data-id]")].flatMap((row) => {
    const box = row.querySelector(".pick input");
    if (!(row instanceof HTMLElement) || !(box instanceof HTMLInputElement)) return [];
    const name = row.querySelector(".what b")?.textContent ?? "";
    const more = row.querySelector(".what small")?.textContent ?? "";
    return [{ id: row.dataset["id"] ?? "", name, more, box, row }];
  });
  return found.map((line) => ({ ...line, isShared: found.some((other) => other !== line && other.name === line.name) }));
}

/**
 * @param {HTMLElement} place
 * @param {string} metric label of the one that rows are compared by, whichever the table shows
 */
export function tray(place, metric) {
  const shelf = place.querySelector("[data-tray]");
  const { pairs = "", compare = "", values = "" } = place.dataset;
  if (!(shelf instanceof HTMLElement) || !pairs) return;
  const lines = linesOf(place);
  const asked = picked(new URL(location.href).searchParams.get("pick") ?? "", lines.map(({ id }) => id));
  const empty = [...shelf.childNodes];
  /** @type {Promise<Answers> | undefined} */
  let loading;
  /** @type {Promise<import("./compare-values.js").Data> | undefined} */
  let loadingValues;
  /** @type {Map<string, Answer | null>} */
  const computed = new Map();

  for (const { id, box } of lines) {
    box.disabled = false;
    box.checked = asked.includes(id);
    box.addEventListener("change", () => void show());
  }
  if (asked.length > 0) void show();

  async function show() {
    const found = lines.filter(({ box }) => box.checked).slice(0, MOST);
    for (const { box, row } of lines) {
      row.classList.toggle("chosen", box.checked);
      box.disabled = !box.checked && found.length === MOST;
    }
    remember({ pick: found.map(({ id }) => id).join(",") });
    shelf?.classList.toggle("full", found.length > 1);
    if (found.length < 2) {
      if (found.length === 1) loading ??= load();
      shelf?.replaceChildren(...(found.length === 0 ? empty : [said(`${named(found[0])} selected. Select another row to compare.`), clearing()]));
      return;
    }
    loading ??= load();
    const ids = found.map(({ id }) => id).join();
    /** @type {Answers | null} */
    const answers = await loading.catch(() => null);
    if (answers === null) loading = undefined;
    const isAsked = () => ids === lines.filter(({ box }) => box.checked).map(({ id }) => id).join();
    if (!isAsked()) return;
    shelf?.replaceChildren(counted(found), list(found, answers), leading(found));
    if (answers && await compute(found, answers) && isAsked()) shelf?.replaceChildren(counted(found), list(found, answers), leading(found));
  }

  /**
   * Compute what the file of answers does not have; whether there is anything new to show.
   * @param {Line[]} found
   * @param {Answers} answers
   */
  async function compute([first, ...others], answers) {
    const missing = others.filter(({ id }) => first && !known(answers, first.id, id) && ![first.id, id].every((one) => answers.receipts.includes(one)));
    if (!first || missing.length === 0 || values === "") return false;
    try {
      loadingValues ??= loadJson(values);
      const [data, { answerOf }] = await Promise.all([loadingValues, import("./traypair.js")]);
      for (const { id } of missing) computed.set(`${first.id} ${id}`, answerOf(data, first.id, id));
    } catch {
      loadingValues = undefined;
      for (const { id } of missing) computed.set(`${first.id} ${id}`, null);
    }
    return true;
  }

  /**
   * @param {Answers | null} answers
   * @param {string} one
   * @param {string} other
   * @returns {Answer | undefined}
   */
  function known(answers, one, other) {
    return answers?.pairs.find(({ first, second }) => first === one && second === other)
      ?? turned(answers?.pairs.find(({ first, second }) => first === other && second === one))
      ?? computed.get(`${one} ${other}`) ?? undefined;
  }

  /** @returns {Promise<Answers>} */
  async function load() {
    return loadJson(pairs);
  }

  /**
   * @param {Line[]} found
   * @returns {HTMLElement}
   */
  function counted(found) {
    const around = document.createElement("span");
    const number = document.createElement("b");
    number.textContent = `${found.length} selected`;
    const small = document.createElement("small");
    small.textContent = metric ? `by ${metric}, same data and methodology` : "same data and methodology";
    around.append(number, small);
    return around;
  }

  /**
   * @param {Line[]} found
   * @param {Answers | null} answers
   * @returns {HTMLElement}
   */
  function list(found, answers) {
    const around = document.createElement("ul");
    const [first, ...others] = found;
    for (const other of others) {
      const answer = known(answers, first?.id ?? "", other.id);
      const isPending = values !== "" && !computed.has(`${first?.id} ${other.id}`);
      around.append(...lineOf(first, other, answer, reason(answers, [first?.id ?? "", other.id], isPending)));
    }
    return around;
  }

  /**
   * @param {Line[]} found
   * @returns {HTMLElement}
   */
  function leading(found) {
    const around = document.createElement("span");
    const link = document.createElement("a");
    link.className = "act";
    link.href = comparison(compare, found.map(({ id }) => id));
    link.textContent = "Compare";
    around.append(link, " ", clearing());
    return around;
  }

  /** @returns {HTMLElement} */
  function clearing() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = "Clear";
    button.addEventListener("click", () => {
      for (const { box } of lines) box.checked = false;
      void show();
      lines[0]?.box.focus();
    });
    return button;
  }
}

/**
 * The same answer in the other order.
 * @param {Answer | undefined} answer
 * @returns {Answer | undefined}
 */
export function turned(answer) {
  if (!answer) return undefined;
  /** @param {string} text */
  const other = (text) => text.replace(/[+−]/gu, (sign) => (sign === "+" ? "−" : "+"));
  const interval = /^\[(.*), (.*)\]$/u.exec(answer.shown.interval);
  /** @param {Both | null} both */
  const swapped = (both) => both && { ...both, first: both.second, second: both.first };
  return {
    ...answer, first: answer.second, second: answer.first, wins: answer.losses, losses: answer.wins,
    shown: {
      ...answer.shown,
      delta: other(answer.shown.delta),
      interval: interval ? `[${other(interval[2] ?? "")}, ${other(interval[1] ?? "")}]` : answer.shown.interval,
    },
    category: swapped(answer.category),
    cost: swapped(answer.cost),
  };
}

/**
 * A row's name, with its version and configuration if another row of the table has the same.
 * @param {Pick<Line, "name" | "more" | "isShared"> | undefined} line
 * @returns {string}
 */
export function named(line) {
  if (!line) return "";
  const words = visible(line.isShared ? `${line.name} (${line.more})` : line.name);
  return words.length > LONGEST ? `${words.slice(0, LONGEST - 1)}…` : words;
}

/**
 * @param {Line | undefined} first
 * @param {Line} second
 * @param {Answer | undefined} answer
 * @param {string} why if there is no answer
 * @returns {HTMLElement[]}
 */
function lineOf(first, second, answer, why) {
  const line = document.createElement("li");
  const [one, other] = [document.createElement("b"), document.createElement("b")];
  one.textContent = named(first);
  other.textContent = named(second);
  line.append(one, " − ", other, ": ");
  if (!answer) {
    line.append(why);
    return [line];
  }
  const [numbers, small] = words(answer);
  const figures = document.createElement("span");
  figures.className = "mono";
  figures.textContent = numbers;
  line.append(figures);
  const below = document.createElement("li");
  below.className = "soft small";
  below.textContent = visible(small);
  return [line, below];
}

/**
 * Why a pair has no answer.
 * @param {Answers | null} answers
 * @param {string[]} ids
 * @param {boolean} [isPending] whether the pair is being computed
 * @returns {string}
 */
export function reason(answers, ids, isPending = false) {
  if (answers === null) return "the comparisons couldn't be loaded.";
  if (ids.every((id) => answers.receipts.includes(id))) return "not comparable, because they ran other tasks.";
  if (isPending) return "comparing …";
  return `not among the ${answers.receipts.length} best rows, so compare them on the next page.`;
}

/**
 * @param {string} text
 * @returns {HTMLElement}
 */
function said(text) {
  const line = document.createElement("p");
  line.className = "soft";
  line.textContent = text;
  return line;
}
