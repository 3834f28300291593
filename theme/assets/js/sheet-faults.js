// What still keeps a sheet from being handed in: what is missing, and what `benchsite run rubric` would refuse. Owns the
// sentences; every fault names the field it stands at. The limits are those of benchsite/tracks/rubric/payload.py.

import { alike, inCalendar } from "../../verify/rubric-likeness.js";
import { isBlank } from "../../verify/unseen.js";
import { DIMENSIONS, SCENARIOS } from "./sheet-draft.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Evidence} Evidence */
/** @typedef {import("./sheet-draft.js").Form} Form */
/** @typedef {import("./sheet-draft.js").Question} Question */
/** @typedef {{name: string, said: string}} Fault the control's name, and a sentence without its full stop */

const SHORT = 200;
const LONG = 4000;
const MOST = 200;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;
const LINES = /[\t\n]/;
const HALF = /\p{Surrogate}/u;
const DATE = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/;
/** The first clocks that show a new day are 14 hours ahead of UTC. */
const AHEAD_OF_UTC = 14 * 3_600_000;
/** In words, for the sentences. */
const TESTS = new Map([
  ["standardisedTask", "Standardised task"], ["hallucination", "Hallucination stress test"], ["invalidInput", "Invalid input"],
]);

/**
 * Everything that is missing or wrong, in the order of the form.
 * @param {Form} form
 * @param {Draft} draft
 * @param {number} [now] in milliseconds
 * @returns {Fault[]}
 */
export function faults(form, draft, now = Date.now()) {
  return [...people(draft, now), ...(form.disclosures ? stated(draft) : []), ...tested(form, draft), ...universal(form, draft), ...domain(form, draft)];
}

/**
 * @param {Draft} draft
 * @param {number} now
 * @returns {Generator<Fault>}
 */
function* people({ agent, evaluator, session }, now) {
  yield* line("agent.name", "Agent: the name", agent.name);
  yield* line("agent.version", "Agent: the version", agent.version);
  yield* line("agent.vendor", "Agent: the vendor", agent.vendor);
  yield* line("evaluator.name", "Evaluator: the name or pseudonym", evaluator.name);
  yield* ordinal("evaluator.pass", "Evaluator: the pass", evaluator.pass);
  yield* prose("evaluator.conflictOfInterest", "Evaluator: the statement on conflicts of interest", evaluator.conflictOfInterest, true);
  if (!evaluator.consentToPublish) yield { name: "evaluator.consentToPublish", said: "Evaluator: consent to publication is not given" };
  yield* ordinal("session.n", "Session: the number", session.n);
  const { date } = session;
  if (!DATE.test(date) || !inCalendar(date)) yield { name: "session.date", said: "Session: the date is missing" };
  else if (Date.parse(date) > now + AHEAD_OF_UTC) yield { name: "session.date", said: "Session: the date is of a day that has begun nowhere on Earth yet" };
}

/**
 * @param {Draft} draft
 * @returns {Generator<Fault>}
 */
function* stated({ disclosures }) {
  if (disclosures.repeatabilityTested === null) {
    yield { name: "disclosures.repeatabilityTested", said: "Disclosure: whether repeatability was tested is not stated" };
  }
  if (disclosures.multiStep === null) yield { name: "disclosures.multiStep", said: "Disclosure: the scope of U3 is not stated" };
}

/**
 * @param {Form} form
 * @param {Draft} draft
 * @returns {Generator<Fault>}
 */
function* tested(form, draft) {
  for (const id of form.tests) {
    const { outcome = null, note = "", evidence = [] } = draft.tests[id] ?? {};
    const what = `Required test, ${TESTS.get(id) ?? id}`;
    if (outcome === null) yield { name: `tests.${id}.outcome`, said: `${what}: the outcome is missing` };
    yield* prose(`tests.${id}.note`, `${what}: the note`, note, true);
    yield* shown(`tests.${id}.evidence`, what, evidence, false);
  }
}

/**
 * @param {Form} form
 * @param {Draft} draft
 * @returns {Generator<Fault>}
 */
