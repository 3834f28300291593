// What a page says of a report, in plain words and without a page: the headline, three answers apart, the rows of
// steps, what is known of the time. It adds no claim to the engine's findings.

import { RESCORE_SENTENCES, ROWS, SENTENCES, VERDICTS } from "./words.js";

/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./words.js").Mark} Mark */
/** @typedef {import("./words.js").Tone} Tone */

/** @typedef {{number: string, title: string, state: State, steps: Step[], said: string}} Row */

/**
 * What nobody should miss. `quoted` may hold foreign words and stands before `text`, in a box of its own.
 * @typedef {{tone: Tone, glyph: string, word: string, quoted: string, text: string}} Notice
 */

/** A failing step of these is the list's fault, never the receipt's. */
const LIST_STEPS = /** @type {const} */ (["checkpoint", "consistency", "witness"]);
/** A failing step of these ends nothing: the checks before them were made. */
const NUMBER_STEPS = /** @type {const} */ (["re-score", "invariants"]);
const MOST_IMPOSSIBLE = 20;

/** @param {string} text */
export function sentence(text) {
  return text === "" ? "" : text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {Report} report
 * @param {...string} names
 */
function stepsNamed(report, ...names) {
  return report.steps.filter((step) => names.includes(step.name));
}

/**
 * @param {Report} report
 * @param {...string} names
 */
function fails(report, ...names) {
  return stepsNamed(report, ...names).some(({ state }) => state === "fail");
}

/** @param {Report} report */
function wrongNumbers(report) {
  if (report.judgement === null) return "";
  if (report.judgement.rescore === "DIFFERS") return "numbers differ";
  return report.judgement.violations.length > 0 ? report.words?.broken.short ?? "" : "";
}

/**
 * What is wrong with the list, whatever the receipt is worth: as an answer of its own, and beside the verdict.
 * @param {Report} report
 */
function listTrouble(report) {
  if (report.evidence !== null) return { answer: "the log has two versions", beside: "a list with two versions" };
  if (fails(report, "checkpoint", "consistency")) return { answer: "the list does not hold", beside: "a list that does not hold" };
  if (!fails(report, "witness")) return null;
  return { answer: "countersignatures do not hold", beside: "countersignatures that do not hold" };
}

/**
 * The one big word. A sound record of wrong numbers never reads as a plain success.
 * @param {Report} report
 * @returns {Mark}
 */
export function headline(report) {
  const mark = VERDICTS[report.verdict];
  const wrong = wrongNumbers(report);
  const trouble = listTrouble(report);
  if (mark.tone !== "bad" && trouble !== null) {
    return { glyph: "✗", word: `${sentence(mark.word)}, beside ${trouble.beside}`, tone: "bad" };
  }
  if (wrong === "" || mark.tone === "bad") return { ...mark, word: sentence(mark.word) };
  return { glyph: "✗", word: `${sentence(mark.word)}, ${wrong}`, tone: "bad" };
}

/**
 * @param {Report} report
 * @returns {Mark}
 */
function signaturePart(report) {
  const said = stepsNamed(report, "key", "signature");
  const signed = said.some(({ name, state }) => name === "signature" && state === "pass");
  const failed = said.find(({ state }) => state === "fail");
  if (failed) {
    return { glyph: "✗", word: failed.name === "key" ? "key not accepted" : "signature does not fit", tone: "bad" };
  }
  if (!signed) return { glyph: "?", word: "signature not checked", tone: "caution" };
  if (report.stolen) {
    const when = report.index === null ? "by a key that was stolen at some time" : "by a stolen key";
    return { glyph: "△", word: `signature valid, ${when}`, tone: "bad" };
  }
  if (report.verdict === "UNKNOWN SIGNER") return { glyph: "△", word: "signature valid, by the key you gave", tone: "caution" };
  return { glyph: "✓", word: "signature valid", tone: "good" };
}

/**
 * @param {Report} report
 * @returns {Mark}
 */
function logPart(report) {
  const trouble = listTrouble(report);
  if (report.evidence === null && fails(report, "log")) return { glyph: "✗", word: "not what the log says", tone: "bad" };
  if (trouble !== null) return { glyph: "✗", word: trouble.answer, tone: "bad" };
  if (report.index === null) return { glyph: "△", word: "not shown to be in the log", tone: "caution" };
  const cosigned = stepsNamed(report, "witness").some(({ state }) => state === "pass");
  return { glyph: "✓", word: cosigned ? "in the log, countersigned" : "in the log", tone: "good" };
}

/**
 * @param {Report} report
 * @returns {Mark}
 */
function numbersPart(report) {
  if (report.judgement === null) return { glyph: "?", word: "numbers not checked", tone: "caution" };
  const wrong = wrongNumbers(report);
  if (wrong !== "") return { glyph: "✗", word: wrong, tone: "bad" };
  if (report.judgement.rescore === "MATCHES") {
    // Whoever altered a file may have altered answers and numbers alike.
    if (report.verdict === "INVALID") return { glyph: "△", word: "numbers match each other", tone: "caution" };
    return { glyph: "✓", word: "numbers match", tone: "good" };
  }
  return { glyph: "?", word: "numbers cannot be re-scored", tone: "caution" };
}

/**
 * Signature, log and numbers, each answered apart.
 * @param {Report} report
 * @returns {[Mark, Mark, Mark]}
 */
export function parts(report) {
  return [signaturePart(report), logPart(report), numbersPart(report)];
}

/**
 * The verdict's sentence and the one about the numbers. No comfort is taken from the numbers of a file that is not
 * what it claims to be.
 * @param {Report} report
 */
export function plainWords({ verdict, judgement, receiptId }) {
  if (verdict === "INVALID" && receiptId === null) return `${SENTENCES[verdict]} It does not read as a receipt.`;
  if (judgement === null || (verdict === "INVALID" && judgement.rescore !== "DIFFERS")) return SENTENCES[verdict];
  return `${SENTENCES[verdict]} ${RESCORE_SENTENCES[judgement.rescore]}`;
}

/**
 * The gravest of several outcomes; a check that was made outweighs one that was left out.
 * @param {readonly Step[]} steps
 * @returns {State}
 */
function gravest(steps) {
  for (const state of /** @type {const} */ (["fail", "note", "pass"])) {
    if (steps.some((step) => step.state === state)) return state;
  }
  return "skip";
}

/**
 * What can be said of later entries where none was found to speak against the receipt.
 * @param {Report} report whose place in the list is shown
 * @returns {{state: State, said: string}}
 */
function unopposed({ index, reach }) {
  if (reach === null) return { state: "skip", said: "what later entries say was not looked up" };
  const last = (reach.entries - 1).toLocaleString("en");
  if (index !== null && index >= reach.entries) {
    return { state: "note", said: `the list that this page knows ends at entry ${last}, before the receipt's own` };
  }
  if (reach.whole) {
    const entries = reach.entries.toLocaleString("en");
    return { state: "pass", said: `none of the ${entries} entries of the list speaks against the receipt or its key` };
  }
  const said = `no later entry that this site lists speaks against it, up to entry ${last}; ` +
    "the entries themselves were not all read here";
  return { state: "note", said };
}

/**
 * What stands in a row to which the engine said nothing.
 * @param {Report} report
 * @param {string} number
 * @returns {{state: State, said: string}}
 */
function silent(report, number) {
  /** @type {readonly string[]} */
  const others = [...NUMBER_STEPS, ...LIST_STEPS];
  const unread = report.verdict === "UNSUPPORTED" && stepsNamed(report, "key").length === 0;
  const ended = unread ||
    report.steps.some(({ name, state }) => state === "fail" && !others.includes(name));
  if (number === "9" && report.index !== null && !fails(report, "key", "log")) return unopposed(report);
  if (ended) return { state: "skip", said: "the checks ended before this one" };
  if (number === "10" && report.judgement === null) return { state: "skip", said: "not checked: step 1 says why" };
  if (report.verdict === "UNKNOWN SIGNER" && Number(number) > 4) {
    return { state: "skip", said: "this site's list says nothing of other signers' receipts" };
  }
  if (report.index === null && (number === "8" || number === "9")) {
    return { state: "skip", said: "nothing to look up while no entry of the list is shown to be this receipt's" };
  }
  if (number === "7") return { state: "skip", said: "not compared with another copy of the list" };
  if (number === "8") return { state: "skip", said: "nobody outside is known to this page as a witness" };
  return { state: "skip", said: "not part of this check" };
}

/**
 * Every step of specs/verify.md with its findings; findings under no known name get a row of their own.
 * @param {Report} report
 * @returns {Row[]}
 */
export function rowsOf(report) {
  const known = new Set(ROWS.flatMap(({ names }) => names));
  const rows = ROWS.map(({ number, title, names }) => {
    const steps = stepsNamed(report, ...names);
    const { state, said } = steps.length > 0 ? { state: gravest(steps), said: "" } : silent(report, number);
    return { number, title, state, steps, said };
  });
  for (const step of report.steps.filter(({ name }) => !known.has(name))) {
    rows.push({ number: "–", title: sentence(step.name), state: step.state, steps: [step], said: "" });
  }
  const mark = headline(report);
  const state = /** @type {const} */ ({ good: "pass", caution: "note", bad: "fail", soft: "skip" })[mark.tone];
  rows.push({
    number: "11", title: `Taken together: ${mark.word.toLowerCase()}`, state, steps: [], said: SENTENCES[report.verdict],
  });
  return rows;
}

/**
 * `2026-11-21T21:20:03Z` as `2026-11-21 21:20 UTC`; anything else as it is.
 * @param {string} text
 */
function moment(text) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : text;
}

