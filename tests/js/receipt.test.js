// Reading receipts: what is refused and how, and which bytes the signature covers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const { readReceipt, signedBytes, Unclaimed } = await import("../../theme/verify/envelope.js");
const { Unsupported } = await import("../../theme/verify/digest.js");
const { Fault } = await import("../../theme/verify/fault.js");
const { JsonError } = await import("../../theme/verify/json.js");
const { RETRIEVAL } = await import("../../theme/verify/rescore-retrieval.js");

const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const asText = (data) => new TextDecoder().decode(data);

const SIGNATURE = { algorithm: "Ed25519", publicKeyFingerprint: `sha256:${"ab".repeat(32)}`, value: "A".repeat(86) };

const RECEIPT = {
  schemaVersion: "1.0.0",
  track: "retrieval",
  receiptId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  benchVersion: "0.1.0",
  ranAt: "2026-02-28T23:59:59Z",
  ranBy: { kind: "maintainer", name: "Ada" },
  origin: "native",
  methodology: { id: "retrieval", version: "1.0.0", sha256: "0".repeat(64) },
  config: { k: [1, 10] },
  environment: {
    python: "3.11.7",
    platform: "linux/x86_64",
    cpu: null,
    cores: 2,
    loadAverage: 0.5,
    runner: null,
    containerImage: null,
    git: { commit: "c".repeat(40), dirty: false, tag: null },
    packages: null,
  },
  logHead: { origin: "a.example/log", size: 3, root: `${"A".repeat(43)}=` },
  supersedes: null,
  reproduces: null,
  intentId: null,
  derivedFrom: null,
  evidence: [{ name: "trace", sha256: "0".repeat(64), size: 10, mediaType: "application/json" }],
  simulated: false,
  signature: SIGNATURE,
};

const LEGACY = {
  receiptId: RECEIPT.receiptId,
  benchVersion: "0.0.1",
  ranAt: "2026-05-18T06:21:38.786Z",
  adapter: { name: "a", version: "1" },
  fixture: { id: "f", sha256: "0".repeat(64), n: 3 },
  environment: { node: "v20", platform: "linux", git: { commit: "c", dirty: true } },
  scores: { recall_at_1: 0.5, recall_at_5: 1, ndcg_at_5: 0.8, latency_p50_ms: 1821 },
  perQuery: [
    { queryId: "q1", retrieved: ["a", "b"], hit: true, rank: 1 },
    { queryId: "q2", retrieved: ["a", "b"], hit: true, rank: 2 },
    { queryId: "q3", retrieved: ["c"], hit: false, rank: null },
  ],
  signature: SIGNATURE,
};

function fieldOf(value) {
  try {
    readReceipt(bytes(value));
  } catch (error) {
    if (error instanceof Fault) return error.field;
    throw error;
  }
  return null;
}

test("a receipt is held as it was read, with its canonical bytes", () => {
  const receipt = readReceipt(bytes({ ...RECEIPT, adapter: { kept: "for the track" } }));
  assert.equal(receipt.schema, "1.0.0");
  assert.equal(receipt.isCanonical, false);
  assert.equal(receipt.document.adapter.kept, "for the track");
  assert.ok(asText(receipt.data).startsWith('{"adapter":{"kept":"for the track"},"benchVersion":"0.1.0",'));
  assert.equal(readReceipt(receipt.data).isCanonical, true);
});

test("the signature covers every byte but its own member", () => {
  const receipt = readReceipt(bytes(RECEIPT));
  const member = `"signature":{"algorithm":"Ed25519","publicKeyFingerprint":"${SIGNATURE.publicKeyFingerprint}",` +
    `"value":"${SIGNATURE.value}"},`;
  assert.ok(asText(receipt.data).includes(member));
  assert.equal(asText(signedBytes(receipt)), asText(receipt.data).replace(member, ""));
});

test("faults are named by their field", () => {
  const { signature: _, ...draft } = RECEIPT;
  assert.equal(fieldOf(RECEIPT), null);
  assert.equal(fieldOf(draft), "signature");
  assert.equal(fieldOf([RECEIPT]), "$");
  assert.equal(fieldOf({ ...RECEIPT, track: "Retrieval" }), "track");
  assert.equal(fieldOf({ ...RECEIPT, ranBy: { kind: "robot", name: "R" } }), "ranBy.kind");
  assert.equal(fieldOf({ ...RECEIPT, ranAt: "2026-02-28T23:59:59.5Z" }), "ranAt");
  assert.equal(fieldOf({ ...RECEIPT, evidence: [RECEIPT.evidence[0], {}] }), "evidence[1].name");
  assert.equal(fieldOf({ ...RECEIPT, environment: { ...RECEIPT.environment, gpu: 1 } }), "environment.gpu");
});

