// The pure part of the log page's filter.

import assert from "node:assert/strict";
import { test } from "node:test";

const { keeps } = await import("../../theme/assets/js/log.js");

test("without a wish every row stays", () => {
  assert.equal(keeps("key", "0 key root key enters service", { kind: "", words: "" }), true);
  assert.equal(keeps("key", "0 key root key enters service", { kind: "", words: "  " }), true);
});

test("a kind is matched whole, not as a part of another", () => {
  assert.equal(keeps("receipt", "7 receipt 3f", { kind: "receipt", words: "" }), true);
  assert.equal(keeps("key", "1 key receipt key enters service", { kind: "receipt", words: "" }), false);
});

test("every word must be somewhere in the row, in any order and case", () => {
  const text = "7 retraction 3f25 Read a stale index";
  assert.equal(keeps("retraction", text, { kind: "", words: "STALE 3f25" }), true);
  assert.equal(keeps("retraction", text, { kind: "", words: "stale fresh" }), false);
  assert.equal(keeps("retraction", text, { kind: "receipt", words: "stale" }), false);
});
