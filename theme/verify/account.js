// What a page says of a report, in plain words and without a page: the headline, three separate checks, the rows of
// steps, what is known of the time. It adds no claim to the engine's findings.

import { RESCORE_SENTENCES, SENTENCES, TITLES, VERDICTS } from "./sentences.js";
import { grouped, said } from "./wording.js";
import { ROWS, TROUBLES } from "./words.js";

/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./sentences.js").Mark} Mark */
/** @typedef {import("./sentences.js").Tone} Tone */

/** @typedef {{number: string, title: string, state: State, steps: Step[], said: string}} Row */

/**
 * What every visitor should see. `quoted` may hold foreign words and comes before `text`, in its own box.
 * @typedef {{tone: Tone, glyph: string, word: string, quoted: string, text: string}} Notice
 */

/** A failing step of these is the log's fault, never the receipt's. */
const LIST_STEPS = /** @type {const} */ (["checkpoint", "consistency", "witness"]);
/** A failing step of these ends nothing: the checks before them were made. */
const NUMBER_STEPS = /** @type {const} */ (["re-score", "traces", "agreement", "evaluation", "invariants"]);
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
  if (report.rescoring === null) return "";
  if (report.rescoring.rescore === "DIFFERS") return "scores differ";
  return report.rescoring.violations.length > 0 ? report.words?.broken.short ?? "" : "";
}

/**
 * What is wrong with the log, whatever the receipt is worth: as its own check, and beside the verdict.
 * @param {Report} report
 */
function listTrouble(report) {
  if (report.evidence !== null) return { answer: "log has two versions", beside: "the log has two versions" };
  if (fails(report, "checkpoint", "consistency")) return { answer: "log verification failed", beside: "log verification failed" };
  if (!fails(report, "witness")) return null;
  return { answer: "cosignature not valid", beside: "a cosignature is not valid" };
}

/**
 * The one big word. A sound record of wrong numbers never reads as a plain success.
 * @param {Report} report
 * @returns {Mark}
 */
export function headline(report) {
  const mark = VERDICTS[report.verdict];
  const unchecked = engineTrouble(report);
  if (unchecked !== null) return { ...mark, word: `Not checked: ${unchecked.cause}` };
  const wrong = wrongNumbers(report);
  const trouble = listTrouble(report);
  if (mark.tone !== "bad" && trouble !== null) {
    return { glyph: "✗", word: `${sentence(mark.word)}, but ${trouble.beside}`, tone: "bad" };
  }
  if (wrong === "" || mark.tone === "bad") return { ...mark, word: sentence(mark.word) };
  return { glyph: "✗", word: `${sentence(mark.word)}, ${wrong}`, tone: "bad" };
}

/**
 * @param {Report} report
 * @returns {Mark}
 */
function signaturePart(report) {
  const made = stepsNamed(report, "key", "signature");
  const signed = made.some(({ name, state }) => name === "signature" && state === "pass");
  const failed = made.find(({ state }) => state === "fail");
  if (failed) {
    return { glyph: "✗", word: failed.name === "key" ? "key not accepted" : "signature does not match", tone: "bad" };
  }
  if (!signed) return { glyph: "–", word: "signature not checked", tone: "caution" };
  if (report.compromised) {
    const word = report.index === null ? "signature valid, key later compromised" : "signature valid, key compromised";
    return { glyph: "△", word, tone: "bad" };
  }
  if (report.verdict === "UNKNOWN SIGNER") return { glyph: "△", word: "signature valid, by the key you supplied", tone: "caution" };
  return { glyph: "✓", word: "signature valid", tone: "good" };
}

/**
 * @param {Report} report
 * @returns {Mark}
 */
function logPart(report) {
  const trouble = listTrouble(report);
  if (report.evidence === null && fails(report, "log")) return { glyph: "✗", word: "not as logged", tone: "bad" };
  if (trouble !== null) return { glyph: "✗", word: trouble.answer, tone: "bad" };
  if (report.index === null) return { glyph: "△", word: "not proven to be in the log", tone: "caution" };
  const cosigned = stepsNamed(report, "witness").some(({ state }) => state === "pass");
  return { glyph: "✓", word: cosigned ? "in the log, cosigned" : "in the log", tone: "good" };
}

/**
 * @param {Report} report
 * @returns {Mark}
 */
function numbersPart(report) {
  if (report.rescoring === null) return { glyph: "–", word: "scores not checked", tone: "caution" };
  const wrong = wrongNumbers(report);
  if (wrong !== "") return { glyph: "✗", word: wrong, tone: "bad" };
  if (report.rescoring.rescore === "MATCHES") {
    // An altered file may have consistent answers and scores.
    if (report.verdict === "INVALID") return { glyph: "△", word: said("matches-altered"), tone: "caution" };
    return { glyph: "✓", word: "scores match", tone: "good" };
  }
  return { glyph: "–", word: "scores not re-scored", tone: "caution" };
}

