// Whether the sheets of a receipt are consistent: the codes, fields and sentences of
// benchsite/tracks/rubric/consistency.py, in its order. Expects a document whose structure was checked before.

import { normalized, isValidDate } from "./rubric-normalization.js";
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
  /** @type {[string, string, string][]} */
  const said = [
    ["The agent's name", agent.name, "agent.name"],
    ["The agent's version", agent.version, "agent.version"],
    ["The agent's vendor", agent.vendor, "agent.vendor"],
  ];
  for (const [place, { name, model, conflictOfInterest }] of evaluators.entries()) {
    const field = `evaluators[${place}]`;
    if (model !== null) {
      said.push(["The name of an evaluator's model", model.name, `${field}.model.name`]);
      said.push(["What a model evaluator could see", model.saw, `${field}.model.saw`]);
    }
    said.push(["An evaluator's name", name, `${field}.name`]);
    said.push([
      "An evaluator's statement on conflicts of interest", conflictOfInterest, `${field}.conflictOfInterest`,
    ]);
  }
  for (const [what, text, field] of said) {
    if (!isBlank(text)) continue;
    yield violation("text-blank", field,
      `${what} is blank: a receipt must show who rated which agent, and any conflict of interest.`);
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
    yield violation("pass-missing", `sheets[${held.get(gap)}].pass`,
      `The passes of ${evaluator} over session ${session} are numbered ${numbers.join(", ")}: they must run ` +
      "from 1 without a gap, so that no pass is omitted.");
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
    yield violation("date-unknown", `sheets[${given.indexOf(nowhere[0] ?? "")}].date`,
      `Session dates are not valid dates: ${nowhere.join(", ")}.`);
  }
  const ahead = days.filter((day) => posixSeconds(`${day}T00:00:00Z`) > posixSeconds(ranAt) + AHEAD_OF_UTC);
  if (ahead.length > 0) {
    yield violation("date-ahead", `sheets[${given.indexOf(ahead[0] ?? "")}].date`,
      `Session dates are in the future: ${ahead.join(", ")}. The receipt was made at ${ranAt}.`);
  }
}

/**
 * @param {readonly string[]} sheets
 * @returns {Generator<Violation>}
 */
function* fileFaults(sheets) {
  const different = new Set(sheets).size;
  if (different === sheets.length) return;
  yield violation("sheet-repeated", `config.sheets[${sheets.findIndex((sheet, place) => sheets.indexOf(sheet) < place)}]`,
    `The ${sheets.length} sheets have ${different} different SHA-256 hashes: each sheet may be listed once.`);
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
      yield violation("question-twice", `${field}[${place}].questions[${number}].question`,
        `${scenario}: a sheet scores one question twice.`);
    }
    const session = sheets[place]?.["session"];
    const listed = JSON.stringify(asked);
    if (!first.has(session)) first.set(session, listed);
    if (first.get(session) !== listed && !differing.has(session)) differing.set(session, place);
  }
  const [earliest] = differing.values();
  if (earliest === undefined) return;
  yield violation("questions-differ", `${field}[${earliest}].questions`,
    `${scenario}: the sheets of session ${[...differing.keys()].sort((a, b) => a - b).join(", ")} differ in their ` +
    "questions or the order of them, so their scores cannot be compared.");
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
    if (other === undefined) continue;
    yield violation("questions-not-repeated", `domain.${scenario}[${other[1].place}].questions`,
      `${scenario}: session ${others.map(([session]) => session).join(", ")} has other questions than session ` +
      `${earliest?.[0]}. Under ${name}, a test of repeatability asks the same questions in every session.`);
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
  yield violation("sessions-alike", `sheets[${place}].session`,
    `Session ${alone.join(", ")} cites no document that no other session cites, nor, without documents, a quote that ` +
    `no other session has: ${name} requires separate transcripts for each session.`);
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

/**
 * @param {string} code
 * @param {string} field
 * @param {string} message
 * @returns {Violation}
 */
export function violation(code, field, message) {
  return { code, field, message };
}
