// The page's side and the Worker's side of one check: whatever happens to the Worker, there is an answer, and trouble
// with the engine says nothing about the file.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE, named, receipt, SmallLog } from "./small-log.js";

const { check, checkLog } = await import("../../theme/verify/client.js");
const { headline, plainWords } = await import("../../theme/verify/account.js");
const { serve } = await import("../../theme/verify/service.js");
const { OTHERS } = await import("../../theme/verify/tracks.js");
const { TROUBLES } = await import("../../theme/verify/words.js");

const log = SmallLog.founded();
const request = { bytes: receipt(), trust: log.trust(), base: null, proof: null, key: null, wanted: null, seen: null };
const MODULE = new URL("theme/worker.js", BASE);
const SOURCE = () => MODULE;

/** A Worker under the test's control; the newest one is `Stub.last`. */
class Stub {
  /** @type {Stub} */
  static last;

  constructor(source, settings) {
    Object.assign(this, { source, settings, sent: [], ended: 0 });
    Stub.last = this;
  }

  postMessage(message) {
    this.sent.push(message);
  }

  terminate() {
    this.ended += 1;
  }
}

/** For the time of one test, Workers are of this kind and no time passes but by `tick`. */
function stage(t, Kind = Stub) {
  const before = globalThis.Worker;
  globalThis.Worker = Kind;
  t.after(() => {
    globalThis.Worker = before;
  });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  return t.mock.timers;
}

function assertUnsupported(report, why) {
  assert.equal(report.verdict, "UNSUPPORTED");
  assert.deepEqual(report.steps.map(({ name, state }) => [name, state]), [["engine", "not checked"]]);
  assert.match(report.steps[0].detail, why);
  assert.ok(headline(report).word.startsWith("Not checked: "), headline(report).word);
  assert.equal(report.index, null);
  assert.equal(report.keep, false);
  assert.equal(report.head, null);
}

function assertUnavailable(report, why) {
  assert.equal(report.state, "unavailable");
  assert.match(report.steps[0].detail, why);
  assert.equal(report.keep, false);
}

test("the Worker's report is the answer, and the Worker is ended", async (t) => {
  const timers = stage(t);
  const waiting = check(request, SOURCE);
  assert.deepEqual(Stub.last.sent, [{ kind: "receipt", request }]);
  const report = { verdict: "LOGGED" };
  Stub.last.onmessage({ data: { report } });
  timers.tick(60_000);
  assert.equal(await waiting, report);
  assert.equal(Stub.last.ended, 1);
});

test("a page that carries its engine starts a classic Worker, a site a module", async (t) => {
  stage(t);
  for (const [source, type] of [["blob:https://lab.example/7", "classic"], [MODULE, "module"], [`${MODULE}`, "module"]]) {
    const waiting = check(request, () => source);
    assert.deepEqual(Stub.last.settings, { type });
    Stub.last.onmessage({ data: { report: {} } });
    await waiting;
  }
});

test("a browser that cannot start a Worker leaves the file unjudged", async (t) => {
  stage(t, class {
    constructor() {
      throw new DOMException("no workers here", "SecurityError");
    }
  });
  assertUnsupported(await check(request, SOURCE), /cannot start a worker: no workers here/);
  assertUnavailable(await checkLog(log.trust(), BASE, null, SOURCE), /cannot start a worker: no workers here/);
});

test("a Worker that fails to load or throws leaves the file unjudged", async (t) => {
  stage(t);
  for (const [message, why] of [["SyntaxError: x", /cannot run the checks: SyntaxError: x/], ["", /the verification engine could not be loaded/]]) {
    const waiting = check(request, SOURCE);
    let prevented = 0;
    Stub.last.onerror({ message, preventDefault: () => { prevented += 1; } });
    assertUnsupported(await waiting, why);
    assert.equal(prevented, 1);
    assert.equal(Stub.last.ended, 1);
  }
});

test("a Worker that never answers is ended after thirty seconds, not before", async (t) => {
  const timers = stage(t);
  for (const [waiting, assertNoAnswer] of [
    [check(request, SOURCE), assertUnsupported], [checkLog(log.trust(), BASE, null, SOURCE), assertUnavailable],
  ]) {
    timers.tick(29_999);
    timers.tick(1);
    assertNoAnswer(await waiting, /no answer within 30 seconds/);
  }
  const late = check(request, SOURCE);
  timers.tick(29_999);
  assert.equal(Stub.last.ended, 0);
  timers.tick(1);
  Stub.last.onmessage({ data: { report: { verdict: "LOGGED" } } });
  assertUnsupported(await late, /no answer/);
});

test("a bug in the engine is called one, and no verdict on the file", async (t) => {
  stage(t);
  const waiting = check(request, SOURCE);
  Stub.last.onmessage({ data: { bug: "TypeError: x is null" } });
  assertUnsupported(await waiting, /a bug in this page: TypeError: x is null/);
});

