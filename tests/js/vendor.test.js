// The vendored module is the package's own file, unchanged, and fits the rules of the bundler.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("../../theme/verify/vendor/", import.meta.url);
const installed = new URL("node_modules/@noble/ed25519/", import.meta.url);
const missing = existsSync(installed) ? false : "VENDORED FILE NOT COMPARED: run `npm ci` in tests/js";

const source = readFileSync(new URL("noble-ed25519.js", folder));
const record = readFileSync(new URL("README.md", folder), "utf8");
const recorded = (row) => new RegExp(`^\\| ${row} \\| \`?([0-9a-f.]+)\`? \\|$`, "m").exec(record)?.[1];

test("the vendored file has the recorded hash", () => {
  assert.equal(createHash("sha256").update(source).digest("hex"), recorded("SHA-256"));
});

test("the recorded version is the one that is pinned", () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  assert.equal(devDependencies["@noble/ed25519"], recorded("version"));
});

test("the vendored file is the package's, byte for byte", { skip: missing }, () => {
  const { version } = JSON.parse(readFileSync(new URL("package.json", installed), "utf8"));
  assert.equal(version, recorded("version"));
  assert.ok(source.equals(readFileSync(new URL("index.js", installed))));
});

test("the licence that came with it is in the record", { skip: missing }, () => {
  const licence = readFileSync(new URL("LICENSE", installed), "utf8").trim();
  assert.ok(record.replace(/^ {4}/gm, "").includes(licence.replace(/ +$/gm, "")));
});

test("it is one module: no imports, and one export statement, without renaming, at the end", () => {
  const code = source.toString("utf8").replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
  assert.doesNotMatch(code, /\bimport\b/);
  assert.deepEqual(code.match(/^export\b.*$/gm)?.length, 1);
  assert.match(code.trim(), /\nexport \{(?: \w+,)+ \};$/);
  assert.deepEqual(code.split("\n").filter((line) => (line.match(/`/g) ?? []).length % 2), []);
});
