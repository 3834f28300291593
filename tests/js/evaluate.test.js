// The evaluator form without a page: its YAML, its drafts, what it finds missing, and the figures it shows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { rulesOf } from "./packaged-rules.js";
import { FORM, NEWEST, OLDEST, filled } from "./sheet-samples.js";

const modules = "../../theme/assets/js/";
const { LONGEST, SheetError, read, write } = await import(`${modules}sheet-yaml.js`);
const { blank, draftOf, fileName, following, sheetOf } = await import(`${modules}sheet-draft.js`);
const { faults, progress } = await import(`${modules}sheet-faults.js`);
const { figures, rest, summary } = await import(`${modules}sheet-shown.js`);
const { ELSEWHERE, NO_STORAGE, asText, asideOf, forget, forgetAside, fromText, keep, keyOf, recall, setAside, wasHanded } = await import(`${modules}sheet-kept.js`);

test("texts are escaped where YAML would take them for something else", () => {
  // YAML 1.2.2, 5.1 and 5.4: what is not printable, and NEL, LS, PS, which end lines in YAML 1.1; BOM.
  assert.equal(write({ a: 'q"\\\n\t\u0000\u0085\u2028\u2029\ufeff\u00a0é😀' }, "c"),
    '# c\na: "q\\"\\\\\\n\\t\\u0000\\u0085\\u2028\\u2029\\ufeff\\u00a0é😀"\n');
});

test("mappings, lists and scalars stand as the layout says", () => {
  const value = { a: { n: 3, t: true, z: null, e: [] }, l: [{ p: "1", q: { r: "x" } }, { p: "2" }] };
  const text = '# c\na:\n  n: 3\n  t: true\n  z: null\n  e: []\nl:\n  - p: "1"\n    q:\n      r: "x"\n  - p: "2"\n';
  assert.equal(write(value, "c"), text);
  assert.deepEqual(read(text), value);
  assert.deepEqual(read(text.replaceAll("\n", "\r\n")), value);
});

test("half of a character cannot be written", () => {
  assert.throws(() => write({ a: "\ud83d" }, "c"), SheetError);
});

test("other YAML is refused, with the line", () => {
  const bad = [
    ["a: b", 1], ["a: 1.5", 1], ["a: [1]", 1], ["a: &x 1", 1], ["a: *x", 1], ["a: !!str 1", 1], ["a: |", 1], ["a: 'x'", 1],
    ['a: "x', 1], ['a: "\\x41"', 1], ['a: "\\ud83d\\ude00"', 1], ["__proto__: 1", 1], ["a-b: 1", 1], [" a: 1", 1], ["\ta: 1", 1],
    ["a: 1\na: 2", 2], ["a:\nb: 1", 1], ["a:\n    b: 1", 2], ["a: 1\n  b: 2", 2], ["a:\n  b: 1\n    c: 2", 3],
    ["- a: 1", 1], ["a:\n    - b: 1\n  c: 1", 2], ["a: 1 # more", 1], ["a: 0x1", 1], ["a: 012", 1], ["---", 1],
    [`${Array.from({ length: 20 }, (_, depth) => `${"  ".repeat(depth)}a:`).join("\n")} 1`, 14],
  ];
  for (const [text, line] of bad) {
    assert.throws(() => read(text), (error) => error instanceof SheetError && error.message.startsWith(`Line ${line} `), JSON.stringify(text));
  }
  assert.throws(() => read(`a: "${"x".repeat(LONGEST)}"`), /longer than 1,048,576 characters/);
});

test("a draft comes back from its text as it was, finished or not", () => {
  for (const form of [FORM, OLDEST, NEWEST]) {
    for (const draft of [blank(form), filled(form, 4)]) {
      if (!form.parameters.disclosures) draft.disclosures = { repeatabilityTested: null, multiStep: null };
      assert.deepEqual(fromText(form, asText(form, draft)), draft);
    }
  }
  const averaged = filled(FORM, 3);
  averaged.domain.D2.questions.push({ question: "And then?", criteria: filled(FORM, 5).domain.D2.questions[0].criteria });
  averaged.domain.D2.questions[0].question = "What now?";
  assert.deepEqual(fromText(FORM, asText(FORM, averaged)), averaged);
});

