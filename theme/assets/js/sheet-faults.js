// What still keeps a sheet from being handed in. Owns the sentences, and which field each stands at; every field has one at
// most. The limits are those of benchsite/tracks/rubric/payload.py; what a version demands is asked of the receipt that
// the sheet would make, as `benchsite run rubric` and every verification ask it.

import { OF_ALL_SHEETS, everyPlace } from "../../verify/rubric-demands.js";
import { isBlank } from "../../verify/unseen.js";
import { DIMENSIONS, SCENARIOS } from "./sheet-draft.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Evidence} Evidence */
/** @typedef {import("./sheet-draft.js").Form} Form */
/** @typedef {{name: string, said: string}} Fault the control's name, and a sentence without its full stop */
/** @typedef {[name: string, what: string, wrong: string | null]} Field the control, in words, and what is wrong with its shape */

const SHORT = 200;
const LONG = 4000;
const MOST = 200;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;
const LINES = /[\t\n]/;
const HALF = /\p{Surrogate}/u;
const DATE = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/;
/** In words, for the sentences. */
const TESTS = new Map([
  ["standardisedTask", "Standardised task"], ["hallucination", "Hallucination stress test"], ["invalidInput", "Invalid input"],
]);
/** What a version's refusal says at a field, in short. */
const REFUSED = new Map([
  ["note-missing", "is missing"], ["evidence-missing", "is missing"], ["disclosure-missing", "is not stated"],
  ["date-unknown", "is in no calendar"], ["date-ahead", "is of a day that has begun nowhere on Earth yet"],
  ["question-twice", "is the same as in an earlier question"],
]);

/**
 * Everything that is missing or wrong, in the order of the form.
 * @param {Form} form
 * @param {Draft} draft
 * @param {number} [now] in milliseconds
 * @returns {Fault[]}
 */
export function faults(form, draft, now = Date.now()) {
  /** @type {Map<string, string>} */
  const refused = new Map();
  for (const { code, field, message } of everyPlace(receiptOf(form, draft, now), form.parameters)) {
    const name = controlOf(field);
    if (!OF_ALL_SHEETS.has(code) && !refused.has(name)) refused.set(name, REFUSED.get(code) ?? message);
  }
  return [...fields(form, draft)].flatMap(([name, what, wrong]) => {
    const said = wrong ?? refused.get(name);
    return said === undefined ? [] : [{ name, said: `${what} ${said}` }];
  });
}

/**
 * What the sheet would be a receipt of, as far as a version's demands are about it.
 * @param {Form} form
 * @param {Draft} draft
 * @param {number} now
 */
function receiptOf(form, { agent, evaluator, session, disclosures, tests, universal, domain }, now) {
  /** @param {{[id: string]: {evidence: Evidence[]}}} held */
  const each = (held) => Object.fromEntries(Object.entries(held).map(([id, one]) => (
    [id, [{ ...one, evidence: one.evidence.map(({ excerpt = null }) => ({ sha256: "", excerpt })) }]])));
  return {
    methodology: { version: form.version },
    ranAt: `${new Date(now).toISOString().slice(0, 19)}Z`,
    config: { sheets: [""] },
    evidence: [],
    agent,
    evaluators: [evaluator],
    sheets: [{ evaluator: 0, pass: 1, session: 1, date: DATE.test(session.date) ? session.date : "2000-01-01" }],
    universal: each(universal),
    domain: each(domain),
    requiredTests: form.tests.length > 0 ? each(tests) : null,
    disclosures,
  };
}

/**
 * The control of a field of that receipt.
 * @param {string} field such as `domain.D1[0].questions[1].question`
 */
function controlOf(field) {
  const name = field.replace(/^evaluators\[0\]/, "evaluator").replace(/^sheets\[0\]/, "session").replace("[0]", "").replace(/\[(\d+)\]/g, ".$1");
  return name.endsWith(".evidence") ? `${name}.0.excerpt` : name;
}

/**
 * @param {Form} form
 * @param {Draft} draft
 * @returns {Generator<Field>}
 */
