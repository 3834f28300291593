// What a page says of a report, and that foreign text reaches it as text. Reports are written by hand from types.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { headline, isStale, notices, parts, plainWords, rowsOf, times, valueText } from "../../theme/verify/account.js";
import { recall, remember } from "../../theme/verify/memory.js";
import { kindOf, publishedPath, receiptId } from "../../theme/verify/offered.js";
import { present, presentLog } from "../../theme/verify/present.js";

const utf8 = (text) => new TextEncoder().encode(text);
const step = (name, state, detail = "", field = "") => ({ name, state, detail, field });
const judged = (changes = {}) => ({ rescore: "MATCHES", reason: "", compared: 18, differences: [], violations: [], ...changes });
const HEAD = { origin: "o.example/log", size: 12, root: `${"A".repeat(43)}=`, note: "n" };
const report = (changes = {}) => ({
  verdict: "LOGGED",
  steps: [
    step("parse", "pass"), step("canonical", "pass"), step("schema", "pass"), step("key", "pass"), step("signature", "pass"),
    step("log", "pass"), step("checkpoint", "pass"), step("consistency", "pass"), step("re-score", "pass"),
  ],
  judgement: judged(), receiptId: "5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41", ranAt: "2026-11-21T21:20:03Z",
  subject: { name: "fts", version: "1" }, window: { notBefore: null, notAfter: null }, index: 3, head: HEAD, keep: true,
  material: null, evidence: null, proof: null, ...changes,
});
const words = (marks) => marks.map(({ word }) => word);

test("signature, log and numbers are answered apart", () => {
  assert.deepEqual(words(parts(report())), ["signature valid", "in the log", "numbers match"]);
  const witnessed = report({ verdict: "WITNESSED", steps: [...report().steps, step("witness", "pass")] });
  assert.equal(parts(witnessed)[1].word, "in the log, countersigned");
  const retracted = report({ verdict: "RETRACTED", steps: [...report().steps, step("events", "note", "entry 9: retracted: x")] });
  assert.deepEqual(parts(retracted).map(({ tone }) => tone), ["good", "good", "good"]);
  const stolen = "the signing key was reported compromised at or before this position";
  const suspect = report({ verdict: "SUSPECT", steps: [...report().steps, step("events", "note", stolen)] });
  assert.equal(parts(suspect)[0].tone, "bad");
});

test("a part that was not checked never looks like one that was", () => {
  const unread = report({ verdict: "INVALID", steps: [step("parse", "fail", "not JSON")], judgement: null, index: null });
  assert.deepEqual(words(parts(unread)), ["signature not checked", "not shown to be in the log", "numbers not checked"]);
  assert.ok(parts(unread).every(({ tone }) => tone !== "good"));
  const supplied = report({ verdict: "UNKNOWN SIGNER", index: null });
  assert.equal(parts(supplied)[0].tone, "caution");
  assert.equal(parts(report({ judgement: judged({ rescore: "NOT RE-SCORABLE" }) }))[2].tone, "caution");
});

test("a sound record of wrong numbers never reads as a plain success", () => {
  const differs = report({ judgement: judged({ rescore: "DIFFERS", differences: [{ field: "a", recorded: 1, computed: 2 }] }) });
  assert.deepEqual(headline(differs), { glyph: "✗", word: "Logged, numbers differ", tone: "bad" });
  const impossible = report({ judgement: judged({ violations: [{ code: "c", message: "success@10 is below success@5", field: "f" }] }) });
  assert.equal(headline(impossible).tone, "bad");
  assert.ok(notices(impossible, null).some(({ text }) => text.includes("success@10 is below success@5")));
  assert.equal(headline(report({ evidence: "two heads" })).tone, "bad");
  assert.deepEqual(headline(report()), { glyph: "✓", word: "Logged", tone: "good" });
});

test("no comfort is taken from the numbers of a file that is not what it claims to be", () => {
  assert.equal(plainWords(report({ verdict: "INVALID" })), "This file is not what it claims to be.");
  assert.equal(plainWords(report()),
    "Signed and in the public list, unchanged since. The numbers follow from the answers recorded in the receipt.");
});

