// A track of another package that fails, or gives what it did not promise: its numbers are not checked and the reason is
// said; the signature and the place in the log are checked all the same, as in tests/track/test_contained.py.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, test } from "node:test";

import { run } from "../../theme/verify/engine.js";
import { Fault } from "../../theme/verify/fault.js";
import { OTHERS, TRACKS } from "../../theme/verify/tracks.js";
import { SmallLog, receipt, visit } from "./small-log.js";

const bytes = (text) => new Uint8Array(Buffer.from(text));
const hexOf = (data) => createHash("sha256").update(data).digest("hex");
const DATA = bytes("title: T\n");
const PARAMETERS = bytes('{"track": "other", "version": "1.0.0", "engine": "other/1", "parameters": {"most": 3}}');
const PROSE = bytes("# Prose\n");
const RULES = {
  id: "other", version: "1.0.0",
  sha256: hexOf(`{"methodology.yaml":"${hexOf(DATA)}","parameters.json":"${hexOf(PARAMETERS)}","text.md":"${hexOf(PROSE)}"}`),
};
const EVIDENCE = "e".repeat(64);
const MATCHES = { rescore: "MATCHES", reason: "", compared: 1, differences: [], violations: [] };
const FIGURE = { label: "Score", value: 0.5, digits: 2, scale: "", on: "data" };
/** Every promise kept. */
const SOUND = {
  name: "other",
  words: { leftOut: "nothing", elsewhere: "", limit: "Little.", broken: { short: "s", word: "w", text: "t" } },
  engines: new Map([["other/1", () => null]]),
  subject: () => ({ name: "a", version: "1" }),
  check() {},
  rescore: () => MATCHES,
  figure: () => FIGURE,
  needs: () => new Set([EVIDENCE]),
  target: () => ({ field: "data", id: "none", sha256: null }),
};
const throws = () => { throw new Error("boom"); };

afterEach(() => TRACKS.delete("other"));

/** What a visitor is told of a logged receipt of that track. */
async function judgedBy(track, { sha256 = RULES.sha256, given = [DATA, PARAMETERS, PROSE] } = {}) {
  TRACKS.set("other", track);
  const log = SmallLog.founded();
  log.say({ type: "methodology", track: "other", version: "1.0.0", sha256 });
  const file = receipt({ track: "other", methodology: { ...RULES, sha256 } });
  const site = log.publish(file);
  return visit(run, site.files(), { bytes: file, trust: site.trust(), given });
}

test("a track that keeps its promises is believed", async () => {
  const report = await judgedBy(SOUND);
  assert.deepEqual([report.verdict, report.rescoring, report.figure], ["LOGGED", MATCHES, FIGURE]);
  assert.deepEqual([report.words, report.subject], [SOUND.words, { name: "a", version: "1" }]);
});

