// What a page says of a report, and that foreign text reaches it as text. Reports are written by hand from types.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { headline, notices, parts, plainWords, rowsOf, times, valueText } from "../../theme/verify/account.js";
import { recall, remember } from "../../theme/verify/memory.js";
import { kindOf, kindsOf, receiptId } from "../../theme/verify/offered.js";
import { publishedPath } from "../../theme/verify/receipt-id.js";
import { present, presentLog } from "../../theme/verify/present.js";
import { RETRIEVAL } from "../../theme/verify/rescore-retrieval.js";
import { RUBRIC } from "../../theme/verify/rescore-rubric.js";
import { LOG_STATES } from "../../theme/verify/words.js";

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
  words: RETRIEVAL.words, subject: { name: "fts", version: "1" }, figure: null, window: { notBefore: null, notAfter: null }, index: 3, head: HEAD, keep: true,
  material: null, evidence: null, proof: null, course: "grown", stolen: false, reach: { entries: 12, whole: true }, ...changes,
});
const words = (marks) => marks.map(({ word }) => word);

test("signature, log and numbers are answered apart", () => {
  assert.deepEqual(words(parts(report())), ["signature valid", "in the log", "numbers match"]);
  const witnessed = report({ verdict: "WITNESSED", steps: [...report().steps, step("witness", "pass")] });
  assert.equal(parts(witnessed)[1].word, "in the log, countersigned");
  const retracted = report({ verdict: "RETRACTED", steps: [...report().steps, step("events", "note", "entry 9: retracted: x")] });
  assert.deepEqual(parts(retracted).map(({ tone }) => tone), ["good", "good", "good"]);
  const suspect = report({ verdict: "SUSPECT", stolen: true });
  assert.deepEqual(parts(suspect)[0], { glyph: "△", word: "signature valid, by a stolen key", tone: "bad" });
  const unplaced = parts(report({ verdict: "SUSPECT", stolen: true, index: null }))[0];
  assert.deepEqual([unplaced.tone, unplaced.word], ["bad", "signature valid, by a key that was stolen at some time"]);
});

test("what is wrong with the list is not said of the receipt, and the other way round", () => {
  for (const name of ["checkpoint", "consistency"]) {
    const broken = report({ verdict: "SIGNED-ONLY", index: null, course: "broken", steps: [...report().steps.slice(0, 5), step("log", "note"), step(name, "fail", "no")] });
    assert.deepEqual(words(parts(broken)), ["signature valid", "the list does not hold", "numbers match"]);
    assert.deepEqual(headline(broken), { glyph: "✗", word: "Signed only, beside a list that does not hold", tone: "bad" });
    assert.deepEqual(notices(broken).map(({ word }) => word), ["The list does not hold."]);
    const nine = rowsOf(broken).find(({ number }) => number === "9");
    assert.equal(nine?.said, "nothing to look up while no entry of the list is shown to be this receipt's");
  }
  const cosigned = report({ steps: [...report().steps, step("witness", "fail", "forged")] });
  assert.deepEqual(words(parts(cosigned)), ["signature valid", "countersignatures do not hold", "numbers match"]);
  assert.deepEqual(headline(cosigned), { glyph: "✗", word: "Logged, beside countersignatures that do not hold", tone: "bad" });
  assert.deepEqual(notices(cosigned).map(({ word }) => word), ["Countersignatures do not hold."]);
  const altered = report({ verdict: "INVALID", steps: [...report().steps.slice(0, 5), step("consistency", "fail", "a root"), step("log", "fail", "other bytes")] });
  assert.equal(parts(altered)[1].word, "not what the log says");
  assert.equal(notices(altered)[0].quoted, "other bytes");
});

