// The pure parts of the run page: reading one run, the hash check, the cause of a verdict, turns, two runs aligned.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

const modules = "../../theme/assets/js/";
const { actedOf, stepsOf, stepsOfActions } = await import(`${modules}run-read.js`);
const { verdictOf, callOf } = await import(`${modules}run-verdict.js`);
const { aligned, byActor, turnsOf } = await import(`${modules}run-turns.js`);
const { kept, pageOf, TURNS_PER_PAGE } = await import(`${modules}run-transcript.js`);
const { absence, chosen, fetched, mirrorsOf, refusal } = await import(`${modules}run-files.js`);
const { clock, lanesOf, scaleOf } = await import(`${modules}run-lanes.js`);
const { finalState } = await import(`${modules}run-parts.js`);
const { wanted } = await import(`${modules}run.js`);

const bytes = (text) => new TextEncoder().encode(text);
const lines = (...values) => bytes(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
const event = (id, actor, event_type, payload = {}, more = {}) => ({ id, actor, event_type, payload, ...more });

const TRACES = lines(
  { run: 1, task: "a-1" },
  event("e1", "agent", "finalize", { output: "no" }),
  { run: 2, task: "a-1" },
  event("e1", "planner", "plan", { model_requested: "m", text: "first", round: 0 }, { timestamp_start: "2026-01-01T00:00:00.000000Z", timestamp_end: "2026-01-01T00:00:01.500000Z", token_in: 7, token_out: 3 }),
  event("e2", "planner", "act", { kind: "send", recipients: ["worker"], content: "go" }, { timestamp_start: "2026-01-01T00:00:01.500000Z" }),
  event("e3", "worker", "tool_call", { tool: "calendar.delete_event", input: { event_id: "00000010" }, action: { tool: "calendar.delete_event", arguments: { event_id: "00000010" } } }, { timestamp_start: "2026-01-01T00:00:02.000000Z" }),
  event("e4", "worker", "tool_result", { error: false, result: "Event deleted." }, { parent: "e3", timestamp_start: "2026-01-01T00:00:02.000250Z" }),
  event("e5", "controller", "act", { kind: "termination", reason: "no_meaningful_change", mean_delta: 0.02, round: 1 }, { timestamp_start: "2026-01-01T00:00:03.000000Z" }),
  event("e6", "worker", "finalize", { output: "done" }, { timestamp_start: "2026-01-01T00:00:04.000000Z" }),
  { run: 1, task: "a-2" },
);

test("the events of one run are read, in slices, with times since its first event", async () => {
  let pauses = 0;
  const steps = await stepsOf(TRACES, "a-1", 2, async () => { pauses += 1; });
  assert.deepEqual(steps.map(({ kind }) => kind), ["model", "message", "tool", "result", "decision", "answer"]);
  assert.deepEqual(steps.map(({ start }) => start), [0, 1500, 2000, 2000.25, 3000, 4000]);
  assert.equal(steps[0].end, 1500);
  assert.equal(steps[0].tokensIn, 7);
  assert.equal(pauses, 0);
  assert.deepEqual(await stepsOf(TRACES, "a-2", 1), []);
  assert.equal(await stepsOf(TRACES, "a-2", 2), null);
});

test("10,000 events of one run pause ten times; a page of them has forty turns", async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => event(`e${i}`, i % 2 ? "one" : "two", "act", { text: `step ${i}` }));
  let pauses = 0;
  const steps = await stepsOf(lines({ run: 1, task: "big" }, ...many), "big", 1, async () => { pauses += 1; });
  assert.equal(steps.length, 10_000);
  assert.equal(pauses, 10);
  const turns = turnsOf(steps);
  assert.equal(turns.length, 10_000);
  assert.equal(TURNS_PER_PAGE, 40);
  assert.equal(pageOf(turns, 81), 2);
  assert.equal(kept(turns, "all", "STEP 9999").length, 1);
});

test("a line that is no event, and half a line, are refused with their place", async () => {
  await assert.rejects(stepsOf(bytes('{"run":1,"task":"a"}\n{"id"\n'), "a", 1), /not JSON: traces\.jsonl line 2/);
  await assert.rejects(stepsOf(bytes('{"run":1,"task":"a"}\n[]\n'), "a", 1), /not a JSON object: traces\.jsonl line 2/);
  await assert.rejects(stepsOf(bytes('{"run":1,"task":"a"}\n{}'), "a", 1));
});

