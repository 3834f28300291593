// What a version of the methodology demands and a rubric receipt lacks: the codes, fields and sentences of
// benchsite/tracks/rubric/demands.py, in its order. Expects a document whose structure was checked before.

import { hex, utf8 } from "./bytes.js";
import { byCodePoint } from "./differences.js";
import { sha256 } from "./digest.js";
import { conductFaults } from "./rubric-conduct.js";
import { alike } from "./rubric-likeness.js";
import { isBlank } from "./unseen.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {import("./rubric-scoring.js").Rules} Rules */

/** @type {readonly [string, string][]} */
const DISCLOSURES = [
  ["repeatabilityTested", "whether repeatability was tested"],
  ["multiStep", "whether U3 was tried in a single message or over several turns"],
];

/**
 * Everything that the receipt's own version would have refused.
 * @param {Document} document
 * @param {Rules} rules
 * @returns {Promise<Violation[]>}
 */
export async function violations(document, rules) {
  const name = `rubric ${document["methodology"].version}`;
  return [
    ...evaluatorFaults(document),
    ...orderFaults(document),
    ...sessionFaults(document["sheets"], rules, name),
    ...conductFaults(document, rules, name),
    ...testFaults(document["requiredTests"], rules, name),
    ...disclosureFaults(document["disclosures"], rules, name),
    ...(rules.repeatabilityShown ? repeatabilityFaults(document, name) : []),
    ...(rules.averaging ? [] : averaged(document["domain"], name)),
    ...(rules.evidence ? [...unexplained(document, name), ...bare(document, name)] : []),
    ...unfounded(document, await hashesOf(document)),
  ];
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
      yield {
        code: "evaluator-without-sheet",
        message: `${name} is listed as an evaluator and has no sheet: whoever is named must have scored something.`,
        field,
      };
    }
    const earlier = seen.get(alike(name));
    if (earlier === undefined) {
      seen.set(alike(name), name);
      continue;
    }
    const listed = earlier === name ? "is listed twice" : `reads like ${earlier}, who is listed too`;
    yield {
      code: "evaluator-twice",
      message: `${name} ${listed}: the passes of one evaluator would pass for the agreement of two.`,
      field,
    };
  }
}

/**
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* orderFaults({ evaluators, sheets }) {
  /** @typedef {{session: number, name: string, number: number, times: number}} Place */
  /** @type {Place[]} */
  const places = sheets.map((/** @type {Document} */ sheet) => (
    { session: sheet["session"], name: evaluators[sheet["evaluator"]].name, number: sheet["pass"], times: 0 }));
  const inOrder = places.every((place, i) => {
    const { session, name, number } = places[i - 1] ?? place;
    return (session - place.session || byCodePoint(name, place.name) || number - place.number) <= 0;
  });
  if (!inOrder) {
    yield {
      code: "sheets-unordered",
      message: "The sheets are not ordered by session, name of the evaluator and pass: the same sheets must always make " +
        "the same receipt.",
      field: "sheets",
    };
  }
  /** @type {Map<string, Place>} */
  const counted = new Map();
  for (const place of places) {
    const key = `${place.session} ${place.number} ${place.name}`;
    const first = counted.get(key) ?? place;
    first.times += 1;
    counted.set(key, first);
  }
  for (const { session, name, number, times } of counted.values()) {
    if (times === 1) continue;
    yield {
      code: "sheet-twice",
      message: `${name} has ${times} sheets for pass ${number} over session ${session}: one sheet a pass, or what it ` +
        "says counts more than once.",
      field: "sheets",
    };
  }
}

/**
 * @param {Document[]} sheets
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* sessionFaults(sheets, rules, name) {
  const field = "sheets";
  /** @type {Map<number, number>} */
  const counted = new Map();
  for (const { session } of sheets) counted.set(session, (counted.get(session) ?? 0) + 1);
  const numbers = [...counted.keys()].sort((a, b) => a - b);
  if (numbers.some((number, i) => number !== i + 1)) {
    yield {
      code: "session-missing",
      message: `The sessions are numbered ${numbers.join(", ")}: they must run from 1 without a gap, so that none can be ` +
        "left out unseen.",
      field,
    };
  }
  if (numbers.length < rules.sessions) {
    yield {
      code: "too-few-sessions",
      message: `${name} requires ${rules.sessions} sessions or more, and this receipt has ${numbers.length}: fewer do not ` +
        "show how much the results vary.",
      field,
    };
  }
  const few = numbers.filter((number) => (counted.get(number) ?? 0) < rules.sheets);
  if (few.length > 0) {
    yield {
      code: "too-few-sheets",
      message: `${name} requires ${rules.sheets} sheets or more a session, of several evaluators or passes; session ` +
        `${few.join(", ")} has fewer.`,
      field,
    };
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
    yield {
      code: "tests-missing",
      message: `${name} requires 3 tests in every session (the standardised task, the hallucination stress test and the ` +
        "invalid input), and this receipt records none.",
      field,
    };
  }
  if (tests !== null && !rules.requiredTests) {
    yield {
      code: "tests-unknown",
      message: `${name} has no required tests, and this receipt records some: it was scored by other rules than it says.`,
      field,
    };
  }
}

