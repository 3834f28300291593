// A report as a part of a page: the same on the page of verification, on a certificate and in a board's dialog.

import { headline, notices, parts, plainWords, rowsOf, sentence, times, valueText } from "./account.js";
import { copyButton, cut, element, markOf, quotation, saveButton } from "./element.js";
import { receiptId } from "./offered.js";
import { opensslCommands, opensslNotes, SIGNED_NAME } from "./openssl.js";
import { LOG_STATES, STATES, limitsOf } from "./words.js";

/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").TrackWords} TrackWords */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Judgement} Judgement */
/** @typedef {import("./account.js").Row} Row */
/** @typedef {import("./types.js").LogReport} LogReport */

/**
 * @typedef {object} Around what the page knows besides the report
 * @property {string} fileName under which the visitor has the receipt, or would save it
 * @property {Head | null} seen the head that this browser remembered before the check
 * @property {boolean} remembers whether this browser can remember a head
 * @property {"h2" | "h3"} heading
 * @property {string} saved address of the page of verification, to be kept; empty on that page itself
 */

/** Longer texts are cut on the page; the button beside them copies the whole. */
const SHOWN = 4096;

const ROWS_OF_DIFFERENCES = 200;
const FINDINGS_A_ROW = 20;
const TEXTS_A_FINDING = 20;

/** Code units shown of words that somebody else chose: in the card, in a notice, in a finding, as a field or label. */
const IN_CARD = 80;
const IN_NOTICE = 400;
const IN_FINDING = 2000;
const IN_FIELD = 300;

/**
 * The result; give `focus` the verdict's heading, `[tabindex]` within it.
 * @param {Report} report
 * @param {Around} around
 * @returns {HTMLElement}
 */
export function present(report, around) {
  const place = element("section", "result");
  place.setAttribute("aria-label", "Result of the verification");
  place.append(card(report, around));
  for (const { tone, glyph, word, quoted, text } of notices(report)) {
    const sign = element("span", "", glyph);
    sign.setAttribute("aria-hidden", "true");
    const line = element("p", "", element("strong", "", sign, ` ${word}`));
    if (quoted !== "") line.append(" ", quotation(quoted, IN_NOTICE));
    if (text !== "") line.append(` ${text}`);
    place.append(element("div", `notice ${tone}`, line));
  }
  if (report.judgement) place.append(...numbers(report.judgement, around));
  place.append(stepsList(report), memoryLine(report, around), ...tools(report, around), cannot(report, around));
  return place;
}

/**
 * @param {Report} report
 * @param {Around} around
 */
function card(report, around) {
  const { glyph, word, tone } = headline(report);
  const sign = element("span", tone, glyph);
  sign.setAttribute("aria-hidden", "true");
  const heading = element(around.heading, "verdict", sign, ` ${word}`);
  heading.tabIndex = -1;
  const three = element("ul", "parts", ...parts(report).map((part) => element("li", "", markOf(part))));
  const plainly = plainWords(report);
  const facts = element("dl", "when");
  /** @type {(name: string, ...words: (Node | string)[]) => void} */
  const fact = (name, ...words) => facts.append(element("div", "", element("dt", "", name), element("dd", "", ...words)));
  if (report.subject !== null) {
    const { name, version } = report.subject;
    fact("Measured", quotation(name, IN_CARD), ", version ", quotation(version, IN_CARD), ", says the receipt");
  }
  if (report.figure !== null) {
    const { label, value, digits, scale, on } = report.figure;
    const short = value.toFixed(digits);
    const whole = Number(short) === value ? "" : `; to the last digit ${value}`;
    fact("Number", `${label} ${short}${scale}, on `, quotation(on, IN_CARD), whole);
  }
  if (report.receiptId !== null) {
    const id = receiptId(report.receiptId);
    fact("Receipt", id ?? quotation(report.receiptId, IN_CARD));
    for (const [name, words] of times(report)) fact(name, cut(words, IN_FIELD));
  }
  return element("div", "card", element("div", "", heading, three, element("p", "plainly", plainly), facts));
}

/**
 * @param {Judgement} judgement
 * @param {Around} around
 * @returns {HTMLElement[]}
 */