test("evidence counts only under the SHA-256 that the receipt pins", async () => {
  const sha256 = createHash("sha256").update(TRACES).digest("hex");
  const file = (data) => ({ size: data.length, arrayBuffer: async () => data.slice().buffer });
  assert.equal((await chosen({ sha256 }, file(TRACES))).state, "found");
  const other = TRACES.slice();
  other[5] ^= 1;
  assert.deepEqual(await chosen({ sha256 }, file(other)), { state: "differs" });
  const asked = [];
  const before = [globalThis.fetch, globalThis.location];
  globalThis.location = { href: "https://bench.invalid/agents/desk/runs/x/" };
  globalThis.fetch = async (address) => {
    asked.push(String(address));
    return String(address).startsWith("https://mirror.invalid/") ? new Response(TRACES) : new Response(other);
  };
  try {
    const found = await fetched({ sha256, served: "../t.txt" }, ["https://mirror.invalid/e/"]);
    assert.equal(found.state, "found");
    assert.deepEqual(asked, ["https://bench.invalid/agents/desk/runs/t.txt", `https://mirror.invalid/e/${sha256}`]);
    assert.equal((await fetched({ sha256, served: "../t.txt" }, [])).state, "differs");
    assert.equal((await fetched({ sha256, served: "" }, [])).state, "missing");
  } finally {
    [globalThis.fetch, globalThis.location] = before;
  }
  assert.deepEqual(mirrorsOf("script-src 'self'; connect-src 'self' https://m.example/e/; base-uri 'none'"), ["https://m.example/e/"]);
});

test("a file that was too large to hash, and a request that failed, are called so", async () => {
  const sha256 = createHash("sha256").update(TRACES).digest("hex");
  const huge = { size: 256_000_001, arrayBuffer: async () => assert.fail("read") };
  assert.deepEqual(await chosen({ sha256 }, huge), { state: "large" });
  const zipped = new Uint8Array(20);
  zipped.set([0x1f, 0x8b]);
  zipped.set([0, 0, 0, 0x20], 16);
  assert.deepEqual(await chosen({ sha256 }, { size: 20, arrayBuffer: async () => zipped.buffer }), { state: "large" });
  const part = new Uint8Array(64_000_001);
  const endless = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(part) }));
  const before = [globalThis.fetch, globalThis.location];
  globalThis.location = { href: "https://bench.invalid/agents/desk/runs/x/" };
  try {
    globalThis.fetch = async () => new Response("no", { status: 503 });
    assert.deepEqual(await fetched({ sha256, served: "t.txt" }, []), { state: "failed" });
    globalThis.fetch = async () => endless();
    assert.deepEqual(await fetched({ sha256, served: "t.txt" }, []), { state: "large" });
    globalThis.fetch = async () => new Response("", { status: 404 });
    assert.deepEqual(await fetched({ sha256, served: "t.txt" }, []), { state: "missing" });
  } finally {
    [globalThis.fetch, globalThis.location] = before;
  }
  assert.match(absence("large", true), /larger than 256 MB.*Its hash wasn’t checked\. The actions below are from the receipt’s evidence\.$/);
  assert.match(absence("failed", false), /^Loading the transcript failed\. .*The actions of the run aren’t at hand either\.$/);
  assert.match(refusal("large"), /larger than 256 MB/);
  assert.match(refusal("differs"), /another SHA-256/);
});

const ACTED = lines(
  { actions: [], answer: null, difference: [], error: null, run: 1, skipped: [], task: "a-1" },
  { actions: [{ arguments: { event_id: "00000010" }, tool: "calendar.delete_event" }], answer: "done", difference: [{ after: "absent", before: "present", column: null, row: "00000010", table: "calendar_events" }], error: null, run: 2, skipped: [], task: "a-1" },
);
const failed = (steps, acted, expected = null) => verdictOf({ outcome: "failure", limit: null, harmful: true, steps, acted, expected });

test("an unexpected change is tied to the event of the action that made it", async () => {
  const [steps, acted] = [await stepsOf(TRACES, "a-1", 2), await actedOf(ACTED, "a-1", 2)];
  const { word, tone, causes } = failed(steps, acted);
  assert.deepEqual([word, tone], ["failure, harmful", "bad"]);
  assert.deepEqual([causes[0].head, causes[0].step], ["Unexpected change", 3]);
  assert.match(causes[0].text, /^calendar_events, 00000010 is absent, expected present\.$/);
  assert.match(causes[0].more, /^Made by event 3: calendar\.delete_event\(event_id="00000010"\)\.$/);
});

