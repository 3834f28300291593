// Written by `make reference` from the models of benchsite.tracks.retrieval; do not edit.

import { ascending, fewCategories, inOrder } from "./forms-retrieval.js";
import { SEEN, SHA256_HEX, SLUG, TEXT } from "./schemas.js";
import { BOOLEAN, either, integer, list, nullable, number, object, only, record, text } from "./shape.js";

const INTERPRETER = object({
  name: TEXT,
  version: nullable(TEXT),
  packages: SHA256_HEX,
});

const CONFINEMENT = object({
  namespaces: only("all", "network", "none"),
  root: BOOLEAN,
  keysHidden: BOOLEAN,
});

const ADAPTER = object({
  name: SLUG,
  version: SEEN,
  author: SEEN,
  hosted: BOOLEAN,
  network: nullable(BOOLEAN),
  networkAccess: nullable(only("off", "allowed", "not blocked")),
  "hosts?": list(TEXT, { max: 1000 }),
  "backend?": nullable(SLUG),
  "distributions?": record(TEXT, TEXT, { max: 1000 }),
  "interpreter?": nullable(INTERPRETER),
  "confinement?": nullable(CONFINEMENT),
});

const FIXTURE = object({
  id: SLUG,
  sha256: SHA256_HEX,
  n: integer(1),
  queries: integer(1),
  scopes: integer(1),
  smallestScope: integer(1),
  granularity: only("turn", "session", "document"),
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
  scores: record(text(/^[a-z][a-z0-9_]{0,63}$/u), number(), { max: 200 }),
  denominators: record(text(/^[a-z][a-z0-9_]{0,63}$/u), DENOMINATOR, { max: 200 }),
  intervals: record(text(/^[a-z][a-z0-9_]{0,63}$/u), INTERVAL, { max: 200 }),
});

const TIMING = object({
  latency_p50_ms: nullable(number({ min: 0 })),
  latency_p95_ms: nullable(number({ min: 0 })),
  latency_p99_ms: nullable(number({ min: 0 })),
  latency_min_ms: nullable(number({ min: 0 })),
  latency_max_ms: nullable(number({ min: 0 })),
  percentileMethod: only("nearest-rank"),
  n: integer(0),
  first_query_ms: nullable(number({ min: 0 })),
  ingest_throughput_items_per_sec: nullable(number({ min: 0 })),
  ingestedBytes: nullable(integer(0)),
  peakRssBytes: nullable(integer(0)),
  noopRpcMs: nullable(number({ min: 0 })),
  flags: list(only("low-n", "unreliable-load")),
});

const EXPECTED = object({
  id: TEXT,
  grade: integer(-1000, 1000),
});

const USAGE = object({
  "calls?": nullable(integer(0)),
  "tokensIn?": nullable(integer(0)),
  "tokensOut?": nullable(integer(0)),
  "costUsd?": nullable(number({ min: 0 })),
});

const QUERY_RECORD = object({
  queryId: TEXT,
  scope: TEXT,
  "category?": nullable(TEXT),
  "split?": nullable(TEXT),
  answerable: BOOLEAN,
  expected: list(EXPECTED),
  retrieved: list(TEXT, { max: 1000 }),
  foreign: list(TEXT, { max: 1000 }),
  hit: BOOLEAN,
  rank: nullable(integer(1, 1000)),
  latencyMs: nullable(number({ min: 0 })),
  "returnedChars?": nullable(integer(0)),
  "usage?": nullable(USAGE),
  "error?": nullable(only("timeout", "raised", "crashed", "protocol")),
});

const DETERMINISM = object({
  runs: integer(2),
  identical: BOOLEAN,
  differing: list(TEXT),
  "ndcgLow?": nullable(number({ min: 0, max: 1 })),
  "ndcgHigh?": nullable(number({ min: 0, max: 1 })),
});

const FAULTS = object({
  duplicates: integer(0),
  foreignIds: integer(0),
  badScores: integer(0),
  overK: integer(0),
  failed: integer(0),
  timedOut: integer(0),
});

export const PAYLOAD = object({
  adapter: ADAPTER,
  fixture: FIXTURE,
  scores: record(text(/^[a-z][a-z0-9_]{0,63}$/u), number(), { max: 200 }),
  denominators: record(text(/^[a-z][a-z0-9_]{0,63}$/u), DENOMINATOR, { max: 200 }),
  intervals: record(text(/^[a-z][a-z0-9_]{0,63}$/u), INTERVAL, { max: 200 }),
  byCategory: record(TEXT, TABLE, { max: 200 }),
  timing: TIMING,
  perQuery: fewCategories(list(QUERY_RECORD)),
  determinism: nullable(DETERMINISM),
  faults: FAULTS,
});

const ASSET = object({
  name: TEXT,
  sha256: SHA256_HEX,
  size: integer(0),
});

const IMPORTER = object({
  kind: SLUG,
  sha256: SHA256_HEX,
  options: record(TEXT, nullable(either("str", text(), integer(), number(), BOOLEAN))),
});

const RUN_FILE = object({
  kind: SLUG,
  name: TEXT,
  sha256: SHA256_HEX,
  size: integer(0),
});

export const CONFIG = object({
  k: ascending(list(integer(1, 1000), { min: 1, max: 20 })),
  seed: integer(0),
  limit: nullable(integer(1)),
  repeats: integer(1),
  isolation: nullable(only("process")),
  timeoutSeconds: nullable(number({ above: 0 })),
  "threads?": nullable(integer(1)),
  subjectSha256: nullable(SHA256_HEX),
  "assets?": list(ASSET, { max: 2000 }),
  options: record(TEXT, nullable(either("str", text(), integer(), number(), BOOLEAN))),
  importer: nullable(IMPORTER),
  "source?": nullable(RUN_FILE),
});

const PARAMETERS = object({
  ks: list(integer(1, 1000), { min: 1, max: 20 }),
  maxK: only(1000),
  maxCuts: only(20),
  headlineK: integer(1, 1000),
  z: number({ min: 1.959963984540054, max: 1.959963984540054 }),
  confidence: number({ min: 0.95, max: 0.95 }),
  bootstrapReplicates: only(10000),
  bootstrapLowRank: only(250),
  bootstrapHighRank: only(9750),
  fixedPointBits: only(40),
  flips: integer(100, 100000),
  level: number({ above: 0, below: 1 }),
  discountsSha256: only("83d701acf9ea6e6bb9eca1ae48b0be24ba714ac6bfe5230a3959254d92a4d304"),
});

export const ENGINES = new Map([
  ["retrieval/1", inOrder(PARAMETERS)],
]);
