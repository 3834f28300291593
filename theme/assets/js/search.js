// The search page: documentation, leaderboards, systems and receipts of the site, looked up in two files that it serves.
// A hit has every word of the query as the beginning of one of its words; a word of the title counts more.

import { visible } from "../../verify/unseen.js";
import { entriesOf } from "./receipts.js";

/** @typedef {import("./receipts.js").Entry} Entry */
/** @typedef {{kind: string, title: string, text: string, path: string}} Item something that can be found; `path` below the root */
/** @typedef {{location: string, title: string, text: string}} Passage of the prose index, its text as HTML */

const MOST = 50;

/** @type {Readonly<Record<string, string>>} */
const ESCAPED = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&#39;": "'" };

/**
 * The plain text of a passage of mkdocs' index. A parser of HTML takes a second for all of them on a phone.
 * @param {string} html
 */
export const plain = (html) => html.replace(/<[^>]*>/g, "").replace(/&(?:amp|lt|gt|quot|#x27|#39);/g, (name) => ESCAPED[name] ?? name);

/**
 * Sections of the documentation, each with the title of its page.
 * @param {readonly Passage[]} passages
 * @param {(html: string) => string} [read]
 * @param {string} [kind]
 * @returns {Item[]}
 */
export function proseItems(passages, read = plain, kind = "Documentation") {
  const pages = new Map(passages.filter(({ location }) => !location.includes("#")).map(({ location, title }) => [location, read(title)]));
  return passages.map(({ location, title, text }) => {
    const page = location.includes("#") ? pages.get(location.replace(/#.*/, "")) : undefined;
    return { kind: page ? `${kind} · ${page}` : kind, title: read(title), text: read(text), path: location };
  });
}

/**
 * Leaderboards, systems and receipts.
 * @param {readonly Entry[]} entries newest first
 * @param {readonly string[]} leaderboards the paths of those that the site has
 * @returns {Item[]}
 */
export function recordItems(entries, leaderboards) {
  const shown = new Set(leaderboards);
  /** @type {Map<string, Item>} */
  const found = new Map();
  /** @type {Item[]} */
  const receipts = [];
  for (const entry of entries) {
    const path = `receipts/${entry.receiptId.slice(0, 2)}/${entry.receiptId}/`;
    const title = [entry.subject, entry.version, entry.label || entry.vendor].filter(Boolean).join(" ") || entry.receiptId;
    receipts.push({ kind: "Receipt", title: entry.target ? `${title} on ${entry.target}` : title, text: `${entry.receiptId} ${entry.verdict} ${entry.ranAt.slice(0, 10)}`, path });
    const leaderboard = `${entry.track}/${entry.target}/`;
    if (shown.has(leaderboard) && !found.has(`on ${leaderboard}`)) {
      found.set(`on ${leaderboard}`, { kind: "Leaderboard", title: entry.target, text: entry.track, path: leaderboard });
    }
    if (entry.subjectId && !found.has(`by ${entry.subjectId}`)) {
      const text = `current results; newest receipt: ${entry.version} on ${entry.target}`;
      found.set(`by ${entry.subjectId}`, { kind: "System", title: entry.subject, text, path: `systems/${entry.subjectId}/` });
    }
  }
  return [...found.values(), ...receipts];
}

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/**
 * The items that have every word of the query, the best first.
 * @param {readonly Item[]} items
 * @param {string} query
 * @returns {Item[]}
 */
export function search(items, query) {
  const wanted = wordsOf(query);
  if (wanted.length === 0) return [];
  /** @type {{item: Item, score: number}[]} */
  const found = [];
  for (const item of items) {
    const title = wordsOf(item.title);
    const text = wordsOf(item.text);
    let score = 0;
    for (const word of wanted) {
      const best = title.includes(word) ? 8 : title.some((one) => one.startsWith(word)) ? 4 : text.includes(word) ? 2 : text.some((one) => one.startsWith(word)) ? 1 : 0;
      if (best === 0) { score = 0; break; }
      score += best;
    }
    if (score > 0) found.push({ item, score: item.kind === "Receipt" ? score / 2 : score });
  }
  return found.sort((a, b) => b.score - a.score).map(({ item }) => item);
}

/** @param {string} address */
async function fetched(address) {
  const answer = await fetch(new URL(address, location.href));
  if (!answer.ok) throw new Error(address);
  return answer.json();
}

/**
 * Part of a text, cut between two words: from its start, or from before the first word of the query where that is later.
 * @param {string} text
 * @param {number} most code units
 * @param {string} [query]
 * @returns {string}
 */
export function excerpt(text, most, query = "") {
  if (text.length <= most) return text;
  const lower = text.toLowerCase();
  const places = wordsOf(query).map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const match = places.length === 0 ? 0 : Math.min(...places);
  const from = match < most / 2 ? 0 : text.lastIndexOf(" ", match - most / 4) + 1;
  const part = text.slice(from, from + most);
  const space = from + most >= text.length ? -1 : part.lastIndexOf(" ");
  return `${from > 0 ? "… " : ""}${part.slice(0, space > 0 ? space : most)}${from + most < text.length ? " …" : ""}`;
}

/**
 * @param {HTMLElement} place
 * @param {URL} root
 */
export async function start(place, root) {
  if (location.protocol === "file:") return void place.append("Search needs the site to be served over HTTP.");
  const said = document.createElement("p");
  said.className = "soft";
  said.setAttribute("role", "status");
  const list = document.createElement("ol");
  list.className = "hits";
  const input = document.createElement("input");
  input.type = "search";
  input.maxLength = 200;
  input.dataset["search"] = "";
  input.value = (new URLSearchParams(location.search).get("q") ?? "").slice(0, 200);
  const label = document.createElement("label");
  label.append("Search documentation, methodologies, leaderboards, systems and receipts", input);
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(label);
  place.replaceChildren(tools, said, list);
  input.focus();

  const read = await Promise.allSettled([
    fetched(place.dataset["prose"] ?? "").then((index) => proseItems(index.docs)),
    fetched(place.dataset["methodologies"] ?? "").then((index) => proseItems(index.docs, plain, "Methodology")),
    fetched(place.dataset["index"] ?? "").then((index) => recordItems(entriesOf(index), JSON.parse(place.dataset["leaderboards"] ?? "[]"))),
  ]);
  const items = read.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const lacking = read.some((one) => one.status === "rejected") ? " Part of the index could not be loaded." : "";

  function show() {
    const found = search(items, input.value);
    list.replaceChildren(...found.slice(0, MOST).map((item) => {
      const line = document.createElement("li");
      const link = document.createElement("a");
      const small = document.createElement("small");
      link.href = new URL(item.path, root).href;
      link.textContent = visible(item.title.slice(0, 200));
      small.textContent = visible(`${item.kind} · ${excerpt(item.text, 160, input.value)}`);
      line.append(link, small);
      return line;
    }));
    const count = found.length === 1 ? "1 result" : `${found.length.toLocaleString("en")} results`;
    const shown = found.length > MOST ? `, the first ${MOST} shown` : "";
    const help = found.length === 0 ? " Try fewer or other words; every word must occur." : "";
    said.textContent = input.value.trim() === "" ? lacking : `${count}${shown}.${help}${lacking}`;
    const address = new URL(location.href);
    if (input.value.trim()) address.searchParams.set("q", input.value.trim());
    else address.searchParams.delete("q");
    history.replaceState(null, "", address);
  }
  input.addEventListener("input", show);
  show();
}
