// Signatures over the vectors that Python reads too (tests/vectors/ed25519/README.md), by both engines.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { Unsupported } = await import("../../theme/verify/digest.js");

const vectors = new URL("../vectors/ed25519/", import.meta.url);
const shared = process.env.BENCHSITE_SHARED
  ? pathToFileURL(`${process.env.BENCHSITE_SHARED}/`)
  : new URL("../../../shared/", import.meta.url);
const wycheproof = new URL("vectors/ed25519/wycheproof_ed25519_test.json", shared);
const absent = existsSync(wycheproof) ? false : "WYCHEPROOF NOT READ: set BENCHSITE_SHARED";

const rows = (name) => JSON.parse(readFileSync(new URL(name, vectors), "utf8"));
const bytes = (digits) => new Uint8Array(Buffer.from(digits, "hex"));
const parts = (row) => [bytes(row.publicKey), bytes(row.message), bytes(row.signature)];
const good = rows("rfc8032.json")[1];
const identity = rows("cases.json").find((row) => row.name.startsWith("R is the identity"));

let instances = 0;

/** The module as a page just opened has it: no key remembered, no engine chosen. */
async function opened() {
  instances += 1;
  return import(`../../theme/verify/ed25519.js?${instances}`);
}

/** Runs `act` while WebCrypto's `name` is replaced. */
async function replaced(name, stand, act) {
  const genuine = crypto.subtle[name];
  Object.defineProperty(crypto.subtle, name, { value: stand, configurable: true });
  try {
    return await act(genuine.bind(crypto.subtle));
  } finally {
    delete crypto.subtle[name];
    assert.equal(crypto.subtle[name], genuine);
  }
}

const refusing = (name, message = "refused") => async () => {
  throw new DOMException(message, name);
};

const native = await opened();
const bundled = await opened();
await replaced("importKey", refusing("NotSupportedError"), () => bundled.engine());

/** Verifies with one engine and proves that it was this one which decided. */
async function decided(module, row) {
  const asked = [];
  const answer = await replaced("verify", (...given) => {
    asked.push(given);
    return Object.getPrototypeOf(crypto.subtle).verify.apply(crypto.subtle, given);
  }, () => module.verify(...parts(row)));
  if (module === bundled) assert.equal(asked.length, 0);
  return { answer, asked: asked.length };
}

test("the engines are what the tests below take them for", async () => {
  assert.equal(await native.engine(), "native");
  assert.equal(await bundled.engine(), "bundled");
  assert.deepEqual(await decided(native, good), { answer: true, asked: 1 });
  assert.deepEqual(await decided(bundled, good), { answer: true, asked: 0 });
});

for (const [name, module] of [["native", native], ["bundled", bundled]]) {
  for (const row of rows("rfc8032.json")) {
    test(`${name}: RFC 8032 ${row.name}`, async () => {
      const [key, message, signature] = parts(row);
      assert.equal(await module.verify(key, message, signature), true);
      assert.equal(await module.verify(key, Uint8Array.of(...message, 0), signature), false);
    });
  }

  for (const row of rows("edge-cases.json")) {
    test(`${name}: edge case ${row.number} is rejected: ${row.why}`, async () => {
      assert.equal(row.expected, false);
      assert.equal((await decided(module, row)).answer, false);
    });
  }

  for (const row of rows("cases.json")) {
    test(`${name}: ${row.name}`, async () => {
      assert.equal((await decided(module, row)).answer, row.expected);
    });
  }

  test(`${name}: Wycheproof`, { skip: absent }, async () => {
    const { testGroups } = JSON.parse(readFileSync(wycheproof, "utf8"));
    const mismatches = [];
    let count = 0;
    for (const group of testGroups) {
      for (const { tcId, msg, sig, result } of group.tests) {
        count += 1;
        const answer = await module.verify(bytes(group.publicKey.pk), bytes(msg), bytes(sig));
        if (answer !== (result === "valid")) mismatches.push(tcId);
      }
    }
    assert.deepEqual([count, mismatches], [151, []]);
  });

  test(`${name}: one changed bit anywhere is rejected`, async () => {
    for (const [place, length] of [[0, 32], [1, 1], [2, 64]]) {
      for (let bit = 0; bit < length * 8; bit += 5) {
        const changed = parts(good);
        changed[place][bit >> 3] ^= 1 << (bit & 7);
        assert.equal(await module.verify(...changed), false, `${place}, bit ${bit}`);
      }
    }
  });

  test(`${name}: what is no bytes is false and raises nothing`, async () => {
    for (const odd of [null, undefined, "text", 7, ["a"], {}, new ArrayBuffer(64), new Uint8ClampedArray(32)]) {
      for (const place of [0, 1, 2]) {
        const given = parts(good);
        given[place] = odd;
        assert.equal(await module.verify(...given), false);
      }
    }
  });

  test(`${name}: views into a larger buffer are read where they are`, async () => {
    const all = Uint8Array.from(Buffer.concat([Buffer.of(9), ...parts(good), Buffer.of(9)]));
    assert.equal(await module.verify(all.subarray(1, 33), all.subarray(33, -65), all.subarray(-65, -1)), true);
  });
}

