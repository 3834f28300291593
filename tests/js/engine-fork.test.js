// What a browser remembers of a log, held against what it is shown: growth is proven, a fork is found and its evidence
// kept, and neither staleness nor what others wrote into the browser's storage can hide one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, idOf, key, leafOf, named, ORIGIN, receipt, rootOf, signedHead, SmallLog, visit } from "./small-log.js";

const { run, runLog } = await import("../../theme/verify/engine.js");
const { remember, recall } = await import("../../theme/verify/memory.js");

const file = receipt();
const published = () => SmallLog.founded().publish(file);
/** Of the same size as `published()`, without the receipt. */
const retracted = () => SmallLog.founded().say({ type: "retract", receiptId: idOf("aa"), reason: "wrong index" });
const details = (report, name) => named(report, name).map(({ detail }) => detail).join("\n");
const failing = (report) => report.steps.filter(({ state }) => state === "fail").map(({ name }) => name);
/** A host whose checkpoint is that of `older` though it has the tiles of both lists. */
const cached = (newer, older) => new Map([...newer.files(), ["log/checkpoint", bytesOf(older.head().note)]]);

/** Both checks of one visit must find the same fork. */
async function assertFork(files, { trust, seen = null }, [one, other]) {
  const report = await visit(run, files, { bytes: file, trust, seen });
  const page = await visit(runLog, files, { trust, seen });
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.equal(report.index, null);
  assert.equal(report.course, "fork");
  assert.equal(page.state, "fork");
  for (const found of [report, page]) {
    assert.equal(found.keep, false);
    assert.equal(found.evidence, `${one.note}\n${other.note}`);
    assert.deepEqual(failing(found), ["consistency"]);
    assert.match(details(found, "consistency"), /two inconsistent signed checkpoints/);
    assert.doesNotMatch(details(found, "consistency"), /no earlier checkpoint in this browser/);
  }
}

test("a list of the trust data's size with another root is a fork", async () => {
  await assertFork(retracted().files(), { trust: published().trust() }, [published().head(), retracted().head()]);
});

test("a longer list that does not begin with the trust data's is a fork", async () => {
  const log = retracted().fill(8);
  await assertFork(log.files(), { trust: published().trust() }, [published().head(), log.head()]);
});

test("a list of the remembered size with another root is a fork", async () => {
  const seen = retracted().head();
  await assertFork(published().files(), { trust: published().trust(), seen }, [seen, published().head()]);
  await assertFork(null, { trust: published().trust(), seen }, [seen, published().head()]);
});

test("a longer list that does not begin with the remembered one is a fork", async () => {
  const log = published().fill(9);
  const seen = retracted().head();
  await assertFork(log.files(), { trust: log.trust(), seen }, [seen, log.head()]);
  await assertFork(log.files(), { trust: published().trust(), seen: retracted().fill(8).head() }, [
    retracted().fill(8).head(), log.head(),
  ]);
});

test("serving one entry less than the page knows does not hide a fork", async () => {
  const log = published().fill(7);
  const seen = retracted().head();
  await assertFork(published().files(), { trust: log.trust(), seen }, [seen, published().head()]);
  await assertFork(cached(log, published()), { trust: log.trust(), seen }, [seen, log.head()]);
});

test("serving less does not hide a fork from an even shorter remembered list", async () => {
  const log = published().fill(10);
  const seen = retracted().head();
  await assertFork(log.copy(8).files(), { trust: log.trust(), seen }, [seen, log.copy(8).head()]);
});

test("a list that grew and cannot be read whole does not hide a fork from the page's own head", async () => {
  const log = published().fill(300);
  const files = log.copy().fill(301).files();
  files.delete("log/tile/entries/000");
  const seen = retracted().fill(300).head();
  const page = await visit(runLog, files, { trust: log.trust(), seen });
  assert.equal(page.state, "fork");
  assert.equal(page.evidence, `${seen.note}\n${log.head().note}`);
});

test("growth since the remembered list is shown with its consistency proof", async () => {
  const log = published().fill(8);
  const seen = published().head();
  const page = await visit(runLog, log.files(), { trust: log.trust(), seen });
  assert.equal(page.state, "grown");
  assert.equal(page.keep, true);
  assert.deepEqual(page.head, log.head());
  const step = named(page, "consistency").at(-1);
  assert.equal(step.state, "pass");
  // RFC 6962 2.1.2: PROOF(6, D[8]) = [MTH(D[4:6]), MTH(D[6:8]), MTH(D[0:4])].
  const leaves = log.entries.map(leafOf);
  const proof = [[4, 6], [6, 8], [0, 4]].map(([from, to]) => rootOf(leaves.slice(from, to)).toString("hex"));
  assert.deepEqual(step.shown, [
    ["Remembered root", seen.root], ["Root now", log.root], ["Consistency proof, 3 hashes", proof.join("\n")],
  ]);
});

test("growth beyond the trust data continues the remembered list, too", async () => {
  const log = published().fill(12);
  const page = await visit(runLog, log.files(), { trust: published().trust(), seen: log.copy(9).head() });
  assert.equal(page.state, "grown");
  assert.equal(page.head.size, 12);
});

