// Strict JSON and JCS over the vectors that Python reads too (tests/vectors/json/README.md), and what a refusal says.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { JsonError, MAX_BYTES, MAX_DEPTH, parse, quoted } = await import("../../theme/verify/json.js");
const { serialize, without } = await import("../../theme/verify/jcs.js");

const vectors = new URL("../vectors/json/", import.meta.url);
const shared = process.env.BENCHSITE_SHARED
  ? pathToFileURL(`${process.env.BENCHSITE_SHARED}/`)
  : new URL("../../../shared/", import.meta.url);
const published = new URL("vectors/jcs/", shared);
const absent = existsSync(published) ? false : "PUBLISHED JCS PAIRS NOT READ: set BENCHSITE_SHARED";

const rows = (name) => JSON.parse(readFileSync(new URL(name, vectors), "utf8"));
const bytesOf = (text) => new TextEncoder().encode(text);
const read = (text) => parse(bytesOf(text));

function expand(segments) {
  return new Uint8Array(Buffer.concat(segments.map((part) => {
    const [digits, times] = typeof part === "string" ? [part, 1] : part;
    const once = Buffer.from(digits, "hex");
    return Buffer.alloc(once.length * times, once);
  })));
}

function refusal(act) {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof JsonError, `${error}`);
    return error;
  }
  return assert.fail("nothing was refused");
}

for (const row of [...rows("accept.json"), ...rows("canonical.json").documents]) {
  test(`accepted, with this canonical form: ${row.name}`, () => {
    const canonical = Buffer.from(expand(row.canonical)).toString("utf8");
    assert.equal(serialize(parse(expand(row.input))), canonical);
    assert.equal(serialize(read(canonical)), canonical);
  });
}

for (const row of rows("reject.json")) {
  test(`rejected, for this reason at this byte: ${row.name}`, () => {
    const { reason, offset, message } = refusal(() => parse(expand(row.input)));
    assert.deepEqual([reason, offset], [row.reason, row.offset]);
    assert.ok(message.startsWith("JSON: ") && message.endsWith(` at byte ${row.offset}`), message);
  });
}

for (const row of rows("canonical.json").numbers) {
  test(`the double ${row.ieee754} is written as ECMAScript does, or refused`, () => {
    const number = Buffer.from(row.ieee754, "hex").readDoubleBE();
    if ("reason" in row) {
      assert.equal(refusal(() => serialize(number)).reason, row.reason);
    } else {
      assert.equal(serialize(number), row.canonical);
      assert.equal(read(row.canonical), number);
    }
  });
}

test("the vector files are not empty", () => {
  assert.ok(rows("accept.json").length > 40 && rows("reject.json").length > 80);
});

for (const name of ["arrays", "french", "structures", "unicode", "values", "weird"]) {
  test(`published JCS pair: ${name}`, { skip: absent }, () => {
    const value = parse(new Uint8Array(readFileSync(new URL(`input/${name}.json`, published))));
    assert.equal(serialize(value), readFileSync(new URL(`output/${name}.json`, published), "utf8"));
    const digits = readFileSync(new URL(`outhex/${name}.txt`, published), "utf8").replace(/\s/g, "");
    assert.equal(Buffer.from(serialize(value)).toString("hex"), digits);
  });
}

test("a refusal says what, and at which byte", () => {
  // Byte offsets counted by hand: é has two bytes, 😀 four.
  for (const [text, message] of [
    ['{"é":1,"é":2}', "JSON: key '\\xe9' occurs twice in one object at byte 8"],
    ['["😀", 😀]', "JSON: unexpected '\\U0001f600' at byte 9"],
    ["['a']", "JSON: unexpected \"'\" at byte 1"],
    ["[1,\u0000]", "JSON: unexpected '\\x00' at byte 3"],
    ["[1] x", "JSON: something follows the document's end at byte 4"],
    ['"a', "JSON: document ends too early at byte 2"],
    ['"\t"', "JSON: control character in a string must be escaped at byte 1"],
    ['"\\x"', "JSON: unknown or incomplete escape at byte 1"],
    ['"\\ud83d"', "JSON: lone surrogate is not text at byte 1"],
    ['"\\udc00\\udc00"', "JSON: lone surrogate is not text at byte 1"],
    ['{"__proto__":1}', "JSON: key __proto__ is not allowed at byte 1"],
    ["9007199254740992", "JSON: integer is beyond 2^53-1 at byte 0"],
    ["1e400", "JSON: number is too large for a double at byte 0"],
    ["[-0.0]", "JSON: negative zero is not allowed at byte 1"],
    ["[".repeat(65), "JSON: nesting is deeper than 64 at byte 64"],
  ]) assert.equal(refusal(() => read(text)).message, message);
  assert.equal(refusal(() => parse(new Uint8Array(MAX_BYTES + 1))).message,
    "JSON: document of 8388609 bytes is over the limit of 8388608 at byte 8388608");
  assert.equal(refusal(() => parse(bytesOf("[1]"), 2)).message,
    "JSON: document of 3 bytes is over the limit of 2 at byte 2");
  assert.equal(refusal(() => parse(Uint8Array.of(0xef, 0xbb, 0xbf))).message,
    "JSON: a byte order mark is not allowed at byte 0");
  assert.equal(refusal(() => parse(Uint8Array.of(0x22, 0xff))).message, "JSON: bytes are not UTF-8 at byte 1");
});

test("a repeated key is shown to its fortieth character", () => {
  const [short, long] = ["😀".repeat(40), "😀".repeat(41)];
  const shown = "\\U0001f600".repeat(40);
  assert.ok(refusal(() => read(`{"${short}":1,"${short}":2}`)).message.includes(`'${shown}' `));
  assert.ok(refusal(() => read(`{"${long}":1,"${long}":2}`)).message.includes(`'${shown}...' `));
});

