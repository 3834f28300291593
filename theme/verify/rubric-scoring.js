// Rubric scores as exact fractions, the values of benchsite/tracks/rubric/metrics.py by the rules of each methodology
// version: U = ΣU1..U6 ÷ 30 × 100, a question = Σ of its criteria ÷ 15 × 100, a scenario = the mean of its questions,
// D = the mean of the five scenarios, composite = their weighted sum. A session's value is the mean of its sheets, a
// receipt's the mean of its sessions; nothing is rounded before the end. The evaluator form computes with the same.

import { Rational, mean } from "./rational.js";
import { agreementOf } from "./rubric-agreement.js";
import { tInterval } from "./student.js";

/** @typedef {import("./types.js").Document} Document */

/**
 * @typedef {object} Rules what a methodology version demands: the parameters of its document
 * @property {string} universalWeight of the universal score in the composite, `p/q`; with `domainWeight` 1
 * @property {string} domainWeight
 * @property {boolean} requiredTests the three required tests must be recorded
 * @property {boolean} disclosures repeatability and the reading of U3 must be stated
 * @property {boolean} averaging a scenario may hold several questions whose scores are averaged
 * @property {number} penalty points taken off the composite when repeatability was not tested
 * @property {number} sessions the fewest sessions
 * @property {number} sheets the fewest sheets a session
 * @property {boolean} evidence every dimension and every scenario must name evidence
 * @property {boolean} intervals means over sessions get a 95 % interval
 * @property {boolean} repeatabilityShown what is stated of repeatability must be what the sessions show
 *
 * @typedef {object} SheetScores of one sheet; null where a score that is needed is not given yet
 * @property {Map<string, Rational | null>} dimensions `U1` to `U6`, 1 to 5 each
 * @property {Map<string, Rational | null>} scenarios `D1` to `D5`, in percent, as all that follow
 * @property {Rational | null} universal
 * @property {Rational | null} domain
 * @property {Rational | null} raw the composite before any penalty
 * @property {Rational | null} penalty null where it hangs on a disclosure that is not made yet
 * @property {Rational | null} composite
 *
 * @typedef {object} Scored the keys of a receipt that follow from its ratings
 * @property {{[metric: string]: number}} scores two decimals
 * @property {{[metric: string]: string}} exact
 * @property {{[metric: string]: {den: number, excluded: number}}} denominators
 * @property {{[metric: string]: {low: number, high: number, method: string}}} intervals
 * @property {{kind: string, raters: number, units: number} | null} agreement
 */

export const DIMENSIONS = Object.freeze(["U1", "U2", "U3", "U4", "U5", "U6"]);
export const SCENARIOS = Object.freeze(["D1", "D2", "D3", "D4", "D5"]);

const LOWEST = 1;
const HIGHEST = 5;
const CRITERIA = 3;
const FULL = 100;
/** No mean of scores of 1 or more out of 5 lies below it. */
const LEAST = (FULL * LOWEST) / HIGHEST;

const WITH_INTERVAL = ["composite_score", "universal_score", "domain_score"];

/**
 * The scores of one sheet, finished or not, in the layout of specs/rubric.md, "The sheet".
 * @param {Document} sheet
 * @param {Rules} rules
 * @returns {SheetScores}
 */
export function scoreSheet(sheet, rules) {
  const marks = DIMENSIONS.map((name) => markIn(sheet["universal"]?.[name]));
  const scenarios = SCENARIOS.map((name) => whenAll(questionsIn(sheet["domain"]?.[name]), scenarioScore));
  const universal = whenAll(marks, universalScore);
  const domain = whenAll(scenarios, mean);
  const raw = universal && domain && compositeScore(universal, domain, rules);
  const penalty = penaltyOf(sheet["disclosures"]?.repeatabilityTested, rules);
  return {
    dimensions: new Map(DIMENSIONS.map((name, i) => [name, whenAll(marks.slice(i, i + 1), mean)])),
    scenarios: new Map(SCENARIOS.map((name, i) => [name, scenarios[i] ?? null])),
    universal,
    domain,
    raw,
    penalty,
    composite: raw && penalty && raw.minus(penalty),
  };
}

