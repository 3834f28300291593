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
import { RESCORE_SENTENCES, SENTENCES } from "../../theme/verify/sentences.js";
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
  rescoring: judged(), receiptId: "5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41", ranAt: "2026-11-21T21:20:03Z",
  words: RETRIEVAL.words, subject: { name: "fts", version: "1" }, figure: null, window: { notBefore: null, notAfter: null }, index: 3, head: HEAD, keep: true,
  material: null, wanting: [], evidence: null, proof: null, course: "grown", compromised: false, reach: { entries: 12, whole: true }, ...changes,
});
const words = (marks) => marks.map(({ word }) => word);

test("signature, log and scores are answered separately", () => {
  assert.deepEqual(words(parts(report())), ["signature valid", "in the log", "scores match"]);
  const witnessed = report({ verdict: "WITNESSED", steps: [...report().steps, step("witness", "pass")] });
  assert.equal(parts(witnessed)[1].word, "in the log, cosigned");
  const retracted = report({ verdict: "RETRACTED", steps: [...report().steps, step("events", "warning", "entry 9: retracted: x")] });
  assert.deepEqual(parts(retracted).map(({ tone }) => tone), ["good", "good", "good"]);
  const suspect = report({ verdict: "SUSPECT", compromised: true });
  assert.deepEqual(parts(suspect)[0], { glyph: "△", word: "signature valid, key compromised", tone: "bad" });
  const unplaced = parts(report({ verdict: "SUSPECT", compromised: true, index: null }))[0];
  assert.deepEqual([unplaced.tone, unplaced.word], ["bad", "signature valid, key later compromised"]);
});

test("what is wrong with the log is not said of the receipt, and the other way round", () => {
  for (const name of ["checkpoint", "consistency"]) {
    const broken = report({ verdict: "SIGNED-ONLY", index: null, course: "broken", steps: [...report().steps.slice(0, 5), step("log", "warning"), step(name, "fail", "no")] });
    assert.deepEqual(words(parts(broken)), ["signature valid", "log verification failed", "scores match"]);
    assert.deepEqual(headline(broken), { glyph: "✗", word: "Signed only, but log verification failed", tone: "bad" });
    assert.deepEqual(notices(broken).map(({ word }) => word), ["Log verification failed."]);
    const nine = rowsOf(broken).find(({ number }) => number === "9");
    assert.equal(nine?.said, "not checked: inclusion in the log is not proven");
  }
  const cosigned = report({ steps: [...report().steps, step("witness", "fail", "forged")] });
  assert.deepEqual(words(parts(cosigned)), ["signature valid", "cosignature not valid", "scores match"]);
  assert.deepEqual(headline(cosigned), { glyph: "✗", word: "Logged, but a cosignature is not valid", tone: "bad" });
  assert.deepEqual(notices(cosigned).map(({ word }) => word), ["Cosignature not valid."]);
  const altered = report({ verdict: "INVALID", steps: [...report().steps.slice(0, 5), step("consistency", "fail", "a root"), step("log", "fail", "other bytes")] });
  assert.equal(parts(altered)[1].word, "not as logged");
  assert.equal(notices(altered)[0].quoted, "other bytes");
});

test("scores of a file whose signature does not match are no success", () => {
  const forged = report({ verdict: "INVALID", index: null, steps: [...report().steps.slice(0, 4), step("signature", "fail", "no"), step("re-score", "pass")] });
  assert.deepEqual(parts(forged)[2], { glyph: "△", word: "scores match the altered file only", tone: "caution" });
});

test("a part that was not checked never looks like one that was", () => {
  const unread = report({ verdict: "INVALID", steps: [step("parse", "fail", "not JSON")], rescoring: null, index: null });
  assert.deepEqual(words(parts(unread)), ["signature not checked", "not proven to be in the log", "scores not checked"]);
  assert.ok(parts(unread).every(({ tone }) => tone !== "good"));
  const supplied = report({ verdict: "UNKNOWN SIGNER", index: null });
  assert.equal(parts(supplied)[0].tone, "caution");
  assert.equal(parts(report({ rescoring: judged({ rescore: "NOT RE-SCORABLE" }) }))[2].tone, "caution");
});