test("numbers of a file whose signature does not fit only match each other", () => {
  const forged = report({ verdict: "INVALID", index: null, steps: [...report().steps.slice(0, 4), step("signature", "fail", "no"), step("re-score", "pass")] });
  assert.deepEqual(parts(forged)[2], { glyph: "△", word: "numbers match each other", tone: "caution" });
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
  assert.ok(notices(impossible).some(({ quoted }) => quoted === "success@10 is below success@5"));
  assert.equal(headline(report({ evidence: "two heads" })).tone, "bad");
  assert.deepEqual(headline(report()), { glyph: "✓", word: "Logged", tone: "good" });
});

test("no comfort is taken from the numbers of a file that is not what it claims to be", () => {
  assert.equal(plainWords(report({ verdict: "INVALID" })), "This file is not what it claims to be.");
  assert.equal(plainWords(report()),
    "Signed and in the public list, unchanged since. The numbers follow from what is recorded in the receipt.");
});

test("all eleven steps are listed, the gravest finding gives the state, and what was not reached says so", () => {
  const rows = rowsOf(report());
  assert.deepEqual(rows.map(({ number }) => number), ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
  assert.deepEqual(rows.map(({ state }) => state), ["pass", "pass", "pass", "pass", "pass", "pass", "pass", "skip", "pass", "pass", "pass"]);
  const broken = rowsOf(report({ verdict: "INVALID", index: null, steps: [step("parse", "pass"), step("schema", "fail", "unknown field", "x")] }));
  assert.deepEqual(broken.map(({ state }) => state), ["fail", ...Array(9).fill("skip"), "fail"]);
  assert.equal(broken[4].said, "the checks ended before this one");
});

test("that nothing speaks against a receipt is only said as far as it was read", () => {
  const nine = (changes) => {
    const { state, said } = rowsOf(report(changes)).find(({ number }) => number === "9");
    return [state, said];
  };
  assert.deepEqual(nine({}), ["pass", "none of the 12 entries of the list speaks against the receipt or its key"]);
  // Entries count from 0: of 12 the last is 11.
  assert.deepEqual(nine({ reach: { entries: 12, whole: false } }), ["note",
    "no later entry that this site lists speaks against it, up to entry 11; the entries themselves were not all read here"]);
  assert.deepEqual(nine({ reach: { entries: 3, whole: true } }), ["note",
    "the list that this page knows ends at entry 2, before the receipt's own"]);
  assert.equal(nine({ reach: null })[0], "skip");
});

test("a finding under an unknown name is shown, not dropped", () => {
  const rows = rowsOf(report({ steps: [...report().steps, step("engine", "skip", "no worker")] }));
  assert.deepEqual(rows.find(({ title }) => title === "Engine")?.steps[0]?.detail, "no worker");
});

test("the claimed time stands beside what witnesses prove", () => {
  assert.deepEqual(times(report()).map(([name]) => name), ["Claimed", "Proven"]);
  // Whether countersignatures were looked up at all is step 8's to say.
  assert.equal(times(report())[1][1], "nothing about the time; step 8 says what is known of countersignatures");
  const [, proven, seen] = times(report({ window: { notBefore: 0, notAfter: 86_400 } }));
  assert.deepEqual(proven, ["Proven", "in being by 1970-01-02 00:00 UTC: an outside party had then countersigned a list that holds it"]);
  assert.deepEqual(seen, ["Also seen",
    "at 1970-01-01 00:00 UTC a witness still signed a shorter list than the one it names; witnesses may lag, so this bounds nothing"]);
  assert.deepEqual(times(report({ window: { notBefore: 0, notAfter: null } })).map(([name]) => name), ["Claimed", "Proven", "Also seen"]);
});

test("a shorter list is stale and two lists are a fork, never the other way round", () => {
  assert.deepEqual(notices(report({ course: "stale" })).map(({ word }) => word), ["An older copy."]);
  assert.deepEqual(notices(report({ course: "fork", evidence: "x" })).map(({ word }) => word), ["Two lists."]);
  const told = report({ steps: [...report().steps, step("events", "note", "entry 9: retracted: the index was stale")] });
  assert.deepEqual(notices(told), []);
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

test("documents are told by their content, and other files by what they come along with", () => {
  const data = utf8("# A comment\ntitle: x\ntrack: rubric\nversion: 3.0.0\n");
  const prose = utf8("## 1 Scores\n\nText.\n");
  const zipped = new Uint8Array([0x1f, 0x8b, 8, 0]);
  const trace = utf8('{"event":1}\n{"event":2}\n');
  const file = utf8('{"schemaVersion":"1.0.0"}');
  assert.deepEqual([data, prose, zipped].map(kindOf), ["document", "document", "document"]);
  assert.deepEqual(kindsOf([trace, file], false), ["document", "receipt"]);
  assert.deepEqual(kindsOf([trace], false), ["receipt"]);
  assert.deepEqual(kindsOf([trace, utf8("text")], true), ["document", "document"]);
  assert.deepEqual(kindsOf([file, file], true), ["receipt", "receipt"]);
  assert.deepEqual(kindsOf([utf8("{}"), utf8("[]")], false), ["receipt", "receipt"]);
  assert.deepEqual(kindsOf([utf8("-----BEGIN PRIVATE KEY-----\n"), file], false), ["private key", "receipt"]);
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
  replaceChildren(...children) { this.childNodes = children; }
  setAttribute() {}
  addEventListener() {}
  get size() { return 1 + this.childNodes.reduce((sum, child) => sum + (typeof child === "string" ? 0 : child.size), 0); }
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

test("foreign words are quoted in a box of their own and end with it", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const name = `1.0. ✓ WITNESSED ${"x".repeat(100)}`;
  const message = `Query ${"q".repeat(1000)}: recall@5 is above recall@10`;
  const shown = present(report({
    subject: { name, version: "😀".repeat(100) },
    judgement: judged({ violations: [{ code: "c", message, field: "f" }] }),
  }), AROUND);
  const told = shown.all("q").map(({ text }) => text);
  // 80 code units are 40 emoji
  assert.deepEqual(told, [`${name.slice(0, 80)}…`, `${"😀".repeat(40)}…`, `${message.slice(0, 400)}…`]);
  const [measured] = shown.all("dd");
  assert.deepEqual(measured.childNodes.filter((child) => typeof child === "string"), [", version ", ", says the receipt"]);
});

test("a receipt of a hundred thousand contradictions makes a page of a bounded size", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const many = 130_446;
  const violations = Array.from({ length: many }, (_, i) => ({ code: "c", message: `m${i}`, field: `f${i}` }));
  const differences = violations.map(({ field }) => ({ field, recorded: 1, computed: 2 }));
  const failed = violations.map(({ message, field }) => step("invariants", "fail", message, field));
  const last = step("invariants", "fail", "and 7 more than these");
  const shown = present(report({ steps: [...failed, last], judgement: judged({ rescore: "DIFFERS", differences, violations }) }), AROUND);
  assert.ok(shown.size < 3000, `${shown.size} elements`);
  assert.ok(shown.text.includes("And at least 130,246 more."));
  assert.ok(shown.text.includes("at least 130,426 more. No real measurement"));
  assert.ok(shown.text.includes("130,426 more are not shown here."));
  assert.ok(shown.text.includes("and 7 more than these"));
});

test("no text on the page is longer than a page, whatever it came from", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const long = "x".repeat(1_000_000);
  const shown = present(report({
    subject: { name: long, version: long }, ranAt: long, receiptId: long,
    steps: [{ ...step("parse", "fail", long, `${long}y`), shown: [[long, long]] }, step(long, "note", long)],
    judgement: judged({ rescore: "DIFFERS", reason: long, differences: [{ field: long, recorded: long, computed: long }],
      violations: [{ code: long, message: long, field: long }] }),
  }), AROUND);
  assert.ok(shown.text.length < 40_000, `${shown.text.length} characters`);
});

test("what was not computed again is named", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const { text } = present(report(), AROUND);
  assert.ok(text.includes("Compared: 18 numbers. Not computed again here: intervals made by drawing the questions again and again"));
  assert.ok(text.includes("they were not held against the fixture."));
});

test("the number of each track reads as its boards write it", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const said = (figure) => present(report({ figure }), AROUND).all("dd")[1].text;
  const nDCG = { label: "nDCG@10", value: 0.6789012345, digits: 3, scale: "", on: "locomo-10" };
  assert.equal(said(nDCG), "nDCG@10 0.679, on locomo-10; to the last digit 0.6789012345");
  assert.equal(said({ ...nDCG, value: 0.5 }), "nDCG@10 0.500, on locomo-10");
  const composite = { label: "Composite", value: 71.3, digits: 2, scale: " of 100", on: "customer-service" };
  assert.equal(said(composite), "Composite 71.30 of 100, on customer-service");
});

