// What outside parties have cosigned: counted by witness, verified before it counts, and a line under a trusted
// name that does not hold is never passed over in silence.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, FOUNDED, idOf, named, ORIGIN, receipt, SmallLog, visit, witness } from "./small-log.js";

const { run } = await import("../../theme/verify/engine.js");

const ada = witness("ada.example/w");
const bob = witness("bob.example/w");
const stranger = witness("stranger.example/w");

/** Unix time of 2026-02-03T10:00:00Z, the receipt's own `ranAt`: 56 years with 14 leap days from 1970, then 33 days. */
const RAN_AT = (56 * 365 + 14 + 33) * 86_400 + 10 * 3600;
const LATER = RAN_AT + 86_400;

const start = SmallLog.founded();
const file = receipt({ logHead: { origin: ORIGIN, size: FOUNDED, root: start.root } });
const log = start.copy().publish(file);
const forked = SmallLog.founded().fill(6);

const details = (report, name) => named(report, name).map(({ detail }) => detail).join("\n");
const states = (report) => named(report, "witness").map(({ state }) => state);

/** A visit to a site whose checkpoint and whose file of older lines hold these lines. */
function judged({ policy = [ada.vkey], lines = "", older, ...request }) {
  const files = log.files({ lines });
  if (older !== undefined) files.set("log/cosignatures", typeof older === "string" ? bytesOf(older) : older);
  return visit(run, files, { bytes: file, trust: log.trust({ witnesses: policy }), ...request });
}

test("a trusted line under the served checkpoint makes a receipt witnessed, and says since when", async () => {
  const report = await judged({ lines: ada.line(LATER, log.head()) });
  assert.equal(report.verdict, "WITNESSED");
  assert.deepEqual(report.window, { notBefore: null, notAfter: LATER });
  assert.deepEqual(states(report), ["pass"]);
  assert.match(details(report, "witness"), /cosigned by 1 of 1 trusted witnesses/);
});

test("so does a line in the file of older lines, and the earliest one bounds the time", async () => {
  const older = `6 ${ada.line(LATER + 60, log.head())}6 ${bob.line(LATER, log.head())}5 ${bob.line(RAN_AT - 60, start.head())}`;
  const report = await judged({ policy: [ada.vkey, bob.vkey], older });
  assert.equal(report.verdict, "WITNESSED");
  assert.deepEqual(report.window.notAfter, LATER);
  assert.match(details(report, "witness"), /cosigned by 2 of 2 trusted witnesses/);
});

test("a line under a list that does not hold the receipt yet is none for it", async () => {
  const report = await judged({ older: `5 ${ada.line(LATER, start.head())}` });
  assert.equal(report.verdict, "LOGGED");
  assert.deepEqual(report.window, { notBefore: null, notAfter: null });
  assert.match(details(report, "witness"), /cosigned by 0 of 1 trusted witnesses/);
});

test("a line under a trusted name that does not hold is shown as forged, or as a split view", async () => {
  const last = ada.line(LATER, log.head());
  const wrong = new Map([
    ["another list", ada.line(LATER, forked.head())],
    ["another time", last.replace(/[A-Za-z0-9+/=]+\n$/, (data) => {
      const bytes = Buffer.from(data, "base64");
      bytes[11] ^= 1; // the last byte of the time, behind 4 of key id and 7 of time
      return `${bytes.toString("base64")}\n`;
    })],
    ["a line cut short", last.replace(/[A-Za-z0-9+/=]+\n$/, (data) => {
      return `${Buffer.from(data, "base64").subarray(0, -1).toString("base64")}\n`;
    })],
  ]);
  for (const [what, line] of wrong) {
    for (const where of [{ lines: line }, { older: `6 ${line}` }]) {
      const report = await judged(where);
      assert.equal(report.verdict, "LOGGED", what);
      assert.equal(report.window.notAfter, null);
      assert.ok(states(report).includes("fail"), what);
      assert.match(details(report, "witness"), /ada\.example\/w/);
    }
  }
});

test("a forged line does not take away what another witness has signed, nor a good line of the same one", async () => {
  const forged = ada.line(LATER, forked.head());
  const other = await judged({ policy: [ada.vkey, bob.vkey], lines: forged + bob.line(LATER, log.head()) });
  assert.equal(other.verdict, "WITNESSED");
  assert.match(details(other, "witness"), /1 of 2 trusted witnesses/);
  const own = await judged({ lines: forged, older: `6 ${ada.line(LATER + 1, log.head())}` });
  assert.equal(own.verdict, "WITNESSED");
  for (const report of [other, own]) assert.ok(states(report).includes("fail"));
});

test("one forged line is reported once, however many questions meet it", async () => {
  const forged = ada.line(LATER, forked.head());
  const report = await judged({ lines: forged, older: `6 ${forged}` });
  assert.equal(states(report).filter((state) => state === "fail").length, 1);
});

test("lines of anybody else are kept out of it, good or bad", async () => {
  const lines = stranger.line(LATER, log.head()) + stranger.line(LATER, forked.head());
  const report = await judged({ lines, older: `6 ${stranger.line(LATER, forked.head())}` });
  assert.equal(report.verdict, "LOGGED");
  assert.deepEqual(states(report), ["warning"]);
  assert.match(details(report, "witness"), /cosigned by 0 of 1 trusted witnesses/);
});

test("without trusted witnesses there is no word of any", async () => {
  const report = await judged({ policy: [], lines: ada.line(LATER, log.head()) });
  assert.equal(report.verdict, "LOGGED");
  assert.deepEqual(states(report), []);
});

