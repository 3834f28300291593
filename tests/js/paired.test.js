// The seeded generator, the randomization test, McNemar's exact test and Holm's adjustment.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const { Flips, Words } = await import("../../theme/verify/resample.js");
const { holm, mcnemar } = await import("../../theme/verify/paired.js");

const vector = (name) => JSON.parse(readFileSync(new URL(`../vectors/stats/${name}.json`, import.meta.url), "utf8"));

/** The words of a stream from its first. */
function drawn(seed, count) {
  const [source, found] = [new Words(BigInt(seed)), new Uint32Array(2 * count)];
  for (let at = 0; at < found.length; at += 2) source.next(found, at);
  return Array.from({ length: count }, (_, i) => (BigInt(found[2 * i + 1]) << 32n) + BigInt(found[2 * i]));
}

test("the generator draws the published words", () => {
  for (const { seed, start, words } of vector("splitmix64").streams) {
    assert.deepEqual(drawn(seed, start + words.length).slice(start).map(String), words);
  }
});

test("p-values are the vector's to the last bit", () => {
  const cases = vector("resample").randomisation;
  assert.ok(cases.length > 2);
  for (const { a, b, seed, flips, p } of cases) assert.equal(new Flips(BigInt(seed), flips).pValue(a, b), p);
});

test("the same flips serve tests of any number of pairs, in any order", () => {
  const [first, second] = vector("resample").randomisation.filter(({ a }) => a.length > 1);
  const flips = new Flips(BigInt(second.seed), second.flips);
  flips.pValue(first.a, first.b);
  assert.equal(flips.pValue(second.a, second.b), second.p);
  assert.equal(flips.pValue(second.b, second.a), second.p);
});

test("McNemar's exact test", () => {
  assert.equal(mcnemar(0, 0), 1);
  assert.equal(mcnemar(3, 3), 1);
  // 2 x 1 / 2^6, and 2 x (1 + 10) / 2^10.
  assert.equal(mcnemar(6, 0), 0.03125);
  assert.equal(mcnemar(1, 9), 22 / 1024);
});

test("Holm's adjustment keeps the order of the p-values", () => {
  assert.deepEqual(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
  assert.deepEqual(holm([0.9, 0.8]), [1, 1]);
  assert.deepEqual(holm([]), []);
});
