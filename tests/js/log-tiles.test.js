// The reader of served tiles: what it builds from true tiles, and what it does with tiles that are changed, cut or
// missing. Trees come from tests/vectors/log/merkle.json and from equal-leaves.js; test_tiles.py holds it against
// benchsite.log.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { verifyConsistency, verifyInclusion } from "../../theme/verify/merkle.js";
import { decodeBundle, entriesPath, Inconsistent, tilePath, Tree, Unavailable } from "../../theme/verify/tiles.js";
import { consistency, EQUAL_LEAF, inclusion, root } from "./equal-leaves.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/log/merkle.json", import.meta.url), "utf8"));
const base64 = (text) => new Uint8Array(Buffer.from(text, "base64"));
const rootOf = new Map(vectors.roots.map(({ size, root: hash }) => [size, base64(hash)]));
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const entry = (n) => Buffer.from(`{"n":${n}}`);
const bundle = (from, to) => {
  const parts = Array.from({ length: to - from }, (_, at) => entry(from + at)).flatMap((data) => {
    return [Uint8Array.of(0, data.length), data];
  });
  return new Uint8Array(Buffer.concat(parts));
};

/** The tiles of the 300 entries {"n":0} .. {"n":299}: one full, one partial, and the full one's hash above. */
function tilesOf300() {
  const leaves = Array.from({ length: 300 }, (_, n) => sha256(Uint8Array.of(0), entry(n)));
  let layer = leaves.slice(0, 256);
  while (layer.length > 1) {
    const join = (_, at) => sha256(Uint8Array.of(1), layer[2 * at], layer[2 * at + 1]);
    layer = Array.from({ length: layer.length / 2 }, join);
  }
  return new Map(
    Object.entries({
      "tile/0/000": Buffer.concat(leaves.slice(0, 256)),
      "tile/0/001.p/44": Buffer.concat(leaves.slice(256)),
      "tile/1/000.p/1": layer[0],
      "tile/entries/000": bundle(0, 256),
      "tile/entries/001.p/44": bundle(256, 300),
    }).map(([path, data]) => [path, new Uint8Array(data)]),
  );
}

const HEAD = { size: 300, root: rootOf.get(300) };
const served = (tiles) => new Tree(HEAD, async (path) => tiles.get(path) ?? null);

test("paths are the specification's own", () => {
  assert.equal(tilePath(0, 1_234_067, 256), "tile/0/x001/x234/067");
  assert.equal(tilePath(0, 0, 70), "tile/0/000.p/70");
  assert.equal(entriesPath(0, 70), "tile/entries/000.p/70");
  assert.equal(tilePath(3, 1000, 5), "tile/3/x001/000.p/5");
  assert.equal(entriesPath(2 ** 45, 256), "tile/entries/x035/x184/x372/x088/832");
});

test("every root, leaf, entry and proof of the 300 entries", async () => {
  const tree = served(tilesOf300());
  for (const [size, expected] of rootOf) assert.deepEqual(await tree.root(size), expected, `size ${size}`);
  for (let n = 0; n < 300; n += 1) {
    assert.deepEqual(Buffer.from(await tree.entry(n)), entry(n));
    const leaf = await tree.leaf(n);
    assert.deepEqual(Buffer.from(leaf), sha256(Uint8Array.of(0), entry(n)));
    assert.ok(await verifyInclusion(leaf, n, 300, await tree.inclusionProof(n), HEAD.root), `leaf ${n}`);
  }
  for (const [size, old] of rootOf) {
    if (size === 0) continue;
    assert.ok(await verifyConsistency(size, 300, await tree.consistencyProof(size), old, HEAD.root), `from ${size}`);
  }
});

test("a proof reads a handful of tiles, each once", async () => {
  const tiles = tilesOf300();
  const asked = [];
  const tree = new Tree(HEAD, async (path) => {
    asked.push(path);
    return tiles.get(path) ?? null;
  });
  await Promise.all([tree.inclusionProof(3), tree.inclusionProof(4), tree.consistencyProof(70)]);
  assert.deepEqual(asked.sort(), ["tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1"]);
});

