// All receipts of the site in one table: the columnar index, filtered here, a hundred rows at a time.

import { paged } from "./table.js";

/**
 * @typedef {object} Entry
 * @property {string} receiptId
 * @property {string} track
 * @property {string} subject
 * @property {string} version
 * @property {string} subjectId of the page of its system
 * @property {string} label
 * @property {string} vendor
 * @property {string} target
 * @property {string} metric
 * @property {number | null} value
 * @property {number | null} low
 * @property {number | null} high
 * @property {string} note
 * @property {string} ranAt
 * @property {string} verdict
 * @property {boolean} ranked
 * @property {boolean} imported nothing but its origin keeps it from being ranked
 * @property {string} sentBy
 */

/**
 * Columns to entries, newest first.
 * @param {{count: number, columns: Record<string, any[]>}} index
 * @returns {Entry[]}
 */
export function entriesOf(index) {
  const names = Object.keys(index.columns);
  const entries = Array.from({ length: index.count }, (_, row) =>
    Object.fromEntries(names.map((name) => [name, index.columns[name]?.[row]])));
  return /** @type {Entry[]} */ (/** @type {unknown} */ (entries.reverse()));
}

/**
 * @param {HTMLElement} place
 * @param {URL} root
 */
export async function start(place, root) {
  const address = place.dataset["index"];
  if (!address || location.protocol === "file:") return;
  try {
    const answer = await fetch(new URL(address, location.href));
    if (!answer.ok) return;
    show(place, entriesOf(await answer.json()), root);
  } catch {
    // The newest hundred stay as they were served.
  }
}

/** What may be part of a path: a leaderboard has such a name. */
const SLUG = /^[a-z0-9][a-z0-9-]{0,79}$/;

/** Glyph and tone, as the pages have them. @type {Record<string, [string, string]>} */
const MARKS = {
  LOGGED: ["✓", "good"], WITNESSED: ["✓", "good"], INVALID: ["✗", "bad"], RETRACTED: ["✗", "bad"], SUSPECT: ["△", "bad"],
  SUPERSEDED: ["↷", "caution"], UNSUPPORTED: ["?", "soft"], "UNKNOWN SIGNER": ["?", "caution"],
};

/** @param {Entry} entry */
const mark = (entry) => MARKS[entry.verdict] ?? ["△", "caution"];

/** @param {Entry} entry */
const verdictOf = (entry) => entry.verdict.toLowerCase().replace("-", " ");

/**
 * What the filters look at; a receipt that states no run date has no month.
 * @param {Entry} entry
 * @returns {import("./facets.js").Values}
 */
export const valuesOf = (entry) => ({ track: [entry.track], verdict: [verdictOf(entry)], month: entry.ranAt ? [entry.ranAt.slice(0, 7)] : [] });

/** Shown under a subject's name. @param {Entry} entry */
const beside = (entry) => [
  entry.version, entry.label || entry.vendor, entry.sentBy && `submitted by ${entry.sentBy}`, entry.imported ? "imported" : entry.ranked ? "" : "not ranked",
];

/** How a track's metrics are written: label, decimals, and whether in percent, by track and key. @typedef {Record<string, [string, number, boolean?]>} Metrics */

/**
 * A metric's name and its values, as the served rows have them.
 * @param {Entry} entry
 * @param {Metrics} metrics
 */
export function measured(entry, metrics) {
  const [label, digits, percent] = metrics[`${entry.track} ${entry.metric}`] ?? [entry.metric || "–", 3];
  const [value, low, high] = [entry.value, entry.low, entry.high].map((number) => (number === null ? "–" : percent ? `${(100 * number).toFixed(1)}%` : number.toFixed(digits)));
  return { label, value: String(value), interval: entry.low === null || entry.high === null ? "–" : `[${low}, ${high}]` };
}

/**
 * @param {HTMLElement} place
 * @param {Entry[]} entries
 * @param {URL} root
 */
function show(place, entries, root) {
  /** @type {Metrics} */
  const metrics = JSON.parse(place.dataset["metrics"] ?? "{}");
  paged(place, entries, {
    noun: "receipts",
    text: (entry) => `${entry.receiptId} ${entry.subject} ${entry.version} ${entry.label} ${entry.vendor} ${entry.target} ${entry.note} ${entry.verdict}`,
    switches: [{ label: "Only retracted, superseded, disputed or invalid", keep: (entry) => !["LOGGED", "WITNESSED"].includes(entry.verdict) }],
    labels: { track: "Track", verdict: "Verdict", month: "Run month" },
    values: valuesOf,
    cells: (entry) => {
      const href = new URL(`receipts/${entry.receiptId.slice(0, 2)}/${entry.receiptId}/`, root).href;
      const { label, value, interval } = measured(entry, metrics);
      return [
        {
          text: entry.subject || "unreadable",
          small: entry.subject ? beside(entry).filter(Boolean).join(" · ") : entry.receiptId.slice(0, 8),
          className: "what",
          href,
        },
        {
          text: entry.target || "–",
          className: "target",
          ...(entry.target ? { small: [label, entry.note].filter(Boolean).join(", ") } : {}),
          ...(SLUG.test(entry.target) ? { href: new URL(`${entry.track}/${entry.target}/`, root).href } : {}),
        },
        { text: value, className: "n", ...(entry.value === null ? {} : { href }) },
        { text: interval, className: "n" },
        { text: entry.ranAt ? `${entry.ranAt.slice(0, 10)} ${entry.ranAt.slice(11, 16)} UTC` : "–", className: "nowrap" },
        {
          text: `${mark(entry)[0]} ${verdictOf(entry)}`,
          linkClass: `state ${mark(entry)[1]}`,
          href,
        },
      ];
    },
  });
}
