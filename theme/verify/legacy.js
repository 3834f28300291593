// Receipt schema 0.0.1, the seed's: readable for ever, never written. It kept latency inside `scores`, recorded the
// Node version and allowed fractional seconds. The bounds are those of benchsite/receipt/schema_0_0_1.py.

import {
  BASE64URL_64, BOOLEAN, COUNT, FINGERPRINT, POSITIVE, SHA256_HEX, TEXT, UUID4, list, nullable, number, object, oneOf,
  record, text,
} from "./shape.js";

const MAX_SCORES = 100;
const MAX_QUERIES = 50_000;

const INSTANT = text(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$/u);

export const LEGACY_RECEIPT = object({
  receiptId: UUID4,
  benchVersion: TEXT,
  ranAt: INSTANT,
  adapter: object({ name: TEXT, version: TEXT }),
  fixture: object({ id: TEXT, sha256: SHA256_HEX, n: COUNT }),
  environment: object({
    node: TEXT,
    platform: TEXT,
    "containerImage?": nullable(TEXT),
    git: object({ commit: TEXT, dirty: BOOLEAN, "tag?": nullable(TEXT) }),
  }),
  scores: record(text(), number(), MAX_SCORES),
  perQuery: list(
    object({
      queryId: TEXT,
      retrieved: list(text()),
      hit: BOOLEAN,
      rank: nullable(POSITIVE),
      "latencyMs?": nullable(number({ min: 0 })),
    }),
    { max: MAX_QUERIES },
  ),
  signature: object({ algorithm: oneOf("Ed25519"), publicKeyFingerprint: FINGERPRINT, value: BASE64URL_64 }),
});
