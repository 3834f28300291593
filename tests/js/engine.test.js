// One check from beginning to end: where a receipt stands, how it is looked up in small and large logs, and what a
// hostile file or host may not do to the report.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE, bytesOf, FOUNDED, Host, idOf, key, named, ORIGIN, receipt, SmallLog, visit } from "./small-log.js";

const { run } = await import("../../theme/verify/engine.js");

const ID = idOf("aa");
const SHARD = "log/lookup/aa.json";
const OTHER_KEY = key("a later receipt key");
/** MOST_WHOLE of theme/verify/head.js: up to here a page reads every entry. */
const WHOLE = 1024;

const file = receipt();
const published = () => SmallLog.founded().publish(file);
const judged = (log, { files = log.files(), ...request } = {}) => visit(run, files, { bytes: file, trust: log.trust(), ...request });
const details = (report, name) => named(report, name).map(({ detail }) => detail).join("\n");
const failing = (report) => report.steps.filter(({ state }) => state === "fail").map(({ name }) => name);

/** Lists of places that are of no use, by what is wrong with them. */
const USELESS = new Map([
  ["leads to another entry", bytesOf({ [ID]: 3 })],
  ["is beyond the log", bytesOf({ [ID]: 4000 })],
  ["names no place", bytesOf({})],
  ["is no number", bytesOf({ [ID]: "5" })],
  ["is no JSON", bytesOf("{")],
  ["is a list", bytesOf([5])],
  ["cannot be read", new Error("reset")],
  ["is missing", undefined],
]);

/** @param {SmallLog} log */
function withPlaces(log, places) {
  const files = log.files();
  if (places === undefined) files.delete(SHARD);
  else files.set(SHARD, places);
  return files;
}

test("online, a good receipt is logged at its place, with a proof to keep", async () => {
  const log = published();
  const report = await judged(log);
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.index, FOUNDED);
  assert.equal(report.proof, Buffer.from(log.proof(FOUNDED)).toString());
  assert.deepEqual(report.head, log.head());
  assert.deepEqual(report.reach, { entries: 6, whole: true });
  assert.equal(report.course, "first");
  assert.equal(report.keep, true);
  assert.deepEqual(report.steps.map(({ name, state }) => `${state} ${name}`), [
    "pass parse", "pass canonical", "pass schema", "pass key", "pass signature", "pass log", "pass checkpoint",
    "not checked consistency", "pass re-score",
  ]);
});

test("offline, inclusion is not checked, and nothing is fetched", async () => {
  const report = await judged(published(), { files: null });
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.equal(report.index, null);
  assert.match(details(report, "log"), /^not checked/);
  assert.deepEqual(failing(report), []);
  assert.equal(report.rescoring.rescore, "MATCHES");
});

test("a changed receipt is invalid by its signature, and the log is shown to hold another hash for its id", async () => {
  const changed = bytesOf(Buffer.from(file).toString().replace("2026-02-03T10", "2026-02-03T09"));
  const report = await judged(published(), { bytes: changed });
  assert.equal(report.verdict, "INVALID");
  assert.deepEqual(failing(report), ["signature", "log"]);
  assert.match(details(report, "log"), /entry 5 records another hash/);
  assert.equal(report.index, null);
  const offline = await judged(published(), { bytes: changed, files: null });
  assert.deepEqual(failing(offline), ["signature"]);
});

test("another benchmark's receipt is unsupported, unless the site serves it as one of its own", async () => {
  const bytes = bytesOf({ receiptId: ID, kind: "convergence-v0.1-preview", metrics: {} });
  const handed = await judged(published(), { bytes });
  assert.equal(handed.verdict, "UNSUPPORTED");
  assert.deepEqual(failing(handed), []);
  const served = await judged(published(), { bytes, wanted: ID });
  assert.equal(served.verdict, "INVALID");
  assert.equal(served.steps.find(({ state }) => state === "fail")?.field, "schemaVersion");
});

test("a receipt whose entry records another hash is invalid", async () => {
  const log = SmallLog.founded().publish(file, receipt({ benchVersion: "0.2.0" }));
  const report = await judged(log);
  assert.equal(report.verdict, "INVALID");
  assert.match(details(report, "log"), /entry 5 records another hash/);
});

test("a stranger's receipt says nothing about this site's list", async () => {
  const report = await judged(published(), { bytes: receipt({}, OTHER_KEY) });
  assert.equal(report.verdict, "UNKNOWN SIGNER");
  assert.deepEqual([...named(report, "checkpoint"), ...named(report, "log")], []);
  assert.equal(named(report, "signature")[0].state, "not checked");
});

test("a malformed key that the visitor gave is a step, not an end", async () => {
  const report = await judged(published(), { key: "not a key" });
  assert.equal(report.verdict, "LOGGED");
  assert.match(details(report, "key"), /the key you supplied: not an Ed25519 public key in PEM/);
});