test("a sheet has the layout of specs/rubric.md, and under 1.0.0 neither tests nor disclosures", () => {
  assert.deepEqual(Object.keys(sheetOf(FORM, filled(FORM, 4))),
    ["methodology", "template", "agent", "evaluator", "session", "disclosures", "requiredTests", "universal", "domain"]);
  const sheet = sheetOf(OLDEST, filled(OLDEST, 4));
  assert.deepEqual(Object.keys(sheet), ["methodology", "template", "agent", "evaluator", "session", "universal", "domain"]);
  assert.deepEqual(Object.keys(sheet.domain.D1), ["criteria", "evidence"]);
});

test("a sheet of another form, or with other keys and values, is refused with its place", () => {
  const sheet = () => sheetOf(FORM, filled(FORM, 4));
  const refused = (change, says) => {
    const value = structuredClone(sheet());
    change(value);
    assert.throws(() => draftOf(FORM, value), (error) => error instanceof SheetError && says.test(error.message), String(says));
  };
  refused((value) => { value.methodology = "1.2.0"; }, /for customer-service under rubric 1\.2\.0; this form is for .* 1\.3\.0/);
  refused((value) => { value.template = "sales"; }, /The sheet is for sales/);
  refused((value) => { value.extra = 1; }, /unknown key extra/);
  refused((value) => { delete value.agent; }, /agent is missing/);
  refused((value) => { delete value.universal.U4.score; }, /universal\.U4: score is missing/);
  for (const score of [0, 6, 3.5, "4", true]) refused((value) => { value.universal.U1.score = score; }, /universal\.U1\.score is not one of 1, 2, 3, 4, 5, null/);
  refused((value) => { value.domain.D1.criteria.speed = { score: 1, note: "" }; }, /domain\.D1\.criteria: unknown key speed/);
  refused((value) => { value.domain.D1.evidence = [{ url: "x" }]; }, /unknown key url/);
  refused((value) => { value.requiredTests.hallucination.outcome = "maybe"; }, /not one of pass, partial, fail, null/);
  refused((value) => { value.session = []; }, /session is not a mapping/);
  refused((value) => { value.domain.D3 = { averagedFrom: [{ question: "q", criteria: value.domain.D3.criteria }], evidence: [] }; }, /averages two questions or more/);
  assert.throws(() => draftOf(OLDEST, { ...sheetOf(OLDEST, filled(OLDEST, 4)), disclosures: {} }), /unknown key disclosures/);
});

test("a blank form misses everything that its version demands, in the order of the form", () => {
  // Agent 3, evaluator 4 (name, kind, conflict, consent), date, U1 to U6, 5 × 3 criteria.
  assert.equal(faults(OLDEST, blank(OLDEST)).length, 3 + 4 + 1 + 6 + 15);
  // Besides, 2 disclosures, 3 tests with outcome and note.
  assert.equal(faults(FORM, blank(FORM)).length, 29 + 2 + 6);
  // Besides, evidence of 6 dimensions and 5 scenarios, and a note of each dimension and of 5 × 3 criteria.
  assert.equal(faults(NEWEST, blank(NEWEST)).length, 37 + 11 + 21);
  const names = faults(FORM, blank(FORM)).map(({ name }) => name);
  assert.deepEqual([names[0], names.at(-1)], ["agent.name", "domain.D5.questions.0.criteria.usefulness.score"]);
  for (const form of [FORM, OLDEST, NEWEST]) assert.deepEqual(faults(form, filled(form, 1)), []);
});

