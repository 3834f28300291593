// The rubric track's own keys of a receipt, and its `config`: schema 1.0.0, as benchsite/tracks/rubric/payload.py has
// it. Scoring again comes before any signature is checked, so what it costs is bounded: sheets, questions and evidence
// are counted. Lists run parallel to `sheets`: entry i of a dimension is what sheet i says.

import {
  BOOLEAN, COUNT, POSITIVE, SHA256_HEX, SLUG, TEXT, flawed, integer, list, nullable, number, object, oneOf, record, text,
} from "./shape.js";

/** @typedef {import("./shape.js").Check} Check */

const MAX_SHEETS = 200;
const MAX_QUESTIONS = 10;
const MAX_EVIDENCE = 20;
const MAX_METRICS = 40;
const CRITERIA = 3;

const SCORE = integer(1, 5);
const ORDINAL = integer(1, MAX_SHEETS);
const METRIC = text(/^[a-z][a-z0-9_]{0,63}$/u);
const FRACTION = text(/^-?(0|[1-9][0-9]{0,99})\/[1-9][0-9]{0,99}$/u);
const DATE = text(/^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/u);
const NAME = text(/^[a-z][A-Za-z0-9]{0,39}$/u);
const SCHEMA_NAME = text(/^[a-z][a-z0-9_]{0,79}$/u);
const PROSE = text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]{0,4000}$/u);
const SAID = text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]{1,4000}$/u);

/** @type {Check} */
const TRUE = (value) => (value === true ? null : flawed("must be true"));

/** @type {Check} */
const NOTHING = (value) => (value === null ? null : flawed("must be null"));

const ITEMS = list(object({ sha256: SHA256_HEX, excerpt: nullable(SAID) }), { max: MAX_EVIDENCE });

const RATINGS = list(object({ score: SCORE, note: PROSE, evidence: ITEMS }), { max: MAX_SHEETS });

const QUESTION = object({
  question: nullable(SAID),
  criteria: record(NAME, object({ score: SCORE, note: PROSE }), CRITERIA, CRITERIA),
});

const SCENARIOS = list(
  object({ questions: list(QUESTION, { min: 1, max: MAX_QUESTIONS }), evidence: ITEMS }), { max: MAX_SHEETS },
);

const RESULTS = list(
  object({ outcome: oneOf("pass", "partial", "fail"), note: SAID, evidence: ITEMS }), { max: MAX_SHEETS },
);

/** Every key of a rubric receipt that the envelope does not know. */
export const PAYLOAD = object({
  agent: object({ name: TEXT, version: TEXT, vendor: TEXT }),
  template: object({ slug: SLUG, schemaName: SCHEMA_NAME }),
  evaluators: list(
    object({ name: TEXT, conflictOfInterest: SAID, consentToPublish: TRUE }), { min: 1, max: MAX_SHEETS },
  ),
  sheets: list(
    object({ evaluator: integer(0, MAX_SHEETS - 1), pass: ORDINAL, session: ORDINAL, date: DATE }),
    { min: 1, max: MAX_SHEETS },
  ),
  universal: object({ U1: RATINGS, U2: RATINGS, U3: RATINGS, U4: RATINGS, U5: RATINGS, U6: RATINGS }),
  domain: object({ D1: SCENARIOS, D2: SCENARIOS, D3: SCENARIOS, D4: SCENARIOS, D5: SCENARIOS }),
  requiredTests: nullable(object({ standardisedTask: RESULTS, hallucination: RESULTS, invalidInput: RESULTS })),
  disclosures: object({
    repeatabilityTested: nullable(BOOLEAN),
    multiStep: nullable(oneOf("single-message", "multi-turn")),
  }),
  agreement: nullable(object({
    kind: oneOf("inter-rater", "intra-rater"),
    raters: integer(2, MAX_SHEETS),
    units: POSITIVE,
  })),
  scores: record(METRIC, number(), MAX_METRICS),
  exact: record(METRIC, FRACTION, MAX_METRICS),
  denominators: record(METRIC, object({ den: COUNT, excluded: COUNT }), MAX_METRICS),
  intervals: record(METRIC, object({ low: number(), high: number(), method: oneOf("t") }), MAX_METRICS),
});

/** What decides the scores besides the rules: the receipt's `config`. */
export const CONFIG = object({
  sheets: list(SHA256_HEX, { min: 1, max: MAX_SHEETS }),
  subjectSha256: NOTHING,
});
