// The evaluation form without a page: progress by section, model evaluators, and quotes beside their transcripts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { NEWEST, filled } from "./sheet-samples.js";

const modules = "../../theme/assets/js/";
const { blank } = await import(`${modules}sheet-draft.js`);
const { faults, progress } = await import(`${modules}sheet-faults.js`);
const { asText, fromText } = await import(`${modules}sheet-kept.js`);
const { loadTranscripts, misquoted } = await import(`${modules}sheet-transcripts.js`);

test("progress is counted by section, and a model evaluator has more to say", () => {
  const counts = (draft) => progress(NEWEST, draft, faults(NEWEST, draft));
  const empty = counts(blank(NEWEST));
  // By hand: agent 3, evaluator 4, session 1, disclosures 2, tests 6, U 6 × 3, D 5 × (3 × 2 + 1).
  assert.deepEqual([empty.filled, empty.total, empty.wrong], [0, 3 + 4 + 1 + 2 + 6 + 18 + 35, 0]);
  assert.deepEqual(empty.sections.get("D5"), { filled: 0, total: 7 });
  const draft = filled(NEWEST, 4);
  assert.deepEqual([counts(draft).filled, counts(draft).total], [69, 69]);
  draft.evaluator.kind = "model";
  // Besides, the model's name and what it could see.
  assert.deepEqual(counts(draft).sections.get("evaluator"), { filled: 4, total: 6 });
  draft.evaluator.model = { name: "Judge", promptSha256: "abc", saw: "all", probe: { planted: 1, accepted: null } };
  assert.deepEqual(faults(NEWEST, draft).map(({ name }) => name), ["evaluator.model.promptSha256", "evaluator.model.falsePositiveProbe.accepted"]);
  assert.equal(counts(draft).wrong, 2);
  draft.evaluator.model = { name: "Judge", promptSha256: "0f".repeat(32), saw: "all", probe: { planted: 1, accepted: 2 } };
  assert.deepEqual(faults(NEWEST, draft).map(({ name }) => name), ["evaluator.model.falsePositiveProbe.accepted"]);
  draft.evaluator.model.probe.accepted = 1;
  assert.deepEqual(faults(NEWEST, draft), []);
  assert.deepEqual(fromText(NEWEST, asText(NEWEST, draft)), draft);
});

test("quotes are compared with the transcripts that were chosen", async () => {
  const texts = new Map();
  const file = (name, bytes) => new File([bytes], name);
  const said = await loadTranscripts(texts, [file("one.txt", "Agent:\r\nHello there"), file("bad.txt", new Uint8Array([0xff]))]);
  assert.match(said, /^1 transcript file loaded\. Not loaded .*: bad\.txt\.$/);
  const draft = filled(NEWEST, 4);
  const wrong = (evidence) => {
    draft.universal.U2.evidence = [evidence];
    return [...misquoted(texts, draft)].map(({ name, said }) => `${name}: ${said}`);
  };
  assert.deepEqual(wrong({ file: "evidence/one.txt", excerpt: "Agent:\nHello" }), []);
  assert.deepEqual(wrong({ file: "evidence/one.txt", excerpt: "hello" }), ["universal.U2.evidence.0.excerpt: U2: quote 1 is not in evidence/one.txt"]);
  assert.deepEqual(wrong({ file: "two.txt", excerpt: "hello" }), [], "this file was not chosen");
  assert.deepEqual(wrong({ excerpt: "hello" }), [], "a quote without a file");
});