test("what the command line would refuse is named before the sheet is saved", () => {
  const wrong = (change, form = FORM) => {
    const draft = filled(form, 4);
    change(draft);
    return faults(form, draft).map(({ name, said }) => `${name}: ${said}`);
  };
  const only = (found, says) => {
    assert.equal(found.length, 1, found.join("; "));
    assert.match(found[0], says);
  };
  only(wrong((draft) => { draft.agent.name = "x".repeat(201); }), /^agent\.name: .*longer than 200/);
  assert.deepEqual(wrong((draft) => { draft.agent.name = "😀".repeat(200); }), []);
  only(wrong((draft) => { draft.agent.vendor = "a\u0085b"; }), /^agent\.vendor: .*control character/);
  only(wrong((draft) => { draft.evaluator.name = "a\tb"; }), /^evaluator\.name: .*one line/);
  only(wrong((draft) => { draft.evaluator.pass = 0; }), /^evaluator\.pass: .*from 1 to 200/);
  only(wrong((draft) => { draft.evaluator.consentToPublish = false; }), /consent/);
  only(wrong((draft) => { draft.session.date = "2026-02-30"; }), /^session\.date/);
  only(wrong((draft) => { draft.tests.invalidInput.outcome = null; }), /^tests\.invalidInput\.outcome: Required test, Invalid input/);
  only(wrong((draft) => { draft.universal.U2.note = "x".repeat(4001); }), /^universal\.U2\.note: .*longer than 4,000/);
  only(wrong((draft) => { draft.universal.U2.note = "\ud800"; }), /invalid Unicode character/);
  for (const file of ["/etc/passwd", "../up.txt", "a/../b", "a\\b", "C:x", "a//b", "~/x"]) {
    only(wrong((draft) => { draft.domain.D2.evidence = [{ file }]; }), /^domain\.D2\.evidence\.0\.file: .*beside the sheet/);
  }
  only(wrong((draft) => { draft.universal.U6.evidence = []; }, NEWEST), /^universal\.U6\.evidence\.0\.excerpt: U6: evidence is missing/);
  only(wrong((draft) => { draft.domain.D1.questions.push(filled(FORM, 2).domain.D1.questions[0]); draft.domain.D1.questions[0].question = "a"; }),
    /^domain\.D1\.questions\.1\.question: D1, question 2: the question/);
  only(wrong((draft) => { draft.domain.D1.questions = ["Why?", " why? "].map((question) => ({ ...draft.domain.D1.questions[0], question })); }),
    /^domain\.D1\.questions\.1\.question: D1, question 2: the question repeats an earlier question/);
  for (const note of ["", " \u00a0\ufeff\n"]) {
    only(wrong((draft) => { draft.universal.U6.note = note; }, NEWEST), /^universal\.U6\.note: U6: the note is missing/);
    only(wrong((draft) => { draft.domain.D4.questions[0].criteria.accuracy.note = note; }, NEWEST),
      /^domain\.D4\.questions\.0\.criteria\.accuracy\.note: D4, accuracy: the note is missing/);
  }
  assert.deepEqual(wrong((draft) => { draft.universal.U6.note = ""; }), []);
});

test("figures are given as soon as they are certain", () => {
  const draft = blank(FORM);
  assert.deepEqual([...new Set(figures(FORM, draft).values())], ["–"]);
  for (const [place, id] of Object.keys(draft.universal).entries()) draft.universal[id].score = [4, 3, 5, 2, 4, 4][place];
  // By hand: 22 / 30 × 100 = 73.333…
  assert.equal(figures(FORM, draft).get("universal"), "73.33");
  const marks = [5, 4, 4];
  Object.values(draft.domain.D1.questions[0].criteria).forEach((mark, place) => { mark.score = marks[place]; });
  // By hand: 13 / 15 × 100 = 86.666…
  assert.equal(figures(FORM, draft).get("D1"), "86.67");
  assert.equal(figures(FORM, draft).get("domain"), "–");
  const done = progress(FORM, draft, faults(FORM, draft));
  // By hand: of 37 required fields 6 dimensions and 3 criteria are scored.
  assert.equal(summary(figures(FORM, draft), done), "Universal 73.33, domain not known yet, composite not known yet. 9 of 37 required fields filled.");
  assert.equal(rest({ filled: 3, total: 4, wrong: 2 }), "3 of 4 required fields filled, 2 other errors");
});

