// The fixed words: complete, each with a glyph, and inert text. That they are Python's is checked by `make check`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { filled, violation } from "../../theme/verify/filled.js";
import { visible } from "../../theme/verify/unseen.js";
import { DETAILS, RESCORE_SENTENCES, SENTENCES, STATES, VERDICTS } from "../../theme/verify/sentences.js";
import { said } from "../../theme/verify/wording.js";
import { LOG_STATES, ROWS, limitsOf } from "../../theme/verify/words.js";
import { TRACKS } from "../../theme/verify/tracks.js";

// specs/log.md, "Verdicts"
const NAMES = ["WITNESSED", "LOGGED", "SIGNED-ONLY", "UNKNOWN SIGNER", "SUSPECT", "RETRACTED", "SUPERSEDED", "DISPUTED", "INVALID", "UNSUPPORTED"];

test("every verdict has one sentence and a mark that is more than a color", () => {
  assert.deepEqual(Object.keys(SENTENCES).sort(), [...NAMES].sort());
  assert.deepEqual(Object.keys(VERDICTS).sort(), [...NAMES].sort());
  for (const mark of [...Object.values(VERDICTS), ...Object.values(STATES), ...Object.values(LOG_STATES)]) {
    assert.ok(mark.glyph.length > 0 && mark.word.length > 0);
  }
  assert.deepEqual(Object.keys(RESCORE_SENTENCES), ["MATCHES", "DIFFERS", "NOT RE-SCORABLE"]);
});

test("good, caution and bad never share a glyph with another tone", () => {
  const tones = new Map();
  for (const { glyph, tone } of Object.values(VERDICTS)) {
    if (glyph === "✓") assert.equal(tone, "good");
    if (tone === "good") assert.equal(glyph, "✓");
    tones.set(glyph, tone);
  }
  assert.equal(STATES.pass.glyph, "✓");
  assert.equal(STATES.fail.glyph, "✗");
});

test("the steps are the first ten of the specification, in order, and no finding belongs to two", () => {
  assert.deepEqual(ROWS.map(({ number }) => number), ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
  const names = ROWS.flatMap((row) => row.names);
  assert.equal(new Set(names).size, names.length);
});

test("each track has words of its own, and shares the limits that hold for all", () => {
  const shared = limitsOf(null);
  const own = [...TRACKS.values()].map(({ words }) => words);
  assert.ok(own.length >= 2);
  for (const words of own) {
    assert.deepEqual(limitsOf(words).filter((limit) => !shared.includes(limit)), [words.limit]);
  }
  assert.equal(new Set(own.flatMap(({ leftOut, elsewhere, limit, broken }) => [leftOut, elsewhere, limit, broken.word])).size, 4 * own.length);
});

test("a detail is filled in once, whatever its values hold", () => {
  assert.equal(said("logged", { index: 1187, last: 12345, origin: "{last} $&" }),
    DETAILS.logged.replace("{index}", "1,187").replace("{last}", "12,345").replace("{origin}", () => "{last} $&"));
  assert.throws(() => said("logged", { index: 1 }), /needs last/);
});

test("a sentence is filled in once, whatever its values hold", () => {
  assert.equal(filled("Run {run} of {task}.", { run: 1187, task: "{run} $&" }), "Run 1187 of {run} $&.");
  assert.throws(() => filled("Run {run} of {task}.", { run: 1 }), /needs task/);
});

test("a violation has the code before the slash of its message's name", () => {
  const messages = { "rank": "no rank", "rank/legacy": "no rank in {count} rows" };
  assert.deepEqual(violation(messages, "rank", "a.b"), { code: "rank", field: "a.b", message: "no rank" });
  assert.deepEqual(violation(messages, "rank/legacy", "a", { count: 3 }), { code: "rank", field: "a", message: "no rank in 3 rows" });
});

test("invisible and reordering characters are written out", () => {
  assert.equal(visible("a\u202eb\u200b\u0007"), "a\\u202eb\\u200b\\u0007");
  assert.equal(visible("two\nlines\tπ"), "two\nlines\tπ");
  assert.equal(visible("\u{e0041}\ud800\u{1f600}"), "\\ue0041\\ud800\u{1f600}");
});
