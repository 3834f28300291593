// Written by `make reference` from the models of benchsite.tracks.agents; do not edit.

import { even, fewDomains, inOrder } from "./forms-agents.js";
import { SEEN, SHA256_HEX, SLUG, TEXT } from "./schemas.js";
import { BOOLEAN, either, integer, list, nullable, number, object, only, record, text } from "./shape.js";

const MODEL_USE = object({
  requested: nullable(SEEN),
  responded: nullable(SEEN),
  "sha256?": nullable(SHA256_HEX),
  "settings?": record(TEXT, nullable(either("str", text(), integer(), number(), BOOLEAN)), { max: 100 }),
});

const SYSTEM = object({
  name: SLUG,
  version: SEEN,
  kind: only("baseline", "single-agent", "multi-agent"),
  "models?": record(SLUG, MODEL_USE, { max: 20 }),
  "sizes?": record(text(/^[a-z][a-z0-9_]{0,63}$/u), integer(0), { max: 20 }),
  "prompts?": nullable(SHA256_HEX),
  "model?": nullable(SEEN),
});

const BENCHMARK = object({
  id: SLUG,
  sha256: SHA256_HEX,
  tasks: integer(1),
  publish: only("full", "redacted", "sealed"),
  "edition?": nullable(TEXT),
  "evaluator?": nullable(SEEN),
});

const DENOMINATOR = object({
  "num?": nullable(integer(0)),
  den: integer(0),
  excluded: integer(0),
});

const INTERVAL = object({
  low: number(),
  high: number(),
  method: only("wilson", "bootstrap"),
});

const TABLE = object({
  scores: record(text(/^[a-z][a-z0-9_]{0,63}$/u), number(), { max: 100 }),
  denominators: record(text(/^[a-z][a-z0-9_]{0,63}$/u), DENOMINATOR, { max: 100 }),
  intervals: record(text(/^[a-z][a-z0-9_]{0,63}$/u), INTERVAL, { max: 100 }),
});

const CALIBRATION = object({
  runs: integer(1),
  calibrationError: number({ min: 0, max: 1 }),
  auroc: nullable(number({ min: 0, max: 1 })),
});

const ANSWERS = object({
  judgeSuccess: nullable(number({ min: 0, max: 1 })),
  judgeVerdicts: integer(0),
  judgeCalibrationError: nullable(number({ min: 0, max: 1 })),
  exactCalibrationError: nullable(number({ min: 0, max: 1 })),
  evidenceRecall: nullable(number({ min: 0, max: 1 })),
});

const TASKS = object({
  id: list(SLUG, { min: 1, max: 100000 }),
  domain: fewDomains(list(TEXT, { max: 100000 })),
  "needsAction?": nullable(list(BOOLEAN, { max: 100000 })),
  "actionConsistency?": nullable(list(nullable(number({ min: 0, max: 1 })), { max: 100000 })),
  "sequenceConsistency?": nullable(list(nullable(number({ min: 0, max: 1 })), { max: 100000 })),
});

const RUNS = object({
  taskId: list(SLUG, { min: 1, max: 100000 }),
  run: list(integer(1), { max: 100000 }),
  outcome: list(only("success", "failure", "limit", "error"), { max: 100000 }),
  "limit?": nullable(list(nullable(only("tokens", "messages", "tool-calls", "rounds", "iterations", "seconds", "cost", "context")), { max: 100000 })),
  completion: list(BOOLEAN, { max: 100000 }),
  "harmful?": nullable(list(BOOLEAN, { max: 100000 })),
  "score?": nullable(list(nullable(number({ min: 0, max: 1 })), { max: 100000 })),
  "confidence?": nullable(list(nullable(number({ min: 0, max: 1 })), { max: 100000 })),
  "judged?": nullable(list(nullable(BOOLEAN), { max: 100000 })),
  "evidenceRecall?": nullable(list(nullable(number({ min: 0, max: 1 })), { max: 100000 })),
  "steps?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "toolCalls?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "toolFailures?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "backtracks?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "loopNum?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "loopDen?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "verifies?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "agentToAgent?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "systemMediated?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "handoffs?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "turns?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "redundancy?": nullable(list(nullable(number({ min: 0, max: 1 })), { max: 100000 })),
  "latencyMs?": nullable(list(nullable(number({ min: 0, max: 9007199254740991 })), { max: 100000 })),
  "latencyWallMs?": nullable(list(nullable(number({ min: 0, max: 9007199254740991 })), { max: 100000 })),
  "tokens?": nullable(list(nullable(integer(0)), { max: 100000 })),
  "costUsd?": nullable(list(nullable(number({ min: 0, max: 9007199254740991 })), { max: 100000 })),
});

export const PAYLOAD = object({
  system: SYSTEM,
  benchmark: BENCHMARK,
  scores: record(text(/^[a-z][a-z0-9_]{0,63}$/u), number(), { max: 100 }),
  denominators: record(text(/^[a-z][a-z0-9_]{0,63}$/u), DENOMINATOR, { max: 100 }),
  intervals: record(text(/^[a-z][a-z0-9_]{0,63}$/u), INTERVAL, { max: 100 }),
  byDomain: record(TEXT, TABLE, { max: 50 }),
  timing: record(text(/^[a-z][a-z0-9_]{0,63}$/u), number(), { max: 100 }),
  "calibration?": nullable(CALIBRATION),
  "answers?": nullable(ANSWERS),
  tasks: even(TASKS),
  runs: even(RUNS),
});

const BUDGET = object({
  toolCalls: nullable(integer(1)),
  messages: nullable(integer(0)),
  tokens: nullable(integer(1)),
  seconds: nullable(number({ min: 0, max: 9007199254740991 })),
});

const PERTURBED = object({
  kind: only("faults", "prompts"),
  rate: nullable(number({ above: 0, below: 1 })),
});

const SOURCE_FILE = object({
  name: TEXT,
  sha256: SHA256_HEX,
  size: integer(0),
});

const STATED_SCORE = object({
  name: SEEN,
  value: number({ min: -9007199254740991, max: 9007199254740991 }),
  ours: nullable(text(/^[a-z][a-z0-9_]{0,63}$/u)),
});

const SOURCE = object({
  kind: SLUG,
  configuration: TEXT,
  files: list(SOURCE_FILE, { min: 1, max: 1000 }),
  "references?": nullable(list(SEEN, { max: 20 })),
  "stated?": nullable(list(STATED_SCORE, { max: 50 })),
});

export const CONFIG = object({
  runsPerTask: integer(1, 300),
  seed: integer(0),
  limit: nullable(integer(1)),
  "isolation?": nullable(only("process")),
  "budget?": nullable(BUDGET),
  "concurrency?": nullable(integer(1)),
  "prices?": nullable(SHA256_HEX),
  subjectSha256: nullable(SHA256_HEX),
  options: record(TEXT, nullable(either("str", text(), integer(), number(), BOOLEAN))),
  "perturbation?": nullable(PERTURBED),
  source: nullable(SOURCE),
});

const PARAMETERS = object({
  ks: list(integer(2, 1000), { min: 1, max: 10 }),
  z: number({ min: 1.959963984540054, max: 1.959963984540054 }),
  confidence: number({ min: 0.95, max: 0.95 }),
  bootstrapReplicates: only(10000),
  bootstrapLowRank: only(250),
  bootstrapHighRank: only(9750),
  fixedPointBits: only(40),
  flips: only(10000),
  level: number({ above: 0, below: 1 }),
  passiveShare: number({ min: 0, max: 1 }),
});

export const ENGINES = new Map([
  ["agents/1", inOrder(PARAMETERS)],
]);
