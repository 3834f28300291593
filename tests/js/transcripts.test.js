// Transcripts of a session: the names of files are untrusted text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTranscripts, misquoted } from "../../theme/assets/js/sheet-transcripts.js";

/** @typedef {import("../../theme/assets/js/sheet-draft.js").Draft} Draft */

const HOSTILE = `\u202etxt.exe${"x".repeat(10_000)}`;

test("names of refused files are cut, and shown without what reorders text", async () => {
  const said = await loadTranscripts(new Map(), [new File([new Uint8Array([0xff])], HOSTILE)]);
  assert.ok(said.startsWith("0 transcript files loaded. Not loaded (not UTF-8 text"));
  assert.ok(said.includes("\\u202etxt.exe"));
  assert.ok(!said.includes("\u202e"));
  assert.ok(said.length < 400);
});

test("so is the file that a quote names", async () => {
  const texts = new Map();
  await loadTranscripts(texts, [new File(["hello"], HOSTILE)]);
  const draft = /** @type {Draft} */ (/** @type {unknown} */ ({
    tests: {}, universal: { U1: { evidence: [{ file: HOSTILE, excerpt: "absent" }] } }, domain: {},
  }));
  const [fault] = [...misquoted(texts, draft)];
  assert.ok(fault.said.startsWith("U1: quote 1 is not in \\u202etxt.exe"));
  assert.ok(fault.said.length < 300);
});