test("text is quoted as Python's ascii does", () => {
  assert.equal(quoted("a'b"), `"a'b"`);
  assert.equal(quoted(`a'"b`), `'a\\'"b'`);
  assert.equal(quoted("\\\n\r\t\u0007\u007f"), "'\\\\\\n\\r\\t\\x07\\x7f'");
  assert.equal(quoted("ÿĀ\ud800"), "'\\xff\\u0100\\ud800'");
});

test("the earliest fault in the bytes decides, but UTF-8 is looked at first and as a whole", () => {
  const { reason, offset } = refusal(() => parse(Uint8Array.of(0x7d, 0x20, 0xc3)));
  assert.deepEqual([reason, offset], ["utf8", 2]);
});

test("UTF-8 ends before the first character that is not whole", () => {
  // RFC 3629 section 4, row by row: the last sequence that is allowed beside the first that is not.
  for (const [digits, offset] of [
    ["22c280c1bf", 3], ["22dfbfdf7f", 3], ["22e0a080e09fbf", 4], ["22ed9fbfeda080", 4], ["22efbfbfefbf", 4],
    ["22f0908080f08fbfbf", 5], ["22f48fbfbff4908080", 5], ["22f5808080", 1], ["2280", 1], ["22f09f98", 1],
  ]) {
    const error = refusal(() => parse(new Uint8Array(Buffer.from(digits, "hex"))));
    assert.deepEqual([error.reason, error.offset], ["utf8", offset], digits);
  }
});

test("objects have no prototype, so foreign keys meet nothing", () => {
  const value = read('{"constructor":1,"toString":{"hasOwnProperty":2}}');
  assert.equal(Object.getPrototypeOf(value), null);
  assert.equal(Object.getPrototypeOf(value.toString), null);
  assert.deepEqual(Object.keys(value), ["constructor", "toString"]);
  assert.equal("valueOf" in value, false);
});

test("a value without strict JSON is refused with its path", () => {
  let deep = [];
  for (let i = 0; i < MAX_DEPTH; i += 1) deep = [deep];
  const proto = Object.assign(Object.create(null), { a: 1 });
  Object.defineProperty(proto, "__proto__", { value: 1, enumerable: true });
  for (const [value, reason, message] of [
    [{ a: [0, -0] }, "negative-zero", "JSON: $['a'][1] is negative zero"],
    [[2 ** 53], "float-range", "JSON: $[0] is a float that would be read back as an integer beyond 2^53-1"],
    [Number.NaN, "non-finite", "JSON: $ is not a finite number"],
    [{ é: "\ud800" }, "lone-surrogate", "JSON: $['\\xe9'] has a lone surrogate, which is not text"],
    [{ "\udc00": 1 }, "lone-surrogate", "JSON: $['\\udc00'] has a lone surrogate, which is not text"],
    [proto, "proto-key", "JSON: $['__proto__'] is a key that is not allowed"],
    [[undefined], "type", "JSON: $[0] is of type undefined, which JSON cannot hold"],
    [new Array(1), "type", "JSON: $[0] is of type undefined, which JSON cannot hold"],
    [{ a: new Map() }, "type", "JSON: $['a'] is of type Map, which JSON cannot hold"],
    [1n, "type", "JSON: $ is of type bigint, which JSON cannot hold"],
    [deep, "depth", `JSON: $${"[0]".repeat(20)} is nested deeper than 64`],
    [{ b: Number.NaN, a: -0 }, "non-finite", "JSON: $['b'] is not a finite number"],
  ]) {
    const error = refusal(() => serialize(value));
    assert.deepEqual([error.reason, error.offset, error.message], [reason, null, message]);
  }
});

test("numbers at the bounds are written, and keys are sorted by UTF-16 code units", () => {
  assert.equal(serialize([2 ** 53 - 1, -(2 ** 53 - 1), 1e21, 1e-7]), "[9007199254740991,-9007199254740991,1e+21,1e-7]");
  // U+1F600 begins with the unit D83D, which is below U+FB33; by code points it would come last.
  assert.equal(serialize({ "\ufb33": 1, "😀": 2, 10: 3, 9: 4, "": 5 }), '{"":5,"10":3,"9":4,"😀":2,"\ufb33":1}');
});

test("leaving a member out changes nothing else, and nothing of the original", () => {
  const whole = read('{"signature":"s","a":{"signature":1},"toString":2}');
  const rest = without(whole, "signature");
  assert.equal(serialize(rest), '{"a":{"signature":1},"toString":2}');
  assert.equal(Object.getPrototypeOf(rest), null);
  assert.equal(serialize(without(whole, "absent")), serialize(whole));
  assert.equal(whole.signature, "s");
});

test("eight hostile megabytes are read or refused, not choked on", () => {
  const room = MAX_BYTES - 2;
  assert.equal(refusal(() => read("1".repeat(MAX_BYTES))).reason, "integer-range");
  assert.equal(refusal(() => read(`${"1".repeat(room)}e1`)).reason, "non-finite");
  assert.equal(refusal(() => read(`1e${"1".repeat(room)}`)).reason, "non-finite");
  assert.equal(refusal(() => read("[".repeat(MAX_BYTES))).reason, "depth");
  assert.equal(refusal(() => read(`"${"\\n".repeat(room / 2)}`)).reason, "end");
  assert.equal(read(`"${"\\n".repeat(room / 2)}"`), "\n".repeat(room / 2));
  assert.equal(read(`[${"0,".repeat(room / 2 - 1)}0]`).length, room / 2);
  const key = "k".repeat(room / 3);
  assert.equal(refusal(() => read(`{"${key}":1,"${key}":1}`)).reason, "duplicate-key");
});
