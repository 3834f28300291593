// Agents: the hand-worked document, each edit of it, and traces, as tests/tracks/agents/test_vectors.py reads them.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { furtherLevels, tracedColumns } from "../../theme/verify/agents-columns.js";
import { score } from "../../theme/verify/agents-scoring.js";
import { unpacked } from "../../theme/verify/agents-traces.js";
import { AGENTS } from "../../theme/verify/rescore-agents.js";
import { demand } from "../../theme/verify/shape.js";
import { CONFIG, ENGINES, PAYLOAD } from "../../theme/verify/shapes-agents.js";
import { TRACKS } from "../../theme/verify/tracks.js";

const vector = (name) => JSON.parse(readFileSync(new URL(`../vectors/agents/${name}.json`, import.meta.url), "utf8"));
const bytes = (text) => new TextEncoder().encode(text);
const none = async () => null;
const { document: WORKED, scores: SCORES, numerators: NUMERATORS, blank: BLANK, timing: TIMING, domains: DOMAINS, calibration: CALIBRATION } = vector("worked");
/** The vectors are older than these fields, from which no number follows. */
const SYSTEM = {
  name: "worked", version: "1.0.0", kind: "single-agent", sizes: {}, prompts: null,
  models: { default: { requested: null, responded: null } },
};
const NOT_STATED = { isolation: null, budget: null, concurrency: null, prices: null };
const { traces: TRACES, refused: REFUSED } = vector("columns-from-traces");

function value(fraction) {
  const [num, den] = fraction.split("/").map(Number);
  return num / den;
}

function near(found, fraction, name) {
  assert.ok(Math.abs(found - value(fraction)) <= 1e-15 * value(fraction), `${name}: ${found} is not ${fraction}`);
}

/** The document with the numbers that follow from it, in today's shape; bootstrap intervals are only stated. */
function filled() {
  const worked = structuredClone(WORKED);
  const document = { ...worked, system: SYSTEM, config: { ...NOT_STATED, ...worked.config } };
  const { overall, byDomain, timing, calibration } = score(document);
  const stated = ({ scores, denominators, intervals }) => {
    const means = Object.keys(scores).map((name) => [name, { low: 0, high: 1, method: "bootstrap" }]);
    return { scores: { ...scores }, denominators: { ...denominators }, intervals: { ...Object.fromEntries(means), ...intervals } };
  };
  const domains = Object.fromEntries([...byDomain].map(([name, table]) => [name, stated(table)]));
  return { ...document, ...stated(overall), byDomain: domains, timing: { ...timing }, calibration: { ...calibration } };
}

function place(document, pointer) {
  const steps = pointer.slice(1).split("/");
  const last = steps.pop();
  return [steps.reduce((holder, step) => holder[step], document), last];
}

test("the worked document", () => {
  const { overall, byDomain, timing, calibration } = score(WORKED);
  near(timing.latency_cv * timing.latency_cv, "1/14", "latency_cv");
  const { runs, ...pooled } = calibration;
  assert.equal(runs, CALIBRATION.runs);
  for (const [name, found] of Object.entries(pooled)) near(found, CALIBRATION[name], name);
  const { tokens_cv: cv, ...scores } = overall.scores;
  near(cv * cv, "1/6", "tokens_cv");
  assert.deepEqual(Object.keys(scores).sort(), Object.keys(SCORES).sort());
  for (const [name, { a, b, mean }] of Object.entries(SCORES)) {
    near(scores[name], mean, name);
    const excluded = [a, b].filter((one) => one === null).length;
    const num = name in NUMERATORS ? { num: NUMERATORS[name] } : {};
    assert.deepEqual({ ...overall.denominators[name] }, { ...num, den: 2 - excluded, excluded }, name);
  }
  for (const name of BLANK) assert.deepEqual({ ...overall.denominators[name] }, { den: 0, excluded: 2 });
  for (const [name, fraction] of Object.entries(TIMING)) near(timing[name], fraction, name);
  for (const [domain, expected] of Object.entries(DOMAINS)) {
    const found = byDomain.get(domain).scores;
    assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
    for (const [name, fraction] of Object.entries(expected)) near(found[name], fraction, `${domain} ${name}`);
  }
});