test("the headline names the engine's own trouble, without foreign words, and the next step follows", async (t) => {
  const timers = stage(t);
  const refusing = class {
    constructor() {
      throw new DOMException("foreign words", "SecurityError");
    }
  };
  const unsendable = class extends Stub {
    postMessage() {
      throw new DOMException("foreign words", "DataCloneError");
    }
  };
  const broken = (message) => () => Stub.last.onerror({ message, preventDefault() {} });
  for (const [cause, happens, Kind = Stub] of [
    ["no answer within 30 seconds", () => timers.tick(30_000)],
    ["the verification engine could not be loaded", broken("")],
    ["this browser cannot run the checks", broken("foreign words")],
    ["a bug in this page", () => Stub.last.onmessage({ data: { bug: "foreign words" } })],
    ["this browser cannot start a worker", () => {}, refusing],
    ["the request could not be sent", () => {}, unsendable],
  ]) {
    globalThis.Worker = Kind;
    const waiting = check(request, SOURCE);
    happens();
    const report = await waiting;
    assert.deepEqual([report.verdict, headline(report).word], ["UNSUPPORTED", `Not checked: ${cause}`]);
    assert.equal(plainWords(report), "Reload the page, or verify on your machine: benchsite verify.");
  }
});

test("a request that cannot be sent to the Worker is an answer, too", async (t) => {
  stage(t, class extends Stub {
    postMessage() {
      throw new DOMException("could not be cloned", "DataCloneError");
    }
  });
  assertUnsupported(await check(request, SOURCE), /could not be cloned/);
});

const settled = () => new Promise((done) => { setImmediate(done); });
const BY_TRACK = (track) => `blob:${track}`;

/** A check whose first Worker has named track sums: the answer to wait for, and the Worker that is asked then. */
async function sentOn() {
  const waiting = check(request, BY_TRACK);
  assert.equal(Stub.last.source, "blob:null");
  Stub.last.onmessage({ data: { track: "sums" } });
  await settled();
  assert.deepEqual([Stub.last.source, Stub.last.sent], ["blob:sums", [{ kind: "numbers", request }]]);
  return { waiting, second: Stub.last };
}

test("the engine's own Worker says what a receipt is worth, with the answers of the track's Worker", async (t) => {
  stage(t);
  const { waiting, second } = await sentOn();
  second.onmessage({ data: { answer: { figure: null } } });
  await settled();
  assert.equal(second.ended, 1);
  assert.deepEqual([Stub.last.source, Stub.last.sent], [
    "blob:null", [{ kind: "receipt", request: { ...request, answer: { figure: null } } }],
  ]);
  Stub.last.onmessage({ data: { report: { verdict: "LOGGED" } } });
  assert.deepEqual(await waiting, { verdict: "LOGGED" });
});

// Threat table, row "a track package's code in the browser answers in the engine's place".
const DEEP = Array.from({ length: 60_000 }).reduce((inner) => [inner, inner], 0);
const RING = {};
RING.ring = RING;

for (const [what, data, failed] of [
  ["a report", { report: { verdict: "LOGGED" } }, "its Worker answered something else"],
  ["null", null, "its Worker answered something else"],
  ["a number", 5, "its Worker answered something else"],
  ["an empty report", { report: null }, "its Worker answered something else"],
  ["an empty answer", { answer: null }, "its Worker answered something else"],
  ["an answer that is text", { answer: "LOGGED" }, "its Worker answered something else"],
  ["a bug that is no text", { bug: {} }, "its Worker answered something else"],
  ["a long text", { answer: { words: "x".repeat(4_000_001) } }, "its Worker answered too much"],
  ["many values", { answer: { needs: Array.from({ length: 200_001 }, () => 0) } }, "its Worker answered too much"],
  ["bytes", { answer: { needs: new Uint8Array(4_000_001) } }, "its Worker answered too much"],
  ["what doubles at every level", { answer: DEEP }, "its Worker answered too much"],
  ["a ring", { answer: RING }, "its Worker answered too much"],
]) {
  test(`another package's Worker sends ${what}: it is ended, and its numbers are not checked`, async (t) => {
    stage(t);
    const { waiting, second } = await sentOn();
    second.onmessage({ data });
    second.onmessage({ data: { answer: {} } }); // of a flood, the first message alone is read
    await settled();
    assert.equal(second.ended, 1);
    assert.deepEqual(Stub.last.sent, [{ kind: "receipt", request: { ...request, failed } }]);
    Stub.last.onmessage({ data: { report: { verdict: "UNSUPPORTED" } } });
    assert.deepEqual(await waiting, { verdict: "UNSUPPORTED" });
  });
}

