// What a version of the methodology requires and a rubric receipt lacks: the codes and fields of
// benchsite/tracks/rubric/violations.py, in its order, and its sentences. The evaluator form asks the same of a receipt of one sheet. Expects
// a document whose structure was checked before. A finding names the first place at fault.

import { hex, utf8 } from "./bytes.js";
import { byCodePoint } from "./differences.js";
import { sha256 } from "./digest.js";
import { violation } from "./filled.js";
import { consistencyFaults } from "./rubric-consistency.js";
import { normalized } from "./rubric-normalization.js";
import { MESSAGES, TERMS } from "./sentences-rubric.js";
import { isBlank } from "./unseen.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {import("./rubric-scoring.js").Rules} Rules */

/** Findings that need all sheets of a receipt: they do not apply to one sheet. */
export const OF_ALL_SHEETS = new Set([
  "pass-missing", "session-missing", "too-few-sessions", "too-few-sheets", "repeatability-unfounded", "sessions-alike",
]);

const DISCLOSURES = /** @type {const} */ (["repeatabilityTested", "multiStep"]);

/**
 * Everything that the receipt's own version would have refused: of one kind, the first of each dimension, scenario or test.
 * @param {Document} document
 * @param {Rules} rules
 * @returns {Promise<Violation[]>}
 */
export async function violations(document, rules) {
  /** @type {Map<string, Violation>} */
  const first = new Map();
  for (const found of [...everyPlace(document, rules), ...unfounded(document, await hashesOf(document))]) {
    const [part = ""] = found.field.split("[", 1);
    const kind = `${found.code} ${part.includes(".") ? part : found.field}`;
    if (!first.has(kind)) first.set(kind, found);
  }
  return [...first.values()];
}

/**
 * The same with every place that is at fault, but for evidence that cannot be looked up.
 * @param {Document} document
 * @param {Rules} rules
 * @returns {Generator<Violation>}
 */
export function* everyPlace(document, rules) {
  const name = `rubric ${document["methodology"].version}`;
  yield* evaluatorFaults(document);
  yield* kindFaults(document);
  yield* orderFaults(document);
  yield* sessionFaults(document["sheets"], rules, name);
  yield* consistencyFaults(document, rules, name);
  yield* testFaults(document["requiredTests"], rules, name);
  yield* disclosureFaults(document["disclosures"], rules, name);
  if (rules.repeatabilityShown) yield* repeatabilityFaults(document, name);
  if (!rules.averaging) yield* averaged(document, name);
  if (rules.evidence) {
    yield* unexplained(document, name);
    yield* bare(document, name);
  }
}

/**
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* evaluatorFaults({ evaluators, sheets }) {
  const used = new Set(sheets.map((/** @type {Document} */ sheet) => sheet["evaluator"]));
  /** @type {Map<string, string>} */
  const seen = new Map();
  for (const [place, { name }] of evaluators.entries()) {
    const field = `evaluators[${place}]`;
    if (!used.has(place)) {
      yield violation(MESSAGES, "evaluator-without-sheet", field, { name });
    }
    const earlier = seen.get(normalized(name));
    if (earlier === undefined) {
      seen.set(normalized(name), name);
      continue;
    }
    const message = earlier === name ? "evaluator-twice" : "evaluator-twice/similar";
    yield violation(MESSAGES, message, field, { name, earlier });
  }
}

/**
 * A model evaluator is described, a human is not, and a probe accepts at most what was planted.
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* kindFaults({ evaluators }) {
  for (const [place, { name, kind, model }] of evaluators.entries()) {
    const field = `evaluators[${place}].model`;
    if (kind === "model" && model === null) {
      yield violation(MESSAGES, "model-missing", field, { name });
    }
    if (kind === "human" && model !== null) {
      yield violation(MESSAGES, "model-unknown", field, { name });
    }
    const probe = model?.falsePositiveProbe ?? null;
    if (probe !== null && probe.accepted > probe.planted) {
      const { accepted, planted } = probe;
      yield violation(MESSAGES, "probe-impossible", `${field}.falsePositiveProbe.accepted`, { name, accepted, planted });
    }
  }
}

/**
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* orderFaults({ evaluators, sheets }) {
  /** @typedef {{session: number, name: string, number: number}} Place */
  /** @type {Place[]} */
  const places = sheets.map((/** @type {Document} */ sheet) => (
    { session: sheet["session"], name: evaluators[sheet["evaluator"]].name, number: sheet["pass"] }));
  const inOrder = places.every((place, i) => {
    const { session, name, number } = places[i - 1] ?? place;
    return (session - place.session || byCodePoint(name, place.name) || number - place.number) <= 0;
  });
  if (!inOrder) {
    yield violation(MESSAGES, "sheets-unordered", "sheets");
  }
  /** @type {Map<string, {first: Place, second: number, times: number}>} */
  const counted = new Map();
  for (const [i, place] of places.entries()) {
    const key = `${place.session} ${place.number} ${place.name}`;
    const held = counted.get(key) ?? { first: place, second: 0, times: 0 };
    held.times += 1;
    if (held.times === 2) held.second = i;
    counted.set(key, held);
  }
  for (const { first: { session, name, number }, second, times } of counted.values()) {
    if (times === 1) continue;
    yield violation(MESSAGES, "sheet-twice", `sheets[${second}].pass`, { name, times, number, session });
  }
}

