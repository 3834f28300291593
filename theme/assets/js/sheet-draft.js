// A sheet while it is being filled in: its shape, empty and part-filled, and the check of one that comes from a file or
// from the browser's storage. The shape is the sheet's own (specs/rubric.md, "The sheet"), except that a score, a date or
// a statement may still be missing. Refuses keys and values that a sheet of this form cannot have.

import { SheetError } from "./sheet-yaml.js";

/** @typedef {import("./sheet-yaml.js").Value} Value */
/** @typedef {import("./sheet-yaml.js").Mapping} Mapping */

/**
 * What a form asks, as the page says it.
 * @typedef {object} Form
 * @property {string} version of the methodology
 * @property {string} template
 * @property {readonly string[]} tests ids of the required tests
 * @property {readonly {id: string, title: string}[]} criteria
 * @property {import("../../verify/rubric-scoring.js").Rules} parameters what the version demands
 */

/** @typedef {{file?: string, excerpt?: string}} Evidence */
/** @typedef {{score: number | null, note: string}} Mark */
/** @typedef {Mark & {evidence: Evidence[]}} Rating */
/** @typedef {{[id: string]: Mark}} Marks */
/** @typedef {{question: string, criteria: Marks}} Question */
/** @typedef {{outcome: string | null, note: string, evidence: Evidence[]}} Test */
/** @typedef {{questions: Question[], evidence: Evidence[]}} Scenario one question, or several that are averaged */

/** @typedef {{planted: number | null, accepted: number | null}} Probe */
/** @typedef {{name: string, promptSha256: string, saw: string, probe: Probe}} Model of a model evaluator; empty for a human */

/**
 * @typedef {object} Draft
 * @property {{name: string, version: string, vendor: string}} agent
 * @property {{name: string, kind: string | null, model: Model, pass: number | null, conflictOfInterest: string, consentToPublish: boolean}} evaluator
 * @property {{n: number | null, date: string}} session
 * @property {{repeatabilityTested: boolean | null, multiStep: string | null}} disclosures
 * @property {{[id: string]: Test}} tests
 * @property {{[id: string]: Rating}} universal
 * @property {{[id: string]: Scenario}} domain
 */

export const DIMENSIONS = /** @type {const} */ (["U1", "U2", "U3", "U4", "U5", "U6"]);
export const SCENARIOS = /** @type {const} */ (["D1", "D2", "D3", "D4", "D5"]);
export const KINDS = ["human", "model"];
export const OUTCOMES = ["pass", "partial", "fail"];
export const SCOPES = ["single-message", "multi-turn"];
export const MOST_QUESTIONS = 10;
export const MOST_EVIDENCE = 20;

/**
 * A sheet with nothing in it but what is certain.
 * @param {Form} form
 * @returns {Draft}
 */
export function blank(form) {
  return {
    agent: { name: "", version: "", vendor: "" },
    evaluator: { name: "", kind: null, model: modelOf(null), pass: 1, conflictOfInterest: "", consentToPublish: false },
    session: { n: 1, date: "" },
    disclosures: { repeatabilityTested: null, multiStep: null },
    tests: each(form.tests, () => ({ outcome: null, note: "", evidence: [] })),
    universal: each(DIMENSIONS, () => ({ score: null, note: "", evidence: [] })),
    domain: each(SCENARIOS, () => ({ questions: [question(form)], evidence: [] })),
  };
}

/**
 * What the next sheet of the same session has in common with this one. Who scores it, in which pass, and every score,
 * note and piece of evidence are left out: nobody scores with an earlier sheet in view.
 * @param {Form} form
 * @param {Draft} draft
 * @returns {Draft}
 */
export function following(form, { agent, session, disclosures }) {
  const made = blank(form);
  made.evaluator.pass = null;
  return { ...made, agent: { ...agent }, session: { ...session }, disclosures: { ...disclosures } };
}

/**
 * @param {Form} form
 * @returns {Question}
 */