test("a sound record of wrong numbers never reads as a plain success", () => {
  const differs = report({ rescoring: judged({ rescore: "DIFFERS", differences: [{ field: "a", recorded: 1, computed: 2 }] }) });
  assert.deepEqual(headline(differs), { glyph: "✗", word: "Logged, scores differ", tone: "bad" });
  const impossible = report({ rescoring: judged({ violations: [{ code: "c", message: "success@10 is below success@5", field: "f" }] }) });
  assert.equal(headline(impossible).tone, "bad");
  assert.ok(notices(impossible).some(({ quoted }) => quoted === "success@10 is below success@5"));
  assert.equal(headline(report({ evidence: "two heads" })).tone, "bad");
  assert.deepEqual(headline(report()), { glyph: "✓", word: "Logged", tone: "good" });
});

test("of a file that failed verification, the failed step is said and never that its scores match", () => {
  const invalid = (...steps) => plainWords(report({ verdict: "INVALID", steps }));
  assert.equal(invalid(step("parse", "pass"), step("signature", "fail", "no")), "Verification failed: Signature.");
  assert.equal(invalid(step("consistency", "fail", "the log's fault"), step("log", "fail")), "Verification failed: Inclusion proof.");
  assert.match(invalid(step("parse", "fail", "draft: not signed yet")), /^Draft: not signed yet\./);
  assert.equal(plainWords(report()), `${SENTENCES["LOGGED"]} ${RESCORE_SENTENCES["MATCHES"]}`);
});

test("a file that is not the logged one leads to the one that is", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  globalThis.location = { protocol: "https:" };
  const other = [...report().steps.slice(0, 4), step("signature", "fail"), step("log", "fail", "another hash", "sha256")];
  const shown = present(report({ verdict: "INVALID", index: null, steps: other }), { ...AROUND, saved: "https://h.example/verify.html" });
  const link = shown.all("a").find(({ text }) => text === "Verify the logged receipt");
  assert.equal(link?.href, "https://h.example/verify.html?id=5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41");
  assert.ok(!present(report(), AROUND).text.includes("Verify the logged receipt"));
});

test("all eleven steps are listed, the gravest finding gives the state, and what was not reached says so", () => {
  const rows = rowsOf(report());
  assert.deepEqual(rows.map(({ number }) => number), ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
  assert.deepEqual(rows.map(({ state }) => state), ["pass", "pass", "pass", "pass", "pass", "pass", "pass", "not checked", "pass", "pass", "pass"]);
  const broken = rowsOf(report({ verdict: "INVALID", index: null, steps: [step("parse", "pass"), step("schema", "fail", "unknown field", "x")] }));
  assert.deepEqual(broken.map(({ state }) => state), ["fail", ...Array(9).fill("not checked"), "fail"]);
  assert.equal(broken[4].said, "verification ended before this step");
});

test("that nothing speaks against a receipt is only said as far as it was read", () => {
  const nine = (changes) => {
    const { state, said } = rowsOf(report(changes)).find(({ number }) => number === "9");
    return [state, said];
  };
  assert.deepEqual(nine({}), ["pass", "no retraction, dispute or key revocation in 12 entries"]);
  // Entries count from 0: of 12 the last is 11.
  assert.deepEqual(nine({ reach: { entries: 12, whole: false } }), ["warning",
    "no retraction or dispute listed by this site up to entry 11; not every entry was read"]);
  assert.deepEqual(nine({ reach: { entries: 3, whole: true } }), ["warning",
    "the log that this page knows ends at entry 2, before the receipt's own"]);
  assert.equal(nine({ reach: null })[0], "not checked");
});

test("only trouble of the engine itself replaces the verdict in the headline", () => {
  const of = (verdict, name, detail) => {
    const found = report({ verdict, rescoring: null, steps: [step(name, "not checked", detail)] });
    return [headline(found).word, plainWords(found)];
  };
  assert.deepEqual(of("UNSUPPORTED", "parse", "no such schema"), ["Not supported", SENTENCES.UNSUPPORTED]);
  assert.deepEqual(of("UNSUPPORTED", "schema", "scores not checked: ran out of time"), ["Not supported", SENTENCES.UNSUPPORTED]);
  assert.equal(of("INVALID", "engine", "no answer within 30 seconds")[0], "Invalid");
  assert.deepEqual(of("UNSUPPORTED", "engine", "this browser offers no cryptography on http:// pages"), [
    "Not checked: this browser offers no cryptography on http:// pages",
    "Open the site over https, or save this page and open the file.",
  ]);
  assert.deepEqual(of("UNSUPPORTED", "engine", "something new"), [
    "Not checked: the verification engine failed", "Reload the page, or verify on your machine: benchsite verify.",
  ]);
});

test("a finding under an unknown name is shown, not dropped", () => {
  const rows = rowsOf(report({ steps: [...report().steps, step("engine", "not checked", "no worker")] }));
  assert.deepEqual(rows.find(({ title }) => title === "Verification engine")?.steps[0]?.detail, "no worker");
});

test("the self-reported time is shown beside what witnesses prove", () => {
  assert.deepEqual(times(report()).map(([name]) => name), ["Run at", "Time proven"]);
  assert.equal(times(report())[1][1], "not attested: no witness cosignature");
  const [, proven, seen] = times(report({ window: { notBefore: 0, notAfter: 86_400 } }));
  assert.deepEqual(proven, ["Time proven", "existed by 1970-01-02 00:00 UTC, attested by a witness cosignature"]);
  assert.deepEqual(seen, ["Also seen",
    "1970-01-01 00:00 UTC: a witness cosigned a smaller log than the receipt names; witnesses may lag, so this is no lower bound"]);
  assert.deepEqual(times(report({ window: { notBefore: 0, notAfter: null } })).map(([name]) => name), ["Run at", "Time proven", "Also seen"]);
});

test("a smaller log is stale and two logs are a fork, never the other way round", () => {
  assert.deepEqual(notices(report({ course: "stale" })).map(({ word }) => word), ["Stale:"]);
  assert.deepEqual(notices(report({ course: "fork", evidence: "x" })).map(({ word }) => word), ["Fork:"]);
  const told = report({ steps: [...report().steps, step("events", "warning", "entry 9: retracted: the index was stale")] });
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
  assert.deepEqual(kindsOf([trace], false), ["document"]);
  assert.deepEqual(kindsOf([utf8("text")], false), ["receipt"]);
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
    steps: [{ ...step("parse", "fail", hostile, hostile), shown: [[hostile, hostile]] }, step(hostile, "warning", hostile)],
    rescoring: judged({ rescore: "DIFFERS", reason: hostile, differences, violations: [{ code: hostile, message: hostile, field: hostile }] }),
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
    rescoring: judged({ violations: [{ code: "c", message, field: "f" }] }),
  }), AROUND);
  const told = shown.all("q").map(({ text }) => text);
  // 80 code units are 40 emoji
  assert.deepEqual(told, [`${name.slice(0, 80)}…`, `${"😀".repeat(40)}…`, `${message.slice(0, 400)}…`]);
  const [measured] = shown.all("dd");
  assert.deepEqual(measured.childNodes.filter((child) => typeof child === "string"), [", version ", ", self-reported"]);
});