test("the penalty of 1.3.0 waits for the disclosure and is shown apart", () => {
  const draft = filled(FORM, 5);
  draft.disclosures.repeatabilityTested = null;
  assert.deepEqual(["raw", "penalty", "composite"].map((name) => figures(FORM, draft).get(name)), ["100.00", "–", "–"]);
  draft.disclosures.repeatabilityTested = false;
  assert.deepEqual(["raw", "penalty", "composite"].map((name) => figures(FORM, draft).get(name)), ["100.00", "10.00", "90.00"]);
  draft.disclosures.repeatabilityTested = true;
  assert.equal(figures(FORM, draft).get("composite"), "100.00");
});

test("the shared vectors of one sheet come out of the form to the last digit", () => {
  const { cases } = JSON.parse(readFileSync(new URL("../vectors/rubric/scoring.json", import.meta.url), "utf8"));
  const single = cases.filter(({ body }) => body.sheets.length === 1);
  assert.ok(single.length >= 5);
  for (const { name, version, body, expected } of single) {
    const form = { ...FORM, version, parameters: rulesOf(version) };
    const draft = blank(form);
    draft.disclosures.repeatabilityTested = body.disclosures.repeatabilityTested;
    for (const id of Object.keys(draft.universal)) draft.universal[id].score = body.universal[id][0].score;
    for (const id of Object.keys(draft.domain)) draft.domain[id].questions = body.domain[id][0].questions;
    const shown = figures(form, draft);
    const wanted = { universal: "universal_score", domain: "domain_score", composite: "composite_score", raw: "raw_composite", penalty: "penalty", D1: "d1_score", D5: "d5_score" };
    for (const [figure, metric] of Object.entries(wanted)) {
      if (Object.hasOwn(expected.scores, metric)) assert.equal(shown.get(figure), expected.scores[metric].toFixed(2), `${name}: ${metric}`);
    }
  }
});

test("a day counts from when it begins in UTC+14, and no day counts before", () => {
  const draft = filled(FORM, 4);
  // 21 November begins in UTC+14 when it is 10:00 on the 20th in UTC.
  const begun = Date.UTC(2026, 10, 20, 10);
  const said = (date, now) => {
    draft.session.date = date;
    return faults(FORM, draft, now).map(({ name, said }) => `${name}: ${said}`);
  };
  assert.deepEqual(said("2026-11-21", begun), []);
  assert.deepEqual(said("2026-11-20", begun - 1), []);
  const ahead = ["session.date: Session: the date is in the future"];
  assert.deepEqual(said("2026-11-21", begun - 1), ahead);
  assert.deepEqual(said("2026-11-22", begun), ahead);
  assert.deepEqual(said("9999-12-31"), ahead, "by this computer's clock, unless said otherwise");
  assert.deepEqual(said("2027-02-29", begun), ["session.date: Session: the date is not a valid date"]);
});

test("a file's name is plain, whatever the agent is called", () => {
  const draft = filled(FORM, 4);
  assert.equal(fileName(FORM, draft, true), "ada-s-agent-customer-service-1.3.0-bo-s1-p1.yaml");
  draft.agent.name = "../../etc/passwd\u202e";
  assert.equal(fileName(FORM, draft, false), "etc-passwd-customer-service-1.3.0-bo-s1-p1.draft.yaml");
  draft.agent.name = draft.evaluator.name = "\u{1f600}\ufe0f \u3164";
  assert.equal(fileName(FORM, draft, true), "agent-customer-service-1.3.0-evaluator-s1-p1.yaml");
});

