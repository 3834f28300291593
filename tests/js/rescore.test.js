// What is checked of a receipt whose track, engine or methodology this release does not have; and what may be brought along.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { run } from "../../theme/verify/engine.js";
import { materials, uncompressed } from "../../theme/verify/materials.js";
import { RULES, SmallLog, receipt, visit } from "./small-log.js";

const PACKAGED = readFileSync(new URL("../../methodology/retrieval/1.0.0/parameters.json", import.meta.url), "utf8");
const bytes = (text) => new Uint8Array(Buffer.from(text));
const hexOf = (data) => createHash("sha256").update(data).digest("hex");
const WORDS = bytes("title: T\n");
const PROSE = bytes("# Prose\n");
const digestOf = (parameters) =>
  hexOf(`{"methodology.yaml":"${hexOf(WORDS)}","parameters.json":"${hexOf(parameters)}","text.md":"${hexOf(PROSE)}"}`);

/** A document of an own version of retrieval, and what a receipt says of it. */
function own(change = (text) => text, version = "1.7.0") {
  const data = bytes(change(PACKAGED.replace('"version": "1.0.0"', `"version": "${version}"`)));
  return { data, methodology: { id: "retrieval", version, sha256: digestOf(data) } };
}

/** A log that has the methodology of a receipt and the receipt. */
function logged(methodology, change = {}) {
  const log = SmallLog.founded();
  const { id: track, version, sha256 } = methodology;
  if (sha256 !== RULES.sha256) log.say({ type: "methodology", track, version, sha256 });
  const file = receipt({ methodology, ...change });
  return { log: log.publish(file), file };
}

/** What a visitor's browser says of a file, on the site of a log. */
const checked = (log, request, files = log.files()) => visit(run, files, { trust: log.trust(), ...request });

const skipped = (report) => report.steps.filter(({ name, state }) => name === "schema" && state === "not checked");
const names = (report) => report.steps.filter(({ state }) => state !== "warning" && state !== "not checked").map(({ name }) => name);

test("a receipt of a track that is not installed has its signature and its place checked", async () => {
  const { log, file } = logged({ id: "puzzles", version: "1.0.0", sha256: "a".repeat(64) }, { track: "puzzles" });
  const report = await checked(log, { bytes: file });
  assert.equal(report.verdict, "UNSUPPORTED");
  assert.deepEqual(skipped(report), [{
    name: "schema", state: "not checked", detail: "scores not checked: no track 'puzzles' is installed here", field: "track",
  }]);
  assert.equal(report.rescoring, null);
  assert.equal(report.index, log.size - 1);
  for (const name of ["key", "signature", "log"]) assert.ok(names(report).includes(name), name);
  assert.ok(!names(report).includes("re-score"));
});

test("it is invalid where a later step fails", async () => {
  const { log, file } = logged({ id: "puzzles", version: "1.0.0", sha256: "a".repeat(64) }, { track: "puzzles" });
  const text = Buffer.from(file).toString();
  const forged = await checked(log, { bytes: bytes(text.replace('"name":"Ada"', '"name":"Bob"')) });
  assert.equal(forged.verdict, "INVALID");
  assert.equal(skipped(forged).length, 1);
});

test("so has one of a scoring engine that this release does not have, and of parameters that the engine does not take", async () => {
  for (const [change, field, detail] of [
    [(text) => text.replace('"retrieval/1"', '"retrieval/9"'), "methodology.version", "scoring engine 'retrieval/9' is not one this release has"],
    [(text) => text.replace('"headlineK": 10', '"headlineK": 3'), "methodology.sha256",
      "parameters of methodology retrieval 1.7.0 are not what engine 'retrieval/1' takes"],
    [(text) => text.replace('"ks": [1, 5, 10]', '"ks": [1, 5, 0]'), "methodology.sha256",
      "parameters.ks.2 of methodology retrieval 1.7.0 is not one that engine 'retrieval/1' takes"],
  ]) {
    const { data, methodology } = own(change);
    const { log, file } = logged(methodology);
    const report = await checked(log, { bytes: file, given: [data, WORDS, PROSE] });
    assert.equal(report.verdict, "UNSUPPORTED");
    assert.deepEqual(skipped(report).map((step) => [step.field, step.detail]), [[field, `scores not checked: ${detail}`]]);
    assert.ok(names(report).includes("signature") && report.index === log.size - 1);
  }
});

