// Written by `make reference` from benchsite.schema, benchsite.receipt and benchsite.log; do not edit.

import { derivedPath, limitOfRole, seen } from "./forms.js";
import { ANY, BOOLEAN, integer, list, nullable, number, object, only, record, text } from "./shape.js";

export const SLUG = text(/^[a-z0-9][a-z0-9-]{0,79}$/u);
export const SEMVER = text(/^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/u);
export const UUID4 = text(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
export const SHA256_HEX = text(/^[0-9a-f]{64}$/u);
export const UTC_SECONDS = text(/^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/u);
export const FINGERPRINT = text(/^sha256:[0-9a-f]{64}$/u);
export const BASE64_URL64 = text(/^[A-Za-z0-9_-]{86}$/u);
export const BASE64_HASH = text(/^[A-Za-z0-9+\/]{43}=$/u);
export const GIT_COMMIT = text(/^([0-9a-f]{40}|[0-9a-f]{64})$/u);
export const TEXT = text(/^[^\x00-\x1f\x7f-\x9f]{1,200}$/u);
export const SEEN = seen(TEXT);

const RAN_BY = object({
  kind: only("workflow", "maintainer", "submitted"),
  name: SEEN,
});

const METHODOLOGY_REF = object({
  id: SLUG,
  version: SEMVER,
  sha256: SHA256_HEX,
});

const GIT_STATE = object({
  commit: nullable(GIT_COMMIT),
  dirty: nullable(BOOLEAN),
  tag: nullable(TEXT),
});

const ENVIRONMENT = object({
  python: TEXT,
  platform: TEXT,
  cpu: nullable(TEXT),
  cores: nullable(integer(1)),
  loadAverage: nullable(number({ min: 0 })),
  runner: nullable(TEXT),
  containerImage: nullable(TEXT),
  git: GIT_STATE,
  packages: nullable(SHA256_HEX),
});

const LOG_HEAD = object({
  origin: TEXT,
  size: integer(0),
  root: BASE64_HASH,
});

const EVIDENCE_REF = object({
  name: SEEN,
  sha256: SHA256_HEX,
  size: integer(0),
  mediaType: TEXT,
  "mirrored?": BOOLEAN,
});

const SIGNATURE = object({
  algorithm: only("Ed25519"),
  publicKeyFingerprint: FINGERPRINT,
  value: BASE64_URL64,
});

export const RECEIPT = object({
  schemaVersion: only("1.0.0"),
  track: SLUG,
  receiptId: UUID4,
  benchVersion: SEMVER,
  ranAt: UTC_SECONDS,
  ranBy: RAN_BY,
  origin: only("native", "external-run", "import"),
  methodology: METHODOLOGY_REF,
  config: record(text(), ANY),
  environment: ENVIRONMENT,
  logHead: nullable(LOG_HEAD),
  supersedes: nullable(UUID4),
  reproduces: nullable(UUID4),
  intentId: nullable(UUID4),
  derivedFrom: nullable(UUID4),
  evidence: list(EVIDENCE_REF, { max: 1000 }),
  simulated: BOOLEAN,
  signature: SIGNATURE,
});

export const RECEIPT_FIELDS = new Set([
  "schemaVersion", "track", "receiptId", "benchVersion", "ranAt", "ranBy", "origin", "methodology", "config",
  "environment", "logHead", "supersedes", "reproduces", "intentId", "derivedFrom", "evidence", "simulated", "signature",
]);

const LEGACY_ADAPTER = object({
  name: TEXT,
  version: TEXT,
});

const LEGACY_FIXTURE = object({
  id: TEXT,
  sha256: SHA256_HEX,
  n: integer(0),
});

const LEGACY_GIT = object({
  commit: TEXT,
  dirty: BOOLEAN,
  "tag?": nullable(TEXT),
});

const LEGACY_ENVIRONMENT = object({
  node: TEXT,
  platform: TEXT,
  "containerImage?": nullable(TEXT),
  git: LEGACY_GIT,
});

const LEGACY_QUERY = object({
  queryId: TEXT,
  retrieved: list(text()),
  hit: BOOLEAN,
  rank: nullable(integer(1)),
  "latencyMs?": nullable(number({ min: 0 })),
});

export const LEGACY_RECEIPT = object({
  receiptId: UUID4,
  benchVersion: TEXT,
  ranAt: text(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$/u),
  adapter: LEGACY_ADAPTER,
  fixture: LEGACY_FIXTURE,
  environment: LEGACY_ENVIRONMENT,
  scores: record(text(), number(), { max: 100 }),
  perQuery: list(LEGACY_QUERY, { max: 50000 }),
  signature: SIGNATURE,
});

const RECEIPT_ENTRY = object({
  "v?": only(1),
  "type?": only("receipt"),
  path: text(undefined, { max: 100 }),
  sha256: SHA256_HEX,
  size: integer(1, 8388608),
});

const METHODOLOGY_ENTRY = object({
  "v?": only(1),
  "type?": only("methodology"),
  track: SLUG,
  version: SEMVER,
  sha256: SHA256_HEX,
});

const FIXTURE_ENTRY = object({
  "v?": only(1),
  "type?": only("fixture"),
  id: SLUG,
  sha256: SHA256_HEX,
});

const INTENT_ENTRY = object({
  "v?": only(1),
  "type?": only("intent"),
  intentId: UUID4,
  track: SLUG,
  subjectSha256: SHA256_HEX,
  configSha256: SHA256_HEX,
  target: SLUG,
  methodology: SEMVER,
  seed: integer(0),
  "dueBy?": nullable(text(/^([1-9][0-9]{0,15}|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)$/u)),
});

const DECLINE_ENTRY = object({
  "v?": only(1),
  "type?": only("decline"),
  track: SLUG,
  subject: SEEN,
  target: SLUG,
  reason: text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u),
});

