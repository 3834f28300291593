// The fixed words of a result: one sentence a verdict, a glyph and a tone, and the titles of the steps. The sentences
// are those of benchsite/history/verdict.py and the marks those of benchsite/site/marks.py; a test compares them.

/** @typedef {import("./types.js").TrackWords} TrackWords */
/** @typedef {import("./types.js").Verdict} Verdict */
/** @typedef {import("./types.js").Rescore} Rescore */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Course} Course */

/**
 * @typedef {"good" | "caution" | "bad" | "soft"} Tone
 * @typedef {{glyph: string, word: string, tone: Tone}} Mark colour is never the only carrier
 */

/** @type {Readonly<Record<Verdict, string>>} */
export const SENTENCES = Object.freeze({
  "WITNESSED": "Signed, in the public list, and outside parties have countersigned that list.",
  "LOGGED": "Signed and in the public list, unchanged since.",
  "SIGNED-ONLY": "The signature is valid, but nothing shows (yet) that the receipt is in the public list.",
  "UNKNOWN SIGNER": "The key that signed this is not one of this site's keys.",
  "SUSPECT": "Signed with a key that was reported stolen, or dated before the list allows: do not rely on it.",
  "RETRACTED": "Withdrawn by its publisher; kept here so that the record stays whole.",
  "SUPERSEDED": "Replaced by a newer receipt; kept here so that the record stays whole.",
  "DISPUTED": "Somebody contests this result; the objection is linked.",
  "INVALID": "This file is not what it claims to be.",
  "UNSUPPORTED": "This version cannot check this file; that does not make it wrong.",
});

/** @type {Readonly<Record<Rescore, string>>} */
export const RESCORE_SENTENCES = Object.freeze({
  "MATCHES": "The numbers follow from what is recorded in the receipt.",
  "DIFFERS": "The numbers do not follow from what is recorded in the receipt.",
  "NOT RE-SCORABLE": "What is needed to compute the numbers again is neither in the receipt nor at hand.",
});

/** @type {Readonly<Record<Verdict, Mark>>} */
export const VERDICTS = Object.freeze({
  "WITNESSED": { glyph: "✓", word: "witnessed", tone: "good" },
  "LOGGED": { glyph: "✓", word: "logged", tone: "good" },
  "SIGNED-ONLY": { glyph: "△", word: "signed only", tone: "caution" },
  "UNKNOWN SIGNER": { glyph: "?", word: "unknown signer", tone: "caution" },
  "SUSPECT": { glyph: "△", word: "suspect", tone: "bad" },
  "RETRACTED": { glyph: "✗", word: "retracted", tone: "bad" },
  "SUPERSEDED": { glyph: "↷", word: "superseded", tone: "caution" },
  "DISPUTED": { glyph: "△", word: "disputed", tone: "caution" },
  "INVALID": { glyph: "✗", word: "invalid", tone: "bad" },
  "UNSUPPORTED": { glyph: "?", word: "cannot be checked here", tone: "soft" },
});

/** @type {Readonly<Record<State, Mark>>} */
export const STATES = Object.freeze({
  pass: { glyph: "✓", word: "pass", tone: "good" },
  fail: { glyph: "✗", word: "fail", tone: "bad" },
  note: { glyph: "–", word: "note", tone: "caution" },
  skip: { glyph: "·", word: "skipped", tone: "soft" },
});

/**
 * The steps of specs/verify.md under their own numbers, with the names of the findings that belong to each.
 * @type {readonly {number: string, title: string, names: readonly string[]}[]}
 */
export const ROWS = Object.freeze([
  { number: "1", title: "Strict reading: no duplicate keys, no unknown fields", names: ["parse", "schema"] },
  { number: "2", title: "The one canonical form", names: ["canonical"] },
  { number: "3", title: "The signer's key", names: ["key"] },
  { number: "4", title: "The signature over every field", names: ["signature"] },
  { number: "5", title: "Its entry in the public list", names: ["log"] },
  { number: "6", title: "The list, signed by the log's key", names: ["checkpoint"] },
  { number: "7", title: "The list beside the ones known before", names: ["consistency"] },
  { number: "8", title: "Countersignatures of outside parties", names: ["witness"] },
  { number: "9", title: "What later entries say of it", names: ["events", "evidence"] },
  { number: "10", title: "The numbers, computed again from the evidence", names: ["re-score", "invariants"] },
]);

/** What is said of a log beside the head this browser remembers. @type {Readonly<Record<Course, Mark & {sentence: string}>>} */
export const LOG_STATES = Object.freeze({
  same: {
    glyph: "✓", word: "the same list", tone: "good",
    sentence: "This is exactly the list that this browser saw before.",
  },
  grown: {
    glyph: "✓", word: "grown, nothing changed", tone: "good",
    sentence: "The list continues the one that this browser saw before: entries were added, none was changed or taken out.",
  },
  first: {
    glyph: "–", word: "seen for the first time", tone: "caution",
    sentence: "This browser has not seen the list before and has nothing to compare it with. It was checked in itself.",
  },
  stale: {
    glyph: "–", word: "an older copy", tone: "caution",
    sentence: "The list served now is shorter than one known already. A slow cache does that: try again later.",
  },
  fork: {
    glyph: "✗", word: "another list", tone: "bad",
    sentence: "This is not the list that this browser saw before: the signed one shown then and the signed one shown now " +
      "exclude each other. Save both heads and show them to others.",
  },
  unavailable: {
    glyph: "·", word: "not compared", tone: "soft",
    sentence: "The list served now could not be read or compared, so nothing is said of it. What was known before is kept.",
  },
  broken: {
    glyph: "✗", word: "not a sound list", tone: "bad",
    sentence: "What is served as the list does not hold together: its signature or its hashes do not fit.",
  },
});

/**
 * What no result can show, whatever it says.
 * @param {TrackWords | null} words of the receipt's track, where it is known
 */
export function limitsOf(words) {
  return [...LIMITS.slice(0, 2), ...(words === null ? [] : [words.limit]), ...LIMITS.slice(2)];
}

const LIMITS = Object.freeze([
  "That whoever ran the benchmark ran it honestly: only a second run by somebody else can. Runs that nobody announced " +
    "stay invisible.",
  "When the run was: its date is a claim. A countersignature shows only by when the receipt was in the list.",
  "That the site names every later entry which speaks against a receipt, unless step 9 says that all entries were read.",
  "That this page was not replaced: whoever trusts the host trusts the page that the host serves.",
  "That everybody is shown the same list, unless outside parties countersign it or you have kept an older head.",
]);
