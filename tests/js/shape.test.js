// Which values a schema takes, and which fault of a value it names.

import assert from "node:assert/strict";
import { test } from "node:test";

const shape = await import("../../theme/verify/shape.js");
const { Fault } = await import("../../theme/verify/fault.js");
const { TEXT } = await import("../../theme/verify/schemas.js");
const { BOOLEAN, demand, either, integer, list, members, nullable, number, object, only, record, text } = shape;

const COUNT = integer(0);

/** The field of the first fault; null where there is none. */
function fault(check, value, prefix) {
  try {
    demand(check, value, prefix);
    return null;
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.ok(error.message.startsWith(`field ${error.field}: `));
    return error.field;
  }
}

const accepts = (check, ...values) => values.forEach((value) => assert.equal(fault(check, value), null));
const refuses = (check, ...values) => values.forEach((value) => assert.equal(fault(check, value), "$"));

test("lines of text count code points", () => {
  accepts(TEXT, "a", "é", "\u{1f600}".repeat(200));
  refuses(TEXT, "", "\u{1f600}".repeat(201), "a\n", "\u0085", "\u007f", 1, null, undefined);
});

test("whole numbers are those every engine holds exactly", () => {
  accepts(integer(0), 0, 1, 2 ** 53 - 1);
  refuses(integer(0), -1, 0.5, 2 ** 53, 1e21, "1", true, null);
  accepts(integer(1, 3), 1, 3);
  refuses(integer(1, 3), 0, 4);
});

test("numbers", () => {
  accepts(number(), 0, -1.5, 1e300);
  refuses(number(), NaN, Infinity, "1", true, null);
  accepts(number({ min: 0 }), 0);
  refuses(number({ above: 0 }), 0);
});

test("numbers within bounds", () => {
  accepts(number({ min: 0, max: 100 }), 0, 100);
  refuses(number({ min: 0, max: 100 }), -1e-9, 100.1);
  accepts(number({ above: 0, below: 1 }), 5e-324, 0.9999999999999999);
  refuses(number({ above: 0, below: 1 }), 0, 1);
  accepts(integer(), -(2 ** 53) + 1);
});

test("lengths of texts count code points", () => {
  accepts(text(undefined, { max: 2 }), "", "\u{1f600}\u{1f600}");
  refuses(text(undefined, { max: 2 }), "abc", "\u{1f600}".repeat(3), "a".repeat(5));
  refuses(text(/^a*$/u, { min: 1 }), "", "b");
});

test("words, truth values, null and scalars", () => {
  accepts(only("a", "b"), "a", "b");
  refuses(only("a", "b"), "c", ["a"], null);
  accepts(only(1), 1);
  refuses(only(1), true, "1", 1.5);
  refuses(only(true), 1, "true", null);
  accepts(BOOLEAN, true, false);
  refuses(BOOLEAN, 0, "true", null);
  accepts(nullable(COUNT), null, 3);
  refuses(nullable(COUNT), undefined, "3");
  const scalar = nullable(either("str", text(), integer(), number(), BOOLEAN));
  accepts(scalar, "", 0, 0.5, true, null);
  assert.equal(fault(record(text(), scalar), { a: [1] }, "config.options"), "config.options.a.str");
});

const POINT = object({ x: COUNT, "label?": TEXT, y: COUNT });

test("declared fields are looked at first and in order, then unknown ones", () => {
  accepts(POINT, { y: 1, x: 2 }, { x: 1, label: "a", y: 2 });
  assert.equal(fault(POINT, { y: "a", z: 1 }), "x");
  assert.equal(fault(POINT, { x: 1, y: "a", z: 1 }), "y");
  assert.equal(fault(POINT, { x: 1, y: 2, z: 1, w: 1 }), "z");
  assert.equal(fault(POINT, { x: 1, y: 2, label: null }), "label");
  refuses(POINT, [], null, "x");
});

test("inherited names are no fields", () => {
  assert.equal(fault(object({ constructor: COUNT }), {}), "constructor");
  assert.equal(fault(object({}), Object.assign(Object.create(null), { toString: 1 })), "toString");
});

test("paths lead to the fault as Python writes them", () => {
  const document = object({ rows: list(object({ at: POINT })), tables: record(TEXT, list(COUNT)) });
  assert.equal(fault(document, { rows: [{ at: { x: 1, y: 1 } }, { at: { x: 1 } }], tables: {} }), "rows[1].at.y");
  assert.equal(fault(document, { rows: [], tables: { ok: [], "no.": [1, -1] } }), "tables.no.[1]");
  assert.equal(fault(document, { rows: [], tables: { "": [] } }), "tables..[key]");
  assert.equal(fault(document, { rows: [], tables: {}, "..q": 1 }), "q");
  assert.equal(fault(list(COUNT), ["a"], "config.k"), "config.k[0]");
});

// What pydantic says of the same where it stops at the first fault.
test("a list or record is at fault where its first faulty entry is, or one too many", () => {
  const few = list(COUNT, { min: 1, max: 2 });
  accepts(few, [1], [1, 2]);
  refuses(few, [], [1, 2, 3], [1, 2, 3, "a"]);
  assert.equal(fault(few, ["a", 1, 2, 3]), "[0]");
  assert.equal(fault(few, ["a", "a", "a"]), "[0]");
  assert.equal(fault(few, [1, 2, "a"]), "[2]");
  const small = record(TEXT, COUNT, { max: 2 });
  refuses(small, { a: 1, b: 2, c: 3 });
  assert.equal(fault(small, { a: "x", b: 1, c: 2, d: 3 }), "a");
});

test("checking ends at the first fault", () => {
  for (const [most, values, expected] of [[Infinity, Array(1_000).fill("a"), 1], [10, Array(1_000).fill(1), 11]]) {
    let looked = 0;
    const counting = (value) => {
      looked += 1;
      return COUNT(value);
    };
    assert.notEqual(fault(list(counting, { max: most }), values), null);
    assert.equal(looked, expected);
  }
});

test("members come in the order of the file, or of a canonical file where engines lose that", () => {
  assert.deepEqual(members({ b: 1, a: 1 }), ["b", "a"]);
  assert.deepEqual(members({ b: 1, 2: 1, 10: 1 }), ["10", "2", "b"]);
  assert.deepEqual(members({ "01": 1, a: 1, 4294967295: 1, "+": 1 }), ["01", "a", "4294967295", "+"]);
});