const ways = {
  "inclusion of 0": (tree) => tree.inclusionProof(0),
  "inclusion of 299": (tree) => tree.inclusionProof(299),
  "consistency from 70": (tree) => tree.consistencyProof(70),
  "root of 70": (tree) => tree.root(70),
  "root": (tree) => tree.root(),
  "leaf 17": (tree) => tree.leaf(17),
  "entry 17": (tree) => tree.entry(17),
};
const touched = (way, path) => !path.includes("entries") && (path !== "tile/0/000" || !/299|^root$/.test(way));

// `make test-full` changes every byte of the partial tiles, `make test` some of each hash.
const step = (ordinary) => process.env["BENCHSITE_FULL"] ? 1 : ordinary;

test("each changed hash of a full tile, and changed bytes of the others, are Inconsistent", async () => {
  for (const [path, every] of [["tile/0/000", 31], ["tile/0/001.p/44", step(31)], ["tile/1/000.p/1", step(7)]]) {
    const tiles = tilesOf300();
    const tile = tiles.get(path);
    const names = Object.keys(ways).filter((way) => touched(way, path));
    for (let at = 0; at < tile.length; at += every) {
      tile[at] ^= 1 << at % 8;
      const way = names[at % names.length];
      await assert.rejects(ways[way](served(tiles)), Inconsistent, `${path} byte ${at}, ${way}`);
      tile[at] ^= 1 << at % 8;
    }
  }
});

test("a tile that is missing, shorter or longer is Unavailable, and asked for again later", async () => {
  for (const path of ["tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1"]) {
    const whole = tilesOf300().get(path);
    const longer = [[0], whole].map((more) => new Uint8Array([...whole, ...more]));
    for (const wrong of [null, new Uint8Array(), whole.slice(0, -1), whole.slice(32), ...longer]) {
      const tiles = tilesOf300();
      tiles.set(path, wrong);
      const tree = served(tiles);
      for (const [name, way] of Object.entries(ways)) {
        if (touched(name, path)) await assert.rejects(way(tree), Unavailable, `${path}, ${name}`);
      }
      tiles.set(path, whole);
      for (const way of Object.values(ways)) await way(tree);
    }
  }
});

test("of a partial tile that is gone the beginning of the full one is read, and only of one that fits", async () => {
  const tiles = tilesOf300();
  const head = { size: 70, root: rootOf.get(70) };
  const asked = [];
  const read = async (path) => {
    asked.push(path);
    return tiles.get(path) ?? null;
  };
  const tree = new Tree(head, read);
  assert.deepEqual(Buffer.from(await tree.entry(69)), entry(69));
  assert.deepEqual(asked.sort(), ["tile/0/000", "tile/0/000.p/70", "tile/entries/000", "tile/entries/000.p/70"]);
  for (const path of ["tile/0/000", "tile/entries/000"]) {
    const whole = tiles.get(path);
    for (const wrong of [null, whole.slice(0, -1), whole.slice(0, 70 * 32)]) {
      tiles.set(path, wrong);
      await assert.rejects(new Tree(head, read).entry(69), Unavailable, path);
    }
    tiles.set(path, whole);
  }
  tiles.get("tile/0/000")[69 * 32] ^= 1;
  await assert.rejects(new Tree(head, read).leaf(0), Inconsistent);
});

test("a true tile in another's place is refused", async () => {
  const tiles = tilesOf300();
  const [first, last] = [tiles.get("tile/0/000"), tiles.get("tile/0/001.p/44")];
  tiles.set("tile/0/001.p/44", first.slice(0, last.length));
  await assert.rejects(served(tiles).leaf(299), Inconsistent);
});

test("tiles of another head are refused: other root, other size, no root", async () => {
  const tiles = tilesOf300();
  const read = async (path) => tiles.get(path) ?? null;
  for (const head of [new Uint8Array(32), rootOf.get(257), new Uint8Array()]) {
    const tree = new Tree({ size: 300, root: head }, read);
    for (const way of Object.values(ways)) await assert.rejects(way(tree), Inconsistent);
  }
  await assert.rejects(new Tree({ size: 301, root: HEAD.root }, read).root(), Unavailable);
  await assert.rejects(new Tree({ size: 0, root: HEAD.root }, read).root(), Inconsistent);
  assert.deepEqual(await new Tree({ size: 0, root: rootOf.get(0) }, read).root(), rootOf.get(0));
});

