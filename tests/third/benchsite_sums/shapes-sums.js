// Written by `make reference` from the models of benchsite_sums; do not edit.

import { SEEN, SHA256_HEX, SLUG } from "./schemas.js";
import { integer, nullable, number, object, only } from "./shape.js";

const SYSTEM = object({
  name: SLUG,
  version: SEEN,
});

const FIXTURE_REF = object({
  id: SLUG,
  sha256: SHA256_HEX,
});

const SCORES = object({
  accuracy: number(),
});

const DENOMINATOR = object({
  num: integer(0),
  den: integer(0),
  excluded: integer(0),
});

const DENOMINATORS = object({
  accuracy: DENOMINATOR,
});

const INTERVAL = object({
  low: number(),
  high: number(),
  method: only("wilson"),
});

const INTERVALS = object({
  accuracy: INTERVAL,
});

export const PAYLOAD = object({
  system: SYSTEM,
  fixture: FIXTURE_REF,
  scores: SCORES,
  denominators: DENOMINATORS,
  intervals: INTERVALS,
});

export const CONFIG = object({
  seed: integer(0),
  limit: nullable(integer(1)),
  subjectSha256: SHA256_HEX,
});

const PARAMETERS = object({
  tolerance: integer(0, 1000),
});

export const ENGINES = new Map([
  ["sums/1", PARAMETERS],
]);
