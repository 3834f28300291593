// The served log beside the trust data: damaged trust data, a page that is older than the log, a host that serves an
// older list, tiles that are wrong or missing, and a log whose key was stolen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, FOUNDED, Host, idOf, key, named, ORIGIN, receipt, signedHead, SmallLog, visit } from "./small-log.js";

const { run, runLog } = await import("../../theme/verify/engine.js");

const NEW_LOG_KEY = key("the next log key");
const NEW_RECEIPT_KEY = key("the next receipt key");
const SOME_ROOT = `${"A".repeat(43)}=`;
/** MOST_NEW of theme/verify/head.js. */
const MOST_NEW = 4096;

const file = receipt();
const published = () => SmallLog.founded().publish(file);
const judged = (trust, files, request = {}) => visit(run, files, { bytes: file, trust, ...request });
const details = (report, name) => named(report, name).map(({ detail }) => detail).join("\n");
const failing = (report) => report.steps.filter(({ state }) => state === "fail").map(({ name }) => name);

test("damaged trust data leaves every key unknown, and the damage is shown", async (t) => {
  const log = published();
  const trust = log.trust();
  const [first, ...others] = trust.keyEvents;
  const damaged = new Map([
    ["another size", { checkpoint: trust.checkpoint.replace("\n6\n", "\n7\n") }],
    ["a stranger's signature", { checkpoint: log.head(key("a stranger")).note }],
    ["no checkpoint", { checkpoint: "" }],
    ["a key event missing", { keyEvents: others }],
    ["a key event altered", { keyEvents: [[first[0], first[1].replace('"seq":0', '"seq":1')], ...others] }],
    ["a key event that is none", { keyEvents: [[0, "{"], ...others] }],
    ["other roots", { roots: [key("a stranger").fingerprint] }],
  ]);
  for (const [what, change] of damaged) {
    for (const files of [log.files(), null]) {
      await t.test(`${what}, ${files ? "online" : "offline"}`, async () => {
        const report = await judged({ ...trust, ...change }, files);
        assert.equal(report.verdict, "UNSUPPORTED");
        assert.deepEqual(failing(report), ["checkpoint"]);
        assert.equal(report.keep, false);
        const page = await visit(runLog, files, { trust: { ...trust, ...change } });
        assert.equal(page.state, "broken");
        assert.equal(page.head, null);
        assert.deepEqual(failing(page), ["checkpoint"]);
      });
    }
  }
});

test("a file that is no receipt stays invalid under damaged trust data", async () => {
  const report = await judged({ ...published().trust(), checkpoint: "" }, null, { bytes: bytesOf("{") });
  assert.equal(report.verdict, "INVALID");
});

for (const size of [6, 1030]) {
  test(`a page that knew ${size} entries follows the log through a change of every key`, async () => {
    const later = receipt({ receiptId: idOf("bb") }, NEW_RECEIPT_KEY);
    const old = published().fill(size);
    const grown = old.copy()
      .event("key-add", "receipt", NEW_RECEIPT_KEY).event("key-retire", "receipt", key("receipt"))
      .event("key-add", "log", NEW_LOG_KEY).event("key-retire", "log", key("log")).publish(later);
    const files = grown.files({ by: NEW_LOG_KEY });
    const report = await judged(old.trust(), files, { bytes: later });
    assert.equal(report.verdict, "LOGGED");
    assert.equal(report.index, size + 4);
    assert.deepEqual(report.head, grown.head(NEW_LOG_KEY));
    assert.equal((await judged(old.trust(), files)).verdict, "LOGGED");
    const stranger = grown.files({ by: key("log") });
    assert.deepEqual(failing(await judged(old.trust(), stranger, { bytes: later })), ["checkpoint"]);
  });
}

test("a later event that the page's trust data cannot know is heard", async () => {
  const old = published().fill(1030);
  const grown = old.copy().say({ type: "retract", receiptId: idOf("aa"), reason: "wrong index" });
  assert.equal((await judged(old.trust(), grown.files())).verdict, "RETRACTED");
});

