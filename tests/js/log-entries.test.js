// Log entries: tests/vectors/log/entries.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Contents } from "../../theme/verify/contents.js";
import { decodeEntry, receiptEntryBytes } from "../../theme/verify/entries.js";
import { Fault } from "../../theme/verify/fault.js";
import { leafHash } from "../../theme/verify/merkle.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/log/entries.json", import.meta.url), "utf8"));
const bytes = (text) => new Uint8Array(Buffer.from(text));

test("entries that decode, with their fields and leaf hashes", async () => {
  for (const { entry, leafHash: leaf } of vectors.valid) {
    assert.deepEqual({ ...decodeEntry(bytes(entry)) }, JSON.parse(entry));
    assert.deepEqual(Buffer.from(await leafHash(bytes(entry))), Buffer.from(leaf, "base64"));
  }
  const types = new Set(vectors.valid.map(({ entry }) => JSON.parse(entry).type));
  // Of the twelve types all but key-retire, which stands in key-events.json.
  assert.equal(types.size, 11);
});

for (const { name, entry, entryHex } of vectors.invalid) {
  test(`entry that is refused: ${name}`, () => {
    const data = entryHex === undefined ? bytes(entry) : new Uint8Array(Buffer.from(entryHex, "hex"));
    assert.throws(() => decodeEntry(data), Fault);
  });
}

test("a fault names the type and the field", () => {
  const [receipt] = vectors.valid.map(({ entry }) => JSON.parse(entry));
  for (const [change, field] of [
    [{ sha256: "AB" }, "sha256"], [{ size: 0 }, "size"], [{ path: "x" }, "fields"], [{ zeta: 1 }, "zeta"],
    [{ v: 2 }, "v"], [{ type: "constructor" }, "type"], [{ type: "toString" }, "type"], [{ sha256: null }, "sha256"],
  ]) {
    const entry = { ...receipt, ...change };
    const text = JSON.stringify(Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))));
    assert.throws(() => decodeEntry(bytes(text)), (error) => error instanceof Fault && error.field === field, text);
  }
});

test("the entry of a receipt", () => {
  const { entry } = vectors.valid[0];
  const { path, sha256, size } = JSON.parse(entry);
  assert.deepEqual(receiptEntryBytes({ receiptId: path.slice(-41, -5), sha256, size }), bytes(entry));
});

test("prose is counted in characters, not in UTF-16 units", () => {
  const id = "3f0c2a5e-9d41-4b7a-8c66-1e2d3c4b5a69";
  const of = (reason) => bytes(`{"reason":"${reason}","receiptId":"${id}","type":"retract","v":1}`);
  assert.equal(decodeEntry(of("😀".repeat(2000))).reason.length, 4000);
  assert.throws(() => decodeEntry(of("😀".repeat(2001))), Fault);
});

test("an announced run and a refusal to measure are no key events", () => {
  const said = vectors.valid.map(({ entry }) => entry).filter((entry) => /"type":"(intent|decline)"/.test(entry));
  assert.ok(said.some((entry) => entry.includes("dueBy")) && said.some((entry) => entry.includes("decline")));
  const events = said.map((entry, index) => [index, entry]);
  assert.deepEqual(Contents.of({ keyEvents: [], documents: [], events }).keyEvents, []);
});
