// The retrieval track's own keys of a receipt, and its `config`: schema 1.0.0, as benchsite/tracks/retrieval/payload.py
// has it. Scoring again comes before any signature is checked, so what it costs is bounded by more than the file's
// size: every cut-off is a column of work for every query, and every category a table of its own.

import { MAX_RANK } from "./discounts.js";
import {
  BOOLEAN, COUNT, POSITIVE, SCALAR, SEEN, SHA256_HEX, SLUG, TEXT, integer, list, nullable, number, object, oneOf, record,
  text,
} from "./shape.js";

/** @typedef {import("./shape.js").Check} Check */

const MAX_CUTS = 20;
const MAX_METRICS = 200;
const MAX_CATEGORIES = 200;
const MAX_GRADE = 1_000;

const METRIC = text(/^[a-z][a-z0-9_]{0,63}$/u);
const AMOUNT = number({ min: 0 });
const RANK = integer(1, MAX_RANK);

const SCORES = record(METRIC, number(), MAX_METRICS);
const DENOMINATORS = record(
  METRIC, object({ "num?": nullable(COUNT), den: COUNT, excluded: COUNT }), MAX_METRICS,
);
const INTERVALS = record(
  METRIC, object({ low: number(), high: number(), method: oneOf("wilson", "bootstrap") }), MAX_METRICS,
);
const TABLE = object({ scores: SCORES, denominators: DENOMINATORS, intervals: INTERVALS });

const QUERY_RECORD = object({
  queryId: TEXT,
  scope: TEXT,
  "category?": nullable(TEXT),
  "split?": nullable(TEXT),
  answerable: BOOLEAN,
  expected: list(object({ id: TEXT, grade: integer(-MAX_GRADE, MAX_GRADE) })),
  retrieved: list(TEXT, { max: MAX_RANK }),
  foreign: list(TEXT, { max: MAX_RANK }),
  hit: BOOLEAN,
  rank: nullable(RANK),
  latencyMs: nullable(AMOUNT),
  "returnedChars?": nullable(COUNT),
  "usage?": nullable(object({
    "calls?": nullable(COUNT),
    "tokensIn?": nullable(COUNT),
    "tokensOut?": nullable(COUNT),
    "costUsd?": nullable(AMOUNT),
  })),
  "error?": nullable(oneOf("timeout", "raised", "crashed", "protocol")),
});

const TIMING = object({
  latency_p50_ms: nullable(AMOUNT),
  latency_p95_ms: nullable(AMOUNT),
  latency_p99_ms: nullable(AMOUNT),
  latency_min_ms: nullable(AMOUNT),
  latency_max_ms: nullable(AMOUNT),
  percentileMethod: oneOf("nearest-rank"),
  n: COUNT,
  first_query_ms: nullable(AMOUNT),
  ingest_throughput_items_per_sec: nullable(AMOUNT),
  ingestedBytes: nullable(COUNT),
  peakRssBytes: nullable(COUNT),
  noopRpcMs: nullable(AMOUNT),
  flags: list(oneOf("low-n", "unreliable-load")),
});

const ROWS = list(QUERY_RECORD);

/** @type {Check} */
const FEW_CATEGORIES = (value) => {
  const flaw = ROWS(value);
  if (flaw !== null) return flaw;
  const categories = new Set(/** @type {{category?: string}[]} */ (value).map(({ category }) => category ?? null));
  categories.delete(null);
  const few = categories.size <= MAX_CATEGORIES;
  return few ? null : { message: `the queries are of more than ${MAX_CATEGORIES} categories`, path: "" };
};

/** Every key of a retrieval receipt that the envelope does not know. */
export const PAYLOAD = object({
  adapter: object({
    name: SLUG,
    version: SEEN,
    author: SEEN,
    hosted: BOOLEAN,
    network: BOOLEAN,
    networkAccess: oneOf("off", "allowed", "not blocked"),
  }),
  fixture: object({
    id: SLUG,
    sha256: SHA256_HEX,
    n: POSITIVE,
    queries: POSITIVE,
    scopes: POSITIVE,
    smallestScope: POSITIVE,
    granularity: oneOf("turn", "session", "document"),
  }),
  scores: SCORES,
  denominators: DENOMINATORS,
  intervals: INTERVALS,
  byCategory: record(TEXT, TABLE, MAX_CATEGORIES),
  timing: TIMING,
  perQuery: FEW_CATEGORIES,
  determinism: nullable(object({ runs: integer(2), identical: BOOLEAN, differing: list(TEXT) })),
  faults: object({
    duplicates: COUNT,
    foreignIds: COUNT,
    badScores: COUNT,
    overK: COUNT,
    failed: COUNT,
    timedOut: COUNT,
  }),
});

const CUTS = list(RANK, { min: 1, max: MAX_CUTS });

/** @type {Check} */
const ASCENDING_CUTS = (value) => {
  const flaw = CUTS(value);
  if (flaw !== null) return flaw;
  const ks = /** @type {number[]} */ (value);
  const ascends = ks.every((k, i) => k > (ks[i - 1] ?? 0));
  return ascends ? null : { message: "cut-offs must be strictly ascending", path: "" };
};

/** Everything that changes the scores: the receipt's `config`. */
export const CONFIG = object({
  k: ASCENDING_CUTS,
  seed: COUNT,
  limit: nullable(POSITIVE),
  repeats: POSITIVE,
  isolation: oneOf("process"),
  timeoutSeconds: number({ above: 0 }),
  subjectSha256: nullable(SHA256_HEX),
  options: record(TEXT, SCALAR),
  importer: nullable(object({ kind: SLUG, sha256: SHA256_HEX, options: record(TEXT, SCALAR) })),
});