for (const [what, change, why] of [
  ["no engines", { engines: undefined }, "TypeError: engines: must be a Map"],
  ["engines in a plain object", { engines: { "other/1": () => null } }, "TypeError: engines: must be a Map"],
  ["a shape that throws", { engines: new Map([["other/1", throws]]) }, "Error: boom"],
  ["a shape that is none", { engines: new Map([["other/1", 7]]) }, "TypeError: shape is not a function"],
  ["a shape that says true", { engines: new Map([["other/1", () => true]]) }, "TypeError: shape: must be an object"],
  ["a shape without a path", { engines: new Map([["other/1", () => ({ message: "wrong" })]]) },
    "TypeError: shape.path: is missing"],
  ["a check that throws", { check: throws }, "Error: boom"],
  ["a check that is still going on", { check: async () => {} }, "TypeError: check: must be undefined"],
  ["a check that says no", { check: () => false }, "TypeError: check: must be undefined"],
  ["a rescore that throws", { rescore: throws }, "Error: boom"],
  ["a rescore that rejects", { rescore: async () => throws() }, "Error: boom"],
  ["a rescore that gives null", { rescore: () => null }, "TypeError: rescore: must be an object"],
  ["a fourth outcome", { rescore: () => ({ ...MATCHES, rescore: "GOOD" }) },
    "TypeError: rescore.rescore: must be 'MATCHES', 'DIFFERS' or 'NOT RE-SCORABLE'"],
  ["no violations", { rescore: () => ({ ...MATCHES, violations: null }) }, "TypeError: rescore.violations: must be a list"],
  ["a violation without words", { rescore: () => ({ ...MATCHES, violations: [{ code: "c", field: "f" }] }) },
    "TypeError: rescore.violations[0].message: is missing"],
  ["a difference that no message can carry",
    { rescore: () => ({ ...MATCHES, differences: [{ field: "f", recorded: 1, computed: throws }] }) },
    "TypeError: rescore.differences[0].computed: must be a value of JSON"],
  ["a difference that is no number", { rescore: () => ({ ...MATCHES, differences: [{ field: "f", recorded: 1, computed: NaN }] }) },
    "TypeError: rescore.differences[0].computed: must be a value of JSON"],
  ["a further step in the name of another",
    { rescore: () => ({ ...MATCHES, further: [{ name: "signature", state: "pass", detail: "", field: "" }] }) },
    "TypeError: rescore.further[0].name: must be 'traces', 'agreement' or 'evaluation'"],
  ["a rescore with more to say", { rescore: () => ({ ...MATCHES, html: "<b>" }) },
    "TypeError: rescore.html: is not a field of this schema"],
  ["needs in a list", { needs: () => [EVIDENCE] }, "TypeError: needs: must be a Set of SHA-256 digests"],
  ["needs of other texts", { needs: () => new Set(["answers.jsonl"]) }, "TypeError: needs: must be a Set of SHA-256 digests"],
  ["a target that is null", { target: () => null }, "TypeError: target: must be an object"],
  ["a target without a digest", { target: () => ({ field: "data", id: "none" }) }, "TypeError: target.sha256: is missing"],
  ["a figure of text", { figure: () => ({ ...FIGURE, value: "0.5" }) }, "TypeError: figure.value: must be a number"],
  ["more digits than are shown", { figure: () => ({ ...FIGURE, digits: 101 }) },
    "TypeError: figure.digits: must be at most 20"],
  ["a figure that is missing", { figure: () => undefined }, "TypeError: figure: must be an object"],
  ["no function at all", { needs: undefined }, "TypeError: track.needs is not a function"],
  ["an error without text", { rescore: () => { throw Object.create(null); } }, "it threw a value without text"],
  ["a long error", { rescore: () => { throw "x".repeat(1000); } }, "x".repeat(500)],
  ["a rescore that writes into the receipt", { rescore: (document) => { document.evidence.push(1); } },
    "TypeError: Cannot add property 0, object is not extensible"],
]) {
  test(`${what}: the numbers are not checked, and the rest is`, async () => {
    const report = await judgedBy({ ...SOUND, ...change });
    assert.deepEqual(report.steps.filter(({ name }) => name === "schema"), [{
      name: "schema", state: "not checked", detail: `scores not checked: track 'other' failed: ${why}`, field: "track",
    }]);
    assert.deepEqual([report.verdict, report.rescoring, report.figure], ["UNSUPPORTED", null, null]);
    const passed = report.steps.filter(({ state }) => state === "pass").map(({ name }) => name);
    for (const name of ["key", "signature", "log"]) assert.ok(passed.includes(name), name);
  });
}

test("a track that is nothing fails as one", async () => {
  for (const nothing of [undefined, null, 7]) {
    const report = await judgedBy(nothing);
    const [{ detail }] = report.steps.filter(({ name }) => name === "schema");
    assert.ok(detail.startsWith("scores not checked: track 'other' failed: TypeError"), detail);
    assert.deepEqual([report.verdict, report.words, report.subject], ["UNSUPPORTED", null, null]);
  }
});

test("what it refuses on purpose is the receipt's fault", async () => {
  const check = () => { throw new Fault("field data: is missing", "data"); };
  const report = await judgedBy({ ...SOUND, check });
  assert.equal(report.verdict, "INVALID");
  assert.equal(report.steps.find(({ state }) => state === "fail").field, "data");
});

test("what its Worker refuses is said after signature and log were checked", async () => {
  OTHERS.add("other");
  try {
    const log = SmallLog.founded();
    log.say({ type: "methodology", track: "other", version: "1.0.0", sha256: RULES.sha256 });
    const file = receipt({ track: "other", methodology: RULES });
    const site = log.publish(file);
    const answer = { words: null, fault: { message: "field data: is missing", field: "data" } };
    const report = await visit(run, site.files(), { bytes: file, trust: site.trust(), given: [DATA, PARAMETERS, PROSE], answer });
    assert.deepEqual([report.verdict, report.figure, report.rescoring], ["INVALID", null, null]);
    const states = Object.fromEntries(report.steps.map(({ name, state }) => [name, state]));
    assert.deepEqual([states.schema, states.signature, states.log], ["fail", "pass", "pass"]);
    assert.deepEqual(report.steps.filter(({ state }) => state === "fail").map(({ field }) => field), ["data"]);
  } finally {
    OTHERS.delete("other");
  }
});

test("words that a page cannot show, and a subject that fails, are left out; the numbers stand", async () => {
  for (const change of [{ words: { ...SOUND.words, broken: null } }, { words: undefined }, { subject: throws }]) {
    const report = await judgedBy({ ...SOUND, ...change });
    assert.deepEqual([report.verdict, report.words, report.subject], ["LOGGED", null, null]);
    assert.equal(report.rescoring.rescore, "MATCHES");
  }
});

test("without the methodology it is still asked what it needs", async () => {
  const lacking = await judgedBy(SOUND, { given: [] });
  assert.deepEqual([lacking.verdict, lacking.rescoring.rescore], ["LOGGED", "NOT RE-SCORABLE"]);
  assert.equal((await judgedBy({ ...SOUND, needs: throws }, { given: [] })).verdict, "UNSUPPORTED");
});