function numbers(judgement, around) {
  const made = [];
  if (judgement.differences.length > 0) {
    const head = element("tr", "", ...["Field", "Recorded", "Computed"].map((name) => {
      const cell = element("th", "", name);
      cell.scope = "col";
      return cell;
    }));
    const body = element("tbody", "", ...judgement.differences.slice(0, ROWS_OF_DIFFERENCES).map((one) =>
      element("tr", "", element("td", "", element("code", "", cut(one.field, IN_FIELD))),
        element("td", "figure", valueText(one.recorded)), element("td", "figure", valueText(one.computed)))));
    const box = element("div", "scroll", element("table", "", element("thead", "", head), body));
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Numbers that differ");
    made.push(element(around.heading === "h2" ? "h3" : "h4", "", "What differs"), box);
    const more = judgement.differences.length - ROWS_OF_DIFFERENCES;
    if (more > 0) made.push(element("p", "small", `And at least ${more.toLocaleString("en")} more.`));
  }
  return made;
}

/** @param {Report} report */
function stepsList(report) {
  const list = element("ol", "steps");
  // The numbers are written out, since one row may stand for two steps.
  list.setAttribute("role", "list");
  for (const row of rowsOf(report)) list.append(stepRow(row, report));
  return list;
}

/**
 * @param {Row} row
 * @param {Report} report
 */
function stepRow(row, report) {
  const said = element("div", "said", element("p", "title", cut(row.title, IN_CARD)));
  if (row.said !== "") said.append(element("p", "detail", row.said));
  const marked = row.steps.length > 1;
  for (const step of row.steps.slice(0, FINDINGS_A_ROW)) said.append(...finding(step, marked));
  const more = row.steps.length - FINDINGS_A_ROW;
  // The engine's own count of what it left out, where it left any out, is its last finding.
  if (more > 1) said.append(element("p", "detail", `${(more - 1).toLocaleString("en")} more are not shown here.`));
  if (more > 0) for (const step of row.steps.slice(-1)) said.append(...finding(step, marked));
  if (row.number === "10" && report.judgement) said.append(...notRecomputed(report.judgement, report.words));
  return element("li", "", element("span", "number", row.number), said, markOf(STATES[row.state]));
}

/**
 * @param {Step} step
 * @param {boolean} marked with a sign of its own, where the row's stands for several
 * @returns {HTMLElement[]}
 */
function finding(step, marked) {
  const line = element("p", "detail");
  if (marked) line.append(markOf({ ...STATES[step.state], word: "" }));
  line.append(element("span", "", `${marked ? " " : ""}${cut(step.detail, IN_FINDING)}`));
  if (step.field !== "" && !step.detail.includes(step.field)) line.append(step.name === "evidence" ? ", sha256 " : " at ", element("code", "", cut(step.field, IN_FIELD)));
  return step.shown && step.shown.length > 0 ? [line, bytesBehind(step.shown)] : [line];
}

/**
 * @param {Judgement} judgement
 * @param {TrackWords | null} words
 * @returns {HTMLElement[]}
 */
function notRecomputed(judgement, words) {
  if (judgement.rescore === "NOT RE-SCORABLE" || words === null) return [];
  const { leftOut, elsewhere } = words;
  const left = judgement.reason !== "" ? cut(judgement.reason, IN_NOTICE) : leftOut;
  return [
    element("p", "detail", `Compared: ${judgement.compared.toLocaleString("en")} numbers. Not computed again here: ${left}.`),
    element("p", "detail", elsewhere),
  ];
}

/** @param {[string, string][]} shown */
function bytesBehind(shown) {
  const details = element("details", "", element("summary", "", "What was looked at"));
  for (const [label, text] of shown.slice(0, TEXTS_A_FINDING)) {
    const isLong = text.length > SHOWN;
    const box = element("pre", "", element("code", "", isLong ? text.slice(0, SHOWN) : text));
    box.tabIndex = 0;
    details.append(element("p", "label", cut(label, IN_CARD), " ", copyButton("Copy", () => text)), box);
    if (isLong) details.append(element("p", "small", `The first ${SHOWN.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters; “Copy” takes all.`));
  }
  return details;
}

/**
 * @param {Report} report
 * @param {Around} around
 */
function memoryLine(report, around) {
  const line = element("p", "small");
  if (report.head === null) return line;
  if (around.seen !== null && report.course === "first") {
    line.append("What this browser had stored about the list was put aside: step 7 says why.");
  } else if (around.seen !== null) {
    line.append(`This browser had seen the list with ${around.seen.size.toLocaleString("en")} entries before. `);
    if (!report.keep) line.append("It keeps that one in mind.");
  } else if (!around.remembers) {
    line.append("This browser cannot remember the list, so next time it has nothing to compare with.");
  } else {
    line.append("This browser had not seen the list before, so it had nothing of its own to compare with.");
  }
  return line;
}

