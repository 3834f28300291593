// A methodology's document: its digest, and the four keys that decide a re-score.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Fault } from "../../theme/verify/fault.js";
import { KNOWN } from "../../theme/verify/known-methodologies.js";
import { digestOf, plain, readMethodology } from "../../theme/verify/methodology.js";

const root = new URL("../../methodology/", import.meta.url);
const bytes = (text) => new TextEncoder().encode(text);
const read = (text) => JSON.parse(JSON.stringify(plain(bytes(text))));

const packaged = readdirSync(root).flatMap((track) => readdirSync(new URL(`${track}/`, root)).map((version) => [track, version]));

test("every packaged document is known by its digest, and reads as the table says", async () => {
  for (const [track, version] of packaged) {
    const [data, text] = ["methodology.yaml", "text.md"].map((name) =>
      new Uint8Array(readFileSync(new URL(`${track}/${version}/${name}`, root))));
    const known = KNOWN.get(await digestOf(data, text));
    assert.deepEqual(known, JSON.parse(JSON.stringify(readMethodology(data))));
    assert.deepEqual([known.track, known.version], [track, version]);
  }
  assert.equal(KNOWN.size, packaged.length);
});

test("a document that names no engine is of the one that its major version counts", () => {
  const head = "track: agents\nversion: 3.1.0\nparameters: {}\n";
  assert.equal(readMethodology(bytes(head)).engine, "agents/3");
  assert.equal(readMethodology(bytes(`${head}engine: agents/2\n`)).engine, "agents/2");
  for (const wrong of ["engine: 2", "engine: Agents/2", "engine: agents", "engine: null"]) {
    const found = () => readMethodology(bytes(`${head}${wrong}\n`)).engine;
    if (wrong.endsWith("null")) assert.equal(found(), "agents/3");
    else assert.throws(found, Fault, wrong);
  }
});

test("values are numbers, constants, texts, words, and lists of them", () => {
  const given = [
    ["10", 10], ["-0.5", -0.5], ["1.959963984540054", 1.959963984540054], ["true", true], ["null", null],
    ['"a # b: c"', "a # b: c"], ["2/5", "2/5"], ["1.0.0", "1.0.0"], ["rubric/2", "rubric/2"], ["a".repeat(64), "a".repeat(64)],
    ["'a'", "a"], ["[1, 5,10 ]", [1, 5, 10]], ["[]", []], ['[ "a", b, null ]', ["a", "b", null]], ["0", 0],
  ];
  const lines = given.map(([text], i) => `  p${i}: ${text}${i % 2 ? "  # why" : ""}\r\n`).join("\n  # a comment\n");
  assert.deepEqual(Object.values(read(`parameters: # all\n${lines}`).parameters), given.map(([, value]) => value));
});

const REFUSED = [
  "010", "1e5", "1.5e+3", ".5", "+1", "-0", "-0.0", "9007199254740992", "0x1F", "1_000", "2026-11-22", "12:30", "yes", "Off",
  "TRUE", "Null", "'a''b'", "'a\"", '"a\\n"', '"é"', "~", "*a", "&a 1", "!!str a", "a b", "a: b", "{a: 1}", "[1, [2]]", "[1,]", "[1", "[1 2]",
  ">-", "|", "", "1 2", "a#b", "0b01", "3.", "1.0.0.0", "1/2/3",
];

test("any other value of these keys is refused with its line", () => {
  for (const value of REFUSED) {
    const refused = (error) => error instanceof Fault && error.message.startsWith("methodology.yaml, line 3:");
    assert.throws(() => read(`track: a\nparameters:\n  x: ${value}\n`), refused, value);
  }
});

test("so are keys given twice, other indentation, other lines at the margin, and other line breaks", () => {
  for (const [text, line] of [
    ["track: a\ntrack: b", 2], ["parameters:\n  a: 1\n  a: 2", 3], ["parameters:\n   a: 1", 2], ["parameters:\n- a", 2],
    ["parameters: 1", 1], ["parameters: {}\n  a: 1", 2], ["track: a\n  b", 2], ['"track": a', 1], ["? track", 1], ["track : a", 1],
    ["{track: a}", 1], ["track: a\n---", 2], ["...", 1], ["title: a\u2028b", 1], ["a: 1\rb: 2", 1], ["\ufefftrack: a", 1],
    ["\ttrack: a", 1], ["parameters:\n  yes: 1", 2],
  ]) {
    assert.throws(() => read(text), (error) => error.message.startsWith(`methodology.yaml, line ${line}:`), JSON.stringify(text));
  }
  assert.throws(() => plain(new Uint8Array([0xff])), Fault);
});

test("other keys are not looked into", () => {
  const text = "---\n# head\ntitle: >-\n  track: x\nlist:\n- version: 2\n  a: {b: *c}\nversion: 1.2.3\n";
  assert.deepEqual(read(text), { version: "1.2.3" });
});