/**
 * Signature, log and scores, each answered separately.
 * @param {Report} report
 * @returns {[Mark, Mark, Mark]}
 */
export function parts(report) {
  return [signaturePart(report), logPart(report), numbersPart(report)];
}

/**
 * The verdict's sentence and the one about the scores. Of a file that failed verification, matching scores say nothing.
 * @param {Report} report
 */
export function plainWords(report) {
  const { verdict, rescoring } = report;
  const failed = verdict === "INVALID" ? failedStep(report) : undefined;
  if (failed?.detail === said("draft")) return `${sentence(failed.detail)}. Sign and log it with benchsite publish.`;
  if (failed) return said("failed", { title: titleOf(failed.name) });
  const unchecked = engineTrouble(report);
  if (unchecked !== null) return unchecked.remedy;
  if (rescoring === null || verdict === "INVALID") return SENTENCES[verdict];
  return `${SENTENCES[verdict]} ${RESCORE_SENTENCES[rescoring.rescore]}`;
}

/**
 * Return the engine's own trouble, if it left a file or the log unchecked.
 * @param {{steps: readonly Step[], verdict?: string}} found a report of a receipt or of the log
 */
export function engineTrouble({ steps, verdict = "UNSUPPORTED" }) {
  const step = verdict === "UNSUPPORTED" ? steps.find(({ name }) => name === "engine") : undefined;
  if (step === undefined) return null;
  return Object.values(TROUBLES).find(({ cause }) => step.detail.startsWith(cause)) ?? TROUBLES.other;
}

/**
 * What made a file invalid. A log that fails verification is no reason for that, though its step may come first.
 * @param {Report} report
 */
function failedStep({ steps }) {
  return steps.find(({ name, state }) => state === "fail" && !LIST_STEPS.some((one) => one === name));
}

/**
 * Whether the log holds other bytes under the receipt's id.
 * @param {Report} report
 */
export function isOtherThanLogged(report) {
  return report.steps.some(({ name, state, field }) => name === "log" && state === "fail" && field === "sha256");
}

/** @param {string} name of a step */
function titleOf(name) {
  return Object.hasOwn(TITLES, name) ? TITLES[/** @type {keyof typeof TITLES} */ (name)] : sentence(name);
}

/**
 * The gravest of several outcomes; a check that was made outweighs one that was not.
 * @param {readonly Step[]} steps
 * @returns {State}
 */
function gravest(steps) {
  for (const state of /** @type {const} */ (["fail", "warning", "pass"])) {
    if (steps.some((step) => step.state === state)) return state;
  }
  return "not checked";
}

/**
 * What can be said of later entries where none was found to speak against the receipt.
 * @param {Report} report whose place in the log is shown
 * @returns {{state: State, said: string}}
 */
function unopposed({ index, reach }) {
  if (reach === null) return { state: "not checked", said: "later entries were not checked" };
  const last = grouped(reach.entries - 1);
  if (index !== null && index >= reach.entries) {
    return { state: "warning", said: `the log that this page knows ends at entry ${last}, before the receipt's own` };
  }
  if (reach.whole) {
    return { state: "pass", said: `no retraction, dispute or key revocation in ${grouped(reach.entries)} entries` };
  }
  return { state: "warning", said: `no retraction or dispute listed by this site up to entry ${last}; not every entry was read` };
}

/**
 * What is said in a row for which the engine has no step.
 * @param {Report} report
 * @param {string} number
 * @returns {{state: State, said: string}}
 */
