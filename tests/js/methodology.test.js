// A methodology version: its digest, and `parameters.json`, which decides a re-score.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Fault } from "../../theme/verify/fault.js";
import { JsonError } from "../../theme/verify/json.js";
import { KNOWN } from "../../theme/verify/known-methodologies.js";
import { NAMES, digestOf, readMethodology } from "../../theme/verify/methodology.js";

const root = new URL("../../methodology/", import.meta.url);
const bytes = (text) => new TextEncoder().encode(text);
const MEMBERS = { track: "agents", version: "3.1.0", engine: "agents/2", parameters: { ks: [1, 5], level: 0.05, weight: "2/5" } };
const read = (changes) => readMethodology(bytes(JSON.stringify({ ...MEMBERS, ...changes })));

const packaged = readdirSync(root).flatMap((track) => readdirSync(new URL(`${track}/`, root)).map((version) => [track, version]));

test("every packaged version is known by its digest, and reads as the table says", async () => {
  for (const [track, version] of packaged) {
    const [data, parameters, text] = NAMES.map((name) => new Uint8Array(readFileSync(new URL(`${track}/${version}/${name}`, root))));
    const known = KNOWN.get(await digestOf({ data, parameters, text }));
    assert.deepEqual(known, JSON.parse(JSON.stringify(readMethodology(parameters))));
    assert.deepEqual([known.track, known.version], [track, version]);
  }
  assert.equal(KNOWN.size, packaged.length);
});

test("the four members are read as they are", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(read({}))), MEMBERS);
});

test("a member that is missing, malformed or unknown is refused by name", () => {
  for (const [changes, field] of [
    [{ track: "Agents" }, "track"], [{ track: undefined }, "track"], [{ version: "1.0" }, "version"], [{ version: 1 }, "version"],
    [{ engine: "agents" }, "engine"], [{ engine: undefined }, "engine"], [{ parameters: [] }, "parameters"],
    [{ parameters: null }, "parameters"], [{ title: "T" }, "title"],
  ]) {
    assert.throws(() => read(changes), (error) => error instanceof Fault && error.field === field, JSON.stringify(changes));
  }
});

test("only strict JSON is read", () => {
  for (const text of ['{"track": "a", "track": "b"}', '{"parameters": {"penalty": -0}}', "// no\n{}", "{} {}", "\ufeff{}", "track: a\n"]) {
    assert.throws(() => readMethodology(bytes(text)), JsonError, text);
  }
  for (const text of ["[]", "null", "1"]) assert.throws(() => readMethodology(bytes(text)), Fault, text);
});
