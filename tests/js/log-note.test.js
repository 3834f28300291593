// Signed notes and checkpoints: tests/vectors/log/checkpoint.json, the examples of the specifications, and the borders
// that tests/log/test_note.py checks in Python.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openCheckpoint, parseCheckpointText } from "../../theme/verify/checkpoint.js";
import { keyId, NoteError, parseNote, parseVkey } from "../../theme/verify/note.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/log/checkpoint.json", import.meta.url), "utf8"));
const base64 = (text) => new Uint8Array(Buffer.from(text, "base64"));
const bytes = (text) => new Uint8Array(Buffer.from(text));
const accepted = { origin: vectors.origin, keys: vectors.keys.map(base64) };
const LINE = "— a AAAAAAA=\n";

for (const { name, note, size, root } of vectors.valid) {
  test(`checkpoint that opens: ${name}`, async () => {
    for (const given of [note, bytes(note)]) {
      const opened = await openCheckpoint(given, accepted);
      assert.deepEqual([opened.origin, opened.size, opened.root], [vectors.origin, size, base64(root)]);
      assert.equal(opened.text, `${vectors.origin}\n${size}\n${root}\n`);
    }
  });
}

for (const { name, note, noteHex } of vectors.invalid) {
  test(`checkpoint that is refused: ${name}`, async () => {
    const given = noteHex === undefined ? bytes(note) : new Uint8Array(Buffer.from(noteHex, "hex"));
    await assert.rejects(openCheckpoint(given, accepted), NoteError);
  });
}

test("a checkpoint is opened by another key or under another origin only if that is accepted", async () => {
  const { note } = vectors.valid[0];
  await assert.rejects(openCheckpoint(note, { ...accepted, keys: [] }), /no signature by an accepted key/);
  const stranger = { ...accepted, keys: [new Uint8Array(32)] };
  await assert.rejects(openCheckpoint(note, stranger), /no signature by an accepted key/);
  await assert.rejects(openCheckpoint(note, { ...accepted, origin: "a.example/log" }), /expected a\.example\/log/);
});

test("a good signature counts only under its own name, whatever its key id", async () => {
  const { note } = vectors.valid[0];
  const renamed = note.replace(`— ${vectors.origin} `, "— a.example/log ");
  await assert.rejects(openCheckpoint(renamed, accepted), /no signature by an accepted key/);
});

test("a text with a lone surrogate is no note, though its UTF-8 has a replacement character", () => {
  assert.throws(() => parseNote(`a\ud800b\n\n${LINE}`), NoteError);
  assert.equal(parseNote(`a\ufffdb\n\n${LINE}`).text, "a\ufffdb\n");
});

test("verifier keys of the vectors and of the golden log key (specs/log.md)", async () => {
  for (const [at, vkey] of vectors.vkeys.entries()) {
    const read = await parseVkey(vkey);
    assert.deepEqual([read.name, read.type, read.publicKey], [vectors.origin, 1, base64(vectors.keys[at])]);
  }
  const golden = "example.github.io/benchsite/log+bd6f8cb0+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4";
  const { name, type, publicKey, keyId: id } = await parseVkey(golden);
  assert.equal(Buffer.from(id).toString("hex"), "bd6f8cb0");
  assert.deepEqual(await keyId(name, type, publicKey), id);
});

const vkey = (name, key, id) => {
  const data = Buffer.from(key);
  const own = createHash("sha256").update(`${name}\n`).update(data).digest("hex").slice(0, 8);
  return `${name}+${id ?? own}+${data.toString("base64")}`;
};
const KEY = [1, ...new Array(32).fill(7)];