test("a receipt of a hundred thousand contradictions makes a page of a bounded size", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const many = 130_446;
  const violations = Array.from({ length: many }, (_, i) => ({ code: "c", message: `m${i}`, field: `f${i}` }));
  const differences = violations.map(({ field }) => ({ field, recorded: 1, computed: 2 }));
  const failed = violations.map(({ message, field }) => step("invariants", "fail", message, field));
  const last = step("invariants", "fail", "and 7 more than these");
  const shown = present(report({ steps: [...failed, last], rescoring: judged({ rescore: "DIFFERS", differences, violations }) }), AROUND);
  assert.ok(shown.size < 3000, `${shown.size} elements`);
  assert.ok(shown.text.includes("And at least 130,246 more."));
  assert.ok(shown.text.includes("at least 130,426 more. No measurement"));
  assert.ok(shown.text.includes("130,426 more not shown."));
  assert.ok(shown.text.includes("and 7 more than these"));
});

test("no text on the page is longer than a page, whatever it came from", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const long = "x".repeat(1_000_000);
  const shown = present(report({
    subject: { name: long, version: long }, ranAt: long, receiptId: long,
    steps: [{ ...step("parse", "fail", long, `${long}y`), shown: [[long, long]] }, step(long, "warning", long)],
    rescoring: judged({ rescore: "DIFFERS", reason: long, differences: [{ field: long, recorded: long, computed: long }],
      violations: [{ code: long, message: long, field: long }] }),
  }), AROUND);
  assert.ok(shown.text.length < 40_000, `${shown.text.length} characters`);
});

test("what was not recomputed is named", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const { text } = present(report(), AROUND);
  assert.ok(text.includes(`Not recomputed here: ${RETRIEVAL.words.leftOut}.`));
});