/**
 * @param {Report} report
 * @param {Around} around
 * @returns {HTMLElement[]}
 */
function tools(report, around) {
  const row = element("p", "tools");
  /** @type {HTMLElement[]} */
  const made = [row];
  const { material, proof, evidence } = report;
  const name = receiptId(report.receiptId) ?? "receipt";
  if (evidence !== null) row.append(saveButton("Save both heads", "two-heads.txt", () => evidence));
  if (proof !== null) row.append(saveButton("Save the proof", `${name}.tlog-proof`, () => proof));
  if (material !== null) {
    const commands = opensslCommands(material, around.fileName);
    row.append(saveButton("Save the signed bytes", SIGNED_NAME, () => material.signed));
    row.append(copyButton("Copy as openssl commands", () => commands));
    const box = element("pre", "", element("code", "", commands));
    box.tabIndex = 0;
    const notes = element("ul", "small");
    notes.append(...opensslNotes(material, around.fileName).map((note) => element("li", "", note)));
    const about = element("p", "small", "For a POSIX shell and OpenSSL 3, in the folder that holds the receipt.");
    made.push(element("details", "", element("summary", "", "The signature with openssl alone"), about, notes, box));
  }
  return row.childNodes.length > 0 ? made : [];
}

/**
 * @param {Report} report
 * @param {Around} around
 */
function cannot(report, around) {
  const ways = element("ul", "");
  // A command is there to be copied: nothing foreign but a checked id may stand in it.
  // Of a file that is not the logged one, the id would name the genuine receipt.
  const id = (report.index === null ? null : receiptId(report.receiptId)) ?? "RECEIPT.json";
  ways.append(
    element("li", "", element("code", "", `benchsite verify ${id}`), " and ", element("code", "", `benchsite rescore ${id}`),
      " in a clone of the site's repository, which also checks every other receipt of the list."),
    element("li", "", "openssl, for the signature alone: the commands above."),
  );
  if (around.saved === "") {
    ways.append(element("li", "", "A saved copy of this page: it works offline, and its engine hash can be compared, as said below."));
  } else {
    const link = element("a", "", "A copy of the page of verification");
    link.href = around.saved;
    ways.append(element("li", "", link, ", saved once and used ever after: it works offline, and its host cannot change it any more."));
  }
  const limits = element("ul", "", ...limitsOf(report.words).map((limit) => element("li", "", limit)));
  const heading = around.heading === "h2" ? "h3" : "h4";
  return element("div", "cannot", element(heading, "", "What this cannot prove"), limits,
    element(heading, "", "Other ways, which do not need this page"), ways);
}

/**
 * A check of the log alone, beside what this browser remembers.
 * @param {Omit<LogReport, "keep">} found
 * @param {{seen: Head | null, kept: boolean}} memory
 * @returns {HTMLElement}
 */
export function presentLog(found, { seen, kept }) {
  const mark = LOG_STATES[found.state];
  const place = element("div", "result log");
  place.append(element("p", "", markOf({ ...mark, word: sentence(mark.word) })), element("p", "", mark.sentence));
  // In any other state the newest list that holds is not the one served, but the one the site's trust data names.
  const sound = found.state === "same" || found.state === "grown" || found.state === "first";
  const facts = element("dl", "when");
  const before = found.state === "first" ? null : seen;
  const heads = /** @type {[string, Head | null][]} */ ([["Seen before", before], [sound ? "Served now" : "Known now", found.head]]);
  for (const [name, head] of heads) {
    if (head === null) continue;
    const words = `${head.size.toLocaleString("en")} entries, root `;
    facts.append(element("div", "", element("dt", "", name), element("dd", "", words, element("code", "", head.root))));
  }
  place.append(facts);
  if (!kept && sound) {
    place.append(element("p", "small", "This browser cannot remember the list: its storage is off or full."));
  }
  const { evidence } = found;
  if (evidence !== null) place.append(element("p", "tools", saveButton("Save both heads", "two-heads.txt", () => evidence)));
  if (found.steps.length > 0) {
    const list = element("ul", "findings", ...found.steps.slice(0, FINDINGS_A_ROW).map((step) =>
      element("li", "", markOf(STATES[step.state]), ` ${cut(step.detail, IN_FINDING)}`)));
    place.append(element("details", "", element("summary", "", "What was checked"), list));
  }
  return place;
}