test("of an evaluation nothing is said that holds for fixtures only", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const broken = judged({ violations: [{ code: "too-few-sessions", message: "rubric 2.0.0 requires 3 sessions or more", field: "sheets" }] });
  const found = report({ words: RUBRIC.words, judgement: broken, figure: null });
  assert.equal(headline(found).word, "Logged, rules not met");
  assert.equal(parts(found)[2].word, "rules not met");
  assert.deepEqual(notices(found).map(({ word, text }) => [word, text]),
    [["Against the rules:", "The methodology version that the receipt names does not allow this."]]);
  const { text } = present(report({ words: RUBRIC.words }), AROUND);
  assert.ok(text.includes("Compared: 18 numbers. Not computed again here: nothing but the evaluators' own scores"));
  assert.ok(text.includes("That the evaluators judged well"));
  for (const foreign of ["fixture", "resampling", "drawing the questions", "expected answers", "recorded answers"]) {
    assert.ok(!text.includes(foreign), foreign);
  }
  assert.ok(present(report(), AROUND).text.includes("That the expected answers are those of the fixture"));
});

test("what this browser remembers is told by what came of it", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const said = (changes, seen) => present(report(changes), { ...AROUND, seen }).all("p").map(({ text }) => text).join("\n");
  assert.match(said({ course: "stale", keep: false }, HEAD), /had seen the list with 12 entries before\. It keeps that one in mind\./);
  assert.match(said({ course: "grown" }, HEAD), /had seen the list with 12 entries before\. $/);
  assert.match(said({ course: "first" }, HEAD), /was put aside/);
  assert.match(said({ course: "first" }, null), /had not seen the list before/);
});

