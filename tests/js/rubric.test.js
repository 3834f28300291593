// Rubric: the shared vectors, one sheet worked by hand, finished and unfinished, and what a rescoring says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { RUBRIC } from "../../theme/verify/rescore-rubric.js";
import { whole } from "../../theme/verify/forms-rubric.js";
import { DIMENSIONS, SCENARIOS, score, scoreSheet } from "../../theme/verify/rubric-scoring.js";
import { rulesOf as rules } from "./packaged-rules.js";
import { TRACKS } from "../../theme/verify/tracks.js";

const vector = (name) => JSON.parse(readFileSync(new URL(`../vectors/rubric/${name}.json`, import.meta.url), "utf8"));
const plain = (value) => JSON.parse(JSON.stringify(value));
const under = (version, body) => ({ ...body, methodology: { id: "rubric", version, sha256: "e".repeat(64) } });

for (const { name, version, body, expected } of vector("scoring").cases) {
  test(`vector: ${name}`, () => assert.deepEqual(plain(score(under(version, body), rules(version))), expected));
}

const CRITERIA = ["accuracy", "completeness", "usefulness"];
const criteria = (...marks) => Object.fromEntries(CRITERIA.map((id, i) => [id, { score: marks[i], note: "" }]));

/** The layout of specs/rubric.md, "The sheet". */
const sheet = (changes = {}) => ({
  universal: Object.fromEntries(DIMENSIONS.map((id, i) => [id, { score: [4, 3, 5, 2, 4, 4][i], note: "", evidence: [] }])),
  domain: Object.fromEntries(SCENARIOS.map((id, i) => [id, {
    criteria: criteria(...[[5, 4, 4], [3, 3, 2], [4, 4, 5], [2, 1, 3], [5, 5, 5]][i]), evidence: [],
  }])),
  disclosures: { repeatabilityTested: true, multiStep: "single-message" },
  ...changes,
});
const text = (value) => value && value.text();

test("a mixed sheet by hand", () => {
  // U: 22 of 30. D: 13, 8, 13, 6 and 15 of 15 each, 55 of 75. Both are 220/3, and so is 2/5 U + 3/5 D.
  const found = scoreSheet(sheet(), rules("1.1.0"));
  assert.deepEqual([found.universal, found.domain, found.composite].map(text), ["220/3", "220/3", "220/3"]);
  assert.deepEqual([...found.scenarios].map(([id, value]) => [id, text(value)]),
    [["D1", "260/3"], ["D2", "160/3"], ["D3", "260/3"], ["D4", "40/1"], ["D5", "100/1"]]);
  assert.equal(text(found.dimensions.get("U3")), "5/1");
  assert.equal(found.composite.hundredths(), 73.33);
});

test("the penalty of 1.3.0 hangs on what is disclosed", () => {
  const of = (repeatabilityTested) => {
    const { raw, penalty, composite } = scoreSheet(sheet({ disclosures: { repeatabilityTested } }), rules("1.3.0"));
    return [raw, penalty, composite].map(text);
  };
  assert.deepEqual(of(true), ["220/3", "0/1", "220/3"]);
  assert.deepEqual(of(false), ["220/3", "10/1", "190/3"]);
  assert.deepEqual(of(null), ["220/3", null, null]);
  assert.equal(text(scoreSheet(sheet({ disclosures: undefined }), rules("1.0.0")).composite), "220/3");
});

test("several questions of a scenario are averaged", () => {
  const given = sheet();
  given.domain.D4 = { averagedFrom: [{ question: "a", criteria: criteria(2, 1, 3) }, { question: "b", criteria: criteria(5, 5, 5) }] };
  // 40 and 100 give 70: D = (260 + 160 + 260 + 210 + 300) / 15 = 1190/15.
  const found = scoreSheet(given, rules("1.1.0"));
  assert.deepEqual([text(found.scenarios.get("D4")), text(found.domain)], ["70/1", "238/3"]);
});

test("a sheet that is not finished has the parts that are", () => {
  const empty = scoreSheet({}, rules("2.0.0"));
  assert.deepEqual([empty.universal, empty.domain, empty.raw, empty.composite, empty.dimensions.get("U1")], Array(5).fill(null));
  for (const mark of [undefined, null, 0, 6, 3.5, "4", NaN, true]) {
    const given = sheet();
    given.universal.U2.score = mark;
    const { universal, domain, composite, dimensions } = scoreSheet(given, rules("1.1.0"));
    assert.deepEqual([universal, text(domain), composite, dimensions.get("U2")], [null, "220/3", null, null]);
  }
  for (const scenario of [undefined, {}, { criteria: {} }, { criteria: { a: { score: 3 } } }, { averagedFrom: [] },
    { averagedFrom: [{ criteria: criteria(1, 1, 1) }, {}] }, { criteria: { ...criteria(1, 1, 1), more: { score: 1 } } }]) {
    const given = sheet();
    given.domain.D2 = scenario;
    const { universal, domain, scenarios } = scoreSheet(given, rules("1.1.0"));
    assert.deepEqual([text(universal), domain, scenarios.get("D2"), text(scenarios.get("D1"))], ["220/3", null, null, "260/3"]);
  }
});