function* fields(form, { agent, evaluator, session, tests, universal, domain }) {
  yield ["agent.name", "Agent: the name", line(agent.name)];
  yield ["agent.version", "Agent: the version", line(agent.version)];
  yield ["agent.vendor", "Agent: the vendor", line(agent.vendor)];
  yield ["evaluator.name", "Evaluator: the name or pseudonym", line(evaluator.name)];
  yield ["evaluator.pass", "Evaluator: the pass", ordinal(evaluator.pass)];
  yield ["evaluator.conflictOfInterest", "Evaluator: the statement on conflicts of interest", said(evaluator.conflictOfInterest)];
  yield ["evaluator.consentToPublish", "Evaluator: consent to publication", evaluator.consentToPublish ? null : "is not given"];
  yield ["session.n", "Session: the number", ordinal(session.n)];
  yield ["session.date", "Session: the date", DATE.test(session.date) ? null : "is missing"];
  if (form.parameters.disclosures) {
    yield ["disclosures.repeatabilityTested", "Disclosure: whether repeatability was tested", null];
    yield ["disclosures.multiStep", "Disclosure: the scope of U3", null];
  }
  for (const id of form.tests) {
    const { outcome = null, note = "", evidence = [] } = tests[id] ?? {};
    const what = `Required test, ${TESTS.get(id) ?? id}`;
    yield [`tests.${id}.outcome`, `${what}: the outcome`, outcome === null ? "is missing" : null];
    yield [`tests.${id}.note`, `${what}: the note`, said(note)];
    yield* cited(`tests.${id}.evidence`, what, evidence);
  }
  for (const id of DIMENSIONS) {
    const { score = null, note = "", evidence = [] } = universal[id] ?? {};
    yield* marked(`universal.${id}`, id, score, note);
    yield* cited(`universal.${id}.evidence`, id, evidence);
  }
  for (const id of SCENARIOS) {
    const { questions = [], evidence = [] } = domain[id] ?? {};
    for (const [place, { question, criteria }] of questions.entries()) {
      const name = `domain.${id}.questions.${place}`;
      const what = questions.length > 1 ? `${id}, question ${place + 1}` : id;
      if (questions.length > 1) yield [`${name}.question`, `${what}: what was asked`, said(question)];
      for (const { id: criterion, title } of form.criteria) {
        const { score = null, note = "" } = criteria[criterion] ?? {};
        yield* marked(`${name}.criteria.${criterion}`, `${what}, ${title}`, score, note);
      }
    }
    yield* cited(`domain.${id}.evidence`, id, evidence);
  }
}

/**
 * @param {string} name
 * @param {string} what
 * @param {number | null} score
 * @param {string} note
 * @returns {Generator<Field>}
 */
function* marked(name, what, score, note) {
  yield [`${name}.score`, `${what}: the score`, score === null ? "is missing" : null];
  yield [`${name}.note`, `${what}: the note`, prose(note, LONG)];
}

/**
 * @param {string} name
 * @param {string} what
 * @param {readonly Evidence[]} evidence
 * @returns {Generator<Field>}
 */
function* cited(name, what, evidence) {
  if (evidence.length === 0) yield [`${name}.0.excerpt`, `${what}: evidence`, null];
  for (const [place, { file, excerpt }] of evidence.entries()) {
    if (excerpt !== undefined) yield [`${name}.${place}.excerpt`, `${what}: excerpt ${place + 1}`, said(excerpt)];
    if (file !== undefined) yield [`${name}.${place}.file`, `${what}: file ${place + 1}`, line(file) ?? path(file)];
  }
}

/** @param {string} value */
function line(value) {
  return said(value, SHORT) ?? (LINES.test(value) ? "is more than one line" : null);
}

/**
 * @param {string} value
 * @param {number} [most] characters
 */
function said(value, most = LONG) {
  return isBlank(value) ? "is missing" : prose(value, most);
}

/**
 * @param {string} value
 * @param {number} most characters
 */
function prose(value, most) {
  if ([...value].length > most) return `is longer than ${most.toLocaleString("en")} characters`;
  if (CONTROL.test(value)) return "holds a control character";
  return HALF.test(value) ? "holds half of a character" : null;
}

/** @param {number | null} value */
function ordinal(value) {
  return value === null || value < 1 || value > MOST ? `is a whole number from 1 to ${MOST}` : null;
}

/** @param {string} value */
function path(value) {
  const leads = /^[/~]|^[A-Za-z]:|\\/.test(value) || value.split("/").some((part) => part === "" || part === "." || part === "..");
  return leads ? "is not the path of a file beside the sheet, such as evidence/session-1.txt" : null;
}
