// Proof files, with no site to ask: what counts as a place, and what a stolen log key cannot make of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, FOUNDED, idOf, key, named, receipt, signedHead, SmallLog, visit } from "./small-log.js";

const { run } = await import("../../theme/verify/engine.js");

const NEW_LOG_KEY = key("the log key after the theft");
const file = receipt();
const published = () => SmallLog.founded().publish(file);
/** Never in the honest log. */
const smuggled = receipt({ receiptId: idOf("bb") });
/** The log's key is stolen after 8 entries, and the log freezes there. */
const honest = published().fill(8);
const frozen = honest.copy().event("key-add", "log", NEW_LOG_KEY).event("key-compromise", "log", key("log"), {
  frozenSize: honest.size, frozenRoot: honest.root,
});

const judged = (trust, proof, bytes = file) => visit(run, null, { bytes, trust, proof });
const told = (report) => named(report, "log").map(({ detail }) => detail).join("\n");

/** Not shown to be in the log, and nothing worse. */
function assertUseless(report, why) {
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.equal(report.index, null);
  assert.match(told(report), /^proof file not accepted: /);
  assert.match(told(report), why);
  assert.ok(report.steps.every(({ state }) => state !== "fail"));
}

test("a proof shows the place of a receipt", async () => {
  const log = published();
  const report = await judged(log.trust(), log.proof(FOUNDED));
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.index, FOUNDED);
  assert.equal(report.proof, null);
  assert.deepEqual(report.reach, { entries: 6, whole: false });
});

test("a proof of another entry, or of a place outside its own tree, is of no use", async () => {
  const log = published();
  assertUseless(await judged(log.trust(), log.proof(4)), /it proves another entry/);
  const outside = bytesOf(Buffer.from(log.proof(FOUNDED)).toString().replace("index 5", "index 6"));
  assertUseless(await judged(log.trust(), outside), /it proves another entry/);
});

test("what a proof file carries beside the proof is compared, and proves nothing", async () => {
  const log = published();
  const own = log.entries[FOUNDED];
  for (const [extra, isNoted] of [[own, false], [bytesOf("{}"), true], [log.entries[4], true]]) {
    const report = await judged(log.trust(), log.proof(FOUNDED, key("log"), extra));
    assert.equal(report.verdict, "LOGGED");
    assert.equal(told(report).includes("is not this receipt's entry and was not used"), isNoted);
  }
  const none = bytesOf(Buffer.from(log.proof(FOUNDED)).toString().replace(/^extra .*\n/m, ""));
  assert.equal((await judged(log.trust(), none)).verdict, "LOGGED");
  assertUseless(await judged(log.trust(), log.proof(4, key("log"), own)), /it proves another entry/);
});

test("a proof that is malformed, unsigned or of another log is of no use", async () => {
  const log = published();
  const text = Buffer.from(log.proof(FOUNDED)).toString();
  const note = log.head().note;
  const cases = [
    [text.slice(0, 22), /proof: there is no line/],
    [text.replace("index 5", "index 05"), /no line `index N`/],
    [text.replace(note, log.head(key("a stranger")).note), /no signature by an accepted key/],
    [text.replace(note, signedHead(log.head(), key("log"), "other.example/log").note), /origin is other\.example\/log/],
  ];
  for (const [proof, why] of cases) assertUseless(await judged(log.trust(), bytesOf(proof)), why);
});

test("a proof under another list of the same size is of no use, though the log's key signed both", async () => {
  const other = SmallLog.founded().publish(smuggled);
  assertUseless(await judged(published().trust(), other.proof(FOUNDED), smuggled), /its checkpoint is not of the log that this page knows/);
});

test("a stolen and frozen log key proves nothing at the frozen size but the frozen root", async () => {
  const trust = frozen.trust({ by: NEW_LOG_KEY });
  const forged = SmallLog.founded().publish(smuggled).fill(honest.size);
  assertUseless(await judged(trust, forged.proof(FOUNDED), smuggled), /its checkpoint is not of the log that this page knows/);
  assert.equal((await judged(trust, honest.proof(FOUNDED))).verdict, "LOGGED");
});

test("a stolen and frozen log key proves nothing at a smaller size, where no root is known", async () => {
  const forged = SmallLog.founded().publish(smuggled);
  const report = await judged(frozen.trust({ by: NEW_LOG_KEY }), forged.proof(FOUNDED), smuggled);
  assertUseless(report, /no signature by an accepted key/);
});

test("a stolen log key proves nothing beyond the frozen size", async () => {
  const forged = honest.copy().publish(smuggled);
  assertUseless(await judged(frozen.trust({ by: NEW_LOG_KEY }), forged.proof(8), smuggled), /no signature by an accepted key/);
});

test("an entry beyond the page's own head is not judged by a page that is too old for it", async () => {
  const later = receipt({ receiptId: idOf("cc") });
  const log = published();
  const grown = log.copy().event("key-add", "receipt", key("next")).event("key-retire", "receipt", key("receipt"))
    .publish(later);
  assertUseless(await judged(log.trust(), grown.proof(8), later), /entry 8 is newer than this page, which knows 6 entries/);
});

test("a proof may lead to a later list than the page's, where the entry itself is older", async () => {
  const report = await judged(published().trust(), published().fill(11).proof(FOUNDED));
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.index, FOUNDED);
  assert.deepEqual(report.reach, { entries: 6, whole: false });
});

test("a proof under an older list of a key that was retired in order still holds", async () => {
  const rotated = published().fill(8).event("key-add", "log", NEW_LOG_KEY).event("key-retire", "log", key("log"));
  const report = await judged(rotated.trust({ by: NEW_LOG_KEY }), published().proof(FOUNDED));
  assert.equal(report.verdict, "LOGGED");
});

test("offline, a key that was stolen later leaves a receipt suspect in words that claim no position", async () => {
  const log = published().event("key-compromise", "receipt", key("receipt"), { trustedBelowIndex: 6 });
  const without = await judged(log.trust(), null);
  assert.equal(without.verdict, "SUSPECT");
  const words = named(without, "events").map(({ detail }) => detail).join("\n");
  assert.match(words, /whether this receipt is older is not shown here/);
  assert.doesNotMatch(words, /at or before this position/);
  assert.equal((await judged(log.trust(), log.proof(FOUNDED))).verdict, "LOGGED");
});

test("online, a useless proof file does not hide the place that the list itself shows", async () => {
  const log = published();
  const request = { bytes: file, trust: log.trust(), proof: log.proof(4) };
  const report = await visit(run, log.files(), request);
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.index, FOUNDED);
});
