// The pure part of the log page's filter.

import assert from "node:assert/strict";
import { test } from "node:test";

const { keeps } = await import("../../theme/assets/js/log.js");

test("without a wish every row stays", () => {
  assert.equal(keeps("0 key root key added", ""), true);
  assert.equal(keeps("0 key root key added", "  "), true);
});

test("every word must be somewhere in the row, in any order and case", () => {
  const text = "7 retraction 3f25 Read a stale index";
  assert.equal(keeps(text, "STALE 3f25"), true);
  assert.equal(keeps(text, "stale fresh"), false);
});
