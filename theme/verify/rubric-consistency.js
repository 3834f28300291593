// Whether the sheets of a receipt are consistent: the codes and fields of
// benchsite/tracks/rubric/consistency.py, in its order, and its sentences. Expects a document whose structure was checked before.

import { violation } from "./filled.js";
import { normalized, isValidDate } from "./rubric-normalization.js";
import { MESSAGES, TERMS } from "./sentences-rubric.js";
import { isBlank } from "./unseen.js";
import { posixSeconds } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {import("./rubric-scoring.js").Rules} Rules */

/** Seconds by which a day starts in UTC+14 before it starts in UTC. */
const AHEAD_OF_UTC = 14 * 3600;

/**
 * Findings against sessions and sheets counting as they are listed.
 * @param {Document} document
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
export function* consistencyFaults(document, rules, name) {
  yield* blankFaults(document);
  yield* passFaults(document);
  yield* dayFaults(document);
  yield* fileFaults(document["config"].sheets);
  for (const scenario of Object.keys(document["domain"]).sort()) {
    yield* questionFaults(document["sheets"], scenario, document["domain"][scenario]);
  }
  if (repeatabilityClaimed(document, rules)) yield* questionsAgain(document, name);
  yield* documentFaults(document, rules, name);
}

/**
 * Agent, evaluators and their conflicts of interest: white space passes the shape, so it is checked here.
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* blankFaults({ agent, evaluators }) {
  /** @type {[keyof typeof TERMS, string, string][]} */
  const said = [
    ["name", agent.name, "agent.name"], ["version", agent.version, "agent.version"], ["vendor", agent.vendor, "agent.vendor"],
  ];
  for (const [place, { name, model, conflictOfInterest }] of evaluators.entries()) {
    const field = `evaluators[${place}]`;
    if (model !== null) {
      said.push(["model", model.name, `${field}.model.name`]);
      said.push(["saw", model.saw, `${field}.model.saw`]);
    }
    said.push(["evaluator", name, `${field}.name`]);
    said.push(["conflictOfInterest", conflictOfInterest, `${field}.conflictOfInterest`]);
  }
  for (const [what, text, field] of said) {
    if (!isBlank(text)) continue;
    yield violation(MESSAGES, "text-blank", field, { what: TERMS[what] });
  }
}

/**
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* passFaults({ evaluators, sheets }) {
  /** @type {Map<string, {session: number, evaluator: string, held: Map<number, number>}>} */
  const passes = new Map();
  for (const [place, sheet] of sheets.entries()) {
    const { session, pass } = sheet;
    const evaluator = evaluators[sheet.evaluator].name;
    const { held } = passes.get(`${session} ${evaluator}`) ?? { held: new Map() };
    passes.set(`${session} ${evaluator}`, { session, evaluator, held });
    if (!held.has(pass)) held.set(pass, place);
  }
  for (const { session, evaluator, held } of passes.values()) {
    const numbers = [...held.keys()].sort((a, b) => a - b);
    const gap = numbers.find((number, i) => number !== i + 1);
    if (gap === undefined) continue;
    const values = { evaluator, session, numbers: numbers.join(", ") };
    yield violation(MESSAGES, "pass-missing", `sheets[${held.get(gap)}].pass`, values);
  }
}

/**
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* dayFaults({ sheets, ranAt }) {
  /** @type {string[]} */
  const given = sheets.map((/** @type {Document} */ { date }) => date);
  const days = [...new Set(given)].sort();
  const nowhere = days.filter((day) => !isValidDate(day));
  if (nowhere.length > 0) {
    const field = `sheets[${given.indexOf(nowhere[0] ?? "")}].date`;
    yield violation(MESSAGES, "date-unknown", field, { days: nowhere.join(", ") });
  }
  const ahead = days.filter((day) => posixSeconds(`${day}T00:00:00Z`) > posixSeconds(ranAt) + AHEAD_OF_UTC);
  if (ahead.length > 0) {
    const field = `sheets[${given.indexOf(ahead[0] ?? "")}].date`;
    yield violation(MESSAGES, "date-ahead", field, { days: ahead.join(", "), made: ranAt });
  }
}

/**
 * @param {readonly string[]} sheets
 * @returns {Generator<Violation>}
 */