/**
 * Every number of a receipt, by the rules of the version it is scored under.
 * @param {Document} document checked
 * @param {Rules} rules
 * @returns {Scored}
 */
export function score(document, rules) {
  const sessions = bySession(document["sheets"]);
  const sheets = document["sheets"].map((/** @type {Document} */ _, /** @type {number} */ i) => valuesOf(document, i, rules));
  /** @type {Map<string, Rational[]>} */
  const values = new Map();
  for (const metric of sheets[0].keys()) {
    values.set(metric, sessions.map((places) => mean(places.map((place) => sheets[place].get(metric)))));
  }
  const table = new Table();
  const penalty = penaltyOf(document["disclosures"].repeatabilityTested ?? false, rules);
  if (rules.penalty > 0) takeOff(table, values, penalty);
  for (const [metric, means] of values) {
    table.put(metric, mean(means), WITH_INTERVAL.includes(metric) ? sessions.length : sheets.length);
  }
  const agreement = agreementOf(sessions.map((places) => places.map((place) => ratingsOf(document, place))));
  if (agreement !== null) {
    table.put("krippendorff_alpha", agreement.alpha, agreement.units, agreement.excluded);
    if (agreement.raters === 2) table.put("weighted_kappa", agreement.kappa, agreement.units, agreement.excluded);
  }
  const { scores, exact, denominators } = table;
  return {
    scores,
    exact,
    denominators,
    intervals: rules.intervals && sessions.length > 1 ? intervalsOf(values, penalty) : {},
    agreement: agreement && { kind: agreement.kind, raters: agreement.raters, units: agreement.units },
  };
}

/** Exact values as they are found, each written as a receipt holds it. */
class Table {
  constructor() {
    /** @type {{[metric: string]: number}} */
    this.scores = {};
    /** @type {{[metric: string]: string}} */
    this.exact = {};
    /** @type {{[metric: string]: {den: number, excluded: number}}} */
    this.denominators = {};
  }

  /**
   * A metric that is not defined has no value, and a denominator of 0.
   * @param {string} metric
   * @param {Rational | null} value
   * @param {number} den
   * @param {number} [excluded]
   */
  put(metric, value, den, excluded = 0) {
    this.denominators[metric] = { den: value === null ? 0 : den, excluded };
    if (value === null) return;
    this.scores[metric] = value.hundredths();
    this.exact[metric] = value.text();
  }
}

/**
 * @param {Table} table
 * @param {Map<string, Rational[]>} values a session's composites are replaced
 * @param {Rational | null} penalty
 */
function takeOff(table, values, penalty) {
  const raw = values.get("composite_score") ?? [];
  table.put("raw_composite", mean(raw), raw.length);
  table.put("penalty", penalty, 1);
  values.set("composite_score", raw.map((value) => value.minus(penalty ?? 0)));
}

/**
 * All values of one sheet of a receipt, by metric.
 * @param {Document} document
 * @param {number} place of the sheet
 * @param {Rules} rules
 * @returns {Map<string, Rational>}
 */
function valuesOf({ universal, domain }, place, rules) {
  const marks = DIMENSIONS.map((name) => universal[name][place].score);
  const scenarios = SCENARIOS.map((name) => scenarioScore(domain[name][place].questions.map(marksIn)));
  const whole = universalScore(marks);
  const ofDomain = mean(scenarios);
  /** @type {[string, Rational][]} */
  const each = [
    ...DIMENSIONS.map((name, i) => /** @type {[string, Rational]} */ ([metricOf(name), new Rational(marks[i])])),
    ...scenarios.map((value, i) => /** @type {[string, Rational]} */ ([metricOf(SCENARIOS[i] ?? ""), value])),
  ];
  return new Map([
    ["composite_score", compositeScore(whole, ofDomain, rules)], ["universal_score", whole], ["domain_score", ofDomain], ...each,
  ]);
}

/** @param {string} name */
function metricOf(name) {
  return `${name.toLowerCase()}_score`;
}