test("an unknown schema version is unsupported, not invalid", () => {
  assert.throws(() => readReceipt(bytes({ schemaVersion: "2.0.0" })), (error) => {
    return error instanceof Unsupported && error.message === "receipt schema '2.0.0' is not one this release can check";
  });
});

test("what is not strict JSON, or has no canonical form, is a JsonError", () => {
  assert.throws(() => readReceipt(bytes('{"a":1,"a":1}')), JsonError);
  assert.throws(() => readReceipt(bytes(JSON.stringify(RECEIPT).replace("0.5", "9007199254740994.0"))), JsonError);
});

test("keys the track does not know are refused by the track", () => {
  const { document } = readReceipt(bytes({ ...RECEIPT, text: "a question" }));
  assert.throws(() => RETRIEVAL.check(document), (error) => error instanceof Fault && error.field === "adapter");
});

test("schema 0.0.1 is read, and its numbers cannot be computed again", () => {
  const { document, schema } = readReceipt(bytes(LEGACY));
  assert.equal(schema, "0.0.1");
  RETRIEVAL.check(document);
  assert.deepEqual(RETRIEVAL.rescore(document), {
    rescore: "NOT RE-SCORABLE",
    reason: "schema 0.0.1 does not record the relevant items",
    compared: 0,
    differences: [],
    violations: [],
  });
  assert.equal(fieldOf({ ...LEGACY, schemaVersion: null }), "schemaVersion");
  assert.equal(fieldOf({ ...LEGACY, ranAt: "yesterday" }), "ranAt");
});

test("schema 0.0.1 is bounded: 100 scores, 50,000 rows", () => {
  const scores = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, 0]));
  assert.equal(fieldOf({ ...LEGACY, scores: scores(100) }), null);
  assert.equal(fieldOf({ ...LEGACY, scores: scores(101) }), "scores");
  const row = { queryId: "q", retrieved: [], hit: false, rank: null };
  assert.equal(fieldOf({ ...LEGACY, perQuery: Array(50_000).fill(row) }), null);
  assert.equal(fieldOf({ ...LEGACY, perQuery: Array(50_001).fill(row) }), "perQuery");
});

const LEGACY_EDITS = [
  ["a share no number of queries gives", (document) => (document.scores.recall_at_1 = 0.9), "score-differs"],
  ["falling success", (document) => (document.scores.recall_at_5 = 0.25), "success-falls"],
  ["a score above 1", (document) => (document.scores.ndcg_at_5 = 1.01), "out-of-range"],
  ["a hit without rank", (document) => (document.perQuery[2].hit = true), "hit-rank"],
  ["a rank without hit", (document) => (document.perQuery[2].rank = 1), "hit-rank"],
  ["a rank below the list", (document) => (document.perQuery[0].rank = 3), "hit-rank"],
  ["an id twice", (document) => (document.perQuery[0].retrieved = ["a", "a"]), "duplicate-ids"],
];

for (const [name, edit, code] of LEGACY_EDITS) {
  test(`schema 0.0.1 is caught at ${name}`, () => {
    const document = structuredClone(LEGACY);
    edit(document);
    const { violations } = RETRIEVAL.rescore(readReceipt(bytes(document)).document);
    assert.ok(violations.some((violation) => violation.code === code));
  });
}

function outcomeOf(value) {
  try {
    readReceipt(bytes(value));
  } catch (error) {
    if (error instanceof Fault) return ["invalid", error.field];
    if (error instanceof Unclaimed) return ["unclaimed", null];
    if (error instanceof Unsupported) return ["unsupported", null];
    throw error;
  }
  return ["read", null];
}

test("the shared vectors of the envelope", () => {
  const { base, cases } = JSON.parse(readFileSync(new URL("../vectors/receipt/envelope.json", import.meta.url), "utf8"));
  assert.ok(cases.length > 10);
  for (const { name, change, remove, outcome, field } of cases) {
    const kept = Object.fromEntries(Object.entries(base).filter(([member]) => !remove.includes(member)));
    assert.deepEqual(outcomeOf({ ...kept, ...change }), [outcome, field], name);
  }
});