for (const { name, set, remove, codes } of vector("invariants").cases) {
  test(`edit: ${name}`, async () => {
    const document = filled();
    for (const [pointer, replacement] of Object.entries(set)) {
      const [holder, key] = place(document, pointer);
      holder[key] = replacement;
    }
    for (const pointer of remove) {
      const [holder, key] = place(document, pointer);
      delete holder[key];
    }
    const { config, evidence: _evidence, ...body } = document;
    demand(PAYLOAD, body);
    demand(CONFIG, config);
    const { violations } = await AGENTS.rescore(document, { methodology: null, evidence: none });
    assert.deepEqual([...new Set(violations.map(({ code }) => code))].sort(), codes);
    for (const { message, field } of violations) assert.ok(message.endsWith(".") && field !== "");
  });
}

test("a difference names the field and both values", async () => {
  const document = filled();
  document.scores.success = 0.5;
  document.byDomain.first.denominators.success.den = 2;
  document.timing.latency_p95 = 1;
  const { rescore, differences } = await AGENTS.rescore(document, { methodology: null, evidence: none });
  assert.equal(rescore, "DIFFERS");
  assert.deepEqual(differences, [
    { field: "scores.success", recorded: 0.5, computed: 2 / 3 },
    { field: "timing.latency_p95", recorded: 1, computed: 195 },
    { field: "byDomain.first.denominators.success.den", recorded: 2, computed: 1 },
  ]);
});

for (const { name, events, columns } of TRACES) {
  test(`trace: ${name}`, () => assert.deepEqual(tracedColumns(events), columns));
}

for (const [message, text] of REFUSED) {
  test(`refused: ${message}`, () => assert.throws(() => [...unpacked(bytes(text))], { message }));
}

test("a line that is too long is refused before it is read", () => {
  const text = `{"run":1,"task":"a"}\n${"x".repeat(16 * 1024 * 1024 + 1)}\n`;
  assert.throws(() => [...unpacked(bytes(text))], { message: "line above 16,777,216 bytes: traces.jsonl from line 2, event line 1" });
});

/** Two runs, their traces and what a receipt pins. */
function traced() {
  const chosen = TRACES.slice(0, 2);
  const text = chosen.map(({ events }, i) => [{ run: 1, task: `t${i}` }, ...events].map((line) => `${JSON.stringify(line)}\n`).join("")).join("");
  const runs = { taskId: ["t0", "t1"], run: [1, 1], outcome: ["failure", "failure"] };
  for (const name of Object.keys(chosen[0].columns)) runs[name] = chosen.map(({ columns }) => columns[name]);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const evidence = [{ name: "traces.jsonl", sha256, size: text.length, mediaType: "application/x-ndjson", mirrored: true }];
  return { text, sha256, document: { benchmark: { id: "b" }, evidence, tasks: { id: ["t0", "t1"] }, runs } };
}

test("columns follow from the traces that are at hand, and from those alone", async () => {
  const { text, sha256, document } = traced();
  const given = async (asked) => (asked === sha256 ? bytes(text) : null);
  const found = async (changed, evidence = given) => (await furtherLevels(changed, evidence)).steps[0];
  assert.deepEqual(await found(document), {
    name: "traces", state: "pass", detail: "all 42 values of the traced columns follow from traces.jsonl", field: "",
  });
  const { state, detail } = await found(document, none);
  assert.deepEqual([state, detail], ["not checked", `traces.jsonl is not at hand (SHA-256 ${sha256})`]);
  const wrong = { ...document, runs: { ...document.runs, tokens: [300, 801] } };
  assert.deepEqual(await furtherLevels(wrong, given).then(({ differences }) => differences), [
    { field: "runs.tokens[1]", recorded: 801, computed: 800 },
  ]);
  const other = { ...document, runs: { ...document.runs, taskId: ["t0", "t2"] } };
  assert.deepEqual(await furtherLevels(other, given).then(({ differences }) => differences), [
    { field: "runs.taskId", recorded: null, computed: "t1, run 1" },
    { field: "runs.taskId[1]", recorded: "t2, run 1", computed: null },
  ]);
});

test("outcomes of a declared evaluator are stated, and nobody is asked to evaluate them", async () => {
  const { document } = traced();
  const benchmark = { id: "b", sha256: "ab".repeat(32), evaluator: "a person, by hand" };
  const evidence = [...document.evidence, { name: "actions.jsonl", sha256: "cd".repeat(32), size: 1, mediaType: "application/x-ndjson" }];
  const { steps } = await furtherLevels({ ...document, benchmark, evidence }, none);
  assert.deepEqual(steps[2], {
    name: "evaluation",
    state: "not checked",
    detail: "outcomes are as stated by the imported file; declared evaluator, not run here: a person, by hand",
    field: "",
  });
});