/**
 * Who scored what in one sheet: six dimensions, and every criterion of every question of every scenario.
 * @param {Document} document
 * @param {number} place of the sheet
 * @returns {import("./rubric-agreement.js").Rated}
 */
function ratingsOf({ sheets, universal, domain }, place) {
  const { evaluator, pass } = sheets[place];
  /** @type {Map<string, number>} */
  const ratings = new Map(DIMENSIONS.map((name) => [name, universal[name][place].score]));
  for (const name of SCENARIOS) {
    for (const [number, { criteria }] of domain[name][place].questions.entries()) {
      for (const id of Object.keys(criteria)) ratings.set(`${name} ${number} ${id}`, criteria[id].score);
    }
  }
  return { evaluator, pass, ratings };
}

/**
 * The places of each session's sheets, sessions in order.
 * @param {Document[]} sheets
 * @returns {number[][]}
 */
function bySession(sheets) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for (const [place, { session }] of sheets.entries()) found.set(session, [...(found.get(session) ?? []), place]);
  return [...found].sort(([a], [b]) => a - b).map(([, places]) => places);
}

/**
 * Student's t over the sessions, cut at the ends of what a score can be; a penalty moves those of the composite.
 * @param {Map<string, Rational[]>} values of each session
 * @param {Rational | null} penalty a whole number
 */
function intervalsOf(values, penalty) {
  /** @type {Scored["intervals"]} */
  const found = {};
  for (const metric of WITH_INTERVAL) {
    const { low, high } = tInterval(values.get(metric) ?? []);
    const taken = metric === "composite_score" ? penalty?.hundredths() ?? 0 : 0;
    found[metric] = { low: Math.max(low, LEAST - taken), high: Math.min(high, FULL - taken), method: "t" };
  }
  return found;
}

/** @param {readonly number[]} marks of the six dimensions */
function universalScore(marks) {
  return mean(marks).times(FULL).over(HIGHEST);
}

/** @param {readonly (readonly number[])[]} questions the marks of each one's criteria */
function scenarioScore(questions) {
  return mean(questions.map((marks) => mean(marks).times(FULL).over(HIGHEST)));
}

/**
 * @param {Rational} universal
 * @param {Rational} domain
 * @param {Rules} rules
 */
function compositeScore(universal, domain, { universalWeight, domainWeight }) {
  return Rational.read(universalWeight).times(universal).plus(Rational.read(domainWeight).times(domain));
}

/**
 * What the composite loses; null where a version takes something off and nothing was disclosed.
 * @param {unknown} tested
 * @param {Rules} rules
 */
function penaltyOf(tested, rules) {
  if (rules.penalty === 0 || tested === true) return new Rational(0);
  return tested === false ? new Rational(rules.penalty) : null;
}

/** @param {Document} question */
function marksIn({ criteria }) {
  return Object.keys(criteria).map((id) => criteria[id].score);
}

/**
 * The mark that a rating of a sheet gives; null for none, or one that is not of the scale.
 * @param {any} rating
 * @returns {number | null}
 */
function markIn(rating) {
  const given = rating?.score;
  return Number.isInteger(given) && given >= LOWEST && given <= HIGHEST ? given : null;
}

/**
 * The marks of a scenario of a sheet, a list for each question; null for a question that is not scored whole.
 * @param {any} scenario
 * @returns {(number[] | null)[]}
 */
function questionsIn(scenario) {
  const questions = scenario?.averagedFrom ?? [scenario];
  return questions.map((/** @type {any} */ question) => {
    const marks = Object.values(question?.criteria ?? {}).map(markIn);
    return marks.length === CRITERIA ? whenAll(marks, (all) => [...all]) : null;
  });
}

/**
 * What is made of values once none of them is missing.
 * @template Value, Made
 * @param {readonly (Value | null)[]} values
 * @param {(values: readonly Value[]) => Made} make
 * @returns {Made | null}
 */
function whenAll(values, make) {
  const there = values.flatMap((value) => (value === null ? [] : [value]));
  return there.length === values.length && there.length > 0 ? make(there) : null;
}