test("what engines disagree about is refused before one is asked", async () => {
  const asked = { importKey: 0, verify: 0 };
  const module = await opened();
  await module.engine();
  await replaced("importKey", () => { asked.importKey += 1; }, () => replaced("verify", () => {
    asked.verify += 1;
    return true;
  }, async () => {
    const names = [
      "S + ", "S = L", "S is 2", "R = identity", "R has y = p", "R is all ones", "A of small", "A of mixed",
    ];
    const suspicious = rows("cases.json").filter(({ name }) => names.some((start) => name.startsWith(start)));
    assert.equal(suspicious.length >= 23, true);
    for (const row of suspicious) assert.equal(await module.verify(...parts(row)), false, row.name);
    // With another R than the identity, which would not reach WebCrypto anyway.
    const r = `02${"00".repeat(63)}`;
    for (const row of suspicious.filter(({ name }) => name.startsWith("A "))) {
      assert.equal(await module.verify(...parts({ ...row, signature: r })), false, row.name);
    }
    assert.deepEqual(asked, { importKey: 0, verify: 0 });
    // The stand-in accepts whatever reaches it, so that what comes before it is what refused.
    assert.equal(await module.verify(bytes(good.publicKey), bytes("00"), bytes(r)), true);
  }));
});

test("R may be the identity, also where WebCrypto refuses every R of small order", async () => {
  await replaced("verify", async () => false, async () => {
    assert.equal(await native.verify(...parts(identity)), true);
    assert.equal(await native.verify(...parts(good)), false);
  });
});

test("the bundled engine alone would accept an R with a component of order 8", async () => {
  const { verifyAsync } = await import("../../theme/verify/vendor/noble-ed25519.js");
  const row = rows("cases.json").find(({ name }) => name.startsWith("R has a component of order 8"));
  const [key, message, signature] = parts(row);
  assert.equal(await verifyAsync(signature, message, key, { zip215: false }), true);
  assert.equal(await bundled.verify(key, message, signature), false);
});

test("the bundled engine is taken where Ed25519 is unknown, and nowhere else", async () => {
  for (const unknown of [refusing("NotSupportedError"), refusing("SyntaxError", "Algorithm: Unrecognized name")]) {
    const module = await opened();
    assert.equal(await replaced("importKey", unknown, () => module.engine()), "bundled");
    assert.equal(await module.verify(...parts(good)), true);
  }
  const module = await opened();
  await replaced("importKey", refusing("OperationError"), () => assert.rejects(module.engine(), Unsupported));
});

test("an engine that fails says nothing about the signature", async () => {
  for (const [name, failure] of [["verify", "OperationError"], ["importKey", "DataError"]]) {
    await replaced(name, refusing(failure), () => assert.rejects(native.verify(...parts(good)), Unsupported));
  }
});

test("without WebCrypto nothing is decided but what needs no engine", async () => {
  const [fresh, chosen] = [await opened(), bundled];
  const genuine = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  try {
    for (const module of [fresh, chosen]) {
      await assert.rejects(module.verify(...parts(good)), Unsupported);
      assert.equal(await module.verify(...parts({ ...good, signature: "00" })), false);
    }
    await assert.rejects(fresh.engine(), Unsupported);
  } finally {
    Object.defineProperty(globalThis, "crypto", genuine);
  }
});