test("a page that is too old by more than 4,096 entries says so and reads none of them", async () => {
  const log = published();
  const head = signedHead({ size: log.size + MOST_NEW + 1, root: SOME_ROOT });
  const host = new Host(log.files().set("log/checkpoint", bytesOf(head.note)));
  const report = await judged(log.trust(), host);
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.match(details(report, "consistency"), /4,097 entries more than this page knows; reload the page/);
  assert.ok(host.paths().every((path) => !path.includes("/tile/")));
  const limit = new Host(log.files().set("log/checkpoint", bytesOf(signedHead({ size: log.size + MOST_NEW, root: SOME_ROOT }).note)));
  await judged(log.trust(), limit);
  assert.ok(limit.paths().some((path) => path.includes("/tile/")));
});

test("a served checkpoint that is no checkpoint of this log is the site's fault, not the receipt's", async (t) => {
  const log = published();
  const broken = new Map([
    ["a page of words", "<html>not found</html>"],
    ["nothing", ""],
    ["not UTF-8", Uint8Array.of(0xff, 0xfe)],
    ["unsigned", log.head().note.replace(/— .*\n$/, "")],
    ["signed by a stranger", log.head(key("a stranger")).note],
    ["altered", log.head().note.replace(log.root, SOME_ROOT)],
    ["of another log", signedHead(log.head(), key("log"), "other.example/log").note],
    ["altered to be older", log.copy(5).head().note.replace("\n5\n", "\n4\n")],
  ]);
  for (const [what, note] of broken) {
    await t.test(what, async () => {
      const files = log.files().set("log/checkpoint", bytesOf(note));
      if (note instanceof Uint8Array) files.set("log/checkpoint", note);
      const report = await judged(log.trust(), files);
      assert.equal(report.verdict, "SIGNED-ONLY");
      assert.deepEqual(failing(report), ["checkpoint"]);
      assert.match(details(report, "checkpoint"), /the served checkpoint: /);
      assert.equal(report.keep, false);
      assert.equal(report.course, "broken");
    });
  }
});

test("an unreachable log leaves the page's own head, and the log page says that nothing was compared", async () => {
  const log = published();
  const report = await judged(log.trust(), new Map());
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.deepEqual(failing(report), []);
  const page = await visit(runLog, new Map(), { trust: log.trust(), seen: log.head() });
  assert.equal(page.state, "unavailable");
  assert.match(details(page, "consistency"), /the served log could not be read/);
});

/** A host whose checkpoint is that of `older` though it has the tiles of both lists. */
const cached = (newer, older) => new Map([...newer.files(), ["log/checkpoint", bytesOf(older.head().note)]]);

test("a stale list that is shown to be the beginning of the page's own may still show a place", async () => {
  const log = published().fill(8);
  const report = await judged(log.trust(), cached(log, log.copy(6)));
  assert.equal(report.verdict, "LOGGED");
  assert.equal(report.course, "stale");
  assert.equal(report.keep, false);
  assert.match(details(report, "consistency"), /stale: the log has 6 entries here, and this page knows 8/);
});

test("a stale list that cannot be compared shows no place", async () => {
  const log = published().fill(8);
  const report = await judged(log.trust(), log.copy(6).files());
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.equal(report.course, "stale");
  assert.deepEqual(failing(report), []);
});

test("a receipt only in a shorter list that the page's own never began with is not logged", async () => {
  const pinned = SmallLog.founded().fill(7);
  const alone = await judged(pinned.trust(), published().files());
  assert.equal(alone.verdict, "SIGNED-ONLY");
  assert.equal(alone.index, null);
  const compared = await judged(pinned.trust(), cached(pinned, published()));
  assert.equal(compared.course, "fork");
  assert.equal(compared.verdict, "SIGNED-ONLY");
  assert.equal(compared.evidence, `${pinned.head().note}\n${published().head().note}`);
});

test("the log page: a stale list does not move what is remembered", async () => {
  const log = published().fill(8);
  const page = await visit(runLog, log.copy(6).files(), { trust: log.trust(), seen: log.head() });
  assert.equal(page.state, "stale");
  assert.equal(page.keep, false);
});