test("names in any script are told apart in the file's name, which no file system finds too long", () => {
  const draft = filled(FORM, 4);
  const of = (name) => {
    draft.evaluator.name = name;
    return fileName(FORM, draft, true).replace("ada-s-agent-customer-service-1.3.0-", "");
  };
  assert.deepEqual(["Анна", "Борис", "田中", "José", "Jose\u0301", "हिन्दी"].map(of),
    ["анна", "борис", "田中", "josé", "josé", "हिन्दी"].map((name) => `${name}-s1-p1.yaml`));
  draft.session.n = draft.evaluator.pass = 200;
  draft.agent.name = "智".repeat(200);
  const longest = of("\u{20bb7}".repeat(200));
  assert.ok(longest.isWellFormed());
  assert.ok(Buffer.byteLength(longest) <= 255, longest);
});

/** A browser's storage as a Map. */
function storage() {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  return kept;
}

test("the next sheet has the agent, the session and the disclosures, and nothing that was scored", () => {
  for (const form of [FORM, OLDEST, NEWEST]) {
    const before = filled(form, 4);
    const { agent, session, disclosures, ...rest } = following(form, before);
    assert.deepEqual({ agent, session, disclosures }, { agent: before.agent, session: before.session, disclosures: before.disclosures });
    const empty = blank(form);
    assert.deepEqual(rest, { evaluator: { ...empty.evaluator, pass: null }, tests: empty.tests, universal: empty.universal, domain: empty.domain });
  }
});

test("a draft that was handed over is known by it until another takes its place", () => {
  storage();
  keep(FORM, filled(FORM, 2), true);
  assert.deepEqual([wasHanded(FORM), wasHanded(NEWEST)], [true, false]);
  keep(FORM, filled(FORM, 3));
  assert.equal(wasHanded(FORM), false);
  keep(FORM, filled(FORM, 2), true);
  forget(FORM);
  assert.deepEqual([wasHanded(FORM), recall(FORM)], [false, null]);
});

test("drafts that cannot be used are set aside whole, and no later draft replaces them", () => {
  const kept = storage();
  for (const text of ["first: 1\n", "second: 2\n"]) {
    kept.set(keyOf(FORM), text);
    assert.match(recall(FORM), /cannot be used\. Download it as a recovered draft\. /);
    assert.equal(recall(FORM), null);
    keep(FORM, filled(FORM, 1));
  }
  forget(FORM);
  assert.deepEqual(asideOf(FORM), ["first: 1\n", "second: 2\n"]);
  forgetAside(FORM, "first: 1\n");
  assert.deepEqual(asideOf(FORM), ["second: 2\n"]);
  forgetAside(FORM, "second: 2\n");
  assert.deepEqual(asideOf(FORM), []);
  assert.equal(kept.size, 0);
});

test("what stands in the place of the list, and is none, is given out whole", () => {
  const kept = storage();
  for (const text of ["old: 1\n", "[1]", '{"0":"a"}', "null"]) {
    kept.set(`${keyOf(FORM)}:aside`, text);
    assert.deepEqual(asideOf(FORM), [text]);
    assert.equal(setAside(FORM, filled(FORM, 1)), true);
    forgetAside(FORM, text);
    assert.deepEqual(asideOf(FORM), [asText(FORM, filled(FORM, 1))]);
  }
});

test("a draft that another takes the place of is set aside as a sheet that can be imported, and what is kept stays", () => {
  const kept = storage();
  const other = asText(FORM, filled(FORM, 2));
  kept.set(keyOf(FORM), other); // another tab's
  assert.equal(setAside(FORM, filled(FORM, 1)), true);
  for (const seed of [3, 1]) assert.equal(setAside(FORM, filled(FORM, seed)), true);
  assert.deepEqual(asideOf(FORM).map((text) => fromText(FORM, text)), [filled(FORM, 1), filled(FORM, 3)]);
  assert.equal(kept.get(keyOf(FORM)), other);
  const half = filled(FORM, 2);
  half.agent.name = "\ud800";
  assert.equal(setAside(FORM, half), false);
  globalThis.localStorage.setItem = () => { throw new Error("QuotaExceededError"); };
  assert.equal(setAside(FORM, filled(FORM, 4)), false);
  assert.equal(asideOf(FORM).length, 2);
});