test("evidence that a step asked for is named beside it, with the way to add it", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const sha256 = "ab".repeat(32);
  const steps = [...report().steps, step("traces", "not checked", `traces.jsonl is not at hand (SHA-256 ${sha256})`)];
  const wanting = [{ name: "traces\u202e.jsonl", sha256 }];
  const shown = (around) => present(report({ steps, wanting }), around);
  const here = shown(AROUND).text;
  assert.ok(here.includes("To check this step, drop traces\\u202e.jsonl on this page."), here);
  const other = shown({ ...AROUND, brought: 1 }).text;
  assert.ok(other.includes(`None of the added files is traces\\u202e.jsonl: the receipt pins SHA-256 ${sha256}.`), other);
  const added = [];
  const there = shown({ ...AROUND, add: (file) => added.push(file) });
  assert.ok(there.text.includes("To check this step, add traces\\u202e.jsonl. Choose file"));
  assert.ok(rowsOf(report({ steps })).some(({ number, title }) => number === "–" && title === "Run columns from traces"));
  assert.ok(!present(report({ steps }), AROUND).text.includes("To check this step"));
});

test("the number of each track reads as its boards write it", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const said = (figure) => present(report({ figure }), AROUND).all("dd")[1].text;
  const nDCG = { label: "nDCG@10", value: 0.6789012345, digits: 3, scale: "", on: "locomo-10" };
  assert.equal(said(nDCG), "nDCG@10 0.679, on locomo-10; unrounded 0.6789012345");
  assert.equal(said({ ...nDCG, value: 0.5 }), "nDCG@10 0.500, on locomo-10");
  const composite = { label: "Composite", value: 71.3, digits: 2, scale: " of 100", on: "customer-service" };
  assert.equal(said(composite), "Composite 71.30 of 100, on customer-service");
});

test("of an evaluation nothing is said that holds for fixtures only", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const broken = judged({ violations: [{ code: "too-few-sessions", message: "rubric 2.0.0 requires 3 sessions or more", field: "sheets" }] });
  const found = report({ words: RUBRIC.words, rescoring: broken, figure: null });
  assert.equal(headline(found).word, "Logged, rules not met");
  assert.equal(parts(found)[2].word, "rules not met");
  assert.deepEqual(notices(found).map(({ word, text }) => [word, text]),
    [["Against the rules:", "The methodology version that the receipt names does not allow this."]]);
  const { text } = present(report({ words: RUBRIC.words }), AROUND);
  assert.ok(text.includes(`Not recomputed here: ${RUBRIC.words.leftOut}.`));
  assert.ok(text.includes(RUBRIC.words.limit));
  for (const foreign of ["fixture", "resampling", "drawing the questions", "expected answers", "recorded answers"]) {
    assert.ok(!text.includes(foreign), foreign);
  }
  assert.ok(present(report(), AROUND).text.includes(RETRIEVAL.words.limit));
});

test("what this browser remembers is told by what came of it", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const said = (changes, seen) => present(report(changes), { ...AROUND, seen }).all("p").map(({ text }) => text).join("\n");
  assert.match(said({ course: "stale", keep: false }, HEAD), /Earlier checkpoint in this browser: 12 entries\. It is kept\./);
  assert.match(said({ course: "grown" }, HEAD), /Earlier checkpoint in this browser: 12 entries\. $/m);
  assert.match(said({ course: "first" }, HEAD), /was discarded/);
  assert.match(said({ course: "first" }, null), /no earlier checkpoint/);
});

test("long bytes are cut on the page, many differences are counted", () => {
  globalThis.document = { createElement: (name) => new Node(name) };
  const long = { ...step("parse", "pass"), shown: [["File", "x".repeat(5000)]] };
  const differences = Array.from({ length: 1000 }, (_, i) => ({ field: `f${i}`, recorded: 1, computed: 2 }));
  const shown = present(report({ steps: [long], rescoring: judged({ rescore: "DIFFERS", differences }) }), AROUND);
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
  assert.ok(unkept.text.includes("cannot store a checkpoint"));
  const late = step("engine", "not checked", "no answer within 30 seconds");
  const unanswered = presentLog({ state: "unavailable", head: null, steps: [late], evidence: null }, { seen: null, kept: false });
  assert.match(unanswered.text, /Not checked: no answer within 30 seconds.*Reload the page/);
  const unread = presentLog({ state: "unavailable", head: HEAD, steps: [], evidence: null }, { seen: null, kept: false });
  assert.ok(!unread.text.includes("cannot store a checkpoint"));
});

test("a missing document is told by its code, not by the words of the reason", () => {
  const absent = { rescore: "NOT RE-SCORABLE", reason: "any words", compared: 0, differences: [], violations: [] };
  const told = (/** @type {object} */ more) =>
    notices(report({ rescoring: /** @type {any} */ ({ ...absent, ...more }) })).map(({ word, quoted }) => [word, quoted]);
  assert.deepEqual(told({ missing: true }), [["Missing:", "any words"]]);
  assert.deepEqual(told({ reason: "methodology is not available" }), []);
});
