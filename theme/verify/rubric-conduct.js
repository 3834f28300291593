// How an evaluation was held, as far as a receipt shows it: the codes, fields and sentences of
// benchsite/tracks/rubric/conduct.py, in its order. Expects a document whose structure was checked before.

import { alike, inCalendar } from "./rubric-likeness.js";
import { isBlank } from "./unseen.js";
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
 * Who was scored, by whom, and what ties them: spaces are characters, so that the shape lets them pass.
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
  for (const [place, { name, conflictOfInterest }] of evaluators.entries()) {
    const field = `evaluators[${place}]`;
    said.push(["An evaluator's name", name, `${field}.name`]);
    said.push([
      "An evaluator's statement on conflicts of interest", conflictOfInterest, `${field}.conflictOfInterest`,
    ]);
  }
  for (const [what, text, field] of said) {
    if (!isBlank(text)) continue;
    yield violation("text-blank", field,
      `${what} shows nothing but white space: a receipt must show its readers who scored whom, and with what ` +
      "interest.");
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
      "from 1 without a gap, so that none can be left out unseen.");
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
  const nowhere = days.filter((day) => !inCalendar(day));
  if (nowhere.length > 0) {
    yield violation("date-unknown", `sheets[${given.indexOf(nowhere[0] ?? "")}].date`,
      `The sheets give days of sessions that are in no calendar: ${nowhere.join(", ")}.`);
  }
  const ahead = days.filter((day) => posixSeconds(`${day}T00:00:00Z`) > posixSeconds(ranAt) + AHEAD_OF_UTC);
  if (ahead.length > 0) {
    yield violation("date-ahead", `sheets[${given.indexOf(ahead[0] ?? "")}].date`,
      `The sheets give days of sessions that had not begun anywhere when this receipt was made at ${ranAt}: ` +
      `${ahead.join(", ")}.`);
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
    `The ${sheets.length} sheets have ${different} different sha256: a sheet that is named twice counts more than ` +
    "once.");
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
        `For ${scenario} a sheet scores a question twice: it counts more than once.`);
    }
    const session = sheets[place]?.["session"];
    const listed = JSON.stringify(asked);
    if (!first.has(session)) first.set(session, listed);
    if (first.get(session) !== listed && !differing.has(session)) differing.set(session, place);
  }
  const [earliest] = differing.values();
  if (earliest === undefined) return;
  yield violation("questions-differ", `${field}[${earliest}].questions`,
    `For ${scenario} the sheets of session ${[...differing.keys()].sort((a, b) => a - b).join(", ")} do not score ` +
    "the same questions in the same order: their scores cannot be compared.");
}

/**
 * Nothing is repeated by asking something else; a session is taken by its first sheet.
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
      `For ${scenario} session ${others.map(([session]) => session).join(", ")} holds other questions than ` +
      `session ${earliest?.[0]}: under ${name} repeatability is tested by asking the same questions in every session.`);
  }
}

/**
 * @param {Document} rating
 * @returns {string[]}
 */
function askedIn({ questions }) {
  return questions.map((/** @type {Document} */ { question }) => alike(question ?? ""));
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
    `Session ${alone.join(", ")} cites no document that no other session cites, nor, where it cites no document, ` +
    `words of its own: under ${name} each session must rest on transcripts of its own.`);
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
 * document: two quotations do not make two sittings of one transcript.
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
    if (excerpt !== null && !isBlank(excerpt)) sessions.get(session)?.words.add(alike(excerpt));
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