export function question(form) {
  return { question: "", criteria: each(form.criteria.map(({ id }) => id), () => ({ score: null, note: "" })) };
}

/**
 * The sheet that a draft stands for, in the order in which it is written.
 * @param {Form} form
 * @param {Draft} draft
 * @returns {Mapping}
 */
export function sheetOf(form, draft) {
  const { agent, session, disclosures, tests, universal, domain } = draft;
  const evaluator = { ...draft.evaluator, model: described(draft) };
  /** @type {{[key: string]: unknown}} */
  const sheet = { methodology: form.version, template: form.template, agent, evaluator, session };
  if (form.parameters.disclosures) sheet["disclosures"] = disclosures;
  if (form.tests.length > 0) sheet["requiredTests"] = tests;
  sheet["universal"] = universal;
  sheet["domain"] = each(SCENARIOS, (id) => {
    const { questions = [], evidence = [] } = domain[id] ?? {};
    return questions.length > 1 ? { averagedFrom: questions, evidence } : { criteria: questions[0]?.criteria ?? {}, evidence };
  });
  return /** @type {Mapping} */ (sheet);
}

/**
 * The draft that a sheet holds.
 * @param {Form} form
 * @param {Value} value
 * @returns {Draft}
 * @throws {SheetError} it is for another form, or no sheet that a form saved
 */
export function draftOf(form, value) {
  const given = some(value, "The sheet");
  const version = text(given["methodology"], "methodology");
  const template = text(given["template"], "template");
  if (version !== form.version || template !== form.template) {
    throw new SheetError(`The sheet is for ${template} under rubric ${version}; this form is for ${form.template} under rubric ${form.version}.`);
  }
  const parts = ["methodology", "template", "agent", "evaluator", "session", "universal", "domain"];
  if (form.parameters.disclosures) parts.push("disclosures");
  if (form.tests.length > 0) parts.push("requiredTests");
  const sheet = closed(given, parts, "The sheet");
  const agent = closed(sheet["agent"], ["name", "version", "vendor"], "agent");
  const evaluator = closed(sheet["evaluator"], ["name", "kind", "model", "pass", "conflictOfInterest", "consentToPublish"], "evaluator");
  const session = closed(sheet["session"], ["n", "date"], "session");
  const tests = form.tests.length > 0 ? closed(sheet["requiredTests"], form.tests, "requiredTests") : {};
  const universal = closed(sheet["universal"], DIMENSIONS, "universal");
  const domain = closed(sheet["domain"], SCENARIOS, "domain");
  return {
    agent: each(/** @type {const} */ (["name", "version", "vendor"]), (key) => text(agent[key], `agent.${key}`)),
    evaluator: {
      name: text(evaluator["name"], "evaluator.name"),
      kind: /** @type {string | null} */ (choice(evaluator["kind"], [...KINDS, null], "evaluator.kind")),
      model: modelOf(evaluator["model"] ?? null),
      pass: whole(evaluator["pass"], "evaluator.pass"),
      conflictOfInterest: text(evaluator["conflictOfInterest"], "evaluator.conflictOfInterest"),
      consentToPublish: choice(evaluator["consentToPublish"], [true, false], "evaluator.consentToPublish") === true,
    },
    session: { n: whole(session["n"], "session.n"), date: text(session["date"], "session.date") },
    disclosures: form.parameters.disclosures ? stated(sheet["disclosures"]) : blank(form).disclosures,
    tests: each(form.tests, (id) => testOf(tests[id], `requiredTests.${id}`)),
    universal: each(DIMENSIONS, (id) => {
      const where = `universal.${id}`;
      const rating = closed(universal[id], ["score", "note", "evidence"], where);
      return { ...markOf(rating, where), evidence: evidenceOf(rating["evidence"], where) };
    }),
    domain: each(SCENARIOS, (id) => scenarioOf(form, domain[id], `domain.${id}`)),
  };
}

/**
 * What a sheet says of a model evaluator; null for a human. Without a prompt's hash or a probe it says null for them.
 * @param {Draft} draft
 */