test("a witness that the policy names twice counts once", async () => {
  const report = await judged({ policy: [ada.vkey, ada.vkey], lines: ada.line(LATER, log.head()) });
  assert.match(details(report, "witness"), /cosigned by 1 of 1 trusted witnesses/);
});

test("a malformed entry of the policy is shown, and the others count on", async () => {
  const renamed = ada.vkey.replace(/^[^+]*/, "other.example/w");
  for (const malformed of ["nonsense", "", renamed, ada.vkey.slice(0, -4)]) {
    const report = await judged({ policy: [malformed, ada.vkey], lines: ada.line(LATER, log.head()) });
    assert.equal(report.verdict, "WITNESSED");
    assert.deepEqual(states(report).toSorted(), ["fail", "pass"]);
    assert.match(details(report, "witness"), /malformed witness/);
    assert.match(details(report, "witness"), /1 of 1 trusted witnesses/);
  }
});

test("the log's own key is no outside party, as in Python", async () => {
  const itself = witness("log");
  const report = await judged({ policy: [itself.vkey], lines: itself.line(LATER, log.head()) });
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.window.notAfter, null);
  assert.ok(!states(report).includes("pass"));
});

test("a missing file of older lines is no line; one that could not be read is not known", async () => {
  const unread = /^the cosignatures of witnesses could not be read$/;
  assert.match(details(await judged({}), "witness"), /cosigned by 0 of 1 trusted witnesses/);
  assert.match(details(await judged({ older: "" }), "witness"), /cosigned by 0 of 1 trusted witnesses/);
  for (const older of [new Error("reset"), new Response("", { status: 500 }), "no such line\n", "6 — cut short"]) {
    const report = await judged({ older });
    assert.equal(report.verdict, "LOGGED");
    assert.match(details(report, "witness"), unread);
    assert.deepEqual(states(report), ["not checked"]);
  }
  const offline = await visit(run, null, {
    bytes: file, trust: log.trust({ witnesses: [ada.vkey] }), proof: log.proof(FOUNDED),
  });
  assert.equal(offline.verdict, "LOGGED");
  assert.match(details(offline, "witness"), unread);
});

test("offline, the line that the trust data's checkpoint carries still counts", async () => {
  const trust = log.trust({ witnesses: [ada.vkey], lines: ada.line(LATER, log.head()) });
  const report = await visit(run, null, { bytes: file, trust, proof: log.proof(FOUNDED) });
  assert.equal(report.verdict, "WITNESSED");
  assert.equal(report.window.notAfter, LATER);
});

test("a witness that saw a shorter list after the claimed date makes the receipt suspect, in words that fit", async () => {
  const report = await judged({ older: `4 ${ada.line(LATER, start.copy(4).head())}6 ${ada.line(LATER + 60, log.head())}` });
  assert.equal(report.verdict, "SUSPECT");
  assert.equal(report.compromised, false);
  assert.match(details(report, "events"), /a witness saw a smaller log than the receipt names at 2026-02-04T10:00:00Z/);
  assert.deepEqual(report.window, { notBefore: LATER, notAfter: LATER + 60 });
});

test("a witness that lags is no doubt: not by the same list signed later, nor by a shorter one signed before", async () => {
  for (const older of [`5 ${ada.line(LATER, start.head())}`, `4 ${ada.line(RAN_AT, start.copy(4).head())}`]) {
    const report = await judged({ older });
    assert.equal(report.verdict, "LOGGED");
    assert.deepEqual(named(report, "events"), []);
  }
  const before = await judged({ older: `4 ${ada.line(RAN_AT - 60, start.copy(4).head())}` });
  assert.equal(before.window.notBefore, RAN_AT - 60);
});

test("a forged line makes nothing suspect", async () => {
  const report = await judged({ older: `4 ${ada.line(LATER, forked.copy(3).head())}` });
  assert.equal(report.verdict, "LOGGED");
  assert.ok(states(report).includes("fail"));
});

test("a line under a list longer than the known one bounds nothing here", async () => {
  const report = await judged({ older: `8 ${ada.line(LATER, log.copy().fill(8).head())}` });
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.window.notAfter, null);
});

test("a list that could not be read whole makes no liar of the witness of the page's own", async () => {
  const old = log.copy().fill(300);
  const trust = old.trust({ witnesses: [ada.vkey], lines: ada.line(LATER, old.head()) });
  const files = old.copy().fill(301).files();
  files.delete("log/tile/entries/000");
  const report = await visit(run, files, { bytes: file, trust, proof: old.proof(FOUNDED) });
  assert.ok(report.steps.every(({ state }) => state !== "fail"));
  assert.equal(report.verdict, "WITNESSED");
});

test("a served checkpoint without lines does not undo those that the page came with", async () => {
  const trust = log.trust({ witnesses: [ada.vkey], lines: ada.line(LATER, log.head()) });
  const report = await visit(run, log.files(), { bytes: file, trust });
  assert.equal(report.verdict, "WITNESSED");
});

test("a receipt that was retracted is retracted, witnessed or not", async () => {
  const later = log.copy().say({ type: "retract", receiptId: idOf("aa"), reason: "wrong index" });
  const files = later.files({ lines: ada.line(LATER, later.head()) });
  const report = await visit(run, files, { bytes: file, trust: later.trust({ witnesses: [ada.vkey] }) });
  assert.equal(report.verdict, "RETRACTED");
  assert.deepEqual(states(report), ["pass"]);
});
