// How an evaluation was held, as far as a receipt shows it: the codes, fields and sentences of
// benchsite/tracks/rubric/conduct.py, in its order. Expects a document whose structure was checked before.

import { alike, inCalendar } from "./rubric-likeness.js";
import { posixSeconds } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {import("./rubric-scoring.js").Rules} Rules */

/** Seconds by which a day begins somewhere on Earth before it begins in UTC. */
const AHEAD_OF_UTC = 14 * 3600;

/**
 * What speaks against the sessions and sheets being what they are counted as.
 * @param {Document} document
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
export function* conductFaults(document, rules, name) {
  yield* passFaults(document);
  yield* dayFaults(document);
  yield* fileFaults(document["config"].sheets);
  for (const scenario of Object.keys(document["domain"]).sort()) {
    yield* questionFaults(document["sheets"], scenario, document["domain"][scenario]);
  }
  if (rules.evidence) yield* documentFaults(document, name);
}

/**
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* passFaults({ evaluators, sheets }) {
  /** @type {Map<string, {session: number, evaluator: string, numbers: Set<number>}>} */
  const passes = new Map();
  for (const sheet of sheets) {
    const { session, pass } = sheet;
    const evaluator = evaluators[sheet.evaluator].name;
    const held = passes.get(`${session} ${evaluator}`) ?? { session, evaluator, numbers: new Set() };
    passes.set(`${session} ${evaluator}`, held);
    held.numbers.add(pass);
  }
  for (const { session, evaluator, numbers } of passes.values()) {
    if (Math.max(...numbers) === numbers.size) continue;
    const listed = [...numbers].sort((a, b) => a - b).join(", ");
    yield {
      code: "pass-missing",
      message: `The passes of ${evaluator} over session ${session} are numbered ${listed}: they must run from 1 without ` +
        "a gap, so that none can be left out unseen.",
      field: "sheets",
    };
  }
}

/**
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* dayFaults({ sheets, ranAt }) {
  const field = "sheets";
  /** @type {string[]} */
  const days = [...new Set(sheets.map((/** @type {Document} */ { date }) => date))].sort();
  const nowhere = days.filter((day) => !inCalendar(day));
  if (nowhere.length > 0) {
    const message = `The sheets give days of sessions that are in no calendar: ${nowhere.join(", ")}.`;
    yield { code: "date-unknown", message, field };
  }
  const ahead = days.filter((day) => posixSeconds(`${day}T00:00:00Z`) > posixSeconds(ranAt) + AHEAD_OF_UTC);
  if (ahead.length > 0) {
    yield {
      code: "date-ahead",
      message: `The sheets give days of sessions that had not begun anywhere when this receipt was made at ${ranAt}: ` +
        `${ahead.join(", ")}.`,
      field,
    };
  }
}

/**
 * @param {readonly string[]} sheets
 * @returns {Generator<Violation>}
 */
function* fileFaults(sheets) {
  const different = new Set(sheets).size;
  if (different === sheets.length) return;
  yield {
    code: "sheet-repeated",
    message: `The ${sheets.length} sheets have ${different} different sha256: a sheet that is named twice counts more than ` +
      "once.",
    field: "config.sheets",
  };
}

/**
 * Items are matched by their order (methodology 2.0.0, section 12), so the order must be one.
 * @param {readonly Document[]} sheets
 * @param {string} scenario
 * @param {readonly Document[]} ratings
 * @returns {Generator<Violation>}
 */
function* questionFaults(sheets, scenario, ratings) {
  const field = `domain.${scenario}`;
  /** @type {string[][]} */
  const asked = ratings.map(({ questions }) => (
    questions.map((/** @type {Document} */ { question }) => alike(question ?? ""))));
  const twice = asked.filter((questions) => new Set(questions).size !== questions.length).length;
  if (twice > 0) {
    const message = `For ${scenario} ${twice} of ${asked.length} sheets score a question twice: it counts more than once.`;
    yield { code: "question-twice", message, field };
  }
  /** @type {Map<number, string>} */
  const first = new Map();
  /** @type {Set<number>} */
  const differing = new Set();
  for (const [place, questions] of asked.entries()) {
    const session = sheets[place]?.["session"];
    const listed = JSON.stringify(questions);
    if (!first.has(session)) first.set(session, listed);
    if (first.get(session) !== listed) differing.add(session);
  }
  if (differing.size > 0) {
    yield {
      code: "questions-differ",
      message: `For ${scenario} the sheets of session ${[...differing].sort((a, b) => a - b).join(", ")} do not score the ` +
        "same questions in the same order: their scores cannot be compared.",
      field,
    };
  }
}

/**
 * Sessions that rest on exactly what an earlier one rests on. Words without a document tell sessions apart only where a
 * session cites no document.
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* documentFaults(document, name) {
  const known = new Set(document["evidence"].map((/** @type {Document} */ item) => item["sha256"]));
  /** @type {Map<number, Set<string>>} */
  const cited = new Map(document["sheets"].map((/** @type {Document} */ { session }) => [session, new Set()]));
  for (const part of ["universal", "domain", "requiredTests"]) {
    for (const ratings of Object.values(document[part] ?? {})) {
      for (const [place, { evidence }] of ratings.entries()) {
        for (const { sha256 } of evidence) cited.get(document["sheets"][place].session)?.add(sha256);
      }
    }
  }
  /** @type {Map<string, number>} */
  const first = new Map();
  for (const [later, all] of [...cited].sort(([a], [b]) => a - b)) {
    const documents = [...all].filter((sha256) => known.has(sha256));
    const grounds = (documents.length > 0 ? documents : [...all]).sort().join(" ");
    const earlier = first.get(grounds);
    if (earlier === undefined) first.set(grounds, later);
    if (earlier === undefined || grounds === "") continue;
    yield {
      code: "sessions-alike",
      message: `Sessions ${earlier} and ${later} rest on exactly the same documents: under ${name} each session must rest ` +
        "on transcripts of its own.",
      field: "evidence",
    };
  }
}