test("what was reached when the time ends is kept", async (t) => {
  const timers = stage(t);
  const waiting = check(request, SOURCE);
  const signature = { name: "signature", state: "pass", detail: "Ed25519", field: "" };
  Stub.last.onmessage({ data: { partial: { verdict: "LOGGED", steps: [signature], rescoring: null } } });
  timers.tick(30_000);
  assert.deepEqual(await waiting, {
    verdict: "LOGGED", rescoring: null,
    steps: [signature, { name: "re-score", state: "not checked", detail: "scores not checked: ran out of time", field: "" }],
  });
});

test("what was reached when the engine's Worker breaks is kept", async (t) => {
  stage(t);
  const signature = { name: "signature", state: "pass", detail: "Ed25519", field: "" };
  for (const [breaks, why] of [
    [(worker) => worker.onmessage({ data: { bug: "RangeError: x" } }), `${TROUBLES.bug.cause}: RangeError: x`],
    [(worker) => worker.onerror({ message: "out of memory", preventDefault() {} }), `${TROUBLES.run.cause}: out of memory`],
  ]) {
    const waiting = check(request, SOURCE);
    Stub.last.onmessage({ data: { partial: { verdict: "LOGGED", steps: [signature], rescoring: null } } });
    breaks(Stub.last);
    assert.deepEqual(await waiting, {
      verdict: "LOGGED", rescoring: null,
      steps: [signature, { name: "re-score", state: "not checked", detail: `scores not checked: ${why}`, field: "" }],
    });
  }
});

test("where that Worker breaks, the engine alone checks the rest and says why", async (t) => {
  const timers = stage(t);
  for (const [breaks, failed] of [
    [(worker) => worker.onerror({ message: "SyntaxError: x", preventDefault() {} }), "this browser cannot run its modules: SyntaxError: x"],
    [(worker) => worker.onmessage({ data: { bug: "TypeError: x" } }), "TypeError: x"],
    [() => timers.tick(30_000), "no answer within 30 seconds"],
    [(worker) => worker.onmessage({ data: { track: "sums" } }), "its Worker answered something else"],
  ]) {
    const { waiting, second } = await sentOn();
    breaks(second);
    await settled();
    assert.deepEqual([Stub.last.source, Stub.last.sent], ["blob:null", [{ kind: "receipt", request: { ...request, failed } }]]);
    Stub.last.onmessage({ data: { report: { verdict: "UNSUPPORTED" } } });
    assert.deepEqual(await waiting, { verdict: "UNSUPPORTED" });
  }
});

test("the log's own check asks for the log and hands over what is remembered", async (t) => {
  stage(t);
  const seen = log.head();
  const waiting = checkLog(log.trust(), BASE, seen, SOURCE);
  const { kind, request: sent } = Stub.last.sent[0];
  assert.equal(kind, "log");
  assert.deepEqual(sent, { bytes: new Uint8Array(), trust: log.trust(), base: BASE, proof: null, key: null, wanted: null, seen });
  Stub.last.onmessage({ data: { report: { state: "same" } } });
  assert.deepEqual(await waiting, { state: "same" });
});

/** What the service answers to one message. */
async function answered(data) {
  const answers = [];
  const scope = { onmessage: null, postMessage: (message) => answers.push(message) };
  serve(scope);
  await scope.onmessage({ data });
  const last = answers.pop();
  for (const early of answers) assert.deepEqual(Object.keys(early), ["partial"]);
  return last;
}

test("the service checks a receipt or the log, as it is asked", async () => {
  const { report } = await answered({ kind: "receipt", request });
  assert.equal(report.verdict, "SIGNED-ONLY");
  assert.equal(named(report, "signature")[0].state, "pass");
  const page = (await answered({ kind: "log", request })).report;
  assert.equal(page.state, "unavailable");
  assert.equal(page.head.size, log.size);
});

test("the service's answer can be sent from a Worker", async () => {
  const answer = await answered({ kind: "receipt", request });
  assert.deepEqual(structuredClone(answer), answer);
});

test("the service names the track whose Worker is to be asked, and says where that one failed", async () => {
  OTHERS.add("other");
  try {
    const foreign = { ...request, bytes: receipt({ track: "other", methodology: { id: "other", version: "1.0.0", sha256: "a".repeat(64) } }) };
    assert.deepEqual(await answered({ kind: "receipt", request: foreign }), { track: "other" });
    const { report } = await answered({ kind: "receipt", request: { ...foreign, failed: "this browser cannot" } });
    const [{ detail }] = named(report, "schema");
    assert.equal(detail, "scores not checked: track 'other' failed: this browser cannot");
    assert.deepEqual([report.verdict, named(report, "signature")[0].state], ["UNSUPPORTED", "pass"]);
  } finally {
    OTHERS.delete("other");
  }
});

test("whatever breaks the engine comes back as an answer", async () => {
  for (const data of [{ kind: "receipt", request: null }, null, { kind: "log", request: { ...request, trust: null } }]) {
    const { bug } = await answered(data);
    assert.match(bug, /^TypeError: /);
  }
});