/** The columns that another level compares. */
const COUNTED = new Set([
  "completion", "steps", "toolFailures", "backtracks", "loopNum", "loopDen", "verifies", "agentToAgent", "systemMediated", "handoffs",
]);

for (const { name, origin, runs, trace, record, state, differences, violations: codes } of vector("agreement").cases) {
  test(`agreement: ${name}`, async () => {
    const written = (lines) => bytes(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const held = new Map();
    if (trace !== null) held.set("t", written([{ run: 1, task: "a" }, ...trace.map((event, i) => ({ id: `e${i}`, actor: "agent", ...event }))]));
    if (record !== null) held.set("a", written([{ task: "a", run: 1, skipped: [], difference: [], ...record }]));
    const columns = Object.fromEntries(Object.entries(runs).map(([column, cell]) => [column, [cell]]));
    const document = {
      origin,
      benchmark: { id: "b", sha256: "0".repeat(64) },
      evidence: [{ name: "traces.jsonl", sha256: "t", size: 1 }, { name: "actions.jsonl", sha256: "a", size: 1 }],
      tasks: { id: ["a"] },
      runs: { taskId: ["a"], run: [1], ...columns },
    };
    const found = await furtherLevels(document, async (asked) => held.get(asked) ?? null);
    const step = found.steps.find((one) => one.name === "agreement");
    assert.equal(step.state, state);
    const isCompared = ({ field }) => {
      const column = field.split("[")[0].replace("runs.", "");
      return !COUNTED.has(column) && !(column === "toolCalls" && trace !== null);
    };
    const compared = found.differences.filter(isCompared).map(({ field, recorded, computed }) => [field, recorded, computed]);
    assert.deepEqual(compared, differences);
    assert.deepEqual(found.violations.map(({ code }) => code), codes);
  });
}

test("traces that a page has no time for are left to the command", async () => {
  const { document } = traced();
  document.evidence[0].size = 64_000_001;
  const { steps: [step] } = await furtherLevels(document, () => assert.fail("asked for"));
  assert.deepEqual([step.state, step.detail], ["not checked", "traces.jsonl is above 64,000,000 bytes: benchsite rescore reads it"]);
});

test("what a methodology hands to the engine", () => {
  const shape = ENGINES.get("agents/1");
  const parameters = {
    ks: [3, 5, 8], z: 1.959963984540054, confidence: 0.95, bootstrapReplicates: 10000, bootstrapLowRank: 250,
    bootstrapHighRank: 9750, fixedPointBits: 40, flips: 10000, level: 0.05, passiveShare: 0.1,
  };
  assert.equal(shape(parameters), null);
  for (const ks of [[], [3, 3], [5, 3], [1]]) assert.notEqual(shape({ ...parameters, ks }), null);
});

test("columns of unequal length and too many domains are refused", () => {
  const { config: _config, evidence: _evidence, ...body } = filled();
  const demanded = (change) => () => demand(PAYLOAD, { ...body, ...change });
  assert.throws(demanded({ runs: { ...body.runs, steps: [1] } }), { field: "runs", message: /unequal length/ });
  assert.throws(demanded({ tasks: { ...body.tasks, needsAction: [] } }), { field: "tasks", message: /unequal length/ });
  const many = Array.from({ length: 51 }, (_, i) => `d${i}`);
  const tasks = { id: many, domain: many };
  assert.throws(demanded({ tasks }), { field: "tasks.domain", message: /more than 50 domains/ });
});

test("the track is the one its name finds", () => {
  const document = filled();
  assert.equal(TRACKS.get("agents"), AGENTS);
  assert.deepEqual(AGENTS.target(document), { field: "benchmark", id: "worked", sha256: "0".repeat(64) });
  assert.deepEqual(AGENTS.figure(document), { label: "Success", value: 2 / 3, digits: 3, scale: "", on: "worked" });
  assert.equal(AGENTS.figure({ ...document, scores: {} }), null);
  assert.equal(AGENTS.needs(document).size, 0);
});

test("a run of too many events or bytes is refused at its line, before it is parsed", () => {
  const said = "run 1 of task a has more than 100,000 events or 67,108,864 bytes: traces.jsonl line";
  const head = '{"run":1,"task":"a"}\n';
  assert.throws(() => [...unpacked(bytes(head + "\n".repeat(100_001)))], { message: `${said} 100002` });
  const long = `${"x".repeat(8 * 1024 * 1024)}\n`;
  assert.throws(() => [...unpacked(bytes(head + long.repeat(9)))], { message: `${said} 10` });
});
