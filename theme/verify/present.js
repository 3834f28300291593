// A report as a part of a page: the same on the verify page, on a receipt's page and in a leaderboard's dialog.

import { engineTrouble, headline, isOtherThanLogged, notices, parts, plainWords, rowsOf, sentence, times, valueText } from "./account.js";
import { copyButton, cut, element, fileButton, markOf, quotation, saveButton } from "./element.js";
import { receiptId } from "./offered.js";
import { opensslCommands, opensslNotes, SIGNED_NAME } from "./openssl.js";
import { STATES } from "./sentences.js";
import { grouped } from "./wording.js";
import { LOG_STATES, limitsOf } from "./words.js";

/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").TrackWords} TrackWords */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./account.js").Row} Row */
/** @typedef {import("./types.js").LogReport} LogReport */

/**
 * @typedef {object} Around what the page knows besides the report
 * @property {string} fileName under which the visitor has the receipt, or would save it
 * @property {Head | null} seen the head that this browser remembered before the check
 * @property {boolean} remembers whether this browser can remember a head
 * @property {"h2" | "h3"} heading
 * @property {string} saved address of the verify page, to be saved; empty on that page itself
 * @property {number} [brought] how many files the visitor added to the receipt
 * @property {(file: File) => void} [add] verifies again with a file; the verify page takes files by itself
 */

/** Longer texts are cut on the page; the button beside them copies the whole. */
const SHOWN = 4096;

const ROWS_OF_DIFFERENCES = 200;
const FINDINGS_A_ROW = 20;
const TEXTS_A_FINDING = 20;

/** Code units shown of words of a receipt: in the card, in a notice, in a finding, as a field or label. */
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
  if (isOtherThanLogged(report)) place.append(...genuine(report, around));
  if (report.rescoring) place.append(...numbers(report.rescoring, around));
  place.append(stepsList(report, around), memoryLine(report, around), ...tools(report, around), cannot(report, around));
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
    fact("System", quotation(name, IN_CARD), ", version ", quotation(version, IN_CARD), ", self-reported");
  }
  if (report.figure !== null) {
    const { label, value, digits, scale, on } = report.figure;
    const short = value.toFixed(digits);
    const whole = Number(short) === value ? "" : `; unrounded ${value}`;
    fact("Score", `${label} ${short}${scale}, on `, quotation(on, IN_CARD), whole);
  }
  if (report.receiptId !== null) {
    const id = receiptId(report.receiptId);
    fact("Receipt", id ?? quotation(report.receiptId, IN_CARD));
    for (const [name, words] of times(report)) fact(name, cut(words, IN_FIELD));
  }
  return element("div", "card", element("div", "", heading, three, element("p", "plainly", plainly), facts));
}

/**
 * The way to the receipt that the log holds under this id, where the page knows its address.
 * @param {Report} report
 * @param {Around} around
 * @returns {HTMLElement[]}
 */
function genuine(report, around) {
  const id = receiptId(report.receiptId);
  if (id === null || location.protocol === "file:") return [];
  const link = element("a", "", "Verify the logged receipt");
  link.href = `${around.saved}?id=${id}`;
  return [element("p", "genuine", "The log holds this receipt id with another hash. ", link, ".")];
}

/**
 * @param {Rescoring} rescoring
 * @param {Around} around
 * @returns {HTMLElement[]}
 */
function numbers(rescoring, around) {
  const made = [];
  if (rescoring.differences.length > 0) {
    const head = element("tr", "", ...["Field", "Recorded", "Recomputed"].map((name) => {
      const cell = element("th", "", name);
      cell.scope = "col";
      return cell;
    }));
    const body = element("tbody", "", ...rescoring.differences.slice(0, ROWS_OF_DIFFERENCES).map((one) =>
      element("tr", "", element("td", "", element("code", "", cut(one.field, IN_FIELD))),
        element("td", "figure", valueText(one.recorded)), element("td", "figure", valueText(one.computed)))));
    const box = element("div", "scroll", element("table", "", element("thead", "", head), body));
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Values that differ");
    made.push(element(around.heading === "h2" ? "h3" : "h4", "", "Differences"), box);
    const more = rescoring.differences.length - ROWS_OF_DIFFERENCES;
    if (more > 0) made.push(element("p", "small", `And at least ${grouped(more)} more.`));
  }
  return made;
}

