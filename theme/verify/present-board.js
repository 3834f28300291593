// The result of verifying a leaderboard as a part of the page: what it comes to, what differs, the leaderboard as the record
// gives it, and every receipt that is not ranked with its reasons.

import { cut, element, markOf, quotation, saveButton } from "./element.js";
import { publishedPath } from "./receipt-id.js";
import { STATES } from "./sentences.js";
import { grouped } from "./wording.js";
import { TROUBLES } from "./words.js";

/** @typedef {import("./types.js").BoardReport} BoardReport */
/** @typedef {{[member: string]: any}} Row */

const MARKS = Object.freeze({
  whole: { glyph: "✓", tone: "good", word: "Leaderboard verified" },
  recomputed: { glyph: "✓", tone: "good", word: "Leaderboard recomputed" },
  different: { glyph: "✗", tone: "bad", word: "Leaderboard differs from the record" },
  broken: { glyph: "✗", tone: "bad", word: "Leaderboard not verified" },
  "not checked": { glyph: "–", tone: "soft", word: "Not checked" },
});
const MOST = 200;
const IN_CELL = 80;
const IN_NOTICE = 600;
const DIGITS = 3;
const LEAST = 0.001;
/** Characters of an id that name a receipt to a reader. */
const SHORT = 8;

/** @param {BoardReport} report */
export function wordOf({ state }) {
  return MARKS[state].word.toLowerCase();
}

/**
 * @param {BoardReport} report
 * @param {{base: string | null, isOwn: boolean}} around `isOwn`: the page carries this leaderboard, and its keys, itself
 * @returns {HTMLElement}
 */
export function presentBoard(report, { base, isOwn }) {
  const place = element("section", "result leaderboard");
  place.setAttribute("aria-label", "Result of the verification");
  place.append(card(report), ...notices(report, isOwn));
  const { statement } = report;
  if (statement !== null) {
    place.append(...rows(statement, base), ...listed("Not ranked", statement["notRanked"], base, (one) => one["reasons"].join("; ")));
    place.append(...listed("Replaced by a later run", statement["earlier"], base, (one) => `by receipt ${one["by"]}`));
    place.append(...plain("Pre-registered, without a receipt", statement["unreported"].map((/** @type {Row} */ one) => `entry ${grouped(one["index"])}: ${one["intentId"]}`)));
    place.append(...plain("Not measured", statement["declined"].map((/** @type {Row} */ one) => `entry ${grouped(one["index"])}: ${one["subject"]}: ${one["reason"]}`)));
  }
  place.append(steps(report));
  const { evidence } = report;
  if (evidence !== null) place.append(element("p", "tools", saveButton("Save both checkpoints", "two-checkpoints.txt", () => evidence)));
  place.append(limits(statement));
  return place;
}

/** @param {BoardReport} report */
function card(report) {
  const { glyph, tone, word } = MARKS[report.state];
  const sign = element("span", tone, glyph);
  sign.setAttribute("aria-hidden", "true");
  const heading = element("h2", "verdict", sign, ` ${word}`);
  heading.tabIndex = -1;
  const facts = element("dl", "when");
  const fact = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...words) =>
    facts.append(element("div", "", element("dt", "", name), element("dd", "", ...words)));
  const { statement } = report;
  if (statement !== null) {
    const { track, target, methodology, log } = statement;
    fact("Leaderboard", `${track}/${target}, methodology ${methodology}`);
    fact("Log", `${grouped(log.size)} entries of ${log.origin}, root `, element("code", "", log.root));
    fact("Receipts", `${grouped(report.receipts)} in the log, all read; ${grouped(count(statement))} on this leaderboard, re-scored`);
  }
  return element("div", "card", element("div", "", heading, element("p", "plainly", cut(report.sentence, IN_NOTICE)), facts));
}

/** @param {Row} statement */
function count({ rows: ranked, notRanked, earlier }) {
  return ranked.length + notRanked.length + earlier.length;
}

/**
 * @param {BoardReport} report
 * @param {boolean} isOwn
 * @returns {HTMLElement[]}
 */
function notices(report, isOwn) {
  const made = report.discrepancies.slice(0, MOST).map(({ message }) =>
    element("div", "notice bad", element("p", "", element("strong", "", "✗ Differs:"), " ", quotation(message, IN_NOTICE))));
  const more = report.discrepancies.length - MOST;
  if (more > 0) made.push(element("p", "small", `And ${grouped(more)} more.`));
  const trouble = Object.values(TROUBLES).find(({ cause }) => report.sentence.startsWith(cause));
  if (trouble) made.push(element("div", "notice caution", element("p", "", trouble.remedy)));
  if (isOwn) {
    made.push(element("div", "notice caution", element("p", "",
      "The keys in this file come from its author. To verify it by keys that you trust, drop it on a saved verify page of the site.")));
  }
  return made;
}

