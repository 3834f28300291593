// What is missing or wrong in a sheet, and how much of it is filled in. Owns the sentences and the field of each; a field
// has at most one. The limits are those of benchsite/tracks/rubric/payload.py; the requirements of a version are checked
// on the receipt that the sheet would make, as `benchsite run rubric` and every verification do.

import { OF_ALL_SHEETS, everyPlace } from "../../verify/rubric-demands.js";
import { isBlank } from "../../verify/unseen.js";
import { DIMENSIONS, SCENARIOS, blank, described, question } from "./sheet-draft.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Evidence} Evidence */
/** @typedef {import("./sheet-draft.js").Form} Form */
/** @typedef {{name: string, said: string}} Fault the control's name, and a sentence without its full stop */
/** @typedef {[name: string, what: string, wrong: string | null]} Field the control, in words, and what is wrong with its shape */

const SHORT = 200;
const LONG = 4000;
const MOST = 200;
const PLANTED = 10000;
const PROMPT = /^([0-9a-f]{64})?$/;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;
const LINES = /[\t\n]/;
const HALF = /\p{Surrogate}/u;
const DATE = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/;
/** In words, for the sentences. */
const TESTS = new Map([
  ["standardisedTask", "Standardized task"], ["hallucination", "Hallucination stress test"], ["invalidInput", "Invalid input"],
]);
/** Short words for a refusal at a field. */
const REFUSED = new Map([
  ["note-missing", "is missing"], ["evidence-missing", "is missing"], ["disclosure-missing", "is not stated"],
  ["date-unknown", "is not a valid date"], ["date-ahead", "is in the future"],
  ["question-twice", "repeats an earlier question"],
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
 * How many of the required fields are filled in, by section: `agent`, `tests`, `U1`, `D5` and so on.
 * @typedef {object} Progress
 * @property {number} filled
 * @property {number} total
 * @property {number} wrong faults in other fields
 * @property {Map<string, {filled: number, total: number}>} sections
 */

/**
 * @param {Form} form
 * @param {Draft} draft
 * @param {readonly Fault[]} found what is missing or wrong in it
 * @returns {Progress}
 */
export function progress(form, draft, found) {
  const empty = blank(form);
  if (draft.evaluator.kind === "model") empty.evaluator.kind = "model";
  for (const id of SCENARIOS) empty.domain[id] = { questions: (draft.domain[id]?.questions ?? []).map(() => question(form)), evidence: [] };
  const required = new Set(["evaluator.kind", ...faults(form, empty).map(({ name }) => name)]);
  const missing = new Set(found.map(({ name }) => name));
  /** @type {Progress} */
  const done = { filled: 0, total: required.size, wrong: found.filter(({ name }) => !required.has(name)).length, sections: new Map() };
  for (const name of required) {
    const [part = "", id = ""] = name.split(".");
    const section = part === "universal" || part === "domain" ? id : part;
    const count = done.sections.get(section) ?? { filled: 0, total: 0 };
    done.sections.set(section, count);
    count.total += 1;
    if (missing.has(name)) continue;
    count.filled += 1;
    done.filled += 1;
  }
  return done;
}

/**
 * What the sheet would be a receipt of, as far as a version's demands are about it.
 * @param {Form} form
 * @param {Draft} draft
 * @param {number} now
 */
function receiptOf(form, draft, now) {
  const { agent, evaluator, session, disclosures, tests, universal, domain } = draft;
  /** @param {{[id: string]: {evidence: Evidence[]}}} held */
  const each = (held) => Object.fromEntries(Object.entries(held).map(([id, one]) => (
    [id, [{ ...one, evidence: one.evidence.map(({ excerpt = null }) => ({ sha256: "", excerpt })) }]])));
  return {
    methodology: { version: form.version },
    ranAt: `${new Date(now).toISOString().slice(0, 19)}Z`,
    config: { sheets: [""] },
    evidence: [],
    agent,
    evaluators: [{ ...evaluator, model: described(draft) }],
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
  yield ["evaluator.kind", "Evaluator: human or model", evaluator.kind === null ? "is missing" : null];
  if (evaluator.kind === "model") yield* modelFields(evaluator.model);
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
      if (questions.length > 1) yield [`${name}.question`, `${what}: the question`, said(question)];
      for (const { id: criterion, title } of form.criteria) {
        const { score = null, note = "" } = criteria[criterion] ?? {};
        yield* marked(`${name}.criteria.${criterion}`, `${what}, ${title}`, score, note);
      }
    }
    yield* cited(`domain.${id}.evidence`, id, evidence);
  }
}

/**
 * @param {import("./sheet-draft.js").Model} model
 * @returns {Generator<Field>}
 */
function* modelFields({ name, promptSha256, saw, probe }) {
  const measured = probe.planted !== null || probe.accepted !== null;
  yield ["evaluator.model.name", "Model evaluator: the name and version of the model", line(name)];
  yield ["evaluator.model.promptSha256", "Model evaluator: the SHA-256 of the prompt", PROMPT.test(promptSha256) ? null : "is not 64 lowercase hexadecimal digits"];
  yield ["evaluator.model.saw", "Model evaluator: what the model could see", said(saw)];
  yield ["evaluator.model.falsePositiveProbe.planted", "False-positive probe: wrong answers planted", measured ? within(probe.planted, 1) : null];
  yield ["evaluator.model.falsePositiveProbe.accepted", "False-positive probe: wrong answers accepted", measured ? within(probe.accepted, 0) : null];
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
    if (excerpt !== undefined) yield [`${name}.${place}.excerpt`, `${what}: quote ${place + 1}`, said(excerpt)];
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
  if (CONTROL.test(value)) return "contains a control character";
  return HALF.test(value) ? "contains an invalid Unicode character" : null;
}

/**
 * @param {number | null} value
 * @param {number} least
 */
function within(value, least) {
  return value === null || value < least || value > PLANTED ? `is not a whole number from ${least} to ${PLANTED.toLocaleString("en")}` : null;
}

/** @param {number | null} value */
function ordinal(value) {
  return value === null || value < 1 || value > MOST ? `is not a whole number from 1 to ${MOST}` : null;
}

/** @param {string} value */
function path(value) {
  const leads = /^[/~]|^[A-Za-z]:|\\/.test(value) || value.split("/").some((part) => part === "" || part === "." || part === "..");
  return leads ? "is not the path of a file beside the sheet, such as evidence/session-1.txt" : null;
}
