// A report as a part of a page: the same on the page of verification, on a certificate and in a board's dialog.

import { headline, isStale, notices, parts, plainWords, rowsOf, sentence, times, valueText } from "./account.js";
import { copyButton, element, markOf, saveButton } from "./element.js";
import { receiptId } from "./offered.js";
import { opensslCommands, opensslNotes, SIGNED_NAME } from "./openssl.js";
import { LIMITS, LOG_STATES, STATES } from "./words.js";

/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Judgement} Judgement */
/** @typedef {import("./account.js").Row} Row */
/** @typedef {import("./words.js").LogState} LogState */

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
  for (const { tone, glyph, word, text } of notices(report, around.seen)) {
    const sign = element("span", "", glyph);
    sign.setAttribute("aria-hidden", "true");
    place.append(element("div", `notice ${tone}`, element("p", "", element("strong", "", sign, ` ${word}`), ` ${text}`)));
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
  const subject = report.subject === null ? "" : `${report.subject.name} ${report.subject.version}`;
  const plainly = plainWords(report);
  const facts = element("dl", "when");
  /** @type {[string, string][]} */
  const lines = [];
  if (subject !== "") lines.push(["Measured", subject]);
  if (report.receiptId !== null) lines.push(["Receipt", report.receiptId]);
  if (report.receiptId !== null) lines.push(...times(report));
  for (const [name, words] of lines) facts.append(element("div", "", element("dt", "", name), element("dd", "", words)));
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
      element("tr", "", element("td", "", element("code", "", one.field)),
        element("td", "figure", valueText(one.recorded)), element("td", "figure", valueText(one.computed)))));
    const box = element("div", "scroll", element("table", "", element("thead", "", head), body));
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Numbers that differ");
    made.push(element(around.heading === "h2" ? "h3" : "h4", "", "What differs"), box);
    const more = judgement.differences.length - ROWS_OF_DIFFERENCES;
    if (more > 0) made.push(element("p", "small", `And ${more.toLocaleString("en")} more.`));
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
  const said = element("div", "said", element("p", "title", row.title));
  if (row.said !== "") said.append(element("p", "detail", row.said));
  for (const step of row.steps) {
    const line = element("p", "detail");
    if (row.steps.length > 1) line.append(markOf({ ...STATES[step.state], word: "" }));
    line.append(element("span", "", row.steps.length > 1 ? ` ${step.detail}` : step.detail));
    if (step.field !== "" && !step.detail.includes(step.field)) line.append(" at ", element("code", "", step.field));
    said.append(line);
    if (step.shown && step.shown.length > 0) said.append(bytesBehind(step.shown));
  }
  if (row.number === "10" && report.judgement) said.append(...notRecomputed(report.judgement));
  const item = element("li", "", element("span", "number", row.number), said, markOf(STATES[row.state]));
  return item;
}

/**
 * @param {Judgement} judgement
 * @returns {HTMLElement[]}
 */
function notRecomputed(judgement) {
  if (judgement.rescore === "NOT RE-SCORABLE") return [];
  const reason = judgement.reason !== "" ? judgement.reason
    : "intervals made by drawing the questions again and again; benchsite rescore computes those too";
  return [element("p", "detail", `Compared: ${judgement.compared.toLocaleString("en")} numbers. Not computed again here: ${reason}.`)];
}

/** @param {[string, string][]} shown */
function bytesBehind(shown) {
  const details = element("details", "", element("summary", "", "What was looked at"));
  for (const [label, text] of shown) {
    const cut = text.length > SHOWN;
    const box = element("pre", "", element("code", "", cut ? text.slice(0, SHOWN) : text));
    box.tabIndex = 0;
    details.append(element("p", "label", label, " ", copyButton("Copy", () => text)), box);
    if (cut) details.append(element("p", "small", `The first ${SHOWN.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters; “Copy” takes all.`));
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
  if (around.seen !== null) {
    line.append(`This browser had seen the list with ${around.seen.size.toLocaleString("en")} entries before. `);
    if (isStale(report, around.seen)) line.append("It keeps that one in mind.");
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
  const id = receiptId(report.receiptId) ?? "RECEIPT.json";
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
  const limits = element("ul", "", ...LIMITS.map((limit) => element("li", "", limit)));
  const heading = around.heading === "h2" ? "h3" : "h4";
  return element("div", "cannot", element(heading, "", "What this cannot prove"), limits,
    element(heading, "", "Other ways, which do not need this page"), ways);
}

/**
 * A check of the log alone, beside what this browser remembers.
 * @param {{state: LogState, head: Head | null, steps: Step[], evidence: string | null}} found
 * @param {{seen: Head | null, kept: boolean}} memory
 * @returns {HTMLElement}
 */
export function presentLog(found, { seen, kept }) {
  const mark = LOG_STATES[found.state];
  const place = element("div", "result log");
  place.append(element("p", "", markOf({ ...mark, word: sentence(mark.word) })), element("p", "", mark.sentence));
  const facts = element("dl", "when");
  for (const [name, head] of /** @type {[string, Head | null][]} */ ([["Seen before", seen], ["Served now", found.head]])) {
    if (head === null) continue;
    const words = `${head.size.toLocaleString("en")} entries, root `;
    facts.append(element("div", "", element("dt", "", name), element("dd", "", words, element("code", "", head.root))));
  }
  place.append(facts);
  if (!kept && found.head !== null && found.state !== "fork" && found.state !== "stale" && found.state !== "broken") {
    place.append(element("p", "small", "This browser cannot remember the list: its storage is off or full."));
  }
  const { evidence } = found;
  if (evidence !== null) place.append(element("p", "tools", saveButton("Save both heads", "two-heads.txt", () => evidence)));
  if (found.steps.length > 0) {
    const list = element("ul", "findings", ...found.steps.map((step) => element("li", "", markOf(STATES[step.state]), ` ${step.detail}`)));
    place.append(element("details", "", element("summary", "", "What was checked"), list));
  }
  return place;
}