test("all eleven steps are listed, the gravest finding gives the state, and what was not reached says so", () => {
  const rows = rowsOf(report());
  assert.deepEqual(rows.map(({ number }) => number), ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
  assert.deepEqual(rows.map(({ state }) => state), ["pass", "pass", "pass", "pass", "pass", "pass", "pass", "skip", "pass", "pass", "pass"]);
  const broken = rowsOf(report({ verdict: "INVALID", index: null, steps: [step("parse", "pass"), step("schema", "fail", "unknown field", "x")] }));
  assert.deepEqual(broken.map(({ state }) => state), ["fail", ...Array(9).fill("skip"), "fail"]);
  assert.equal(broken[4].said, "the checks ended before this one");
});

test("a finding under an unknown name is shown, not dropped", () => {
  const rows = rowsOf(report({ steps: [...report().steps, step("engine", "skip", "no worker")] }));
  assert.deepEqual(rows.find(({ title }) => title === "Engine")?.steps[0]?.detail, "no worker");
});

test("the claimed time stands beside what witnesses prove", () => {
  assert.deepEqual(times(report()).map(([name]) => name), ["Claimed", "Proven"]);
  assert.match(times(report())[1][1], /^nothing/);
  const [, proven] = times(report({ window: { notBefore: 0, notAfter: 86_400 } }));
  assert.equal(proven[1], "composed after 1970-01-01 00:00 UTC, in the list by 1970-01-02 00:00 UTC, by the clocks of outside witnesses");
});

test("a shorter list is stale and two lists are a fork, never the other way round", () => {
  const seen = { ...HEAD, size: 13 };
  assert.equal(isStale(report(), seen), true);
  assert.equal(isStale(report(), HEAD), false);
  assert.deepEqual(notices(report(), seen).map(({ word }) => word), ["An older copy."]);
  assert.deepEqual(notices(report({ evidence: "x" }), seen).map(({ word }) => word), ["Two lists."]);
});

test("values are shown as JSON, long ones cut, absent ones named", () => {
  assert.equal(valueText(undefined), "absent");
  assert.equal(valueText(null), "null");
  assert.equal(valueText(0.1), "0.1");
  assert.equal(valueText("x".repeat(500)).length, 401);
});

test("what was brought is told by its content", () => {
  assert.equal(kindOf(utf8("{}")), "receipt");
  assert.equal(kindOf(utf8("c2sp.org/tlog-proof@v1\nindex 3\n")), "proof");
  assert.equal(kindOf(utf8("\n-----BEGIN PUBLIC KEY-----\n")), "key");
  assert.equal(kindOf(utf8("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")), "private key");
  assert.equal(kindOf(new Uint8Array([0xff, 0xfe])), "receipt");
  assert.equal(kindOf(utf8(`${"x".repeat(4095)}é`)), "receipt");
});

test("only a receipt id becomes a path", () => {
  const id = "5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41";
  assert.equal(publishedPath(receiptId(id)), `results/published/5f/${id}.json`);
  for (const no of ["", null, "../../x", `${id}/..`, id.toUpperCase(), `${id}\n`]) assert.equal(receiptId(no), null);
});

test("a head is remembered as it was, and nothing else is one", () => {
  const held = new Map();
  globalThis.localStorage = { getItem: (key) => held.get(key) ?? null, setItem: (key, value) => held.set(key, value) };
  assert.equal(recall(HEAD.origin), null);
  assert.equal(remember(HEAD), true);
  assert.deepEqual(recall(HEAD.origin), HEAD);
  assert.deepEqual([...held.keys()], ["benchsite:head:o.example/log"]);
  for (const bad of ["", "{", "null", "7", JSON.stringify({ ...HEAD, size: -1 }), JSON.stringify({ ...HEAD, root: "x" }), JSON.stringify({ ...HEAD, origin: "p" })]) {
    held.set("benchsite:head:o.example/log", bad);
    assert.equal(recall(HEAD.origin), null);
  }
  globalThis.localStorage = { getItem() { throw new Error("denied"); }, setItem() { throw new Error("full"); } };
  assert.equal(recall(HEAD.origin), null);
  assert.equal(remember(HEAD), false);
});

/** As much of a document as the building of a result touches; it has no door for markup at all. */
class Node {
  constructor(name) {
    this.name = name;
    this.childNodes = [];
  }
  append(...children) { this.childNodes.push(...children); }
  setAttribute() {}
  addEventListener() {}
  get text() { return this.childNodes.map((child) => (typeof child === "string" ? child : child.text)).join(""); }
  all(name) { return this.childNodes.flatMap((child) => (typeof child === "string" ? [] : [...(child.name === name ? [child] : []), ...child.all(name)])); }
}
const AROUND = { fileName: "a.json", seen: null, remembers: true, heading: "h2", saved: "" };

test("foreign text stands in the result as text, with nothing invisible in it", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const hostile = "<img src=x onerror=alert(1)>\u202e\u0000";
  const differences = [{ field: hostile, recorded: hostile, computed: { [hostile]: 1 } }];
  const shown = present(report({
    subject: { name: hostile, version: hostile }, ranAt: hostile, receiptId: hostile,
    steps: [{ ...step("parse", "fail", hostile, hostile), shown: [[hostile, hostile]] }, step(hostile, "note", hostile)],
    judgement: judged({ rescore: "DIFFERS", reason: hostile, differences, violations: [{ code: hostile, message: hostile, field: hostile }] }),
  }), AROUND);
  assert.ok(shown.text.includes("<img src=x onerror=alert(1)>\\u202e\\u0000"));
  assert.ok(!/[\u202e\u0000]/.test(shown.text));
  assert.ok(shown.text.includes("benchsite verify RECEIPT.json"));
  assert.equal(shown.all("img").length, 0);
});

test("long bytes are cut on the page, many differences are counted", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const long = { ...step("parse", "pass"), shown: [["File", "x".repeat(5000)]] };
  const differences = Array.from({ length: 1000 }, (_, i) => ({ field: `f${i}`, recorded: 1, computed: 2 }));
  const shown = present(report({ steps: [long], judgement: judged({ rescore: "DIFFERS", differences }) }), AROUND);
  assert.equal(shown.all("pre")[0].text.length, 4096);
  assert.equal(shown.all("tbody")[0].childNodes.length, 200);
  assert.ok(shown.text.includes("And 800 more."));
});

test("every state of the log has its sentence, and a fork its evidence", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  for (const state of ["same", "grown", "stale", "fork", "first", "unavailable", "broken"]) {
    const shown = presentLog({ state, head: HEAD, steps: [], evidence: state === "fork" ? "x" : null }, { seen: HEAD, kept: true });
    assert.ok(shown.text.length > 60);
    assert.equal(shown.all("button").length, state === "fork" ? 1 : 0);
  }
  const unkept = presentLog({ state: "first", head: HEAD, steps: [], evidence: null }, { seen: null, kept: false });
  assert.ok(unkept.text.includes("cannot remember"));
});