export function described({ evaluator: { kind, model: { name, promptSha256, saw, probe } } }) {
  if (kind !== "model") return null;
  const measured = probe.planted !== null || probe.accepted !== null;
  return { name, promptSha256: promptSha256 === "" ? null : promptSha256, saw, falsePositiveProbe: measured ? probe : null };
}

/**
 * @param {Value} value
 * @returns {Model}
 */
function modelOf(value) {
  if (value === null) return { name: "", promptSha256: "", saw: "", probe: { planted: null, accepted: null } };
  const where = "evaluator.model";
  const found = closed(value, ["name", "promptSha256", "saw", "falsePositiveProbe"], where);
  const held = found["falsePositiveProbe"] ?? { planted: null, accepted: null };
  const probe = closed(held, ["planted", "accepted"], `${where}.falsePositiveProbe`);
  return {
    name: text(found["name"], `${where}.name`),
    promptSha256: text(found["promptSha256"] ?? "", `${where}.promptSha256`),
    saw: text(found["saw"], `${where}.saw`),
    probe: { planted: whole(probe["planted"], `${where}.falsePositiveProbe.planted`), accepted: whole(probe["accepted"], `${where}.falsePositiveProbe.accepted`) },
  };
}

/**
 * @param {Value | undefined} value
 * @returns {Draft["disclosures"]}
 */
function stated(value) {
  const found = closed(value, ["repeatabilityTested", "multiStep"], "disclosures");
  return {
    repeatabilityTested: /** @type {boolean | null} */ (choice(found["repeatabilityTested"], [true, false, null], "disclosures.repeatabilityTested")),
    multiStep: /** @type {string | null} */ (choice(found["multiStep"], [...SCOPES, null], "disclosures.multiStep")),
  };
}

/**
 * @param {Value | undefined} value
 * @param {string} where
 * @returns {Test}
 */
function testOf(value, where) {
  const found = closed(value, ["outcome", "note", "evidence"], where);
  return {
    outcome: /** @type {string | null} */ (choice(found["outcome"], [...OUTCOMES, null], `${where}.outcome`)),
    note: text(found["note"], `${where}.note`),
    evidence: evidenceOf(found["evidence"], where),
  };
}

/**
 * @param {Form} form
 * @param {Value | undefined} value
 * @param {string} where
 * @returns {Scenario}
 */
function scenarioOf(form, value, where) {
  const given = some(value, where);
  if (!Object.hasOwn(given, "averagedFrom")) {
    const found = closed(given, ["criteria", "evidence"], where);
    const questions = [{ question: "", criteria: marksOf(form, found["criteria"], `${where}.criteria`) }];
    return { questions, evidence: evidenceOf(found["evidence"], where) };
  }
  const found = closed(given, ["averagedFrom", "evidence"], where);
  const asked = list(found["averagedFrom"], `${where}.averagedFrom`, MOST_QUESTIONS);
  if (!form.parameters.averaging || asked.length < 2) {
    throw new SheetError(`${where}.averagedFrom: rubric ${form.version} ${form.parameters.averaging ? "averages two questions or more" : "averages no questions"}.`);
  }
  const questions = asked.map((item, place) => {
    const there = `${where}.averagedFrom.${place}`;
    const one = closed(item, ["question", "criteria"], there);
    return { question: text(one["question"], `${there}.question`), criteria: marksOf(form, one["criteria"], `${there}.criteria`) };
  });
  return { questions, evidence: evidenceOf(found["evidence"], where) };
}

/**
 * @param {Form} form
 * @param {Value | undefined} value
 * @param {string} where
 */
function marksOf(form, value, where) {
  const ids = form.criteria.map(({ id }) => id);
  const found = closed(value, ids, where);
  return each(ids, (id) => markOf(closed(found[id], ["score", "note"], `${where}.${id}`), `${where}.${id}`));
}

/**
 * @param {Mapping} found
 * @param {string} where
 */