test("entries are checked against their leaf hashes", async () => {
  const path = "tile/entries/001.p/44";
  const tiles = tilesOf300();
  const data = tiles.get(path);
  for (let at = 0; at < 36; at += 1) {
    data[at] ^= 1;
    // Bytes 0 and 1 of every 11 are the length; a wrong length moves all borders after it.
    const wrong = at % 11 < 2 ? Unavailable : Inconsistent;
    await assert.rejects(served(tiles).entry(256 + Math.floor(at / 11)), wrong, `byte ${at}`);
    data[at] ^= 1;
  }
  for (const wrong of [null, data.slice(0, -1), data.slice(11), new Uint8Array([...data, 0, 0]), new Uint8Array()]) {
    tiles.set(path, wrong);
    await assert.rejects(served(tiles).entry(256), Unavailable);
  }
  tiles.set(path, bundle(255, 299));
  await assert.rejects(served(tiles).entry(256), Inconsistent);
});

test("a bundle is exactly its entries", () => {
  const three = Uint8Array.of(0, 1, 97, 0, 0, 0, 2, 98, 99);
  assert.deepEqual(decodeBundle(three, 3).map((data) => Buffer.from(data).toString()), ["a", "", "bc"]);
  const long = new Uint8Array(2 + 65_535);
  long.set([255, 255]);
  assert.equal(decodeBundle(long, 1)[0].length, 65_535);
  for (const [data, width] of [
    [[0], 1], [[0, 2, 97], 1], [[0, 1, 97, 255], 1], [[0, 1, 97, 0], 2], [[], 1], [[0, 0], 2], [[0, 0, 0, 0], 1],
  ]) {
    assert.throws(() => decodeBundle(Uint8Array.from(data), width), Unavailable);
  }
});

test("positions outside the tree are the caller's mistake", async () => {
  const tree = served(tilesOf300());
  for (const wrong of [-1, 300, 0.5, Number.NaN, Infinity]) {
    await assert.rejects(tree.inclusionProof(wrong), RangeError);
    await assert.rejects(tree.leaf(wrong), RangeError);
    await assert.rejects(tree.entry(wrong), RangeError);
  }
  for (const wrong of [-1, 0, 301, 1.5]) await assert.rejects(tree.consistencyProof(wrong), RangeError);
  for (const wrong of [-1, 301, 1.5]) await assert.rejects(tree.root(wrong), RangeError);
});

/** Tiles of equal leaves: every hash of a level is the root over 256^level leaves. */
const equalTile = async (path) => {
  const [, level, width] = /^tile\/(\d)\/[x\d/]+?(?:\.p\/(\d+))?$/.exec(path) ?? [];
  const hash = root(256n ** BigInt(level));
  return new Uint8Array(Buffer.concat(new Array(Number(width ?? 256)).fill(hash)));
};

test("logs of 2^16, 2^24 and 2^40 entries and one around each, and of 2^53 - 1", { timeout: 120_000 }, async () => {
  const sizes = [2 ** 16, 2 ** 24, 2 ** 40].flatMap((size) => [size - 1, size, size + 1]);
  for (const size of [...sizes, 2 ** 53 - 1]) {
    const tree = new Tree({ size, root: root(size) }, equalTile);
    for (const index of [0, Math.floor(size / 3), size - 1]) {
      assert.deepEqual(await tree.inclusionProof(index), inclusion(index, size), `${index} of ${size}`);
      assert.deepEqual(await tree.leaf(index), EQUAL_LEAF);
    }
    for (const old of [1, Math.floor(size / 3), size - 1, size]) {
      assert.deepEqual(await tree.consistencyProof(old), consistency(old, size), `${old} to ${size}`);
      assert.deepEqual(await tree.root(old), root(old));
    }
  }
});
