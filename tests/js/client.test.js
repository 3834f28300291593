// The page's side and the Worker's side of one check: whatever happens to the Worker, there is an answer, and trouble
// with the engine says nothing about the file.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE, named, receipt, SmallLog } from "./small-log.js";

const { check, checkLog } = await import("../../theme/verify/client.js");
const { serve } = await import("../../theme/verify/service.js");

const log = SmallLog.founded();
const request = { bytes: receipt(), trust: log.trust(), base: null, proof: null, key: null, wanted: null, seen: null };
const SOURCE = new URL("theme/worker.js", BASE);

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
  assert.deepEqual(report.steps.map(({ name, state }) => [name, state]), [["engine", "skip"]]);
  assert.match(report.steps[0].detail, why);
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
  for (const [source, type] of [["blob:https://lab.example/7", "classic"], [SOURCE, "module"], [`${SOURCE}`, "module"]]) {
    const waiting = check(request, source);
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
  for (const [message, why] of [["SyntaxError: x", /cannot run the checks: SyntaxError: x/], ["", /the worker did not load/]]) {
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

test("a request that cannot be sent to the Worker is an answer, too", async (t) => {
  stage(t, class extends Stub {
    postMessage() {
      throw new DOMException("could not be cloned", "DataCloneError");
    }
  });
  assertUnsupported(await check(request, SOURCE), /could not be cloned/);
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
  assert.equal(answers.length, 1);
  return answers[0];
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

test("whatever breaks the engine comes back as an answer", async () => {
  for (const data of [{ kind: "receipt", request: null }, null, { kind: "log", request: { ...request, trust: null } }]) {
    const { bug } = await answered(data);
    assert.match(bug, /^TypeError: /);
  }
});