for (const [wrong, places] of USELESS) {
  test(`a list of places that ${wrong} hides nothing in a small log, which is read whole`, async () => {
    const log = published().fill(9);
    const report = await judged(log, { files: withPlaces(log, places) });
    assert.equal(report.verdict, "LOGGED");
    assert.equal(report.index, FOUNDED);
  });
}

test("a log of 1,024 entries is read whole, one more is not", async () => {
  const atLimit = published().fill(WHOLE);
  const beyond = atLimit.copy().fill(WHOLE + 1);
  assert.deepEqual((await judged(atLimit)).reach, { entries: WHOLE, whole: true });
  const report = await judged(beyond);
  assert.deepEqual(report.reach, { entries: WHOLE + 1, whole: false });
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.proof, Buffer.from(beyond.proof(FOUNDED)).toString());
});

test("in a large log, a useless list of places leaves the place unknown, whatever became of the key", async (t) => {
  const states = new Map([
    ["active", published()],
    ["retired", published().event("key-add", "receipt", OTHER_KEY).event("key-retire", "receipt", key("receipt"))],
    ["stolen", published().event("key-compromise", "receipt", key("receipt"), { trustedBelowIndex: 6 })],
  ]);
  for (const [state, log] of states) {
    log.fill(WHOLE + 1);
    assert.equal((await judged(log)).verdict, "LOGGED", `key ${state}, right list of places`);
    for (const [wrong, places] of USELESS) {
      await t.test(`key ${state}, the list of places ${wrong}`, async () => {
        const report = await judged(log, { files: withPlaces(log, places) });
        assert.equal(report.verdict, state === "stolen" ? "SUSPECT" : "SIGNED-ONLY");
        assert.equal(report.index, null);
        assert.deepEqual(failing(report), []);
        assert.match(details(report, "log"), /^not (found|proven|checked)/);
        assert.equal(/retired at entry 7/.test(details(report, "key")), state === "retired");
        if (state === "stolen") assert.match(details(report, "events"), /whether this receipt is older is not shown/);
      });
    }
  }
});

test("an unlogged receipt is called absent only where every entry was read", async () => {
  const small = SmallLog.founded();
  assert.match(details(await judged(small), "log"), /^not among the 5 entries/);
  const large = SmallLog.founded().fill(WHOLE + 1);
  const unknown = details(await judged(large), "log");
  assert.match(unknown, /^not found/);
  assert.doesNotMatch(unknown, /not among/);
});

test("an unlogged receipt of a retired key is invalid where the log was read whole, as in Python", async () => {
  const log = SmallLog.founded().event("key-add", "receipt", OTHER_KEY).event("key-retire", "receipt", key("receipt"));
  const report = await judged(log);
  assert.equal(report.verdict, "INVALID");
  assert.match(details(report, "key"), /not valid at log index 7/);
});

test("a stolen key: below the limit its receipts stand, from there on they are suspect", async () => {
  for (const [limit, verdict] of [[6, "LOGGED"], [5, "SUSPECT"]]) {
    const log = published().event("key-compromise", "receipt", key("receipt"), { trustedBelowIndex: limit });
    const report = await judged(log);
    assert.equal(report.verdict, verdict);
    assert.equal(report.compromised, verdict === "SUSPECT");
  }
});

test("a retraction that the trust data hides is found by reading a small log", async () => {
  const log = published().say({ type: "retract", receiptId: ID, reason: "wrong index" });
  const report = await judged(log, { trust: { ...log.trust(), events: [] } });
  assert.equal(report.verdict, "RETRACTED");
  assert.match(details(report, "events"), /entry 6: retracted: wrong index/);
});

test("a hundred thousand contradictions come as a hundred steps at most and the number of the others", async () => {
  const row = {
    queryId: "q", scope: "s", answerable: true, expected: [], retrieved: [], foreign: [], hit: true, rank: null, latencyMs: null,
  };
  // Of n such rows each is found at no rank (n) and all but the first repeat a query (n - 1); the run was to ask 8 (1).
  const rows = 60_000;
  const { rescoring, steps } = await judged(published(), { bytes: receipt({ perQuery: Array(rows).fill(row) }) });
  assert.equal(rescoring.violations.length, 100);
  assert.ok(rescoring.differences.length <= 500);
  const told = steps.filter(({ name }) => name === "invariants");
  assert.ok(told.length <= 101);
  const more = Number(/^and ([\d,]+) more$/.exec(told.at(-1).detail)[1].replaceAll(",", ""));
  assert.equal(told.length - 1 + more, 2 * rows);
  assert.ok(JSON.stringify({ rescoring, steps }).length < 1 << 20);
});

test("a text of 8 MiB is cut wherever it would be shown", async (t) => {
  const long = "x".repeat(8_000_000);
  const hostile = new Map([
    ["schemaVersion", { schemaVersion: long }],
    ["the name of an unknown field", { [long]: 1 }],
    ["an emoji's halves", { schemaVersion: "\u{1f600}".repeat(1_900_000) }],
    ["adapter.version", { adapter: { name: "a", version: long } }],
    ["adapter.name", { adapter: { name: long, version: "1" } }],
  ]);
  for (const [where, change] of hostile) {
    await t.test(where, async () => {
      const report = await judged(published(), { bytes: receipt(change) });
      assert.ok(["INVALID", "UNSUPPORTED"].includes(report.verdict));
      const { material: _bytes, ...shown } = report;
      assert.ok(JSON.stringify(shown).length < 1 << 16);
      assert.ok(report.steps.every(({ detail }) => detail.isWellFormed?.() ?? true));
    });
  }
});