test("verifier keys that are refused", async () => {
  for (const [text, says] of [
    ["", /is not a verifier key/],
    ["a.example", /is not a verifier key/],
    [vkey("a", KEY, "DEADBEEF"), /is not a verifier key/],
    [vkey("a", KEY, "deadbeef"), /the key id is deadbeef/],
    [vkey("", KEY), /is empty or has a space/],
    [vkey("a b", KEY), /is empty or has a space/],
    ["a+00000000+", /the key's type is missing/],
    ["a+00000000+B", /is not canonical base64/],
    [`${vkey("a", KEY)}\n`, /is not canonical base64/],
  ]) {
    await assert.rejects(parseVkey(text), (error) => error instanceof NoteError && says.test(error.message), text);
  }
  assert.equal((await parseVkey(vkey("a", KEY))).type, 1);
});

test("the example of C2SP signed-note: the text has an empty line of its own, so the last one is the border", () => {
  const note = parseNote(
    "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n" +
      "— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC" +
      "+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n",
  );
  assert.ok(note.text.endsWith("sole:\n\ned è subito sera.\n"));
  assert.equal(note.signatures.length, 1);
  const [{ name, keyId: id, signature }] = note.signatures;
  assert.equal(name, "quasimodo.example/salvatore");
  assert.equal(Buffer.from(id).toString("hex"), "367ba04b");
  assert.equal(signature.length, 64);
});

test("borders of a note", () => {
  for (const [note, says] of [
    ["— a AAAAAAA=\n", /no blank line/],
    ["text\n— a AAAAAAA=\n", /no blank line/],
    ["text\n\n— a AAAAAAA=", /does not end in a newline/],
    ["text\n\n", /no signature line/],
    ["text\n\n\n", /no signature line/],
    ["text\n\n— a AAAAAAA=\n\n", /no signature line/],
    ["text\n\n— a\x00 AAAAAAA=\n", /key name/],
    ["text\n\n— a AAAA\x00AAA=\n", /base64/],
    ["text\n\n—\x00 a AAAAAAA=\n", /not a signature line/],
    ["text\n\n— a AAAAAAA= \n", /not a signature line/],
    ["text\n\n— a AAAAAA==\n", /shorter than 5 bytes/],
  ]) {
    assert.throws(() => parseNote(note), (error) => error instanceof NoteError && says.test(error.message), note);
  }
  assert.deepEqual(parseNote(`\n\n${LINE}`).text, "\n");
});

test("names have no Unicode space, and U+FEFF is none", () => {
  for (const space of "\u0085\u00a0\u1680\u2000\u2009\u200a\u2028\u2029\u202f\u205f\u3000") {
    assert.throws(() => parseNote(`t\n\n— a${space}b AAAAAAA=\n`), /key name/);
  }
  assert.equal(parseNote("t\n\n— a\ufeffb AAAAAAA=\n").signatures[0].name, "a\ufeffb");
});

test("every control character but newline is refused in the text", () => {
  for (let code = 0; code < 32; code += 1) {
    const read = () => parseNote(`a${String.fromCharCode(code)}b\n\n${LINE}`);
    if (code === 10) assert.equal(read().text, "a\nb\n");
    else assert.throws(read, new RegExp(`U\\+${code.toString(16).toUpperCase().padStart(4, "0")}`));
  }
});

test("limits: 100 signatures, 2^20 bytes", () => {
  assert.equal(parseNote(`t\n\n${LINE.repeat(100)}`).signatures.length, 100);
  assert.throws(() => parseNote(`t\n\n${LINE.repeat(101)}`), /101 signatures/);
  const longest = `${"x".repeat(2 ** 20 - Buffer.byteLength(LINE) - 2)}\n\n${LINE}`;
  assert.equal(parseNote(longest).signatures[0].name, "a");
  assert.equal(parseNote(bytes(longest)).signatures[0].name, "a");
  assert.throws(() => parseNote(`x${longest}`), NoteError);
  assert.throws(() => parseNote(bytes(`x${longest}`)), NoteError);
});

test("hostile notes of 1 MB are refused at once", () => {
  const began = performance.now();
  for (const hostile of [
    `t\n\n${LINE.repeat(60_000)}`,
    `t\n\n${"\n".repeat(2 ** 20 - 10)}`,
    `t\n\n— ${"a".repeat(2 ** 20 - 30)} AAAA\n`,
    `t\n\n— a ${"A".repeat(2 ** 20 - 30)}=\n`,
    `t\n\n${" ".repeat(2 ** 20 - 30)}\n`,
  ]) {
    assert.throws(() => parseNote(hostile), NoteError);
  }
  // A quadratic step would take minutes; the bound is wide because the machine is shared.
  assert.ok(performance.now() - began < 5000);
});

test("a checkpoint's text has exactly three lines and a size that JavaScript can hold", () => {
  const root = "A".repeat(43) + "=";
  assert.equal(parseCheckpointText(`a/b\n9007199254740991\n${root}\n`).size, 2 ** 53 - 1);
  for (const text of [
    "", "\n\n\n", `a/b\n1\n${root}`, `a/b\n1\n${root}\n\n`, `a/b\n1\n${root}\nx\n`, `a/b\n9007199254740992\n${root}\n`,
    `a/b\n01\n${root}\n`, `a/b\n1e3\n${root}\n`, `a/.b\n1\n${root}\n`, `a//b\n1\n${root}\n`,
    `${"a".repeat(201)}\n1\n${root}\n`,
  ]) {
    assert.throws(() => parseCheckpointText(text), NoteError, text);
  }
});