function unsaid(report, number) {
  /** @type {readonly string[]} */
  const others = [...NUMBER_STEPS, ...LIST_STEPS];
  const unread = report.verdict === "UNSUPPORTED" && stepsNamed(report, "key").length === 0;
  const ended = unread ||
    report.steps.some(({ name, state }) => state === "fail" && !others.includes(name));
  if (number === "9" && report.index !== null && !fails(report, "key", "log")) return unopposed(report);
  if (ended) return { state: "not checked", said: "verification ended before this step" };
  if (number === "10" && report.rescoring === null) return { state: "not checked", said: "not checked: see step 1" };
  if (report.verdict === "UNKNOWN SIGNER" && Number(number) > 4) {
    return { state: "not checked", said: "not checked: the receipt was not signed by a key of this site" };
  }
  if (report.index === null && (number === "8" || number === "9")) {
    return { state: "not checked", said: "not checked: inclusion in the log is not proven" };
  }
  if (number === "7") return { state: "not checked", said: "not compared with an earlier checkpoint" };
  if (number === "8") return { state: "not checked", said: "no witnesses configured" };
  return { state: "not checked", said: "not part of this check" };
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
    const { state, said } = steps.length > 0 ? { state: gravest(steps), said: "" } : unsaid(report, number);
    return { number, title, state, steps, said };
  });
  for (const step of report.steps.filter(({ name }) => !known.has(name))) {
    rows.push({ number: "–", title: titleOf(step.name), state: step.state, steps: [step], said: "" });
  }
  const mark = headline(report);
  const state = /** @type {const} */ ({ good: "pass", caution: "warning", bad: "fail", soft: "not checked" })[mark.tone];
  rows.push({
    number: "11", title: `Verdict: ${mark.word.toLowerCase()}`, state, steps: [], said: plainWords(report),
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
 * The self-reported time and the proven window: name and words.
 * @param {Report} report
 * @returns {[string, string][]}
 */
export function times(report) {
  /** @type {[string, string][]} */
  const found = [];
  if (report.ranAt !== null) found.push(["Run at", `${moment(report.ranAt)}, self-reported`]);
  const { notBefore, notAfter } = report.window;
  found.push(["Time proven", notAfter === null
    ? "not attested: no witness cosignature"
    : `existed by ${momentOf(notAfter)}, attested by a witness cosignature`]);
  if (notBefore !== null) {
    found.push(["Also seen", `${momentOf(notBefore)}: a witness cosigned a smaller log than the receipt names; ` +
      "witnesses may lag, so this is no lower bound"]);
  }
  return found;
}

/**
 * Notices above the steps.
 * @param {Report} report
 * @returns {Notice[]}
 */
export function notices(report) {
  const found = [...whyInvalid(report), ...aboutTheLog(report)];
  if (report.rescoring?.rescore === "DIFFERS") {
    found.push({
      tone: "bad", glyph: "✗", word: "Do not quote these scores.", quoted: "",
      text: "Recomputed from the evidence in the receipt, they differ.",
    });
  }
  if (report.rescoring?.missing) {
    found.push({
      tone: "caution", glyph: "–", word: "Missing:", quoted: report.rescoring.reason,
      text: "Add the missing file on the verify page. It is used only if its hash is the one that the receipt names.",
    });
  }
  const violations = report.rescoring?.violations ?? [];
  const { word, text } = report.words?.broken ?? { word: "", text: "" };
  const bad = /** @type {const} */ ({ tone: "bad", glyph: "✗" });
  for (const { message } of violations.slice(0, MOST_IMPOSSIBLE)) {
    found.push({ ...bad, word, quoted: message, text });
  }
  const more = violations.length - MOST_IMPOSSIBLE;
  if (more > 0) {
    found.push({ ...bad, word, quoted: "", text: `at least ${grouped(more)} more. ${text}` });
  }
  return found;
}

/**
 * @param {Report} report
 * @returns {Notice[]}
 */
function whyInvalid(report) {
  const failed = failedStep(report);
  if (report.verdict !== "INVALID" || !failed) return [];
  const at = failed.field === "" || failed.detail.includes(failed.field) ? "" : ` (field ${failed.field})`;
  return [{ tone: "bad", glyph: "✗", word: "Why:", quoted: `${failed.detail}${at}`, text: "" }];
}

/**
 * At most one: the gravest.
 * @param {Report} report
 * @returns {Notice[]}
 */
function aboutTheLog(report) {
  if (report.evidence !== null) {
    return [{
      tone: "bad", glyph: "✗", word: "Fork:", quoted: "",
      text: "The log's key has signed two inconsistent checkpoints, so other visitors may be shown another log. " +
        "Save both checkpoints: the two signatures are the proof. Show them to others.",
    }];
  }
  if (fails(report, "checkpoint", "consistency")) {
    return [{
      tone: "bad", glyph: "✗", word: "Log verification failed.", quoted: "",
      text: "This is a fault of the served log, not of the receipt. An incomplete upload or an altered log can cause it. " +
        "Retry later, and report it to the maintainer of the site.",
    }];
  }
  if (fails(report, "witness")) {
    return [{
      tone: "bad", glyph: "✗", word: "Cosignature not valid.", quoted: "",
      text: "Step 8 names it. It is forged, or the witness was shown another log. Report it to the maintainer of the site " +
        "and to the witness.",
    }];
  }
  if (stepsNamed(report, "signature").some(({ state }) => state === "not checked")) {
    return [{
      tone: "caution", glyph: "–", word: "Signature not checked.", quoted: "",
      text: "The signer's public key is needed. Paste it on the verify page under “Public key of the signer”, from a source " +
        "that you trust. If you supplied one already, step 3 says why it was not used.",
    }];
  }
  if (report.course !== "stale") return [];
  return [{
    tone: "caution", glyph: "△", word: "Stale:", quoted: "",
    text: "the log known here is older than one seen before. A cache or an old copy of this page can cause it. Retry later, " +
      "or with a newer copy.",
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