test("an adapter of any JSON type is refused as a wrong receipt, not as a bug of the page", async (t) => {
  for (const adapter of [{ name: "a", version: {} }, { name: "a", version: [{}] }, [], null, 7]) {
    await t.test(JSON.stringify(adapter), async () => {
      const report = await judged(published(), { bytes: receipt({ adapter }) });
      assert.equal(report.verdict, "INVALID");
      assert.deepEqual(failing(report), ["schema", "log"]);
    });
  }
});

test("many disputes do not make numbers impossible, nor hide what became of them", async () => {
  const log = published();
  for (let number = 0; number < 150; number += 1) {
    log.say({ type: "dispute", receiptId: ID, url: `https://lab.example/${number}` });
  }
  const report = await judged(log);
  assert.equal(report.verdict, "DISPUTED");
  assert.deepEqual(failing(report), []);
  assert.equal(named(report, "re-score").length, 1);
});

test("another receipt than the one asked for is refused, whatever it is worth by itself", async () => {
  const asked = await judged(published(), { wanted: idOf("bb") });
  assert.equal(asked.verdict, "INVALID");
  assert.match(details(asked, "parse"), new RegExp(`served for receipt ${idOf("bb")} holds receipt ${ID}`));
  assert.equal((await judged(published(), { wanted: ID })).verdict, "LOGGED");
});

test("every request keeps to the site: no credentials, no redirects, a time limit", async () => {
  const log = published().fill(WHOLE + 1);
  const host = new Host(log.files());
  await judged(log, { files: host, trust: log.trust({ witnesses: [] }) });
  assert.ok(host.paths().includes("log/checkpoint") && host.paths().includes(SHARD));
  for (const { path, settings } of host.asked) {
    const { signal, ...plain } = settings;
    assert.deepEqual(plain, { cache: "no-cache", credentials: "omit", redirect: "error" }, path);
    assert.ok(signal instanceof AbortSignal);
  }
});

test("a site that does not answer is asked once, and waited for eight seconds at most", async (t) => {
  const waits = [];
  t.mock.method(AbortSignal, "timeout", (milliseconds) => {
    waits.push(milliseconds);
    return AbortSignal.abort();
  });
  const host = new Host(new Map());
  host.answer = async (address, { signal }) => {
    host.asked.push({ path: String(address).slice(BASE.length), settings: { signal } });
    signal.throwIfAborted();
  };
  const report = await judged(published(), { files: host });
  assert.deepEqual(host.paths(), ["log/checkpoint"]);
  assert.deepEqual(waits, [8000]);
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.match(details(report, "log"), /^not checked/);
});

test("a file longer than its limit is a failure, not a memory", async () => {
  const log = published();
  const files = log.files().set("log/checkpoint", new Uint8Array((1 << 20) + 1));
  const report = await judged(log, { files });
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.match(details(report, "consistency"), /the served log could not be read/);
});

test("the log is opened only for a file that is a receipt", async () => {
  for (const bytes of ["{", "[]", "", JSON.stringify({ schemaVersion: "1.0.0" })]) {
    const host = new Host(published().files());
    const report = await judged(published(), { files: host, bytes: bytesOf(bytes) });
    assert.equal(report.verdict, "INVALID");
    assert.deepEqual(host.paths(), []);
  }
});

test("a site without a log has no keys, and says nothing of lists", async () => {
  const trust = { ...SmallLog.founded().trust(), origin: null, roots: [], keyEvents: [], documents: [], checkpoint: "" };
  const report = await judged(published(), { trust });
  assert.equal(report.verdict, "UNKNOWN SIGNER");
  assert.equal(report.head, null);
  assert.equal(report.course, null);
});

test("a receipt of another log, or one that saw more than the log had, is invalid", async (t) => {
  const log = SmallLog.founded();
  const saw = { origin: ORIGIN, size: FOUNDED, root: log.root };
  const wrong = [
    [{ ...saw, origin: "other.example/log" }, /names another log: other\.example\/log/],
    [{ ...saw, size: 6 }, /claims to have seen 6 entries/],
    [{ ...saw, root: `${"A".repeat(43)}=` }, /never had this root at size 5/],
  ];
  for (const [logHead, why] of wrong) {
    await t.test(String(why), async () => {
      const bytes = receipt({ logHead });
      const report = await judged(log.copy().publish(bytes), { bytes });
      assert.equal(report.verdict, "INVALID");
      assert.match(details(report, "log"), why);
    });
  }
  const honest = receipt({ logHead: saw });
  assert.equal((await judged(log.copy().publish(honest), { bytes: honest })).verdict, "LOGGED");
});
