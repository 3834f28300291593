// Key-event replay: tests/vectors/log/key-events.json, and the windows that specs/log.md, "Keys", gives in words.

import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Fault } from "../../theme/verify/fault.js";
import { fingerprint, Keyring, loadPem, logKeys, replay, standing } from "../../theme/verify/keyring.js";
import { pem } from "../../theme/verify/spki.js";
import { manifest } from "./key-manifest.js";
import { leafHash, rootHash } from "../../theme/verify/merkle.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/log/key-events.json", import.meta.url), "utf8"));
const bytes = (text) => new Uint8Array(Buffer.from(text));
const isKeyEvent = ([, data]) => /"type":"key-/.test(Buffer.from(data).toString());
const indexed = (entries) => entries.map((entry, index) => [index, bytes(entry)]);

async function accepted(entries) {
  const leaves = await Promise.all(entries.map((entry) => leafHash(bytes(entry))));
  return { origin: vectors.origin, roots: vectors.roots, rootAt: (size) => rootHash(leaves.slice(0, size)) };
}

/** RFC 8785 of these rows: their keys are ASCII, and their numbers whole. */
const canonical = (rows) =>
  JSON.stringify(rows.map((row) => Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))));

for (const { name, entries, manifest: rows } of vectors.valid) {
  test(`log that is replayed: ${name}`, async () => {
    const how = await accepted(entries);
    const whole = await replay(indexed(entries), how);
    const fromEvents = await replay(indexed(entries).filter(isKeyEvent), { origin: how.origin, roots: how.roots });
    for (const keyring of [whole, fromEvents]) {
      assert.equal(Buffer.from(manifest(keyring)).toString(), canonical(rows));
      for (const { fingerprint: name } of rows) assert.equal(await fingerprint(keyring.get(name).publicKey), name);
    }
    assert.deepEqual(whole.frozen, fromEvents.frozen);
    for (const { size, root } of whole.frozen) assert.deepEqual(root, await how.rootAt(size));
    assert.equal(whole.frozen.length, entries.filter((entry) => entry.includes('"frozenRoot"')).length);
  });
}

for (const { name, entries, at } of vectors.invalid) {
  test(`log that is refused: ${name}`, async () => {
    const where = at === null ? /^the log has no entries/ : new RegExp(`^entry ${at}: `);
    const check = (error) => error instanceof Fault && where.test(error.message);
    await assert.rejects(replay(indexed(entries), await accepted(entries)), check);
    // Only a reader of the whole log can see these two.
    if (name === "entry 0 is no key event" || name === "frozen root of another size") return;
    const { origin, roots } = vectors;
    await assert.rejects(replay(indexed(entries).filter(isKeyEvent), { origin, roots }), check);
  });
}

test("errors say what is wrong", async () => {
  for (const [name, part] of [
    ["entry 0 adds a receipt key", "the first entry must be the self-signed key-add of a root key"],
    ["entry 0 is a root that nobody pinned", "is not one of the configured root keys"],
    ["another origin, signed so", "origin is example.github.io/other/log, expected example.github.io/benchsite/log"],
    ["sequence number skipped", "seq is 4, expected 3"],
    ["signed by the receipt key", "which is not a root key in force"],
    ["field changed after signing", "does not verify"],
    ["fingerprint of another key", "fingerprint is not that of publicKey"],
    ["key added again after retirement", "was added before"],
    ["key retired in another role", "there is no log key"],
    ["leaked key retired", "is compromised already"],
    ["last root retired", "the last root key cannot be retired"],
    ["root declares itself leaked", "a root key cannot report itself"],
    ["trusted below an index before the key was added", "limit 0 is not between 1 (the key's first) and 8"],
    ["limit raised again", "limit 5 does not lower the earlier one, 4"],
    ["frozen root of another size", "frozenRoot is not the root of the first 7 entries"],
  ]) {
    const { entries } = vectors.invalid.find((each) => each.name === name);
    const how = await accepted(entries);
    await assert.rejects(replay(indexed(entries), how), (error) => error.message.includes(part), name);
  }
});