function markOf(found, where) {
  const score = /** @type {number | null} */ (choice(found["score"], [1, 2, 3, 4, 5, null], `${where}.score`));
  return { score, note: text(found["note"], `${where}.note`) };
}

/**
 * @param {Value | undefined} value
 * @param {string} where
 * @returns {Evidence[]}
 */
function evidenceOf(value, where) {
  return list(value, `${where}.evidence`, MOST_EVIDENCE).map((item, place) => {
    const there = `${where}.evidence.${place}`;
    const given = some(item, there);
    const keys = ["file", "excerpt"].filter((key) => Object.hasOwn(given, key));
    const found = closed(given, keys, there);
    return Object.fromEntries(keys.map((key) => [key, text(found[key], `${there}.${key}`)]));
  });
}

/**
 * What a sheet is saved as: the letters and digits of the names, whatever their script, and hyphens.
 * @param {Form} form
 * @param {Draft} draft
 * @param {boolean} finished
 */
export function fileName(form, { agent, session, evaluator }, finished) {
  const who = `${plain(agent.name, 90) || "agent"}-${form.template}-${form.version}-${plain(evaluator.name, 60) || "evaluator"}`;
  return `${who}-s${session.n ?? "0"}-p${evaluator.pass ?? "0"}${finished ? "" : ".draft"}.yaml`;
}

/**
 * @param {string} name
 * @param {number} most bytes in UTF-8, of which a file's name has 255
 */
function plain(name, most) {
  const words = name.normalize("NFKC").toLowerCase().normalize("NFC").replace(/(?:[^\p{L}\p{M}\p{N}]|\p{DI})+/gu, "-").replace(/^-/, "");
  const room = new Uint8Array(most);
  const { read } = new TextEncoder().encodeInto(words, room);
  return words.slice(0, read).replace(/-$/, "");
}

/**
 * A mapping with exactly these keys.
 * @param {Value | undefined} value
 * @param {readonly string[]} keys
 * @param {string} where
 */
function closed(value, keys, where) {
  const found = some(value, where);
  const other = Object.keys(found).find((key) => !keys.includes(key));
  if (other !== undefined) throw new SheetError(`${where}: unknown key ${other.slice(0, 40)}.`);
  const lacking = keys.find((key) => !Object.hasOwn(found, key));
  if (lacking !== undefined) throw new SheetError(`${where}: ${lacking} is missing.`);
  return found;
}

/**
 * @param {Value | undefined} value
 * @param {string} where
 */
function some(value, where) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new SheetError(`${where} is not a mapping of keys to values.`);
  return value;
}

/**
 * @param {Value | undefined} value
 * @param {string} where
 * @param {number} most
 */
function list(value, where, most) {
  if (!Array.isArray(value)) throw new SheetError(`${where} is not a list.`);
  if (value.length > most) throw new SheetError(`${where} has more than ${most} entries.`);
  return value;
}

/**
 * @param {Value | undefined} value
 * @param {string} where
 */
function text(value, where) {
  if (typeof value !== "string") throw new SheetError(`${where} is not a text.`);
  return value;
}

/**
 * @param {Value | undefined} value
 * @param {string} where
 */
function whole(value, where) {
  if (value !== null && !Number.isSafeInteger(value)) throw new SheetError(`${where} is not a whole number.`);
  return /** @type {number | null} */ (value);
}

/**
 * @param {Value | undefined} value
 * @param {readonly Value[]} choices
 * @param {string} where
 */
function choice(value, choices, where) {
  if (value === undefined || !choices.includes(value)) throw new SheetError(`${where} is not one of ${choices.map(String).join(", ")}.`);
  return value;
}

/**
 * @template {string} Key
 * @template Part
 * @param {readonly Key[]} keys
 * @param {(key: Key) => Part} part
 * @returns {Record<Key, Part>}
 */
function each(keys, part) {
  return /** @type {Record<Key, Part>} */ (Object.fromEntries(keys.map((key) => [key, part(key)])));
}