test("a rescoring names each number that does not follow, and what the version would not have accepted", async () => {
  const { body, expected, version } = vector("scoring").cases.find(({ name }) => name === "repeatability not tested");
  const document = under(version, {
    ...body, ...expected, evidence: [], config: { sheets: ["a".repeat(64)] }, requiredTests: null, ranAt: "2026-11-22T00:00:00Z",
    sheets: body.sheets.map((place) => ({ ...place, date: "2026-11-20" })), disclosures: { ...body.disclosures, multiStep: null },
    agent: { name: "a", version: "1", vendor: "v" }, evaluators: [{ name: "x", kind: "human", model: null, conflictOfInterest: "none" }],
  });
  for (const ratings of [...Object.values(document.universal), ...Object.values(document.domain)]) {
    for (const rating of ratings) rating.evidence = [];
  }
  const given = { methodology: { parameters: rules(version) }, evidence: async () => null };
  const honest = await RUBRIC.rescore(document, given);
  assert.deepEqual([honest.rescore, honest.differences], ["MATCHES", []]);
  assert.deepEqual(honest.violations.map(({ code, field }) => [code, field]),
    [["tests-missing", "requiredTests"], ["disclosure-missing", "disclosures.multiStep"]]);
  const penalised = { ...document, scores: { ...document.scores, penalty: 0 } };
  delete penalised.exact.raw_composite;
  const { rescore, differences } = await RUBRIC.rescore(penalised, given);
  assert.equal(rescore, "DIFFERS");
  assert.deepEqual(differences.map(({ field, recorded }) => [field, recorded]), [["scores.penalty", 0], ["exact.raw_composite", null]]);
  assert.equal(differences[0].computed, 10);
});

test("the headline is the composite on its template, and no score of a file is one by inheritance", () => {
  const document = { scores: { composite_score: 73.33 }, template: { slug: "research" } };
  assert.deepEqual(RUBRIC.figure(document, null), { label: "Composite", value: 73.33, digits: 2, scale: " of 100", on: "research" });
  assert.equal(RUBRIC.figure({ ...document, scores: {} }, null), null);
  assert.deepEqual(RUBRIC.target(document), { field: "template", id: "research", sha256: null });
  assert.equal(TRACKS.get("rubric"), RUBRIC);
});

test("weights are the document's", () => {
  const { body, version } = vector("scoring").cases.find(({ name }) => name === "one mixed sheet");
  const { exact } = score(under(version, body), { ...rules(version), universalWeight: "1/1", domainWeight: "0/1" });
  assert.equal(exact.composite_score, exact.universal_score);
});

test("parameters out of an engine's range are refused", () => {
  const engine = RUBRIC.engines.get("rubric/2");
  const fields = (change) => engine({ ...rules("2.0.0"), ...change })?.path ?? null;
  assert.equal(fields({}), null);
  assert.equal(fields({ universalWeight: "50/100", domainWeight: "1/2" }), null);
  assert.equal(fields({ universalWeight: "1/2" }), "");
  assert.equal(fields({ universalWeight: "-1/2", domainWeight: "3/2" }), ".universalWeight");
  assert.equal(fields({ penalty: 101 }), ".penalty");
  assert.equal(fields({ sessions: 0 }), ".sessions");
  assert.equal(fields({ evidence: 1 }), ".evidence");
  assert.equal(fields({ bonus: 1 }), ".bonus");
  assert.equal(RUBRIC.engines.get("rubric/1")({ ...rules("1.3.0"), intervals: true })?.path, ".intervals");
  assert.equal(RUBRIC.engines.get("rubric/9"), undefined);
});

test("weights that do not add up to 1 are refused", () => {
  const check = whole(() => null);
  assert.equal(check({ universalWeight: "50/100", domainWeight: "1/2" }), null);
  assert.equal(check({ universalWeight: "0/1", domainWeight: "1/1" }), null);
  assert.deepEqual(check({ universalWeight: "1/2", domainWeight: "3/5" })?.path, "");
});

test("a penalty moves the interval of the composite, and its ends", () => {
  // Ones everywhere are 20 of 100 in each of three sessions; less 10, the composite is 10 and so are both ends.
  const one = { score: 1, note: "", evidence: [] };
  const scenario = { questions: [{ question: null, criteria: criteria(1, 1, 1) }], evidence: [] };
  const each = (ids, given) => Object.fromEntries(ids.map((id) => [id, [given, given, given]]));
  const body = {
    sheets: [1, 2, 3].map((session) => ({ evaluator: 0, pass: 1, session, date: "2026-01-01" })),
    universal: each(DIMENSIONS, one), domain: each(SCENARIOS, scenario),
    disclosures: { repeatabilityTested: false, multiStep: "multi-turn" },
  };
  const { intervals } = score(under("2.0.0", body), { ...rules("2.0.0"), penalty: 10 });
  assert.deepEqual(intervals.composite_score, { low: 10, high: 10, method: "t" });
  assert.deepEqual(intervals.domain_score, { low: 20, high: 20, method: "t" });
});