const RETRACT_ENTRY = object({
  "v?": only(1),
  "type?": only("retract"),
  receiptId: UUID4,
  reason: text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u),
});

const SUPERSEDE_ENTRY = object({
  "v?": only(1),
  "type?": only("supersede"),
  receiptId: UUID4,
  by: UUID4,
});

const DISPUTE_ENTRY = object({
  "v?": only(1),
  "type?": only("dispute"),
  receiptId: UUID4,
  url: text(/^https?:\/\/[A-Za-z0-9._~:\/?#\[\]@!$&'()*+,;=%-]+$/u, { max: 2000 }),
});

const WITHDRAW_EVIDENCE_ENTRY = object({
  "v?": only(1),
  "type?": only("withdraw-evidence"),
  sha256: SHA256_HEX,
  reason: text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u),
});

const KEY_ADD = object({
  "v?": only(1),
  origin: text(/^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/u, { max: 200 }),
  seq: integer(0),
  role: only("root", "receipt", "log"),
  fingerprint: FINGERPRINT,
  publicKey: text(/^[A-Za-z0-9_-]{43}$/u),
  "reason?": nullable(text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u)),
  rootFingerprint: FINGERPRINT,
  rootSignature: BASE64_URL64,
  "type?": only("key-add"),
});

const KEY_RETIRE = object({
  "v?": only(1),
  origin: text(/^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/u, { max: 200 }),
  seq: integer(0),
  role: only("root", "receipt", "log"),
  fingerprint: FINGERPRINT,
  publicKey: text(/^[A-Za-z0-9_-]{43}$/u),
  "reason?": nullable(text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u)),
  rootFingerprint: FINGERPRINT,
  rootSignature: BASE64_URL64,
  "type?": only("key-retire"),
});

const KEY_COMPROMISE = object({
  "v?": only(1),
  origin: text(/^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/u, { max: 200 }),
  seq: integer(0),
  role: only("root", "receipt", "log"),
  fingerprint: FINGERPRINT,
  publicKey: text(/^[A-Za-z0-9_-]{43}$/u),
  "reason?": nullable(text(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,2000}$/u)),
  rootFingerprint: FINGERPRINT,
  rootSignature: BASE64_URL64,
  "type?": only("key-compromise"),
  "trustedBelowIndex?": nullable(integer(0)),
  "frozenSize?": nullable(integer(0)),
  "frozenRoot?": nullable(BASE64_HASH),
});

export const ENTRIES = new Map([
  ["receipt", derivedPath(RECEIPT_ENTRY)],
  ["methodology", METHODOLOGY_ENTRY],
  ["fixture", FIXTURE_ENTRY],
  ["intent", INTENT_ENTRY],
  ["decline", DECLINE_ENTRY],
  ["retract", RETRACT_ENTRY],
  ["supersede", SUPERSEDE_ENTRY],
  ["dispute", DISPUTE_ENTRY],
  ["withdraw-evidence", WITHDRAW_EVIDENCE_ENTRY],
  ["key-add", KEY_ADD],
  ["key-retire", KEY_RETIRE],
  ["key-compromise", limitOfRole(KEY_COMPROMISE)],
]);

const PINNED = object({
  origin: text(undefined, { max: 2000 }),
  size: integer(0),
  root: BASE64_HASH,
});

const TESTED = object({
  delta: number(),
  p: number({ min: 0, max: 1 }),
  tied: BOOLEAN,
});

const STATED_ROW = object({
  receiptId: UUID4,
  index: integer(0),
  section: only("ranked", "baseline", "imported"),
  name: text(undefined, { max: 2000 }),
  version: text(undefined, { max: 2000 }),
  label: text(undefined, { max: 2000 }),
  submittedBy: text(undefined, { max: 2000 }),
  runs: integer(1, 100000),
  value: nullable(number()),
  low: nullable(number()),
  high: nullable(number()),
  rankFirst: nullable(integer(1, 100000)),
  rankLast: nullable(integer(1, 100000)),
  toLeader: nullable(TESTED),
  toBaseline: nullable(TESTED),
});

const EXCLUDED = object({
  receiptId: UUID4,
  index: integer(0),
  reasons: list(text(undefined, { max: 2000 }), { min: 1, max: 100 }),
});

const EARLIER = object({
  receiptId: UUID4,
  index: integer(0),
  by: UUID4,
});

const UNREPORTED = object({
  intentId: UUID4,
  index: integer(0),
});

const DECLINED = object({
  index: integer(0),
  subject: text(undefined, { max: 2000 }),
  reason: text(undefined, { max: 2000 }),
});

export const STATEMENT = object({
  v: only(1),
  track: SLUG,
  target: SLUG,
  methodology: SEMVER,
  log: PINNED,
  metric: text(undefined, { max: 2000 }),
  tested: BOOLEAN,
  rows: list(STATED_ROW, { max: 100000 }),
  notRanked: list(EXCLUDED, { max: 100000 }),
  earlier: list(EARLIER, { max: 100000 }),
  unreported: list(UNREPORTED, { max: 100000 }),
  declined: list(DECLINED, { max: 100000 }),
});
