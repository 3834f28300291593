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
    yield {
      code: "text-blank",
      message: `${what} shows nothing but white space: a receipt must show its readers who scored whom, and with what ` +
        "interest.",
      field,
    };
  }
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
  const asked = ratings.map(askedIn);
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
 * Nothing is repeated by asking something else; a session is taken by its first sheet.
 * @param {Document} document
 * @param {string} name
 * @returns {Generator<Violation>}
 */
function* questionsAgain({ sheets, domain }, name) {
  for (const scenario of Object.keys(domain).sort()) {
    /** @type {Map<number, string>} */
    const asked = new Map();
    for (const [place, rating] of domain[scenario].entries()) {
      const { session } = sheets[place];
      if (!asked.has(session)) asked.set(session, JSON.stringify(askedIn(rating).sort()));
    }
    const [earliest, ...later] = [...asked.keys()].sort((a, b) => a - b);
    const others = later.filter((session) => asked.get(session) !== asked.get(Number(earliest)));
    if (others.length === 0) continue;
    yield {
      code: "questions-not-repeated",
      message: `For ${scenario} session ${others.join(", ")} holds other questions than session ${earliest}: under ${name} ` +
        "repeatability is tested by asking the same questions in every session.",
      field: `domain.${scenario}`,
    };
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
  yield {
    code: "sessions-alike",
    message: `Session ${alone.join(", ")} cites no document that no other session cites, nor, where it cites no document, ` +
      `words of its own: under ${name} each session must rest on transcripts of its own.`,
    field: "evidence",
  };
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