/**
 * A receipt by its first characters; a link where the site is known.
 * @param {string} id
 * @param {string | null} base
 */
function receiptOf(id, base) {
  if (base === null) return element("code", "", id);
  const link = element("a", "", element("code", "", id.slice(0, SHORT)));
  link.href = `${base}verify.html?id=${id}`;
  link.title = publishedPath(id);
  return link;
}

/**
 * @param {string} label
 * @param {string[]} heads
 * @param {HTMLElement[]} lines
 */
function table(label, heads, lines) {
  const head = element("tr", "", ...heads.map((name) => {
    const cell = element("th", "", name);
    cell.scope = "col";
    return cell;
  }));
  const box = element("div", "scroll", element("table", "", element("thead", "", head), element("tbody", "", ...lines)));
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  return [element("h3", "", label), box];
}

/**
 * @param {Row} statement
 * @param {string | null} base
 * @returns {HTMLElement[]}
 */
function rows({ rows: held, metric }, base) {
  if (held.length === 0) return [element("p", "", "No ranked receipt.")];
  const lines = held.slice(0, MOST).map((/** @type {Row} */ row) => element("tr", "",
    element("td", "", rankOf(row)), element("td", "", quotation(`${row["name"]} ${row["version"]}`, IN_CELL)),
    element("td", "", row["label"] === "" ? "–" : quotation(row["label"], IN_CELL)), element("td", "figure", figure(row["value"])),
    element("td", "figure", row["low"] === null ? "–" : `[${figure(row["low"])}, ${figure(row["high"])}]`),
    element("td", "figure", row["toBaseline"] === null ? "–" : against(row["toBaseline"])),
    element("td", "", receiptOf(row["receiptId"], base))));
  return table("Leaderboard as recomputed", ["Rank", "System", "Configuration", metric, "95% CI", "Baseline, unadjusted p", "Receipt"], lines);
}

/** @param {Row} row */
function rankOf({ section, rankFirst, rankLast }) {
  if (rankFirst !== null) return rankFirst === rankLast ? String(rankFirst) : `${rankFirst}–${rankLast}`;
  return section === "baseline" ? "baseline" : "–";
}

/**
 * The test with the baseline: the words are of the adjusted p-value, as on the leaderboard.
 * @param {{delta: number, p: number, tied: boolean}} test
 */
function against({ delta, p, tied }) {
  return `${tied ? "not better" : delta > 0 ? "better" : "worse"}, ${pOf(p)}`;
}

/** @param {number} p */
function pOf(p) {
  return p < LEAST ? `p < ${LEAST}` : `p = ${figure(p)}`;
}

/** @param {number | null} value */
function figure(value) {
  return value === null ? "–" : value.toFixed(DIGITS);
}

/**
 * @param {string} label
 * @param {Row[]} held
 * @param {string | null} base
 * @param {(one: Row) => string} why
 * @returns {HTMLElement[]}
 */
function listed(label, held, base, why) {
  if (held.length === 0) return [];
  const lines = held.slice(0, MOST).map((one) => element("tr", "",
    element("td", "", receiptOf(one["receiptId"], base)), element("td", "figure", grouped(one["index"])),
    element("td", "", quotation(why(one), IN_NOTICE))));
  return table(label, ["Receipt", "Entry", "Reason"], lines);
}

/**
 * @param {string} label
 * @param {string[]} texts
 * @returns {HTMLElement[]}
 */
function plain(label, texts) {
  if (texts.length === 0) return [];
  return [element("h3", "", label), element("ul", "", ...texts.slice(0, MOST).map((text) => element("li", "", quotation(text, IN_NOTICE))))];
}

/** @param {BoardReport} report */
function steps(report) {
  const list = element("ol", "steps");
  list.setAttribute("role", "list");
  for (const [at, { state, detail }] of report.steps.slice(0, MOST).entries()) {
    const said = element("div", "said", element("p", "detail", cut(detail, IN_NOTICE)));
    list.append(element("li", "", element("span", "number", String(at + 1)), said, markOf(STATES[state])));
  }
  return list;
}

/** @param {Row | null} statement */
function limits(statement) {
  const name = statement === null ? "TRACK/DATASET" : `${statement["track"]}/${statement["target"]}`;
  return element("div", "cannot", element("h3", "", "Limitations"), element("p", "", "Verification does not prove:"), element("ul", "",
    element("li", "", "That every run was logged: runs that were not pre-registered are not visible."),
    element("li", "", "That other files of the leaderboard agree with it, such as its page, CSV, per-query results and comparisons."),
    element("li", "", "That every visitor is shown the same log, unless witnesses cosign it or you kept an earlier checkpoint.")),
    element("h3", "", "Verify without this page"), element("ul", "", element("li", "", element("code", "", `benchsite verify --board ${name}`),
      " in a clone of the site's repository.")));
}