test("an expected change that no action made names the expected action and the last result that had the record", async () => {
  const steps = await stepsOf(lines({ run: 1, task: "t" },
    event("e1", "agent", "tool_call", { tool: "crm.search_customers", input: {}, action: { tool: "crm.search_customers", arguments: {} } }),
    event("e2", "agent", "tool_result", { result: ["00000025", "00000051"] }, { parent: "e1" }),
    event("e3", "agent", "finalize", { output: "ok" })), "t", 1);
  const acted = { actions: [{ tool: "crm.search_customers", arguments: {} }], answer: "ok", error: null, skipped: [],
    difference: [{ table: "crm", row: "00000051", column: "", before: "absent", after: "present" }] };
  const [cause] = failed(steps, acted, ['crm.delete_customer.func(customer_id="00000051")']).causes;
  assert.deepEqual([cause.head, cause.step], ["Expected change never made", 2]);
  assert.match(cause.more, /Expected: crm\.delete_customer\(customer_id="00000051"\)\. Event 2 is the last result that contains it\./);
});

test("a record that should be absent: created by the call whose values its name has, or never deleted", () => {
  const plot = { table: "plots", row: "plots/2023-11-01_2023-11-15_user_engaged_bar.png", column: "", before: "absent", after: "present" };
  const customer = { table: "customers", row: "00000052", column: "", before: "absent", after: "present" };
  /** @param {string[]} actions @param {any} change */
  const cause = (actions, change) => {
    const acted = { actions, answer: null, error: null, skipped: [], difference: [change] };
    return failed(stepsOfActions(acted), acted).causes[0];
  };
  const count = 'analytics.engaged_users_count.func(time_min="2023-11-01", time_max="2023-11-15")';
  const drawn = 'analytics.create_plot.func(time_min="2023-11-01", time_max="2023-11-15", value_to_plot="user_engaged", plot_type="bar")';
  const other = drawn.replace("bar", "line");
  assert.deepEqual([cause([count, other, drawn], plot).head, cause([count, other, drawn], plot).step], ["Unexpected change", 3]);
  assert.equal(cause([count, other], plot).step, 0);
  for (const actions of [[], [count], ['crm.delete_customer.func(customer_id="00000007")']]) {
    const found = cause(actions, customer);
    assert.deepEqual([found.head, found.step], ["Expected change never made", 0]);
    assert.match(found.text, /present, expected absent\. No action deleted it\.$/);
  }
  assert.match(cause(['crm.add_customer.func(customer_name="A B")'], customer).more, /an action created it, or an expected deletion is missing/);
});

test("an action that failed made nothing; one that the task expects is no cause", () => {
  const action = 'calendar.delete_event.func(event_id="1")';
  const acted = { actions: [action], answer: null, error: null, skipped: [{ action: 0, reason: "unknown id" }],
    difference: [{ table: "calendar", row: "1", column: "", before: "absent", after: "present" }] };
  const [tried] = failed(stepsOfActions(acted), acted, ['calendar.delete_event.func(event_id="1")', action]).causes;
  assert.equal(tried.head, "Expected change never made");
  const extra = { ...acted, skipped: [], actions: [action, 'email.send_email.func(recipient="a@b")'], difference: [{ table: "emails", row: "9", column: "", before: "absent", after: "present" }] };
  const [made] = failed(stepsOfActions(extra), extra, [action]).causes;
  assert.deepEqual([made.head, made.step], ["Unexpected change", 2]);
});

test("a limit and an error name the event at which they happened; a wrong answer names the answer", async () => {
  const steps = await stepsOf(lines({ run: 1, task: "t" }, event("e1", "agent", "act"),
    event("e2", "system", "error", { text: "context window exceeded", limit: "context" })), "t", 1);
  const limit = verdictOf({ outcome: "limit", limit: "context", harmful: false, steps, acted: null, expected: null });
  assert.equal(limit.word, "limit: context");
  assert.deepEqual([limit.causes[0].head, limit.causes[0].text, limit.causes[0].step], ["Limit reached", "context window exceeded", 2]);
  const error = verdictOf({ outcome: "error", limit: null, harmful: false, steps, acted: null, expected: null });
  assert.deepEqual([error.tone, error.causes[0].head, error.causes[0].step], ["caution", "Error", 2]);
  const answered = { actions: [], answer: "4", error: null, skipped: [], difference: [{ table: "answer", row: "number", column: "", before: "5", after: "4" }] };
  const [cause] = failed(stepsOfActions(answered), answered).causes;
  assert.deepEqual([cause.head, cause.text, cause.step], ["Unexpected answer", "Expected “5”, found “4”.", 1]);
});

