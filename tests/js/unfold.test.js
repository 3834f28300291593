// Folded parts: a link into one opens it and all around it, and print opens every one for as long as it lasts.

import assert from "node:assert/strict";
import { test } from "node:test";

class Part {
  /** @param {Part | null} around @param {boolean} folds */
  constructor(around, folds = false) {
    this.parentElement = around;
    this.folds = folds;
    this.open = false;
    this.seen = 0;
  }

  closest() {
    for (let part = this; part; part = part.parentElement) if (part.folds) return part;
    return null;
  }

  scrollIntoView() {
    this.seen += 1;
  }
}

const outer = new Part(null, true);
const inner = new Part(new Part(outer), true);
const line = new Part(inner);
const plain = new Part(null);
const parts = new Map([["template-é", outer], ["inner", inner], ["line", line], ["plain", plain]]);
const handlers = new Map();
globalThis.document = { getElementById: (name) => parts.get(name) ?? null, querySelectorAll: () => [outer, inner] };
globalThis.location = { hash: "#line" };
globalThis.addEventListener = (kind, handler) => handlers.set(kind, handler);
const { start } = await import("../../theme/assets/js/unfold.js");
start();

const fold = () => {
  for (const part of [outer, inner]) part.open = false;
};
const go = (hash) => {
  globalThis.location.hash = hash;
  handlers.get("hashchange")();
};

test("the address the page was opened with opens what it points into", () => {
  assert.deepEqual([outer.open, inner.open, line.seen], [true, true, 1]);
});

test("a link to a folded part itself opens it, and nothing inside", () => {
  fold();
  go("#template-%C3%A9");
  assert.deepEqual([outer.open, inner.open], [true, false]);
});

test("other addresses open nothing and break nothing", () => {
  fold();
  for (const hash of ["", "#", "#nowhere", "#plain", "#%E0%A4%A"]) go(hash);
  assert.deepEqual([outer.open, inner.open, plain.seen], [false, false, 0]);
});

test("print opens what is folded and folds exactly that again", () => {
  fold();
  inner.open = true;
  handlers.get("beforeprint")();
  assert.deepEqual([outer.open, inner.open], [true, true]);
  handlers.get("afterprint")();
  assert.deepEqual([outer.open, inner.open], [false, true]);
});