/**
 * @param {Document[]} sheets
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* sessionFaults(sheets, rules, name) {
  const held = sheets.map(({ session }) => session);
  /** @type {Map<number, number>} */
  const counted = new Map();
  for (const session of held) counted.set(session, (counted.get(session) ?? 0) + 1);
  const numbers = [...counted.keys()].sort((a, b) => a - b);
  const gap = numbers.find((number, i) => number !== i + 1);
  if (gap !== undefined) {
    yield violation(MESSAGES, "session-missing", `sheets[${held.indexOf(gap)}].session`, { numbers: numbers.join(", ") });
  }
  if (numbers.length < rules.sessions) {
    const values = { name, required: rules.sessions, count: numbers.length };
    yield violation(MESSAGES, "too-few-sessions", `sheets[${held.length - 1}].session`, values);
  }
  const few = numbers.filter((number) => (counted.get(number) ?? 0) < rules.sheets);
  if (few.length > 0) {
    const values = { name, required: rules.sheets, sessions: few.join(", ") };
    yield violation(MESSAGES, "too-few-sheets", `sheets[${held.indexOf(few[0])}].session`, values);
  }
}

/**
 * @param {Document | null} tests
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* testFaults(tests, rules, name) {
  const field = "requiredTests";
  if (tests === null && rules.requiredTests) {
    yield violation(MESSAGES, "tests-missing", field, { name });
  }
  if (tests !== null && !rules.requiredTests) {
    yield violation(MESSAGES, "tests-unknown", field, { name });
  }
}

/**
 * @param {Document} disclosures
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* disclosureFaults(disclosures, rules, name) {
  for (const key of DISCLOSURES) {
    const field = `disclosures.${key}`;
    if (rules.disclosures && disclosures[key] === null) {
      yield violation(MESSAGES, "disclosure-missing", field, { name, what: TERMS[key] });
    }
    if (!rules.disclosures && disclosures[key] !== null) {
      yield violation(MESSAGES, "disclosure-unknown", field, { name, what: TERMS[key] });
    }
  }
}

/**
 * The statement on repeatability agrees with the number of sessions in the receipt.
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* repeatabilityFaults({ disclosures, sheets }, name) {
  const stated = disclosures.repeatabilityTested;
  const sessions = new Set(sheets.map((/** @type {Document} */ sheet) => sheet["session"])).size;
  if (stated === null || stated === sessions > 1) return;
  const message = stated ? "repeatability-unfounded" : "repeatability-unfounded/denied";
  yield violation(MESSAGES, message, "disclosures.repeatabilityTested", { name, sessions });
}

/**
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* averaged(document, name) {
  for (const [scenario, field, { questions }] of rated(document, "domain")) {
    if (questions.length === 1) continue;
    yield violation(MESSAGES, "averaging-unknown", `${field}.questions`, { scenario, name });
  }
}

/**
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* unexplained(document, name) {
  for (const [what, field, rating] of rated(document, "universal", "domain")) {
    for (const [place, { note }] of scored(rating, field)) {
      if (!isBlank(note)) continue;
      yield violation(MESSAGES, "note-missing", `${place}.note`, { name, what });
    }
  }
}

/**
 * Whatever of a dimension or a scenario holds a score and a note, with its place.
 * @param {Document} rating
 * @param {string} field
 * @returns {Generator<[string, Document]>}
 */
function* scored(rating, field) {
  if (rating["score"] !== undefined) yield [field, rating];
  for (const [number, { criteria }] of (rating["questions"] ?? []).entries()) {
    for (const id of Object.keys(criteria)) yield [`${field}.questions[${number}].criteria.${id}`, criteria[id]];
  }
}

/**
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* bare(document, name) {
  for (const [what, field, { evidence }] of rated(document, "universal", "domain")) {
    if (evidence.length > 0) continue;
    yield violation(MESSAGES, "evidence-missing", `${field}.evidence`, { name, what });
  }
}

/**
 * Evidence that is neither a document the receipt pins nor an excerpt with its own sha256.
 * @param {Document} document
 * @param {Map<string, string>} hashes of excerpts
 * @returns {Generator<Violation>}
 */
function* unfounded(document, hashes) {
  const known = pinned(document);
  for (const [what, field, { evidence }] of rated(document, "universal", "domain", "requiredTests")) {
    for (const [place, { sha256: stated, excerpt }] of evidence.entries()) {
      if (known.has(stated) || hashes.get(excerpt) === stated) continue;
      yield violation(MESSAGES, "evidence-unknown", `${field}.evidence[${place}]`, { what });
    }
  }
}

/**
 * SHA-256 of each excerpt without a document.
 * @param {Document} document
 * @returns {Promise<Map<string, string>>}
 */
async function hashesOf(document) {
  const known = pinned(document);
  /** @type {Set<string>} */
  const excerpts = new Set();
  for (const [, , { evidence }] of rated(document, "universal", "domain", "requiredTests")) {
    for (const { sha256: stated, excerpt } of evidence) {
      if (excerpt !== null && !known.has(stated)) excerpts.add(excerpt);
    }
  }
  /** @param {string} excerpt @returns {Promise<[string, string]>} */
  const hashed = async (excerpt) => [excerpt, hex(await sha256(utf8(excerpt)))];
  return new Map(await Promise.all([...excerpts].map(hashed)));
}

/** @param {Document} document */
function pinned(document) {
  return new Set(document["evidence"].map((/** @type {Document} */ item) => item["sha256"]));
}

/**
 * The dimension, scenario or test, the field, and what a sheet says of it; by name, then by sheet.
 * @param {Document} document
 * @param {...string} parts
 * @returns {Generator<[string, string, Document]>}
 */
function* rated(document, ...parts) {
  for (const part of parts) {
    for (const name of Object.keys(document[part] ?? {}).sort()) {
      for (const [place, rating] of document[part][name].entries()) yield [name, `${part}.${name}[${place}]`, rating];
    }
  }
}
