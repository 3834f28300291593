// What bounds the search for documents and evidence: how many files and mirrors count, how long each place may take, how
// much a gzip file may hold, and that a document counts under its own digest only. Without a bound a hostile file or a slow
// mirror takes up the thirty seconds of the whole check.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { run } from "../../theme/verify/engine.js";
import { materials, uncompressed } from "../../theme/verify/materials.js";
import { Served } from "../../theme/verify/served.js";
import { SmallLog, receipt, visit } from "./small-log.js";

const bytes = (text) => new Uint8Array(Buffer.from(text));
const hexOf = (data) => createHash("sha256").update(data).digest("hex");
const SITE = "https://lab.example/";

/** Every address is answered by `answer`; what was asked, and after how many milliseconds each request gives up. */
function asking(context, answer = () => new Response(null, { status: 404 })) {
  const asked = { addresses: [], milliseconds: [] };
  const { timeout } = AbortSignal;
  context.mock.method(AbortSignal, "timeout", (given) => {
    asked.milliseconds.push(given);
    return timeout.call(AbortSignal, given);
  });
  context.mock.method(globalThis, "fetch", async (address) => {
    asked.addresses.push(String(address));
    return answer(String(address));
  });
  return asked;
}

test("forty files count, and no more", async () => {
  const file = (number) => bytes(`file ${number}\n`);
  const given = Array.from({ length: 41 }, (_, number) => file(number));
  const { evidence } = materials({ given });
  assert.deepEqual(await evidence(hexOf(file(39))), file(39));
  assert.equal(await evidence(hexOf(file(40))), null);
});

test("two mirrors are asked, and each place has six seconds", async (context) => {
  const asked = asking(context);
  const mirrors = ["https://a.example", "https://b.example", "https://c.example"];
  const digest = "ab".repeat(32);
  assert.equal(await materials({ served: new Served(SITE), mirrors }).evidence(digest), null);
  assert.deepEqual(asked.addresses, [
    `${SITE}results/evidence/ab/${digest}.txt`, `https://a.example/${digest}`, `https://b.example/${digest}`,
  ]);
  assert.deepEqual(asked.milliseconds, [6000, 6000, 6000]);
});

test("of mirrored evidence the site itself is not asked", async (context) => {
  const asked = asking(context);
  const digest = "ab".repeat(32);
  const { evidence } = materials({ served: new Served(SITE), mirrors: ["https://a.example"] });
  assert.equal(await evidence(digest, true), null);
  assert.deepEqual(asked.addresses, [`https://a.example/${digest}`]);
});

test("a place that takes too long is passed over, and the site is asked for its log all the same", async (context) => {
  const found = bytes("answers\n");
  asking(context, (address) => {
    if (address.startsWith("https://b.example")) return new Response(found);
    throw new DOMException("signal timed out", "TimeoutError");
  });
  const served = new Served(SITE);
  const { evidence } = materials({ served, mirrors: ["https://a.example", "https://b.example"] });
  assert.deepEqual(await evidence(hexOf(found)), found);
  assert.equal(served.silent, false);
});

test("an id that is no name asks for nothing", async (context) => {
  const asked = asking(context);
  const { methodology } = materials({ served: new Served(SITE) });
  const sha256 = "a".repeat(64);
  for (const id of ["..", "../../api", "a/b", "%2e%2e", "A", "", "-a", "a".repeat(81), "https://b.example/x"]) {
    assert.equal(await methodology({ id, version: "1.0.0", sha256 }), null);
  }
  assert.deepEqual(asked.addresses, []);
  assert.equal(await methodology({ id: "sums-2", version: "1.0.0", sha256 }), null);
  assert.deepEqual(asked.addresses, ["methodology.yaml", "parameters.json", "text.md"].map((name) => `${SITE}methodology/sums-2/1.0.0/${name}`));
});

test("a gzip file that holds more than 256 MB is let go once it does", async (context) => {
  const steps = { pulled: 0, cancelled: false };
  /** Gives chunks of a million bytes, as a decompressor would: only their length is looked at. */
  class Bomb {
    constructor() {
      this.writable = new WritableStream();
      this.readable = new ReadableStream({
        pull(controller) {
          steps.pulled += 1;
          if (steps.pulled > 1000) controller.close();
          else controller.enqueue({ length: 1_000_000 });
        },
        cancel() {
          steps.cancelled = true;
        },
      }, { highWaterMark: 0 });
    }
  }
  const real = globalThis.DecompressionStream;
  globalThis.DecompressionStream = Bomb;
  context.after(() => { globalThis.DecompressionStream = real; });
  assert.equal(await uncompressed(new Uint8Array([0x1f, 0x8b]), "a".repeat(64)), null);
  assert.deepEqual(steps, { pulled: 257, cancelled: true });
});

test("a document that the site serves with other bytes is not the one that the receipt names", async () => {
  const place = "../../methodology/retrieval/1.0.0/parameters.json";
  const data = readFileSync(new URL(place, import.meta.url), "utf8").replace('"version": "1.0.0"', '"version": "1.7.0"');
  const [words, prose] = ["title: T\n", "# Prose\n"];
  const sha256 = hexOf(`{"methodology.yaml":"${hexOf(words)}","parameters.json":"${hexOf(data)}","text.md":"${hexOf(prose)}"}`);
  const log = SmallLog.founded();
  log.say({ type: "methodology", track: "retrieval", version: "1.7.0", sha256 });
  const file = receipt({ methodology: { id: "retrieval", version: "1.7.0", sha256 } });
  const site = log.publish(file);
  for (const [served, text, expected] of [
    [data, prose, "MATCHES"],
    [data.replace('"headlineK": 10', '"headlineK": 5'), prose, "NOT RE-SCORABLE"],
    [data, "# Other prose\n", "NOT RE-SCORABLE"],
  ]) {
    const files = site.files();
    files.set("methodology/retrieval/1.7.0/methodology.yaml", bytes(words));
    files.set("methodology/retrieval/1.7.0/parameters.json", bytes(served));
    files.set("methodology/retrieval/1.7.0/text.md", bytes(text));
    const { verdict, rescoring } = await visit(run, files, { trust: site.trust(), bytes: file });
    assert.deepEqual([verdict, rescoring.rescore], ["LOGGED", expected]);
  }
});