/** @param {number} seconds */
function momentOf(seconds) {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} seconds after 1970` : moment(date.toISOString());
}

/**
 * The claimed time beside the proven window: name and words.
 * @param {Report} report
 * @returns {[string, string][]}
 */
export function times(report) {
  /** @type {[string, string][]} */
  const said = [];
  if (report.ranAt !== null) said.push(["Claimed", `run at ${moment(report.ranAt)}, says the receipt itself`]);
  const { notBefore, notAfter } = report.window;
  said.push(["Proven", notAfter === null
    ? "nothing about the time; step 8 says what is known of countersignatures"
    : `in being by ${momentOf(notAfter)}: an outside party had then countersigned a list that holds it`]);
  if (notBefore !== null) {
    said.push(["Also seen", `at ${momentOf(notBefore)} a witness still signed a shorter list than the one it names; ` +
      "witnesses may lag, so this bounds nothing"]);
  }
  return said;
}

/**
 * Notices above the steps.
 * @param {Report} report
 * @returns {Notice[]}
 */
export function notices(report) {
  const found = [...whyInvalid(report), ...aboutTheList(report)];
  if (report.judgement?.rescore === "DIFFERS") {
    found.push({
      tone: "bad", glyph: "✗", word: "Do not quote these numbers.", quoted: "",
      text: "Computed again from what the receipt records, they come out differently.",
    });
  }
  if (report.judgement !== null && report.judgement.reason.includes("is not at hand")) {
    found.push({
      tone: "caution", glyph: "?", word: "Missing:", quoted: report.judgement.reason,
      text: "What is missing can be dropped beside the receipt on the page of verification; it counts only if its hash is " +
        "the one that the receipt names.",
    });
  }
  const violations = report.judgement?.violations ?? [];
  const { word, text } = report.words?.broken ?? { word: "", text: "" };
  const bad = /** @type {const} */ ({ tone: "bad", glyph: "✗" });
  for (const { message } of violations.slice(0, MOST_IMPOSSIBLE)) {
    found.push({ ...bad, word, quoted: message, text });
  }
  const more = violations.length - MOST_IMPOSSIBLE;
  if (more > 0) {
    found.push({ ...bad, word, quoted: "", text: `at least ${more.toLocaleString("en")} more. ${text}` });
  }
  return found;
}

/**
 * @param {Report} report
 * @returns {Notice[]}
 */
function whyInvalid(report) {
  // A list that does not hold is no reason to call a file invalid, though its step may come first.
  const failed = report.steps.find(({ name, state }) => state === "fail" && !LIST_STEPS.some((one) => one === name));
  if (report.verdict !== "INVALID" || !failed) return [];
  const at = failed.field === "" || failed.detail.includes(failed.field) ? "" : ` (field ${failed.field})`;
  return [{ tone: "bad", glyph: "✗", word: "Why:", quoted: `${failed.detail}${at}`, text: "" }];
}

/**
 * At most one: the gravest.
 * @param {Report} report
 * @returns {Notice[]}
 */
function aboutTheList(report) {
  if (report.evidence !== null) {
    return [{
      tone: "bad", glyph: "✗", word: "Two lists.", quoted: "",
      text: "The log's key has signed two lists that exclude each other: somebody is shown another record than you are. " +
        "Save both heads; the two signatures are the proof. Show them to others.",
    }];
  }
  if (fails(report, "checkpoint", "consistency")) {
    return [{
      tone: "bad", glyph: "✗", word: "The list does not hold.", quoted: "",
      text: "What this site gives out as its list fails a check of its own, whatever the receipt is worth. A broken upload " +
        "can do that, and so can somebody who changed the record: try again later, and tell the people who run the site.",
    }];
  }
  if (fails(report, "witness")) {
    return [{
      tone: "bad", glyph: "✗", word: "Countersignatures do not hold.", quoted: "",
      text: "Step 8 says which. A line that does not fit is forged, or its witness was shown another list than you are: tell " +
        "the people who run the site, and the witness.",
    }];
  }
  if (stepsNamed(report, "signature").some(({ state }) => state === "skip")) {
    return [{
      tone: "caution", glyph: "?", word: "Not checked.", quoted: "",
      text: "Whether the signature fits can only be said with the signer's public key. If somebody you trust gave it to " +
        "you, paste it on the page of verification, under “The signer's key”. Where one was given already, step 3 says why " +
        "it did not serve.",
    }];
  }
  if (report.course !== "stale") return [];
  return [{
    tone: "caution", glyph: "△", word: "An older copy.", quoted: "",
    text: "The list known here is shorter than one known already: an old copy of this page, or a slow cache. It proves no " +
      "fraud; try again later, or with a newer copy.",
  }];
}

/**
 * A value of a receipt as text.
 * @param {Json | undefined} value
 */
export function valueText(value) {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