test("a draft for which there is no room twice is set aside all the same, or offered and kept as it is", () => {
  const unusable = `old: ${"y".repeat(150)}\n`;
  // Either way there is no room for it twice; without spare room not even for it under the longer name.
  for (const [spare, fits] of [[100, true], [0, false]]) {
    const kept = storage();
    const used = () => [...kept].join("").length;
    kept.set(keyOf(FORM), unusable);
    const room = used() + spare;
    globalThis.localStorage.setItem = (key, value) => {
      const before = new Map(kept);
      kept.set(key, value);
      if (used() <= room) return;
      kept.delete(key);
      if (before.has(key)) kept.set(key, before.get(key));
      throw new Error("QuotaExceededError");
    };
    assert.match(recall(FORM), fits ? /recovered draft\. / : /Storage is full: download it first/);
    assert.deepEqual(asideOf(FORM), [unusable]);
    if (fits) continue;
    assert.match(keep(FORM, filled(FORM, 1)), /not stored.* download the recovered draft first/);
    assert.match(forget(FORM), /not stored/);
    assert.equal(kept.get(keyOf(FORM)), unusable);
    assert.equal(forgetAside(FORM, unusable), true);
    assert.deepEqual([asideOf(FORM), kept.size], [[], 0]);
    storage();
    assert.match(keep(FORM, filled(FORM, 1)), /stored in this browser/);
    assert.equal(forgetAside(FORM, unusable), false);
  }
});

test("what another tab kept is neither replaced nor deleted until it was read", () => {
  const kept = storage();
  keep(FORM, filled(FORM, 1));
  const other = asText(FORM, filled(FORM, 2));
  kept.set(keyOf(FORM), other);
  assert.equal(keep(FORM, filled(FORM, 3)), ELSEWHERE);
  assert.equal(forget(FORM), ELSEWHERE);
  assert.equal(kept.get(keyOf(FORM)), other);
  assert.deepEqual(recall(FORM), filled(FORM, 2));
  assert.match(keep(FORM, filled(FORM, 3)), /stored in this browser/);
  kept.delete(keyOf(FORM)); // another tab has deleted it: nothing is lost by keeping this one
  assert.match(keep(FORM, filled(FORM, 1)), /stored in this browser/);
});

test("two sites of one origin keep their drafts apart", () => {
  // The scripts lie under assets/js/ of the site, here of the theme.
  assert.ok(keyOf(FORM).includes(`:${new URL("../../theme/", import.meta.url).pathname}:1.3.0:`), keyOf(FORM));
});

test("a draft is kept, one for each version and template, and what cannot be kept is said", () => {
  const kept = storage();
  assert.equal(recall(FORM), null);
  assert.match(keep(FORM, filled(FORM, 2)), /stored in this browser/);
  assert.deepEqual(recall(FORM), filled(FORM, 2));
  assert.equal(recall(NEWEST), null);
  kept.set(keyOf(NEWEST), kept.get(keyOf(FORM)));
  assert.match(recall(NEWEST), /cannot be used\. Download it as a recovered draft\. The sheet is for customer-service under rubric 1\.3\.0/);
  const half = filled(FORM, 2);
  half.agent.name = "\ud800";
  assert.match(keep(FORM, half), /not stored\. A text contains an invalid/);
  const long = filled(FORM, 2);
  long.universal.U1.note = "é".repeat(LONGEST / 2);
  assert.match(keep(FORM, long), /not stored\. A sheet has at most 1,048,576 bytes/);
  assert.deepEqual(recall(FORM), filled(FORM, 2));
  forget(FORM);
  assert.equal(recall(FORM), null);
  globalThis.localStorage = { getItem: () => { throw new Error("off"); }, setItem: () => { throw new Error("off"); }, removeItem: () => { throw new Error("off"); } };
  assert.equal(recall(FORM), NO_STORAGE);
  assert.equal(keep(FORM, half), "Draft not stored. A text contains an invalid Unicode character.");
  assert.equal(keep(FORM, filled(FORM, 2)), NO_STORAGE);
  forget(FORM);
});
