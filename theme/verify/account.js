// What a page says of a report, in plain words and without a page: the headline, three answers apart, the rows of
// steps, what is known of the time. It adds no claim to the engine's findings.

import { RESCORE_SENTENCES, ROWS, SENTENCES, STOLEN, VERDICTS } from "./words.js";

/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./words.js").Mark} Mark */
/** @typedef {import("./words.js").Tone} Tone */

/** @typedef {{number: string, title: string, state: State, steps: Step[], said: string}} Row */

/** @param {string} text */
export function sentence(text) {
  return text === "" ? "" : text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {Report} report */
function wrongNumbers(report) {
  if (report.judgement === null) return "";
  if (report.judgement.rescore === "DIFFERS") return "numbers differ";
  return report.judgement.violations.length > 0 ? "numbers impossible" : "";
}

/**
 * The one big word. A sound record of wrong numbers never reads as a plain success.
 * @param {Report} report
 * @returns {Mark}
 */
export function headline(report) {
  const mark = VERDICTS[report.verdict];
  const wrong = wrongNumbers(report);
  const listFails = stepsNamed(report, "checkpoint", "consistency").some(({ state }) => state === "fail");
  if (mark.tone !== "bad" && (listFails || report.evidence !== null)) {
    const list = report.evidence === null ? "a list that does not hold" : "a list with two versions";
    return { glyph: "✗", word: `${sentence(mark.word)}, beside ${list}`, tone: "bad" };
  }
  if (wrong === "" || mark.tone === "bad") return { ...mark, word: sentence(mark.word) };
  return { glyph: "✗", word: `${sentence(mark.word)}, ${wrong}`, tone: "bad" };
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
  if (stepsNamed(report, "events").some(({ detail }) => detail.includes(STOLEN))) {
    return { glyph: "△", word: "signature valid, by a stolen key", tone: "bad" };
  }
  if (report.verdict === "UNKNOWN SIGNER") return { glyph: "△", word: "signature valid, by the key you gave", tone: "caution" };
  return { glyph: "✓", word: "signature valid", tone: "good" };
}

/**
 * @param {Report} report
 * @returns {Mark}
 */
function logPart(report) {
  if (report.evidence !== null) return { glyph: "✗", word: "the log has two versions", tone: "bad" };
  const failed = stepsNamed(report, "log", "checkpoint", "consistency").some(({ state }) => state === "fail");
  if (failed) return { glyph: "✗", word: "not what the log says", tone: "bad" };
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
  if (report.judgement.rescore === "MATCHES") return { glyph: "✓", word: "numbers match", tone: "good" };
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
export function plainWords({ verdict, judgement }) {
  if (judgement === null || (verdict === "INVALID" && judgement.rescore !== "DIFFERS")) return SENTENCES[verdict];
  return `${SENTENCES[verdict]} ${RESCORE_SENTENCES[judgement.rescore]}`;
}

/**
 * The gravest of several outcomes; a check that was made outweighs one that was left out.
 * @param {readonly Step[]} steps
 * @returns {State}
 */
export function gravest(steps) {
  for (const state of /** @type {const} */ (["fail", "note", "pass"])) {
    if (steps.some((step) => step.state === state)) return state;
  }
  return "skip";
}

/**
 * What stands in a row to which the engine said nothing.
 * @param {Report} report
 * @param {string} number
 * @returns {{state: State, said: string}}
 */
function silent(report, number) {
  const ended = report.steps.some(({ state }) => state === "fail") || report.verdict === "UNSUPPORTED";
  const placed = report.index !== null && !stepsNamed(report, "key", "log").some(({ state }) => state === "fail");
  if (number === "9" && placed) {
    return { state: "pass", said: "no entry of the list speaks against the receipt or its key" };
  }
  if (ended) return { state: "skip", said: "the checks ended before this one" };
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
export function moment(text) {
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
  const bounds = [
    notBefore === null ? "" : `composed after ${momentOf(notBefore)}`,
    notAfter === null ? "" : `in the list by ${momentOf(notAfter)}`,
  ].filter((text) => text !== "");
  said.push(["Proven", bounds.length > 0
    ? `${bounds.join(", ")}, by the clocks of outside witnesses`
    : "nothing: no outside party has countersigned a list that would bound it"]);
  return said;
}

/**
 * Whether the list served now is an older copy of what this browser knows.
 * @param {Report} report
 * @param {Head | null} seen
 */
export function isStale(report, seen) {
  const older = report.head !== null && seen !== null && report.head.size < seen.size;
  return older || report.steps.some(({ state, detail }) => state === "note" && /\bstale\b/.test(detail));
}

/**
 * Notices above the steps: what nobody should miss.
 * @param {Report} report
 * @param {Head | null} seen
 * @returns {{tone: Tone, glyph: string, word: string, text: string}[]}
 */
export function notices(report, seen) {
  /** @type {{tone: Tone, glyph: string, word: string, text: string}[]} */
  const found = [];
  const failed = report.steps.find(({ state }) => state === "fail");
  if (report.verdict === "INVALID" && failed) {
    const at = failed.field === "" || failed.detail.includes(failed.field) ? "" : ` (field ${failed.field})`;
    found.push({ tone: "bad", glyph: "✗", word: "Why:", text: `${failed.detail}${at}.` });
  }
  if (report.evidence !== null) {
    found.push({
      tone: "bad", glyph: "✗", word: "Two lists.",
      text: "The log's key has signed two lists that exclude each other: somebody is shown another record than you are. " +
        "Save both heads; the two signatures are the proof. Show them to others.",
    });
  } else if (stepsNamed(report, "checkpoint", "consistency").some(({ state }) => state === "fail")) {
    found.push({
      tone: "bad", glyph: "✗", word: "The list does not hold.",
      text: "What this site serves as its list fails a check of its own, whatever the receipt is worth. A broken upload can " +
        "do that, and so can somebody who changed the record: try again later, and tell the people who run the site.",
    });
  } else if (stepsNamed(report, "signature").some(({ state }) => state === "skip")) {
    found.push({
      tone: "caution", glyph: "?", word: "Not checked.",
      text: "Whether the signature fits can only be said with the signer's public key. If somebody you trust gave it to " +
        "you, paste it on the page of verification, under “The signer's key”.",
    });
  } else if (isStale(report, seen)) {
    found.push({
      tone: "caution", glyph: "△", word: "An older copy.",
      text: "The list served now is shorter than one known already. A slow cache does that, and it proves no fraud: try again later.",
    });
  }
  if (report.judgement?.rescore === "DIFFERS") {
    found.push({ tone: "bad", glyph: "✗", word: "Do not quote these numbers.", text: "Computed again from the recorded answers, they come out differently." });
  }
  for (const { message } of report.judgement?.violations ?? []) {
    found.push({ tone: "bad", glyph: "✗", word: "Impossible:", text: `${message}. No real measurement gives such numbers.` });
  }
  return found;
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