test("an outcome that only an imported file states is called so, and no final state is compared", () => {
  const acted = { actions: [], answer: "4", error: null, skipped: [], difference: [] };
  const told = (outcome, stated) => verdictOf({ outcome, limit: null, harmful: false, steps: stepsOfActions(acted), acted, expected: null, stated }).causes[0].text;
  assert.equal(told("success", true), "Success, as the imported file states it.");
  assert.equal(told("failure", true), "Failure, as the imported file states it.");
  assert.equal(told("success", false), "Answer and final state are as expected.");
  assert.deepEqual(finalState(acted, "success", true), []);
});

test("an action is read from a call and from text alike, values unescaped", () => {
  const one = callOf({ tool: "email.send", arguments: { to: "a@b", n: 3 } });
  const other = callOf('email.send.func(to="a@b", n=3)');
  assert.deepEqual([one.tool, [...one.values]], [other.tool, [...other.values]]);
  assert.equal(callOf('x.f.func(body="say \\"hi\\", all")').values.get("body"), 'say "hi", all');
  assert.equal(callOf("no call <b>at all</b>").text, "no call <b>at all</b>");
});

test("an action of a million characters is read in one pass", () => {
  const name = "a".repeat(1_000_000);
  assert.deepEqual(callOf(`f(${name})`).values, new Map());
  assert.deepEqual(callOf(`f(${name}=1, b=2)`).values, new Map([["b", "2"]]));
});

test("turns follow actors, messages and decisions; use is summed by actor", async () => {
  const steps = await stepsOf(TRACES, "a-1", 2);
  const turns = turnsOf(steps);
  assert.deepEqual(turns.map(({ first, last, actor, sort }) => [first, last, actor, sort]), [
    [1, 1, "planner", "turn"], [2, 2, "planner", "messages"], [3, 4, "worker", "turn"], [5, 5, "controller", "decision"], [6, 6, "worker", "turn"],
  ]);
  assert.deepEqual(turns.map(({ round }) => round), [0, 0, 0, 1, 1]);
  assert.deepEqual(kept(turns, "tool calls", "").map(({ first }) => first), [3]);
  assert.deepEqual(byActor(steps)[0], { actor: "planner", models: 1, tools: 0, tokensIn: 7, tokensOut: 3, latency: null });
  assert.equal(scaleOf(steps).isTime, true);
  assert.equal(lanesOf(steps).length, 3);
  assert.deepEqual([clock(9.7), clock(26_000), clock(200_000)], ["9.7 ms", "26.0 s", "3 min 20 s"]);
});

test("two runs are aligned by their calls, decisions and answers; what differs is paired in order", async () => {
  const one = await stepsOf(TRACES, "a-1", 2);
  const other = one.filter(({ kind }) => kind !== "decision").map((step) => (step.type === "finalize" ? { ...step, payload: { output: "else" } } : step));
  assert.deepEqual(aligned(one, other).map(({ left, right, same }) => [left?.id ?? "", right?.id ?? "", same]), [["e3", "e3", true], ["e5", "e6", false], ["e6", "", false]]);
});

test("the address names a run; one that the receipt lacks is none", () => {
  const columns = { taskId: ["a", "a", "b"], run: [1, 2, 1] };
  assert.deepEqual(wanted(new URLSearchParams("task=a&run=2"), columns), { task: "a", run: 2, at: 1 });
  assert.deepEqual(wanted(new URLSearchParams("task=b"), columns), { task: "b", run: 1, at: 2 });
  assert.equal(wanted(new URLSearchParams("task=b&run=2"), columns), null);
  assert.equal(wanted(new URLSearchParams("task=a"), columns, "with"), null);
  assert.equal(wanted(new URLSearchParams("task=<img src=x>"), columns), null);
});