test("a methodology that is not at hand leaves the verdict as it is and the numbers alone", async () => {
  const { methodology } = own();
  const { log, file } = logged(methodology);
  const report = await checked(log, { bytes: file });
  assert.equal(report.verdict, "LOGGED");
  assert.deepEqual(report.rescoring, {
    rescore: "NOT RE-SCORABLE", missing: true, compared: 0, differences: [], violations: [],
    reason: "methodology retrieval 1.7.0 is not available: add its methodology.yaml, parameters.json and text.md",
  });
});

test("its three files may be brought along in any order, among others", async () => {
  const { data, methodology } = own();
  const { log, file } = logged(methodology);
  for (const given of [[WORDS, data, PROSE], [PROSE, WORDS, data], [bytes("other"), PROSE, bytes("{}"), data, WORDS]]) {
    const report = await checked(log, { bytes: file, given });
    assert.deepEqual([report.verdict, report.rescoring.rescore], ["LOGGED", "MATCHES"]);
  }
  for (const given of [[data], [data, PROSE], [data, WORDS, bytes("# Other prose\n")], [bytes(`${Buffer.from(data)}\n`), WORDS, PROSE]]) {
    assert.equal((await checked(log, { bytes: file, given })).rescoring.rescore, "NOT RE-SCORABLE");
  }
});

test("the site serves them too", async () => {
  const { data, methodology } = own((text) => text.replace('"headlineK": 10', '"headlineK": 5'));
  const { log, file } = logged(methodology);
  const files = log.files();
  files.set("methodology/retrieval/1.7.0/methodology.yaml", WORDS);
  files.set("methodology/retrieval/1.7.0/parameters.json", data);
  files.set("methodology/retrieval/1.7.0/text.md", PROSE);
  const report = await checked(log, { bytes: file }, files);
  assert.equal(report.rescoring.rescore, "MATCHES");
});

test("a digest of another version's document is the receipt's fault", async () => {
  const { data, methodology } = own();
  const { log, file } = logged({ ...methodology, version: "1.8.0" });
  const report = await checked(log, { bytes: file, given: [data, WORDS, PROSE] });
  assert.equal(report.verdict, "INVALID");
  assert.equal(report.steps.find(({ state }) => state === "fail").field, "methodology.version");
});

test("evidence is found among what was given, plain or gzip'd, and believed under its own digest only", async () => {
  const trace = bytes("trace\n".repeat(1000));
  const digest = hexOf(trace);
  for (const given of [trace, new Uint8Array(gzipSync(trace))]) {
    assert.deepEqual(await materials({ given: [bytes("x"), given] }).evidence(digest), trace);
    assert.equal(await materials({ given: [given] }).evidence(hexOf("other")), null);
  }
  const broken = new Uint8Array(gzipSync(trace));
  broken[broken.length - 5] ^= 1;
  assert.equal(await uncompressed(broken, digest), null);
  assert.equal(await uncompressed(new Uint8Array([0x1f, 0x8b]), digest), null);
});

test("evidence is read from the site, then from its mirrors", async (context) => {
  const { Served } = await import("../../theme/verify/served.js");
  const trace = bytes("trace\n");
  const digest = hexOf(trace);
  const asked = [];
  const answers = new Map();
  context.mock.method(globalThis, "fetch", async (address) => {
    asked.push(String(address));
    const body = answers.get(String(address));
    return body === undefined ? new Response(null, { status: 404 }) : new Response(body);
  });
  const mirrors = ["https://m.example/e", "https://n.example/"];
  const evidence = () => materials({ served: new Served("https://lab.example/"), mirrors }).evidence(digest);
  assert.equal(await evidence(), null);
  assert.deepEqual(asked, [
    `https://lab.example/results/evidence/${digest.slice(0, 2)}/${digest}.txt`, `https://m.example/e/${digest}`,
    `https://n.example/${digest}`,
  ]);
  answers.set(`https://m.example/e/${digest}`, bytes("other bytes"));
  answers.set(`https://n.example/${digest}`, new Uint8Array(gzipSync(trace)));
  assert.deepEqual(await evidence(), trace);
});