/**
 * @param {Document} disclosures
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* disclosureFaults(disclosures, rules, name) {
  for (const [key, what] of DISCLOSURES) {
    const field = `disclosures.${key}`;
    if (rules.disclosures && disclosures[key] === null) {
      yield {
        code: "disclosure-missing",
        message: `${name} requires every evaluation to say ${what}, and this receipt does not.`,
        field,
      };
    }
    if (!rules.disclosures && disclosures[key] !== null) {
      yield {
        code: "disclosure-unknown",
        message: `${name} does not ask ${what}, and this receipt says it: it was scored by other rules than it says.`,
        field,
      };
    }
  }
}

/**
 * What is not in the receipt cannot be shown, and what is in it cannot be denied.
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* repeatabilityFaults({ disclosures, sheets }, name) {
  const stated = disclosures.repeatabilityTested;
  const sessions = new Set(sheets.map((/** @type {Document} */ sheet) => sheet["session"])).size;
  if (stated === null || stated === sessions > 1) return;
  yield {
    code: "repeatability-unfounded",
    message: `The receipt says that repeatability was ${stated ? "" : "not "}tested, and it holds ${sessions} ` +
      `session${sessions === 1 ? "" : "s"}: under ${name} it is tested by two sessions or more, and the receipt must ` +
      "hold them.",
    field: "disclosures.repeatabilityTested",
  };
}

/**
 * @param {Document} domain
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* averaged(domain, name) {
  for (const scenario of Object.keys(domain).sort()) {
    if (domain[scenario].every((/** @type {Document} */ { questions }) => questions.length === 1)) continue;
    yield {
      code: "averaging-unknown",
      message: `${scenario} averages several questions; under ${name} a scenario is one question.`,
      field: `domain.${scenario}`,
    };
  }
}

/**
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* unexplained(document, name) {
  for (const [part, item, ratings] of rated(document, "universal", "domain")) {
    const silent = ratings.filter((rating) => notes(rating).some(isBlank)).length;
    if (silent === 0) continue;
    yield {
      code: "note-missing",
      message: `${name} requires a note for every score; for ${item} ${silent} of ${ratings.length} sheets leave one out.`,
      field: `${part}.${item}`,
    };
  }
}

/**
 * The notes beside the scores of a dimension or a scenario.
 * @param {Document} rating
 * @returns {string[]}
 */
function notes({ note, questions = [] }) {
  const criteria = questions.flatMap((/** @type {Document} */ question) => Object.values(question["criteria"]));
  return [...(note === undefined ? [] : [note]), ...criteria.map((/** @type {Document} */ given) => given["note"])];
}

/**
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* bare(document, name) {
  for (const [part, item, ratings] of rated(document, "universal", "domain")) {
    const without = ratings.filter(({ evidence }) => evidence.length === 0).length;
    if (without === 0) continue;
    yield {
      code: "evidence-missing",
      message: `${name} requires evidence for every score; for ${item} ${without} of ${ratings.length} sheets name none.`,
      field: `${part}.${item}`,
    };
  }
}

/**
 * Evidence that is neither a document the receipt pins nor words that stand for themselves.
 * @param {Document} document
 * @param {Map<string, string>} hashes of excerpts
 * @returns {Generator<Violation>}
 */
function* unfounded(document, hashes) {
  const known = pinned(document);
  for (const [part, item, ratings] of rated(document, "universal", "domain", "requiredTests")) {
    const cited = ratings.flatMap(({ evidence }) => evidence);
    const lost = cited.filter((one) => !known.has(one.sha256) && hashes.get(one.excerpt) !== one.sha256).length;
    if (lost === 0) continue;
    yield {
      code: "evidence-unknown",
      message: `Of the evidence for ${item}, ${lost} of ${cited.length} items are neither a document that this receipt ` +
        "pins nor an excerpt that matches its own sha256: nobody can look them up.",
      field: `${part}.${item}`,
    };
  }
}

/**
 * SHA-256 of each excerpt that may have to stand for itself.
 * @param {Document} document
 * @returns {Promise<Map<string, string>>}
 */
async function hashesOf(document) {
  const known = pinned(document);
  /** @type {Set<string>} */
  const excerpts = new Set();
  for (const [, , ratings] of rated(document, "universal", "domain", "requiredTests")) {
    for (const { sha256: stated, excerpt } of ratings.flatMap(({ evidence }) => evidence)) {
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
 * The part, the name in it, and what the sheets say of that, by name.
 * @param {Document} document
 * @param {...string} parts
 * @returns {Generator<[string, string, Document[]]>}
 */
function* rated(document, ...parts) {
  for (const part of parts) {
    for (const name of Object.keys(document[part] ?? {}).sort()) yield [part, name, document[part][name]];
  }
}