function* fileFaults(sheets) {
  const different = new Set(sheets).size;
  if (different === sheets.length) return;
  const repeat = sheets.findIndex((sheet, place) => sheets.indexOf(sheet) < place);
  yield violation(MESSAGES, "sheet-repeated", `config.sheets[${repeat}]`, { count: sheets.length, different });
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
  /** @type {Map<number, string>} */
  const first = new Map();
  /** @type {Map<number, number>} */
  const differing = new Map();
  for (const [place, rating] of ratings.entries()) {
    const asked = askedIn(rating);
    for (const [number, question] of asked.entries()) {
      if (asked.indexOf(question) === number) continue;
      yield violation(MESSAGES, "question-twice", `${field}[${place}].questions[${number}].question`, { scenario });
    }
    const session = sheets[place]?.["session"];
    const listed = JSON.stringify(asked);
    if (!first.has(session)) first.set(session, listed);
    if (first.get(session) !== listed && !differing.has(session)) differing.set(session, place);
  }
  const [earliest] = differing.values();
  if (earliest === undefined) return;
  const sessions = [...differing.keys()].sort((a, b) => a - b).join(", ");
  yield violation(MESSAGES, "questions-differ", `${field}[${earliest}].questions`, { scenario, sessions });
}

/**
 * A repeated session asks the same questions; the first sheet of a session stands for it.
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* questionsAgain({ sheets, domain }, name) {
  for (const scenario of Object.keys(domain).sort()) {
    /** @type {Map<number, {listed: string, place: number}>} */
    const asked = new Map();
    for (const [place, rating] of domain[scenario].entries()) {
      const { session } = sheets[place];
      if (!asked.has(session)) asked.set(session, { listed: JSON.stringify(askedIn(rating).sort()), place });
    }
    const [earliest, ...later] = [...asked].sort(([a], [b]) => a - b);
    const others = later.filter(([, { listed }]) => listed !== earliest?.[1].listed);
    const [other] = others;
    if (earliest === undefined || other === undefined) continue;
    const sessions = others.map(([session]) => session).join(", ");
    const values = { scenario, sessions, earliest: earliest[0], name };
    yield violation(MESSAGES, "questions-not-repeated", `domain.${scenario}[${other[1].place}].questions`, values);
  }
}

/**
 * @param {Document} rating
 * @returns {string[]}
 */
function askedIn({ questions }) {
  return questions.map((/** @type {Document} */ { question }) => normalized(question ?? ""));
}

/**
 * @param {Document} document
 * @param {Rules} rules
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* documentFaults(document, rules, name) {
  const alone = sessionsWithoutOwn(document, rules);
  if (alone.length === 0) return;
  const place = document["sheets"].findIndex((/** @type {Document} */ { session }) => session === alone[0]);
  yield violation(MESSAGES, "sessions-alike", `sheets[${place}].session`, { sessions: alone.join(", "), name });
}

/**
 * Whether a receipt says that repeatability was tested, under rules by which its sessions must show it.
 * @param {Document} document
 * @param {Rules} rules
 * @returns {boolean}
 */
function repeatabilityClaimed({ disclosures }, rules) {
  return rules.repeatabilityShown && disclosures.repeatabilityTested === true;
}

/**
 * Sessions that cite nothing of their own, where the rules ask for it. Words count only for a session that cites no
 * document: two quotes do not make two sessions of one transcript.
 * @param {Document} document
 * @param {Rules} rules
 * @returns {number[]}
 */
function sessionsWithoutOwn(document, rules) {
  const pinned = new Set(document["evidence"].map((/** @type {Document} */ item) => item["sha256"]));
  /** @type {Map<number, {files: Set<string>, words: Set<string>}>} */
  const sessions = new Map();
  for (const { session } of document["sheets"]) sessions.set(session, { files: new Set(), words: new Set() });
  for (const [session, { sha256, excerpt }] of citedIn(document)) {
    if (pinned.has(sha256)) sessions.get(session)?.files.add(sha256);
    if (excerpt !== null && !isBlank(excerpt)) sessions.get(session)?.words.add(normalized(excerpt));
  }
  const all = [...sessions.values()];
  const everywhere = all.every(({ files, words }) => files.size + words.size > 0);
  if (!rules.evidence && !(everywhere && repeatabilityClaimed(document, rules))) return [];
  const [cited, quoted] = [counted(all.map(({ files }) => files)), counted(all.map(({ words }) => words))];
  return [...sessions.keys()].sort((a, b) => a - b).filter((session) => {
    const { files, words } = sessions.get(session) ?? { files: new Set(), words: new Set() };
    const [mine, times] = files.size > 0 ? [files, cited] : [words, quoted];
    return [...mine].every((one) => (times.get(one) ?? 0) > 1);
  });
}

/**
 * Session and evidence of every sheet.
 * @param {Document} document
 * @returns {Generator<[number, Document]>}
 */
function* citedIn(document) {
  for (const part of ["universal", "domain", "requiredTests"]) {
    for (const ratings of Object.values(document[part] ?? {})) {
      for (const [place, { evidence }] of ratings.entries()) {
        for (const item of evidence) yield [document["sheets"][place].session, item];
      }
    }
  }
}

/**
 * How many of the sets hold each text.
 * @param {Set<string>[]} sets
 * @returns {Map<string, number>}
 */
function counted(sets) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const one of sets.flatMap((set) => [...set])) times.set(one, (times.get(one) ?? 0) + 1);
  return times;
}
