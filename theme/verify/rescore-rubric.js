// Rubric receipts: is the body well formed, and do its numbers follow from the ratings in it. The same outcome, field by
// field, as benchsite/tracks/rubric/verification.py; here every number is recomputed.

import { nested } from "./differences.js";
import { part } from "./envelope.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { violations } from "./rubric-demands.js";
import { DETAILS } from "./sentences-rubric.js";
import { CONFIG, ENGINES, PAYLOAD } from "./shapes-rubric.js";
import { score } from "./rubric-scoring.js";
import { demand } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./types.js").Track} Track */
/** @typedef {import("./rubric-scoring.js").Rules} Rules */

/** What is recomputed, in this order. */
const SECTIONS = /** @type {const} */ (["scores", "exact", "denominators", "intervals", "agreement"]);

const TESTS = ["standardisedTask", "hallucination", "invalidInput"];

/**
 * @param {Document} document
 */
function check(document) {
  demand(PAYLOAD, part(document, false));
  demand(CONFIG, document["config"], "config");
  for (const [field, fault] of unscorable(document)) throw new Fault(`field ${field}: ${fault}`, field);
}

/**
 * What cannot be scored at all: the field, and what is wrong with it.
 * @param {Document} document
 * @returns {Generator<[string, string]>}
 */
function* unscorable(document) {
  const { sheets, evaluators, domain } = document;
  for (const [field, { length }] of parallel(document)) {
    if (length === sheets.length) continue;
    yield [field, filled(DETAILS["entries-uneven"], { count: length, sheets: sheets.length })];
  }
  for (const [place, { evaluator }] of sheets.entries()) {
    if (evaluator < evaluators.length) continue;
    yield [`sheets[${place}].evaluator`, filled(DETAILS["no-evaluator"], { count: evaluators.length })];
  }
  /** @type {string[] | null} */
  let names = null;
  for (const dimension of Object.keys(domain)) {
    for (const [place, { questions }] of domain[dimension].entries()) {
      for (const [number, { criteria }] of questions.entries()) {
        names ??= Object.keys(criteria);
        if (names.every((name) => Object.hasOwn(criteria, name))) continue;
        const field = `domain.${dimension}[${place}].questions[${number}].criteria`;
        yield [field, DETAILS["criteria-differ"]];
      }
    }
  }
}

/**
 * Every list that has an entry for each sheet.
 * @param {Document} document
 * @returns {Generator<[string, unknown[]]>}
 */
function* parallel(document) {
  for (const name of ["universal", "domain"]) {
    for (const dimension of Object.keys(document[name]).sort()) yield [`${name}.${dimension}`, document[name][dimension]];
  }
  const tests = document["requiredTests"];
  if (tests !== null) for (const name of TESTS) yield [`requiredTests.${name}`, tests[name]];
  yield ["config.sheets", document["config"].sheets];
}

/**
 * @param {Document} document
 * @param {import("./types.js").Given} given
 * @returns {Promise<Rescoring>}
 */
async function rescore(document, { methodology }) {
  const rules = /** @type {Rules} */ (methodology?.parameters);
  const computed = score(document, rules);
  const differences = SECTIONS.flatMap((section) => [...nested(document[section], computed[section], section)]);
  return {
    rescore: differences.length > 0 ? "DIFFERS" : "MATCHES",
    reason: "",
    compared: compared(document),
    differences,
    violations: await violations(document, rules),
  };
}

/**
 * How many values are compared: scores, fractions, counts, ends of intervals, and who agreed on how much.
 * @param {Document} document
 * @returns {number}
 */
function compared({ scores, exact, denominators, intervals, agreement }) {
  const counts = Object.values(denominators).reduce((total, counted) => total + Object.keys(counted).length, 0);
  const ends = 2 * Object.keys(intervals).length;
  return Object.keys(scores).length + Object.keys(exact).length + counts + ends + Object.keys(agreement ?? {}).length;
}

/**
 * The composite.
 * @param {Document} document checked
 * @returns {import("./types.js").Figure | null}
 */
function figure({ scores, template }) {
  if (!Object.hasOwn(scores, "composite_score")) return null;
  return { label: "Composite", value: scores["composite_score"], digits: 2, scale: " of 100", on: template.slug };
}

/** The numbers follow from the ratings, which the receipt holds: no evidence is needed. */
function needs() {
  return new Set();
}

/**
 * The template; the methodology holds its tasks.
 * @param {Document} document
 * @returns {import("./types.js").Target}
 */
function target({ template }) {
  return { field: "template", id: template.slug, sha256: null };
}

/** @type {import("./types.js").TrackWords} */
const WORDS = Object.freeze({
  leftOut: "the evaluators' ratings",
  elsewhere: "Each score is in the receipt with its note and the evidence that the evaluator named: read them beside the " +
    "rubric's words for that score.",
  limit: "That the evaluators judged well, and that the evidence they name is all there was: read it beside the scores. " +
    "Others may score the same agent and publish that, too.",
  broken: {
    short: "rules not met", word: "Against the rules:",
    text: "The methodology version that the receipt names does not allow this.",
  },
});

/** @type {Track} */
export const RUBRIC = {
  name: "rubric", words: WORDS, engines: ENGINES, subject: (document) => document["agent"], check, rescore, figure, needs,
  target,
};
