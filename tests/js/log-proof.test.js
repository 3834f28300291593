// Proof files and cosignatures: the layouts of C2SP tlog-proof and tlog-cosignature, signed here by node's own engine,
// and the cases of tests/log/test_proof.py and test_cosignature.py.

import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checkCosignature, claims, decodeCosignatures, witness } from "../../theme/verify/cosignature.js";
import { NoteError, parseSignature } from "../../theme/verify/note.js";
import { formatProof, parseProof } from "../../theme/verify/proof.js";

const checkpoints = JSON.parse(readFileSync(new URL("../vectors/log/checkpoint.json", import.meta.url), "utf8"));
const NOTE = checkpoints.valid[0].note;
const HEADER = "c2sp.org/tlog-proof@v1\n";
const bytes = (text) => new Uint8Array(Buffer.from(text));
const NONE = new Uint8Array();
const refused = (says) => (error) => error instanceof NoteError && says.test(error.message);

test("the layout is the specification's: header, index, hashes from the leaf up, an empty line, the checkpoint", () => {
  const text = `${HEADER}index 5\n${"A".repeat(43)}=\n${"/".repeat(42)}8=\n\n${NOTE}`;
  const proof = { index: 5, hashes: [new Uint8Array(32), new Uint8Array(32).fill(255)], checkpoint: NOTE, extra: NONE };
  assert.equal(formatProof(proof), text);
  assert.deepEqual(parseProof(bytes(text)), proof);
  const empty = { index: 0, hashes: [], checkpoint: NOTE, extra: NONE };
  assert.equal(formatProof(empty), `${HEADER}index 0\n\n${NOTE}`);
  assert.deepEqual(parseProof(bytes(formatProof(empty))), empty);
  const beside = { ...empty, extra: bytes("A") };
  assert.equal(formatProof(beside), `${HEADER}extra QQ==\nindex 0\n\n${NOTE}`);
  assert.deepEqual(parseProof(bytes(formatProof(beside))), beside);
  const largest = { index: 2 ** 53 - 1, hashes: new Array(63).fill(new Uint8Array(32)), checkpoint: NOTE, extra: NONE };
  assert.deepEqual(parseProof(bytes(formatProof(largest))), largest);
});

test("proof files that are refused", () => {
  for (const [text, says] of [
    ["", /the first line is not/],
    [`c2sp.org/tlog-proof@v2\nindex 5\n\n${NOTE}`, /the first line is not/],
    [`${HEADER}\n${NOTE}`, /no line `index N`/],
    [`${HEADER}index 05\n\n${NOTE}`, /no line `index N`/],
    [`${HEADER}index -1\n\n${NOTE}`, /no line `index N`/],
    [`${HEADER}index 9007199254740992\n\n${NOTE}`, /is not between 0 and/],
    [`${HEADER}extra \nindex 5\n\n${NOTE}`, /`extra` holds no data/],
    [`${HEADER}extra QR==\nindex 5\n\n${NOTE}`, /is not canonical base64/],
    [`${HEADER}extra QQ==\nextra QQ==\nindex 5\n\n${NOTE}`, /no line `index N`/],
    [`${HEADER}index 5\nextra QQ==\n\n${NOTE}`, /is not canonical base64/],
    [`${HEADER}extra\nindex 5\n\n${NOTE}`, /no line `index N`/],
    [`${HEADER}index 5\nQQ==\n\n${NOTE}`, /hash 1 has 1 bytes/],
    [`${HEADER}index 5\nnot base64\n\n${NOTE}`, /is not canonical base64/],
    [`${HEADER}index 5\n${`${"A".repeat(43)}=\n`.repeat(64)}\n${NOTE}`, /64 hashes, the limit is 63/],
    [`${HEADER}index 5\n${"\r\n".repeat(300_000)}\n${NOTE}`, /hashes, the limit is 63/],
    [`${HEADER}index 5`, /no blank line between the hashes and the checkpoint/],
    [`${HEADER}index 5\n\nnot a note\n`, /no blank line between the text and the signatures/],
    [`${HEADER}index é\n\n${NOTE}`, /not ASCII at byte 29/],
    [`\ufeff${HEADER}index 5\n\n${NOTE}`, /not ASCII at byte 0/],
  ]) {
    assert.throws(() => parseProof(bytes(text)), refused(says), text.slice(0, 80));
  }
});

/** A witness of the seed 00 01 .. 1f. */
const NAME = "witness.example/w1";
const seed = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
const secret = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]), format: "der", type: "pkcs8",
});
const publicKey = createPublicKey(secret).export({ format: "der", type: "spki" }).subarray(-32);
const HEAD = { origin: "a.example/log", size: 70, root: new Uint8Array(createHash("sha256").update("root").digest()) };
const keyIdOf = (name, key, type = 4) =>
  createHash("sha256").update(`${name}\n`).update(Buffer.of(type)).update(key).digest().subarray(0, 4);