test("the same list is the same", async () => {
  const log = published();
  const page = await visit(runLog, log.files(), { trust: log.trust(), seen: log.head() });
  assert.equal(page.state, "same");
  assert.equal(page.keep, true);
  assert.match(details(page, "consistency"), /same log: the 6 entries that this browser has seen before/);
});

test("a list shorter than the remembered one is stale, and what is remembered stays", async () => {
  const log = published().fill(9);
  for (const files of [log.copy(7).files(), null]) {
    const page = await visit(runLog, files, { trust: log.copy(7).trust(), seen: log.head() });
    assert.equal(page.state, "stale");
    assert.equal(page.keep, false);
    assert.equal(page.evidence, null);
    assert.match(details(page, "consistency"), /stale: the log has 7 entries here, and this browser has seen 9/);
  }
});

test("a first visit that finds a stale list does not claim to have seen more", async () => {
  const log = published().fill(8);
  const page = await visit(runLog, log.copy(6).files(), { trust: log.trust() });
  assert.equal(page.state, "stale");
  assert.doesNotMatch(details(page, "consistency"), /browser has seen/);
});

const FOREIGN_ROOT = `${"A".repeat(43)}=`;
const stranger = key("a stranger");
/** What others may have written into this browser's storage; none of it is the log's. */
const FORGED = new Map([
  ["no note", { origin: ORIGIN, size: 3, root: FOREIGN_ROOT, note: "nothing" }],
  ["a huge size", { origin: ORIGIN, size: Number.MAX_SAFE_INTEGER, root: FOREIGN_ROOT, note: "" }],
  ["a large size, by a stranger", signedHead({ size: 1_000_000, root: FOREIGN_ROOT }, stranger)],
  ["another root by a stranger", signedHead({ size: 6, root: FOREIGN_ROOT }, stranger)],
  ["the right size and root, and no note", { ...published().head(), note: "" }],
  ["a good note under another root", { ...published().head(), root: FOREIGN_ROOT }],
  ["a good note under another size", { ...published().head(), size: 5 }],
  ["a note of another log", { ...signedHead(published().head(), key("log"), "other.example/log"), origin: ORIGIN }],
]);

for (const [what, seen] of FORGED) {
  test(`storage that holds ${what} is put aside, and said to be`, async () => {
    const log = published();
    for (const files of [log.files(), null]) {
      const report = await visit(run, files, { bytes: file, trust: log.trust(), seen });
      assert.equal(report.verdict, files ? "LOGGED" : "SIGNED-ONLY");
      assert.equal(report.evidence, null);
      assert.equal(report.course, files ? "first" : "unavailable");
      assert.deepEqual(failing(report), []);
      assert.match(details(report, "consistency"), /not signed by its key: it was discarded/);
      assert.deepEqual(report.head, log.head());
      assert.equal(report.keep, true);
    }
  });
}

test("what is remembered of another log is no part of this one's comparison", async () => {
  const log = published();
  const seen = signedHead({ size: 6, root: FOREIGN_ROOT }, key("log"), "other.example/log");
  const page = await visit(runLog, log.files(), { trust: log.trust(), seen });
  assert.equal(page.state, "first");
});

/** A browser's storage, and a visit to the log page with it. */
function browser(t) {
  const stored = new Map();
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  t.after(() => before ? Object.defineProperty(globalThis, "localStorage", before) : delete globalThis.localStorage);
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    value: { getItem: (name) => stored.get(name) ?? null, setItem: (name, value) => stored.set(name, value) },
  });
  return async (log, files = log.files()) => {
    const seen = recall(ORIGIN);
    const page = await visit(runLog, files, { trust: log.trust(), seen });
    if (page.keep) remember(page.head, seen);
    return page.state;
  };
}

test("a fork is found on a later visit, and again on the next", async (t) => {
  const open = browser(t);
  assert.equal(await open(published()), "first");
  assert.equal(await open(published().fill(8)), "grown");
  assert.equal(await open(retracted().fill(9)), "fork");
  assert.equal(await open(retracted().fill(9)), "fork");
  assert.equal(await open(published().fill(8)), "same");
});

test("junk lines under a good checkpoint do not push out what is remembered", async (t) => {
  const open = browser(t);
  const grown = published().fill(8);
  const junk = `— junk.example ${Buffer.alloc(60_000).toString("base64")}\n`;
  assert.equal(await open(published()), "first");
  assert.equal(await open(grown, grown.files({ lines: junk })), "grown");
  assert.deepEqual(recall(ORIGIN), grown.head());
  assert.equal(await open(retracted().fill(8)), "fork");
});

test("forged storage does not keep this browser from remembering the true list", async (t) => {
  for (const [what, forged] of FORGED) {
    await t.test(what, async (t) => {
      const open = browser(t);
      localStorage.setItem(`benchsite:head:${ORIGIN}`, JSON.stringify(forged));
      assert.equal(await open(published()), "first");
      assert.deepEqual(recall(ORIGIN), published().head());
      assert.equal(await open(retracted()), "fork");
    });
  }
});
