// Merkle hashes and proof checks: tests/vectors/log/merkle.json, the 196 third-party cases (rfc6962), and trees beyond
// 2^32 leaves whose hashes RFC 6962's recursive definitions give.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { leafHash, nodeHash, rootHash, verifyConsistency, verifyInclusion } from "../../theme/verify/merkle.js";
import { consistency, EQUAL_LEAF, inclusion, root } from "./equal-leaves.js";

const read = (url) => JSON.parse(readFileSync(url, "utf8"));
const vectors = read(new URL("../vectors/log/merkle.json", import.meta.url));
const shared = process.env.BENCHSITE_SHARED ?? new URL("../../../shared", import.meta.url).pathname;
const base64 = (text) => new Uint8Array(Buffer.from(text, "base64"));
const bytes = (text) => new Uint8Array(Buffer.from(text));

test("roots over {\"n\":0}, {\"n\":1}, ...", async () => {
  const leaves = await Promise.all(Array.from({ length: 300 }, (_, n) => leafHash(bytes(`{"n":${n}}`))));
  for (const { size, root: expected } of vectors.roots) {
    assert.deepEqual(await rootHash(leaves.slice(0, size)), base64(expected), `size ${size}`);
  }
  assert.equal(vectors.roots.length, 75);
});

test("a node's hash, by hand", async () => {
  // RFC 6962 authors' suite, tree of the two entries "" and 00.
  const [empty, zero] = await Promise.all([leafHash(new Uint8Array()), leafHash(Uint8Array.of(0))]);
  const expected = "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125";
  assert.equal(Buffer.from(await nodeHash(empty, zero)).toString("hex"), expected);
});

test("inclusion vectors", async () => {
  for (const { name, leafHash: leaf, index, size, proof, root: head, valid } of vectors.inclusion) {
    assert.equal(await verifyInclusion(base64(leaf), index, size, proof.map(base64), base64(head)), valid, name);
  }
  assert.ok(vectors.inclusion.some(({ valid }) => valid) && vectors.inclusion.some(({ valid }) => !valid));
});

test("consistency vectors", async () => {
  for (const { name, oldSize, newSize, proof, oldRoot, newRoot, valid } of vectors.consistency) {
    const found = await verifyConsistency(oldSize, newSize, proof.map(base64), base64(oldRoot), base64(newRoot));
    assert.equal(found, valid, name);
  }
  assert.ok(vectors.consistency.some(({ valid }) => valid) && vectors.consistency.some(({ valid }) => !valid));
});

const missing = existsSync(`${shared}/vectors/rfc6962`) ? false : "RFC 6962 CASES NOT RUN: set BENCHSITE_SHARED";

test("196 third-party cases", { skip: missing }, async () => {
  const inclusions = read(`${shared}/vectors/rfc6962/inclusion.json`);
  const consistencies = read(`${shared}/vectors/rfc6962/consistency.json`);
  assert.equal(inclusions.length + consistencies.length, 196);
  for (const { case: name, leafHash: leaf, leafIdx, treeSize, proof, root: head, wantErr } of inclusions) {
    const hashes = (proof ?? []).map(base64);
    const found = await verifyInclusion(base64(leaf ?? ""), leafIdx, treeSize, hashes, base64(head ?? ""));
    assert.equal(found, !wantErr, name);
  }
  for (const { case: name, size1, size2, proof, root1, root2, wantErr } of consistencies) {
    const hashes = (proof ?? []).map(base64);
    const found = await verifyConsistency(size1, size2, hashes, base64(root1 ?? ""), base64(root2 ?? ""));
    assert.equal(found, !wantErr, name);
  }
});

test("trees beyond 2^32 leaves", async () => {
  const sizes = [2 ** 31, 2 ** 32 + 1, 2 ** 40 + 3, 2 ** 53 - 1];
  for (const size of sizes) {
    for (const index of [0, 1, 2 ** 31 - 1, Math.floor(size / 3), size - 1]) {
      const proof = inclusion(index, size);
      assert.equal(await verifyInclusion(EQUAL_LEAF, index, size, proof, root(size)), true, `${index} of ${size}`);
      assert.equal(await verifyInclusion(EQUAL_LEAF, index, size, proof.slice(1), root(size)), false);
    }
    for (const old of [1, 2 ** 31 - 1, 2 ** 31, Math.floor(size / 3), size - 1]) {
      const proof = consistency(old, size);
      assert.equal(await verifyConsistency(old, size, proof, root(old), root(size)), true, `${old} to ${size}`);
      assert.equal(await verifyConsistency(old, size, [...proof, root(1)], root(old), root(size)), false);
    }
  }
});

test("a proof longer than the tree is high proves nothing, though its hashes lead to a root", async () => {
  const [one, two] = await Promise.all([leafHash(bytes("one")), leafHash(bytes("two"))]);
  const both = await nodeHash(one, two);
  assert.equal(await verifyInclusion(two, 1, 2, [one], both), true);
  assert.equal(await verifyInclusion(two, 0, 1, [one], both), false);
  assert.equal(await verifyConsistency(1, 2, [two], one, both), true);
  // From 3 to 4 the proof is c, d, ab (RFC 6962 section 2.1.3); x makes of both roots those of larger trees.
  const [ab, c, d, x] = await Promise.all(["ab", "c", "d", "x"].map((name) => leafHash(bytes(name))));
  const [older, newer] = [await nodeHash(ab, c), await nodeHash(ab, await nodeHash(c, d))];
  const [beside, besideNewer] = [await nodeHash(x, older), await nodeHash(x, newer)];
  assert.equal(await verifyConsistency(3, 4, [c, d, ab], older, newer), true);
  assert.equal(await verifyConsistency(7, 8, [c, d, ab, x], beside, besideNewer), true);
  assert.equal(await verifyConsistency(3, 4, [c, d, ab, x], beside, besideNewer), false);
});

test("malformed input is false and never an exception", async () => {
  const hash = new Uint8Array(32);
  const places = [[0, 0], [-1, 1], [1, 1], [0.5, 1], [Number.NaN, 1], [0, 2 ** 53], [0, Infinity], ["0", 1]];
  for (const [index, size] of places) {
    assert.equal(await verifyInclusion(hash, index, size, [], hash), false, `${index} of ${size}`);
    assert.equal(await verifyConsistency(index, size, [hash], hash, hash), false);
  }
  for (const wrong of [null, undefined, "", [], {}, new Uint8Array(31), new Uint8Array(33), new Array(32).fill(0)]) {
    assert.equal(await verifyInclusion(wrong, 0, 1, [], wrong), false);
    assert.equal(await verifyInclusion(hash, 0, 1, wrong ?? null, hash), Array.isArray(wrong) && wrong.length === 0);
    assert.equal(await verifyInclusion(hash, 0, 2, [wrong], hash), false);
    assert.equal(await verifyConsistency(1, 1, wrong, hash, hash), Array.isArray(wrong) && wrong.length === 0);
    assert.equal(await verifyConsistency(1, 2, [], wrong, hash), false);
    assert.equal(await verifyConsistency(1, 2, [wrong], hash, hash), false);
  }
});