const vkeyOf = (name = NAME, key = publicKey, type = 4) =>
  `${name}+${keyIdOf(name, key, type).toString("hex")}+${Buffer.concat([Buffer.of(type), key]).toString("base64")}`;

function cosigned({ time = 1_679_315_147n, origin = HEAD.origin, size = HEAD.size, root = HEAD.root } = {}) {
  const text = `cosignature/v1\ntime ${time}\n${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(time);
  const data = Buffer.concat([keyIdOf(NAME, publicKey), stamp, sign(null, Buffer.from(text), secret)]);
  return `— ${NAME} ${data.toString("base64")}`;
}

test("a cosignature covers time, origin, size and root", async () => {
  const trusted = await witness(vkeyOf());
  const line = parseSignature(cosigned());
  assert.equal(line.line, cosigned());
  assert.ok(claims(trusted, line));
  assert.equal(await checkCosignature(trusted, HEAD, line), 1_679_315_147);
  assert.equal(await checkCosignature(trusted, HEAD, parseSignature(cosigned({ time: 2n ** 53n - 1n }))), 2 ** 53 - 1);
  for (const change of [{ origin: "b.example/log" }, { size: 71 }, { root: new Uint8Array(32) }]) {
    await assert.rejects(checkCosignature(trusted, { ...HEAD, ...change }, line), refused(/does not verify/));
  }
  const later = { ...line, signature: line.signature.map((byte, at) => (at === 7 ? byte ^ 1 : byte)) };
  await assert.rejects(checkCosignature(trusted, HEAD, later), refused(/does not verify/));
  const short = { ...line, signature: line.signature.slice(0, -1) };
  await assert.rejects(checkCosignature(trusted, HEAD, short), refused(/has 71 bytes, expected 72/));
  for (const time of [0n, 2n ** 53n, 2n ** 64n - 1n]) {
    const wrong = parseSignature(cosigned({ time }));
    await assert.rejects(checkCosignature(trusted, HEAD, wrong), refused(new RegExp(`has time ${time}`)));
  }
});

test("a witness is known by name and key id", async () => {
  const trusted = await witness(vkeyOf());
  const line = parseSignature(cosigned());
  assert.ok(!claims(trusted, { ...line, name: "other" }));
  assert.ok(!claims(trusted, { ...line, keyId: Uint8Array.of(1, 2, 3, 4) }));
  for (const [text, says] of [
    [vkeyOf(NAME, publicKey, 1), /the key's type is 01, and a witness's is 04/],
    [vkeyOf(NAME, publicKey, 6), /the key's type is 06/],
    [vkeyOf(NAME, publicKey.subarray(1)), /has 31 bytes/],
    [vkeyOf("a b"), /is empty or has a space/],
    ["", /is not a verifier key/],
  ]) {
    await assert.rejects(witness(text), refused(says));
  }
});

const GOOD = `70 — ${NAME} AAAAAAA=\n`;

test("the file of cosignatures", () => {
  assert.deepEqual(decodeCosignatures(new Uint8Array()), []);
  const found = decodeCosignatures(bytes(`${GOOD}9007199254740991 ${cosigned()}\n`));
  assert.deepEqual(found.map(({ size }) => size), [70, 2 ** 53 - 1]);
  assert.deepEqual(found[1].line, parseSignature(cosigned()));
  for (const [data, says] of [
    [GOOD.slice(0, -1), /line 1: cut short/],
    [`${GOOD}70`, /line 2: cut short/],
    [`${GOOD}\n`, /line 2: size '' is not a decimal/],
    [GOOD.replace("70", "070"), /line 1: size '070' is not a decimal/],
    [GOOD.replace("70", "0"), /line 1: size '0'/],
    [GOOD.replace("70", "9".repeat(16)), /line 1: size 9999999999999999 is not between 1 and 2\^53 - 1/],
    [GOOD.replace("—", "-"), /line 1: .* is not a signature line/],
    [GOOD.replace("\n", "\r\n"), /line 1: .* is not canonical base64/],
    ["70\n", /line 1: .* is not a signature line/],
  ]) {
    assert.throws(() => decodeCosignatures(bytes(data)), refused(says), data);
  }
  assert.throws(() => decodeCosignatures(Uint8Array.of(255, 10)), refused(/not UTF-8/));
  assert.throws(() => decodeCosignatures(new Uint8Array(2 ** 23 + 1)), refused(/the limit is 8,388,608/));
});

test("a hostile file of 8 MiB ends in bounded time", () => {
  const began = performance.now();
  assert.throws(() => decodeCosignatures(new Uint8Array(2 ** 23).fill(10)), NoteError);
  assert.throws(() => decodeCosignatures(bytes(`${" ".repeat(2 ** 23 - 1)}\n`)), NoteError);
  assert.ok(decodeCosignatures(bytes(GOOD.repeat(Math.floor(2 ** 23 / Buffer.byteLength(GOOD))))).length > 200_000);
  assert.ok(performance.now() - began < 10_000);
});