function* universal(form, draft) {
  for (const id of DIMENSIONS) {
    const { score = null, note = "", evidence = [] } = draft.universal[id] ?? {};
    if (score === null) yield { name: `universal.${id}.score`, said: `${id}: the score is missing` };
    yield* prose(`universal.${id}.note`, `${id}: the note`, note, form.evidence);
    yield* shown(`universal.${id}.evidence`, id, evidence, form.evidence);
  }
}

/**
 * @param {Form} form
 * @param {Draft} draft
 * @returns {Generator<Fault>}
 */
function* domain(form, draft) {
  for (const id of SCENARIOS) {
    const { questions = [], evidence = [] } = draft.domain[id] ?? {};
    /** @type {Set<string>} */
    const seen = new Set();
    for (const [place, asked] of questions.entries()) {
      const name = `domain.${id}.questions.${place}`;
      const what = questions.length > 1 ? `${id}, question ${place + 1}` : id;
      if (questions.length > 1) yield* prose(`${name}.question`, `${what}: what was asked`, asked.question, true);
      if (asked.question !== "" && seen.has(alike(asked.question))) {
        yield { name: `${name}.question`, said: `${what}: the same is asked in an earlier question` };
      }
      seen.add(alike(asked.question));
      for (const criterion of form.criteria) {
        const { score = null, note = "" } = asked.criteria[criterion.id] ?? {};
        if (score === null) yield { name: `${name}.criteria.${criterion.id}.score`, said: `${what}, ${criterion.title}: the score is missing` };
        yield* prose(`${name}.criteria.${criterion.id}.note`, `${what}, ${criterion.title}: the note`, note, form.evidence);
      }
    }
    yield* shown(`domain.${id}.evidence`, id, evidence, form.evidence);
  }
}

/**
 * @param {string} name
 * @param {string} what
 * @param {string} value
 * @returns {Generator<Fault>}
 */
function* line(name, what, value) {
  yield* words(name, what, value, SHORT);
  if (LINES.test(value)) yield { name, said: `${what} is more than one line` };
}

/**
 * @param {string} name
 * @param {string} what
 * @param {string} value
 * @param {boolean} required
 * @returns {Generator<Fault>}
 */
function* prose(name, what, value, required) {
  if (value !== "" || required) yield* words(name, what, value, LONG);
}

/**
 * @param {string} name
 * @param {string} what
 * @param {string} value
 * @param {number} most characters
 * @returns {Generator<Fault>}
 */
function* words(name, what, value, most) {
  if (isBlank(value)) yield { name, said: `${what} is missing` };
  if ([...value].length > most) yield { name, said: `${what} is longer than ${most.toLocaleString("en")} characters` };
  if (CONTROL.test(value)) yield { name, said: `${what} holds a control character` };
  if (HALF.test(value)) yield { name, said: `${what} holds half of a character` };
}

/**
 * @param {string} name
 * @param {string} what
 * @param {number | null} value
 * @returns {Generator<Fault>}
 */
function* ordinal(name, what, value) {
  if (value === null || value < 1 || value > MOST) yield { name, said: `${what} is a whole number from 1 to ${MOST}` };
}

/**
 * @param {string} name
 * @param {string} what
 * @param {readonly Evidence[]} evidence
 * @param {boolean} required
 * @returns {Generator<Fault>}
 */
function* shown(name, what, evidence, required) {
  if (required && evidence.length === 0) yield { name: `${name}.0.excerpt`, said: `${what}: evidence is missing` };
  for (const [place, { file, excerpt }] of evidence.entries()) {
    if (excerpt !== undefined) yield* words(`${name}.${place}.excerpt`, `${what}: excerpt ${place + 1}`, excerpt, LONG);
    if (file !== undefined) yield* path(`${name}.${place}.file`, `${what}: file ${place + 1}`, file);
  }
}

/**
 * @param {string} name
 * @param {string} what
 * @param {string} value
 * @returns {Generator<Fault>}
 */
function* path(name, what, value) {
  yield* line(name, what, value);
  if (value.trim() === "") return;
  if (/^[/~]|^[A-Za-z]:|\\/.test(value) || value.split("/").some((part) => part === "" || part === "." || part === "..")) {
    yield { name, said: `${what} is not the path of a file beside the sheet, such as evidence/session-1.txt` };
  }
}