/** A log whose key was stolen after `honest`; the event says which root the first entries had. */
function afterTheft(honest, frozenRoot = honest.root) {
  return honest.copy().event("key-add", "log", NEW_LOG_KEY)
    .event("key-compromise", "log", key("log"), { frozenSize: honest.size, frozenRoot });
}

test("a frozen root that the log never had is found where the log can be read", async () => {
  const log = afterTheft(published(), SOME_ROOT);
  const report = await judged(log.trust({ by: NEW_LOG_KEY }), log.files({ by: NEW_LOG_KEY }));
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.deepEqual(failing(report), ["checkpoint"]);
  assert.match(details(report, "checkpoint"), /entry 7: key-compromise: frozenRoot is not the root of the first 6 entries/);
  const sound = afterTheft(published());
  assert.equal((await judged(sound.trust({ by: NEW_LOG_KEY }), sound.files({ by: NEW_LOG_KEY }))).verdict, "LOGGED");
});

test("a stale list below the frozen size is stale, and no bug of the page", async () => {
  const honest = published().fill(8);
  const log = afterTheft(honest);
  const trust = log.trust({ by: NEW_LOG_KEY });
  for (const size of [5, 6, 8]) {
    const bare = await judged(trust, honest.copy(size).files());
    assert.equal(bare.verdict, "SIGNED-ONLY");
    assert.equal(bare.course, "stale");
    assert.equal((await judged(trust, cached(log, honest.copy(size)))).verdict, "LOGGED");
  }
});

test("a list that a stolen log key made below the frozen size shows no place", async () => {
  const smuggled = receipt({ receiptId: idOf("bb") });
  const log = afterTheft(published().fill(8));
  const report = await judged(log.trust({ by: NEW_LOG_KEY }), SmallLog.founded().publish(smuggled).files(), { bytes: smuggled });
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.equal(report.index, null);
});

/** A copy of the bytes with the lowest bit of one of them flipped. */
const flipped = (bytes, at) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));

for (const size of [6, 1030]) {
  test(`a flipped bit in a log of ${size} entries fails the list and leaves the receipt not shown`, async (t) => {
    const log = published().fill(size);
    const last = size % 256;
    const hash = 32 * FOUNDED;
    const places = size === 6 ? [["tile/0/000.p/6", hash], ["tile/entries/000.p/6", 2]]
      : [["tile/0/000", hash], ["tile/entries/000", 2000], [`tile/0/004.p/${last}`, 0], ["tile/1/000.p/4", 0]];
    for (const [path, at] of places) {
      await t.test(path, async () => {
        const files = log.files();
        // In a bundle, a bit of the entry of the receipt itself: behind the five founding entries and its length.
        const before = log.entries.slice(0, FOUNDED).reduce((sum, entry) => sum + 2 + entry.length, 2);
        files.set(`log/${path}`, flipped(files.get(`log/${path}`), path.includes("entries") ? before : at));
        const report = await judged(log.trust(), files);
        assert.equal(report.verdict, "SIGNED-ONLY");
        assert.equal(report.index, null);
        assert.deepEqual(failing(report), ["consistency"]);
      });
    }
  });

  test(`a missing tile of a log of ${size} entries is no fault of list or receipt`, async () => {
    const log = published().fill(size);
    for (const path of log.tiles().keys()) {
      const files = log.files();
      files.delete(path);
      const report = await judged(log.trust(), files);
      const irrelevant = size > 1024 && /entries\/00[1-4]|tile\/0\/00[1-3]$/.test(path);
      assert.equal(report.verdict, irrelevant ? "LOGGED" : "SIGNED-ONLY", path);
      assert.deepEqual(failing(report), [], path);
    }
  });
}

test("a malformed entry under a sound root is the site's fault", async () => {
  const log = published().say({ type: "no-such-type" });
  const { keyEvents, documents } = published().trust();
  const trust = { ...log.trust(), keyEvents, documents, events: [] };
  const report = await judged(trust, log.files());
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.match(details(report, "checkpoint"), /malformed entry in the served log/);
});

test("the origin is the trust data's, never the host's", async () => {
  assert.equal((await judged(published().trust(), published().files())).head.origin, ORIGIN);
});
