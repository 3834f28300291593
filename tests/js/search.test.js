// The search page: what is found, and in which order.

import assert from "node:assert/strict";
import { test } from "node:test";

import { excerpt, plain, proseItems, recordItems, search } from "../../theme/assets/js/search.js";

/** @param {Partial<import("../../theme/assets/js/receipts.js").Entry>} changes */
const entry = (changes) => ({
  receiptId: "5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41", track: "retrieval", subject: "bm25", subjectId: "bm25", version: "1.0.0", label: "", vendor: "", target: "notes-v1",
  metric: "ndcg_at_10", value: 0.5, low: null, high: null, note: "", ranAt: "2026-11-05T00:00:00Z", verdict: "LOGGED", ranked: true, sentBy: "", ...changes,
});

test("a system, a leaderboard and a receipt are found by their names, the receipt by its id too", () => {
  const items = recordItems([entry({}), entry({ receiptId: "aa0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41", version: "0.9.0" })], ["retrieval/notes-v1/"]);
  assert.deepEqual(search(items, "bm25").map(({ kind }) => kind), ["System", "Receipt", "Receipt"]);
  assert.equal(search(items, "bm25")[0]?.path, "systems/bm25/");
  assert.equal(search(items, "notes")[0]?.path, "retrieval/notes-v1/");
  assert.deepEqual(search(items, "aa0d6c1e").map(({ title }) => title), ["bm25 0.9.0 on notes-v1"]);
});

test("names that two tracks share are one system only if they have one id", () => {
  const found = (/** @type {string} */ id) => recordItems([entry({}), entry({ track: "rubric", subjectId: id })], []).filter(({ kind }) => kind === "System");
  assert.deepEqual(found("bm25-rubric").map(({ path }) => path), ["systems/bm25/", "systems/bm25-rubric/"]);
  assert.deepEqual(found("bm25").map(({ path }) => path), ["systems/bm25/"]);
});

test("every word must occur, in any order and case, and the beginning of a word is enough", () => {
  const items = proseItems([
    { location: "docs/keys/#rotate", title: "Rotate a key", text: "<p>Replace a signing key.</p>" },
    { location: "docs/run/", title: "Run", text: "<p>Measure, then sign.</p>" },
  ], (html) => html.replace(/<[^>]+>/g, ""));
  assert.deepEqual(search(items, "KEY rot").map(({ path }) => path), ["docs/keys/#rotate"]);
  assert.deepEqual(search(items, "sign").map(({ path }) => path), ["docs/run/", "docs/keys/#rotate"]);
  assert.deepEqual(search(items, "sign nothing"), []);
  assert.deepEqual(search(items, " ,; "), []);
});

test("a target without a leaderboard on this site, as of a track that is not installed, is not found as one", () => {
  const items = recordItems([entry({ track: "latency" }), entry({ target: "../x" }), entry({})], ["retrieval/notes-v1/"]);
  assert.deepEqual(items.filter(({ kind }) => kind === "Leaderboard").map(({ path }) => path), ["retrieval/notes-v1/"]);
});

test("two tracks with a dataset of one name have a leaderboard each", () => {
  const items = recordItems([entry({}), entry({ track: "latency" })], ["retrieval/notes-v1/", "latency/notes-v1/"]);
  assert.deepEqual(items.filter(({ kind }) => kind === "Leaderboard").map(({ path }) => path), ["retrieval/notes-v1/", "latency/notes-v1/"]);
});

test("a passage is read without its markup, and an escaped sign once", () => {
  assert.equal(plain('<p>Use <code>a &lt; b &amp;&amp; c</code>.</p>\n<p class="x">&amp;lt; &quot;d&#x27;s&quot;</p>'), 'Use a < b && c.\n&lt; "d\'s"');
});

test("an excerpt ends between two words, or at the limit where there is one word only", () => {
  assert.equal(excerpt("one two", 7), "one two");
  assert.equal(excerpt("one two three", 9), "one two …");
  assert.equal(excerpt("x".repeat(20), 5), "xxxxx …");
  assert.equal(excerpt("aa bb cc dd ee ff gg", 8, "ff"), "… ee ff gg");
});

test("a section is shown with the title of its page", () => {
  const items = proseItems([
    { location: "docs/run/", title: "Run", text: "" },
    { location: "docs/run/#sign", title: "Sign", text: "" },
  ], (html) => html);
  assert.deepEqual(items.map(({ kind }) => kind), ["Documentation", "Documentation · Run"]);
});
