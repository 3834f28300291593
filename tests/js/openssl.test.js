// The commands as text; that a shell and openssl make of them what they should is test_openssl.py's.

import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";

import { fromHex } from "../../theme/verify/bytes.js";
import { nameInFolder, opensslCommands, opensslNotes, PLAIN_NAME, SIGNED_NAME } from "../../theme/verify/openssl.js";
import { pem } from "../../theme/verify/spki.js";

// RFC 8032 section 7.1, test 1
const PUBLIC = fromHex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
const material = (changes = {}) => ({
  canonical: true, signed: new Uint8Array(3), signature: new Uint8Array(64), publicKey: PUBLIC,
  fingerprint: `sha256:${"ab".repeat(32)}`, ...changes,
});

test("the key is a SubjectPublicKeyInfo that other software reads back", () => {
  const { x } = createPublicKey(pem(PUBLIC)).export({ format: "jwk" });
  assert.equal(Buffer.from(x, "base64url").toString("hex"), "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
});

test("a name that could stir a terminal is not used", () => {
  for (const name of ["", ".", "..", "../up.json", "a/b", "a\nb", "a\u001b[2Jb", "a\u202eb", "x".repeat(201), "a\\b", "\ud800"]) {
    assert.equal(nameInFolder(name), PLAIN_NAME);
  }
  for (const name of ["a b.json", "it's.json", "$(touch x).json", "-rf", "é.json"]) assert.equal(nameInFolder(name), name);
});

test("names are quoted, and none can be taken for an option", () => {
  assert.match(opensslCommands(material(), "it's.json"), /'it'\\''s\.json'/);
  assert.match(opensslCommands(material(), "-n"), / '\.\/-n' /);
});

test("no line is a comment, because a shell may not know those", () => {
  for (const line of opensslCommands(material(), "a.json").split("\n")) assert.ok(!line.startsWith("#"));
});

test("a file that is not canonical is checked on its saved signed bytes", () => {
  const commands = opensslCommands(material({ canonical: false }), "pretty.json");
  assert.ok(!commands.includes("pretty.json"));
  assert.ok(commands.includes(`-in '${SIGNED_NAME}'`));
  assert.ok(opensslNotes(material({ canonical: false }), "pretty.json").some((note) => note.includes(SIGNED_NAME)));
});

test("an unknown key is asked for and never made up; a fingerprint that is none is not repeated", () => {
  const unknown = material({ publicKey: null, fingerprint: "sha256:$(reboot)" });
  assert.ok(!opensslCommands(unknown, "a.json").includes("BEGIN PUBLIC KEY"));
  assert.ok(opensslCommands(unknown, "a.json").includes("-inkey 'signer.pem'"));
  assert.ok(!opensslNotes(unknown, "a.json").join(" ").includes("reboot"));
  assert.ok(opensslNotes(material(), "a.json").join(" ").includes("ab".repeat(32)));
});