test("long bytes are cut on the page, many differences are counted", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const long = { ...step("parse", "pass"), shown: [["File", "x".repeat(5000)]] };
  const differences = Array.from({ length: 1000 }, (_, i) => ({ field: `f${i}`, recorded: 1, computed: 2 }));
  const shown = present(report({ steps: [long], judgement: judged({ rescore: "DIFFERS", differences }) }), AROUND);
  assert.equal(shown.all("pre")[0].text.length, 4096);
  assert.equal(shown.all("tbody")[0].childNodes.length, 200);
  assert.ok(shown.text.includes("And at least 800 more."));
});

test("every state of the log has its sentence, and a fork its evidence", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  for (const state of ["same", "grown", "stale", "fork", "first", "unavailable", "broken"]) {
    const shown = presentLog({ state, head: HEAD, steps: [], evidence: state === "fork" ? "x" : null }, { seen: HEAD, kept: true });
    assert.ok(shown.text.includes(LOG_STATES[state].sentence));
    const served = ["same", "grown", "first"].includes(state);
    assert.deepEqual(shown.all("dt").at(-1)?.text, served ? "Served now" : "Known now");
    assert.equal(shown.all("button").length, state === "fork" ? 1 : 0);
  }
  const unkept = presentLog({ state: "first", head: HEAD, steps: [], evidence: null }, { seen: null, kept: false });
  assert.ok(unkept.text.includes("cannot remember"));
  const unread = presentLog({ state: "unavailable", head: HEAD, steps: [], evidence: null }, { seen: null, kept: false });
  assert.ok(!unread.text.includes("cannot remember"));
});
