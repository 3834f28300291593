// What a browser remembers of a log: never backwards, never what it could not read back, and nothing where storage is
// missing, full or full of rubbish.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

const { recall, remember } = await import("../../theme/verify/memory.js");

const ORIGIN = "a.example/log";
const PLACE = `benchsite:head:${ORIGIN}`;
const head = (size, letter = "A", note = "text\n\n— a.example/log AAAAAAA=\n") =>
  ({ origin: ORIGIN, size, root: `${letter.repeat(42)}A=`, note });

let stored = new Map();

/** @param {object | undefined} storage */
function put(storage) {
  Object.defineProperty(globalThis, "localStorage", { configurable: true, value: storage });
}

beforeEach(() => {
  stored = new Map();
  put({ getItem: (name) => stored.get(name) ?? null, setItem: (name, value) => stored.set(name, value) });
});

afterEach(() => {
  delete globalThis.localStorage;
});

test("a head comes back as it was kept, by its origin", () => {
  assert.equal(recall(ORIGIN), null);
  assert.equal(remember(head(6)), true);
  assert.deepEqual(recall(ORIGIN), head(6));
  assert.equal(recall("b.example/log"), null);
  assert.equal(recall(null), null);
});

test("a larger head takes the place of a smaller one, never the other way round", () => {
  remember(head(6));
  assert.equal(remember(head(20)), true);
  assert.equal(remember(head(10)), true);
  assert.deepEqual(recall(ORIGIN), head(20));
});

test("a head that a check has put aside gives way even to a smaller one", () => {
  remember(head(20));
  assert.equal(remember(head(6, "B"), recall(ORIGIN)), true);
  assert.deepEqual(recall(ORIGIN), head(6, "B"));
});

test("what another tab has stored since the check began stays where it is larger, and gives way where it is smaller", () => {
  remember(head(6));
  const before = recall(ORIGIN);
  remember(head(20), before);
  assert.equal(remember(head(10), before), true);
  assert.deepEqual(recall(ORIGIN), head(20));
  assert.equal(remember(head(30), before), true);
  assert.deepEqual(recall(ORIGIN), head(30));
});

test("of two heads of one size the first stays", () => {
  remember(head(6));
  assert.equal(remember(head(6)), true);
  assert.equal(remember(head(6, "B")), false);
  assert.deepEqual(recall(ORIGIN), head(6));
});

test("a note that could not be read back is refused, and what is there stays", () => {
  remember(head(6));
  assert.equal(remember(head(7, "A", "n".repeat((1 << 16) + 1))), false);
  assert.deepEqual(recall(ORIGIN), head(6));
  const longest = head(8, "A", "n".repeat(1 << 16));
  assert.equal(remember(longest), true);
  assert.deepEqual(recall(ORIGIN), longest);
});

test("whatever was kept can be read back", () => {
  for (const [size, length] of [[0, 0], [1, 65_536], [Number.MAX_SAFE_INTEGER, 10]]) {
    stored.clear();
    const kept = head(size, "A", "n".repeat(length));
    assert.equal(remember(kept), true);
    assert.deepEqual(recall(ORIGIN), kept);
  }
});

test("storage that is missing, forbidden or full remembers nothing and throws nothing", () => {
  put(undefined);
  assert.equal(remember(head(6)), false);
  assert.equal(recall(ORIGIN), null);
  const refuse = () => { throw new DOMException("denied", "SecurityError"); };
  put({ getItem: refuse, setItem: refuse });
  assert.equal(remember(head(6)), false);
  assert.equal(recall(ORIGIN), null);
  put({ getItem: (name) => stored.get(name) ?? null, setItem: refuse });
  assert.equal(remember(head(6)), false);
  Object.defineProperty(globalThis, "localStorage", { configurable: true, get: refuse });
  assert.equal(remember(head(6)), false);
  assert.equal(recall(ORIGIN), null);
});

test("what is stored there and is no head is nothing, and gives way", () => {
  const rubbish = [
    "", "{", "null", "7", "[]", "\"text\"", "{}",
    { ...head(6), origin: "b.example/log" }, { ...head(6), size: -1 }, { ...head(6), size: 1.5 }, { ...head(6), size: "6" },
    { ...head(6), size: 2 ** 53 }, { ...head(6), root: "short" }, { ...head(6), root: 7 }, { ...head(6), note: null },
    { ...head(6), note: "n".repeat((1 << 16) + 1) },
  ];
  for (const value of rubbish) {
    stored.set(PLACE, typeof value === "string" ? value : JSON.stringify(value));
    assert.equal(recall(ORIGIN), null, JSON.stringify(value).slice(0, 80));
    assert.equal(remember(head(3)), true);
    assert.deepEqual(recall(ORIGIN), head(3));
  }
});

test("members that are no part of a head do not come back", () => {
  stored.set(PLACE, JSON.stringify({ ...head(6), html: "<b>" }));
  assert.deepEqual(recall(ORIGIN), head(6));
});