/**
 * @param {Report} report
 * @param {Around} around
 */
function stepsList(report, around) {
  const list = element("ol", "steps");
  // The numbers are written out, since one row may stand for two steps.
  list.setAttribute("role", "list");
  for (const row of rowsOf(report)) list.append(stepRow(row, report, around));
  return list;
}

/**
 * How to have checked what a step could not check: the evidence that it asked for, and where to put it.
 * @param {Row} row
 * @param {Report} report
 * @param {Around} around
 * @returns {HTMLElement[]}
 */
function wanting(row, report, { add, brought = 0 }) {
  const missed = report.wanting.filter(({ sha256 }) => row.steps.some(({ detail }) => detail.includes(sha256)));
  return missed.map(({ name, sha256 }) => {
    const file = quotation(name, IN_CARD);
    if (brought > 0) {
      return element("p", "detail", "None of the added files is ", file, `: the receipt pins SHA-256 ${sha256}.`);
    }
    if (add === undefined) return element("p", "detail", "To check this step, drop ", file, " on this page.");
    return element("p", "detail", "To check this step, add ", file, ". ", fileButton("Choose file", add));
  });
}

/**
 * @param {Row} row
 * @param {Report} report
 * @param {Around} around
 */
function stepRow(row, report, around) {
  const said = element("div", "said", element("p", "title", cut(row.title, IN_CARD)));
  if (row.said !== "") said.append(element("p", "detail", row.said));
  const marked = row.steps.length > 1;
  for (const step of row.steps.slice(0, FINDINGS_A_ROW)) said.append(...finding(step, marked));
  const more = row.steps.length - FINDINGS_A_ROW;
  // The engine's own count of what it left out, where it left any out, is its last finding.
  if (more > 1) said.append(element("p", "detail", `${grouped(more - 1)} more not shown.`));
  if (more > 0) for (const step of row.steps.slice(-1)) said.append(...finding(step, marked));
  if (row.number === "10" && report.rescoring) said.append(...notRecomputed(report.rescoring, report.words));
  said.append(...wanting(row, report, around));
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
 * @param {Rescoring} rescoring
 * @param {TrackWords | null} words
 * @returns {HTMLElement[]}
 */
function notRecomputed(rescoring, words) {
  if (rescoring.rescore === "NOT RE-SCORABLE" || words === null) return [];
  const { leftOut, elsewhere } = words;
  const left = rescoring.reason !== "" ? cut(rescoring.reason, IN_NOTICE) : leftOut;
  return [
    element("p", "detail", `Not recomputed here: ${left}.`),
    element("p", "detail", elsewhere),
  ];
}

/** @param {[string, string][]} shown */
function bytesBehind(shown) {
  const details = element("details", "", element("summary", "", "Show data"));
  for (const [label, text] of shown.slice(0, TEXTS_A_FINDING)) {
    const isLong = text.length > SHOWN;
    const box = element("pre", "", element("code", "", isLong ? text.slice(0, SHOWN) : text));
    box.tabIndex = 0;
    details.append(element("p", "label", cut(label, IN_CARD), " ", copyButton("Copy", () => text)), box);
    if (isLong) details.append(element("p", "small", `First ${grouped(SHOWN)} of ${grouped(text.length)} characters; “Copy” copies all.`));
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
    line.append("The checkpoint stored in this browser was discarded; see step 7.");
  } else if (around.seen !== null) {
    line.append(`Earlier checkpoint in this browser: ${grouped(around.seen.size)} entries. `);
    if (!report.keep) line.append("It is kept.");
  } else if (!around.remembers) {
    line.append("This browser cannot store a checkpoint, so the next visit has nothing to compare.");
  } else {
    line.append("First visit: this browser had no earlier checkpoint to compare.");
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
  if (evidence !== null) row.append(saveButton("Save both checkpoints", "two-checkpoints.txt", () => evidence));
  if (proof !== null) row.append(saveButton("Save inclusion proof", `${name}.tlog-proof`, () => proof));
  if (material !== null) {
    const commands = opensslCommands(material, around.fileName);
    row.append(saveButton("Save signed bytes", SIGNED_NAME, () => material.signed));
    row.append(copyButton("Copy as openssl commands", () => commands));
    const box = element("pre", "", element("code", "", commands));
    box.tabIndex = 0;
    const notes = element("ul", "small");
    notes.append(...opensslNotes(material, around.fileName).map((note) => element("li", "", note)));
    const about = element("p", "small", "For a POSIX shell with OpenSSL 3, in the folder of the receipt.");
    made.push(element("details", "", element("summary", "", "Verify the signature with openssl"), about, notes, box));
  }
  return row.childNodes.length > 0 ? made : [];
}

/**
 * @param {Report} report
 * @param {Around} around
 */
function cannot(report, around) {
  const ways = element("ul", "");
  // A command is there to be copied: nothing foreign but a checked id may be in it.
  // Of a file that is not the logged one, the id would name the genuine receipt.
  const id = (report.index === null ? null : receiptId(report.receiptId)) ?? "RECEIPT.json";
  ways.append(
    element("li", "", element("code", "", `benchsite verify ${id}`), " and ", element("code", "", `benchsite rescore ${id}`),
      " in a clone of the site's repository."),
    element("li", "", "openssl, for the signature only: the commands above."),
  );
  if (around.saved === "") {
    ways.append(element("li", "", "A saved copy of this page: it works offline, and its engine hash can be compared; see below."));
  } else {
    const link = element("a", "", "A saved copy of the verify page");
    link.href = around.saved;
    ways.append(element("li", "", link, ": it works offline, and the host cannot change it."));
  }
  const limits = element("ul", "", ...limitsOf(report.words).map((limit) => element("li", "", limit)));
  const heading = around.heading === "h2" ? "h3" : "h4";
  return element("div", "cannot", element(heading, "", "Limitations"), element("p", "", "Verification does not prove:"), limits,
    element(heading, "", "Verify without this page"), ways);
}

/**
 * A check of the log by itself, and of what this browser remembers.
 * @param {Omit<LogReport, "keep">} found
 * @param {{seen: Head | null, kept: boolean}} memory
 * @returns {HTMLElement}
 */
export function presentLog(found, { seen, kept }) {
  const state = LOG_STATES[found.state];
  const trouble = engineTrouble(found);
  const mark = trouble === null ? state
    : { ...state, word: `${state.word}: ${trouble.cause}`, sentence: `${state.sentence} ${trouble.remedy}` };
  const place = element("div", "result log");
  place.append(element("p", "", markOf({ ...mark, word: sentence(mark.word) })), element("p", "", mark.sentence));
  // In any other state the newest log that verified is not the one served, but the one the site's trust data names.
  const sound = found.state === "same" || found.state === "grown" || found.state === "first";
  const facts = element("dl", "when");
  const before = found.state === "first" ? null : seen;
  const heads = /** @type {[string, Head | null][]} */ ([["Last visit", before], [sound ? "Served now" : "Known now", found.head]]);
  for (const [name, head] of heads) {
    if (head === null) continue;
    const words = `${grouped(head.size)} entries, root `;
    facts.append(element("div", "", element("dt", "", name), element("dd", "", words, element("code", "", head.root))));
  }
  place.append(facts);
  if (!kept && sound) {
    place.append(element("p", "small", "This browser cannot store a checkpoint: its storage is off or full."));
  }
  const { evidence } = found;
  if (evidence !== null) place.append(element("p", "tools", saveButton("Save both checkpoints", "two-checkpoints.txt", () => evidence)));
  if (found.steps.length > 0) {
    const list = element("ul", "findings", ...found.steps.slice(0, FINDINGS_A_ROW).map((step) =>
      element("li", "", markOf(STATES[step.state]), ` ${cut(step.detail, IN_FINDING)}`)));
    place.append(element("details", "", element("summary", "", "Show data"), list));
  }
  return place;
}
