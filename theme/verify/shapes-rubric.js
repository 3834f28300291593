// Written by `make reference` from the models of benchsite.tracks.rubric; do not edit.

import { whole } from "./forms-rubric.js";
import { SHA256_HEX, SLUG, TEXT } from "./schemas.js";
import { BOOLEAN, integer, list, nullable, number, object, only, record, text } from "./shape.js";

const AGENT = object({
  name: TEXT,
  version: TEXT,
  vendor: TEXT,
});

const TEMPLATE = object({
  slug: SLUG,
  schemaName: text(/^[a-z][a-z0-9_]{0,79}$/u),
});

const FALSE_POSITIVE_PROBE = object({
  planted: integer(1, 10000),
  accepted: integer(0, 10000),
});

const EVALUATOR_MODEL = object({
  name: TEXT,
  promptSha256: nullable(SHA256_HEX),
  saw: text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/u, { min: 1, max: 4000 }),
  falsePositiveProbe: nullable(FALSE_POSITIVE_PROBE),
});

const EVALUATOR = object({
  name: TEXT,
  kind: only("human", "model"),
  model: nullable(EVALUATOR_MODEL),
  conflictOfInterest: text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/u, { min: 1, max: 4000 }),
  consentToPublish: only(true),
});

const SHEET = object({
  evaluator: integer(0, 199),
  pass: integer(1, 200),
  session: integer(1, 200),
  date: text(/^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/u),
});

const EVIDENCE_ITEM = object({
  sha256: SHA256_HEX,
  excerpt: nullable(text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/u, { min: 1, max: 4000 })),
});

const RATING = object({
  score: integer(1, 5),
  note: text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/u, { max: 4000 }),
  evidence: list(EVIDENCE_ITEM, { max: 20 }),
});

const UNIVERSAL = object({
  U1: list(RATING, { max: 200 }),
  U2: list(RATING, { max: 200 }),
  U3: list(RATING, { max: 200 }),
  U4: list(RATING, { max: 200 }),
  U5: list(RATING, { max: 200 }),
  U6: list(RATING, { max: 200 }),
});

const CRITERION_RATING = object({
  score: integer(1, 5),
  note: text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/u, { max: 4000 }),
});

const QUESTION = object({
  question: nullable(text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/u, { min: 1, max: 4000 })),
  criteria: record(text(/^[a-z][a-zA-Z0-9]{0,39}$/u), CRITERION_RATING, { min: 3, max: 3 }),
});

const SCENARIO_RATING = object({
  questions: list(QUESTION, { min: 1, max: 10 }),
  evidence: list(EVIDENCE_ITEM, { max: 20 }),
});

const DOMAIN = object({
  D1: list(SCENARIO_RATING, { max: 200 }),
  D2: list(SCENARIO_RATING, { max: 200 }),
  D3: list(SCENARIO_RATING, { max: 200 }),
  D4: list(SCENARIO_RATING, { max: 200 }),
  D5: list(SCENARIO_RATING, { max: 200 }),
});

const TEST_RESULT = object({
  outcome: only("pass", "partial", "fail"),
  note: text(/^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/u, { min: 1, max: 4000 }),
  evidence: list(EVIDENCE_ITEM, { max: 20 }),
});

const REQUIRED_TESTS = object({
  standardisedTask: list(TEST_RESULT, { max: 200 }),
  hallucination: list(TEST_RESULT, { max: 200 }),
  invalidInput: list(TEST_RESULT, { max: 200 }),
});

const DISCLOSURES = object({
  repeatabilityTested: nullable(BOOLEAN),
  multiStep: nullable(only("single-message", "multi-turn")),
});

const AGREEMENT = object({
  kind: only("inter-rater", "intra-rater"),
  raters: integer(2, 200),
  units: integer(1),
});

const DENOMINATOR = object({
  den: integer(0),
  excluded: integer(0),
});

const INTERVAL = object({
  low: number(),
  high: number(),
  method: only("t"),
});

export const PAYLOAD = object({
  agent: AGENT,
  template: TEMPLATE,
  evaluators: list(EVALUATOR, { min: 1, max: 200 }),
  sheets: list(SHEET, { min: 1, max: 200 }),
  universal: UNIVERSAL,
  domain: DOMAIN,
  requiredTests: nullable(REQUIRED_TESTS),
  disclosures: DISCLOSURES,
  agreement: nullable(AGREEMENT),
  scores: record(text(/^[a-z][a-z0-9_]{0,63}$/u), number(), { max: 40 }),
  exact: record(text(/^[a-z][a-z0-9_]{0,63}$/u), text(/^-?(0|[1-9][0-9]{0,99})\/[1-9][0-9]{0,99}$/u), { max: 40 }),
  denominators: record(text(/^[a-z][a-z0-9_]{0,63}$/u), DENOMINATOR, { max: 40 }),
  intervals: record(text(/^[a-z][a-z0-9_]{0,63}$/u), INTERVAL, { max: 40 }),
});

export const CONFIG = object({
  sheets: list(SHA256_HEX, { min: 1, max: 200 }),
  subjectSha256: only(null),
});

const SINGLE_RULES = object({
  universalWeight: text(/^(0|[1-9][0-9]{0,3})\/[1-9][0-9]{0,3}$/u),
  domainWeight: text(/^(0|[1-9][0-9]{0,3})\/[1-9][0-9]{0,3}$/u),
  lowest: integer(1, 1),
  highest: integer(5, 5),
  requiredTests: BOOLEAN,
  disclosures: BOOLEAN,
  averaging: BOOLEAN,
  penalty: integer(0, 100),
  sessions: integer(1, 1),
  sheets: integer(1, 1),
  evidence: only(false),
  intervals: only(false),
  repeatabilityShown: BOOLEAN,
});

const RULES = object({
  universalWeight: text(/^(0|[1-9][0-9]{0,3})\/[1-9][0-9]{0,3}$/u),
  domainWeight: text(/^(0|[1-9][0-9]{0,3})\/[1-9][0-9]{0,3}$/u),
  lowest: integer(1, 1),
  highest: integer(5, 5),
  requiredTests: BOOLEAN,
  disclosures: BOOLEAN,
  averaging: BOOLEAN,
  penalty: integer(0, 100),
  sessions: integer(1, 20),
  sheets: integer(1, 10),
  evidence: BOOLEAN,
  intervals: BOOLEAN,
  repeatabilityShown: BOOLEAN,
});

export const ENGINES = new Map([
  ["rubric/1", whole(SINGLE_RULES)],
  ["rubric/2", whole(RULES)],
]);