test("indices must rise from 0", async () => {
  const events = indexed(vectors.valid[0].entries).filter(isKeyEvent);
  const how = { origin: vectors.origin, roots: vectors.roots };
  const moved = (by) => events.map(([index, data]) => [index + by, data]);
  await assert.rejects(replay(moved(1), how), /first entry must be/);
  await assert.rejects(replay(moved(0.5), how), Fault);
  await assert.rejects(replay([events[0], [0, events[1][1]], events[2]], how), /entry 0: out of order/);
  await assert.rejects(replay([events[0], [Number.NaN, events[1][1]]], how), Fault);
  await assert.rejects(replay(events, { ...how, roots: [] }), /is not one of the configured root keys/);
});

test("standing at every index: fromIndex <= index < toIndex", () => {
  const of = (state, fromIndex, toIndex, trustedBelowIndex) => ({
    fingerprint: "", role: "receipt", publicKey: new Uint8Array(32), state, fromIndex, toIndex, trustedBelowIndex,
  });
  const words = { o: "outside", t: "trusted", s: "suspect" };
  for (const [record, worth] of [
    [of("active", 2, null, null), "oottttt"],
    [of("retired", 2, 5, null), "ootttoo"],
    [of("compromised", 2, 5, 4), "oottsoo"],
    [of("compromised", 2, 5, 2), "oosssoo"],
    [of("compromised", 2, 5, 5), "ootttoo"],
    [of("compromised", 2, 4, 6), "oottooo"],
  ]) {
    const expected = [...worth].map((letter) => words[letter]);
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map((index) => standing(record, index)), expected);
  }
});

/** The public key of the test seed of 32 equal bytes (tests/vectors/log/README.md), by node's own engine. */
function publicKeyOf(byte) {
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, byte)]);
  const key = createPublicKey(createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" }));
  return new Uint8Array(key.export({ format: "der", type: "spki" }).subarray(-32));
}

test("log keys by checkpoint size", async () => {
  const keyringOf = async (start) => {
    const { entries } = vectors.valid.find(({ name }) => name.startsWith(start));
    return replay(indexed(entries), await accepted(entries));
  };
  const [log, second] = [publicKeyOf(3), publicKeyOf(5)];
  const founding = await keyringOf("founding");
  // Entry 2 adds the log key: the first checkpoint it can sign covers that entry.
  assert.deepEqual([0, 2, 3].map((size) => logKeys(founding, size)), [[], [], [log]]);
  const leaked = await keyringOf("log key leaked");
  // The old key's checkpoints count up to frozenSize 7; entry 9 adds the new key.
  assert.deepEqual([7, 8, 9, 10].map((size) => logKeys(leaked, size)), [[log], [], [], [second]]);
  assert.equal(founding.get("constructor"), null);
  assert.equal(new Keyring([]).get("sha256:"), null);
});

test("PEM and fingerprint are those of node's own engine", async () => {
  const pair = generateKeyPairSync("ed25519");
  const text = pair.publicKey.export({ format: "pem", type: "spki" });
  const der = pair.publicKey.export({ format: "der", type: "spki" });
  const key = loadPem(text);
  assert.deepEqual(Buffer.from(key), der.subarray(-32));
  assert.equal(pem(key), text);
  assert.equal(await fingerprint(key), `sha256:${createHash("sha256").update(der).digest("hex")}`);
  assert.deepEqual(loadPem(`\n${text.replaceAll("\n", "\r\n")} \n`), key);
});

test("what is not an Ed25519 public key in PEM is refused, and a private key by name", () => {
  const text = pem(publicKeyOf(1));
  const body = text.split("\n")[1];
  const derPem = (data) => text.replace(body, Buffer.from(data).toString("base64"));
  const der = Buffer.from(body, "base64");
  const x25519 = generateKeyPairSync("x25519").publicKey.export({ format: "pem", type: "spki" });
  for (const wrong of [
    "", "x", body, text + text, text.replace(body, ""), text.replace(body, `${body.slice(0, -2)}==`), `x${text}`,
    text.replace(body, body.replaceAll("=", "")), text.replace("PUBLIC", "public"), derPem(der.subarray(0, 43)),
    derPem([...der, 0]), derPem(der.subarray(-32)), x25519, `\u00a0${text}`, text.replace("\n", " "),
    // 44 bytes leave two unused bits in the last digit but one.
    text.replace(/.=\n/, (last) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=\n`),
  ]) {
    const says = (error) => error instanceof Fault && /not an Ed25519 public key/.test(error.message);
    assert.throws(() => loadPem(wrong), says, wrong);
  }
  const secret = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
  assert.throws(() => loadPem(secret), /this is a private key/);
});
