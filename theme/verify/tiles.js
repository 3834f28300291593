// The served form of a log (C2SP tlog-tiles): the names of hash tiles and entry bundles, and a reader that builds roots
// and proofs from them, as benchsite/log/tiles.py does. The head may be of any checkpoint, however old: a log serves its
// partial tiles until the full ones exist, which begin with the same hashes and entries.
//
// The site is not trusted. A hash is used only once it is known to be under the head's root: the partial tiles hold
// every peak of the tree, and together they must give the root; any other tile must hash to its own hash in the tile
// above it. A tile that fits neither is Inconsistent. Positions outside the tree are the caller's mistake: RangeError.

import { equal } from "./bytes.js";
import { filled } from "./filled.js";
import { HASH_BYTES, heightOf, isPowerOfTwo, joined, leafHash, nodeHash, rootHash, splitOf } from "./merkle.js";
import { MESSAGES } from "./sentences-log.js";

const HEIGHT = 8;
const WIDTH = 256;
const LENGTH_BYTES = 2;
// 512 tiles with their inner hashes are about 20 MB at most; a bundle can be 16 MB by itself.
const MOST_TILES = 512;
const MOST_BUNDLES = 2;

/** A tile that could not be fetched, or is not as long as its name says: try again later. */
export class Unavailable extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Unavailable";
  }
}

/** Hashes or entries that are not those under the head's root. */
export class Inconsistent extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Inconsistent";
  }
}

/**
 * A hash tile's place below the log's URL prefix: `tile/0/x001/x234/067.p/12`.
 * @param {number} level
 * @param {number} number of the tile on its level
 * @param {number} width 1 to 256 hashes; 256 is a full tile
 */
export function tilePath(level, number, width) {
  return pathOf(String(level), number, width);
}

/**
 * An entry bundle's place below the log's URL prefix.
 * @param {number} number
 * @param {number} width 1 to 256 entries
 */
export function entriesPath(number, width) {
  return pathOf("entries", number, width);
}

/**
 * @param {string} kind
 * @param {number} number
 * @param {number} width
 */
function pathOf(kind, number, width) {
  const digits = String(number);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.../g) ?? [];
  const name = groups.map((group, at) => (at + 1 < groups.length ? `x${group}` : group)).join("/");
  const partial = width === WIDTH ? "" : `.p/${width}`;
  return `tile/${kind}/${name}${partial}`;
}

/**
 * The entries of a bundle: each stands behind its length as two bytes, big-endian.
 * @param {Uint8Array} bytes
 * @param {number} width how many there must be
 * @returns {Uint8Array[]}
 * @throws {Unavailable} unless the bytes are exactly that many entries
 */
export function decodeBundle(bytes, width) {
  const entries = [];
  let at = 0;
  while (at < bytes.length && entries.length < width) {
    const start = at + LENGTH_BYTES;
    const end = start + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (end > bytes.length) throw new Unavailable(`entry bundle: entry ${entries.length} is cut short`);
    entries.push(bytes.subarray(start, end));
    at = end;
  }
  if (entries.length !== width || at !== bytes.length) {
    throw new Unavailable(`entry bundle: not ${width} entries in ${bytes.length} bytes`);
  }
  return entries;
}

/**
 * A tile's hashes and what they join to: `layers[k][i]` covers its hashes i·2^k to (i+1)·2^k - 1.
 * @typedef {Uint8Array[][]} Layers
 */

/** The tree under one head, read from its tiles; each is fetched once as long as it is remembered. */
export class Tree {
  /** @type {Promise<Map<string, Layers>> | null} */
  #edge = null;
  /** @type {Map<string, Promise<Layers>>} */
  #tiles = new Map();
  /** @type {Map<string, Promise<Uint8Array[]>>} */
  #bundles = new Map();

  /**
   * @param {{size: number, root: Uint8Array}} head
   * @param {(path: string) => Promise<Uint8Array | null>} fetchTile the bytes at a path below the log's URL prefix;
   *   null where there are none
   */
  constructor(head, fetchTile) {
    this.size = head.size;
    this.head = head.root;
    this.fetchTile = fetchTile;
  }

  /**
   * The Merkle tree hash of the first `size` entries.
   * @param {number} [size]
   * @returns {Promise<Uint8Array>}
   */
  async root(size = this.size) {
    check(size >= 0 && size <= this.size, size, `there is no tree of size ${size} in a log of ${this.size} entries`);
    await this.#peaks();
    return size === 0 ? rootHash([]) : this.#range(0, size);
  }

  /**
   * Sibling hashes from the leaf upwards (RFC 6962 section 2.1.1).
   * @param {number} index
   * @returns {Promise<Uint8Array[]>}
   */
  async inclusionProof(index) {
    // The tiles above a leaf hold its whole proof: asked for together, they cost one round of the network.
    await this.leaf(index);
    const proof = [];
    let start = 0;
    let end = this.size;
    while (end - start > 1) {
      const middle = start + splitOf(end - start);
      if (index < middle) {
        proof.push(await this.#range(middle, end));
        end = middle;
      } else {
        proof.push(await this.#range(start, middle));
        start = middle;
      }
    }
    return proof.reverse();
  }

  /**
   * Hashes that show the first `oldSize` entries to be a prefix (RFC 6962 section 2.1.2).
   * @param {number} oldSize
   * @returns {Promise<Uint8Array[]>}
   */
  async consistencyProof(oldSize) {
    const none = filled(MESSAGES["no-consistency"], { old: oldSize, size: this.size });
    check(oldSize > 0 && oldSize <= this.size, oldSize, none);
    await this.leaf(oldSize - 1);
    const proof = [];
    let start = 0;
    let end = this.size;
    let oldIsWhole = true;
    while (end !== oldSize) {
      const middle = start + splitOf(end - start);
      if (oldSize <= middle) {
        proof.push(await this.#range(middle, end));
        end = middle;
      } else {
        proof.push(await this.#range(start, middle));
        start = middle;
        oldIsWhole = false;
      }
    }
    // The last subtree is left out when it is the whole old tree, whose root the verifier has.
    if (!oldIsWhole) proof.push(await this.#range(start, end));
    return proof.reverse();
  }

  /**
   * The leaf hash at an index.
   * @param {number} index
   * @returns {Promise<Uint8Array>}
   */
  async leaf(index) {
    this.#checkIndex(index);
    return this.#complete(0, index);
  }

  /**
   * The bytes of an entry, which have the leaf hash at its index.
   * @param {number} index
   * @returns {Promise<Uint8Array>}
   */
  async entry(index) {
    this.#checkIndex(index);
    const number = Math.floor(index / WIDTH);
    const path = entriesPath(number, this.#width(0, number));
    const reading = remember(this.#bundles, MOST_BUNDLES, path, () => this.#bundle(number, path));
    const [leaf, bundle] = await Promise.all([this.leaf(index), reading]);
    const entry = bundle[index % WIDTH];
    if (entry === undefined || !equal(await leafHash(entry), leaf)) {
      throw new Inconsistent(`${path}: entry ${index} is not the one that the head covers`);
    }
    return entry.slice();
  }

  /** @param {number} index */
  #checkIndex(index) {
    check(index >= 0 && index < this.size, index, filled(MESSAGES["no-entry"], { index, size: this.size }));
  }

  /**
   * MTH(D[start:end]) for a range that RFC 6962's splits produce.
   * @param {number} start
   * @param {number} end
   * @returns {Promise<Uint8Array>}
   */
  async #range(start, end) {
    const width = end - start;
    if (isPowerOfTwo(width)) return this.#complete(heightOf(width), start / width);
    const middle = start + splitOf(width);
    return nodeHash(await this.#range(start, middle), await this.#range(middle, end));
  }

  /**
   * The hash of the complete subtree over leaves number·2^height to (number+1)·2^height - 1.
   * @param {number} height
   * @param {number} number
   */
  async #complete(height, number) {
    const inside = height % HEIGHT;
    const inTile = WIDTH / 2 ** inside;
    const layers = await this.#tile((height - inside) / HEIGHT, Math.floor(number / inTile));
    return found(layers[inside]?.[number % inTile]);
  }

  /**
   * The authenticated tile at a place.
   * @param {number} level
   * @param {number} number
   * @returns {Promise<Layers>}
   */
  async #tile(level, number) {
    const width = this.#width(level, number);
    const path = tilePath(level, number, width);
    if (width < WIDTH) return found((await this.#peaks()).get(path));
    return remember(this.#tiles, MOST_TILES, path, async () => {
      const above = this.#complete((level + 1) * HEIGHT, number);
      const [expected, layers] = await Promise.all([above, this.#read(path, width)]);
      if (!equal(found(layers[HEIGHT]?.[0]), expected)) {
        throw new Inconsistent(`${path}: not the tile that the head covers`);
      }
      return layers;
    });
  }

  /**
   * The partial tiles by their paths, once they have given the head's root.
   * @returns {Promise<Map<string, Layers>>}
   */
  #peaks() {
    this.#edge ??= this.#readEdge().catch((error) => {
      this.#edge = null;
      throw error;
    });
    return this.#edge;
  }

  /** @returns {Promise<Map<string, Layers>>} */
  async #readEdge() {
    /** @type {Promise<[string, Layers]>[]} */
    const reading = [];
    for (let level = 0, count = this.size; count > 0; level += 1, count = Math.floor(count / WIDTH)) {
      const path = tilePath(level, Math.floor(count / WIDTH), count % WIDTH);
      if (count % WIDTH > 0) reading.push(this.#read(path, count % WIDTH).then((layers) => [path, layers]));
    }
    const edge = await Promise.all(reading);
    // A last hash without a neighbour is the peak of its height, so from the lowest tile up these are all of them.
    const layers = edge.flatMap(([, tile]) => tile);
    const peaks = layers.flatMap((layer) => layer.slice(layer.length - (layer.length % 2)));
    let root = peaks[0] ?? (await rootHash([]));
    for (const peak of peaks.slice(1)) root = await nodeHash(peak, root);
    if (!equal(root, this.head)) {
      throw new Inconsistent(`the tiles at the log's end do not give the root of its ${this.size} entries`);
    }
    return new Map(edge);
  }

  /**
   * @param {string} path
   * @param {number} width
   * @returns {Promise<Layers>} nobody has vouched for them yet
   */
  async #read(path, width) {
    const { place, bytes } = await this.#fetch(path, width);
    const expected = (place === path ? width : WIDTH) * HASH_BYTES;
    if (bytes.length !== expected) throw new Unavailable(`${place}: ${bytes.length} bytes, expected ${expected}`);
    const copy = bytes.slice(0, width * HASH_BYTES);
    /** @type {Uint8Array[]} */
    let layer = Array.from({ length: width }, (_, at) => copy.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
    const layers = [layer];
    while (layer.length > 1) {
      layer = await joined(layer);
      layers.push(layer);
    }
    return layers;
  }

  /**
   * @param {number} number
   * @param {string} path
   */
  async #bundle(number, path) {
    const width = this.#width(0, number);
    const { place, bytes } = await this.#fetch(path, width);
    try {
      return decodeBundle(bytes, place === path ? width : WIDTH).slice(0, width);
    } catch (error) {
      throw error instanceof Unavailable ? new Unavailable(`${place}: ${error.message}`) : error;
    }
  }

  /**
   * The bytes at a path; of a partial tile or bundle that is gone, those of the full one.
   * @param {string} path
   * @param {number} width
   * @returns {Promise<{place: string, bytes: Uint8Array}>} with the path that they are from
   */
  async #fetch(path, width) {
    const places = width < WIDTH ? [path, path.slice(0, path.lastIndexOf(".p/"))] : [path];
    for (const place of places) {
      const bytes = await this.fetchTile(place);
      if (bytes !== null) return { place, bytes };
    }
    throw new Unavailable(`${path} could not be fetched`);
  }

  /**
   * How many hashes (on level 0: entries, too) the tile at a place has in a log of this size.
   * @param {number} level
   * @param {number} number
   */
  #width(level, number) {
    return Math.min(WIDTH, Math.floor(this.size / WIDTH ** level) - number * WIDTH);
  }
}

/**
 * What `make` once gave for a key; failures are not remembered, and the least recently used value gives way.
 * @template T
 * @param {Map<string, Promise<T>>} memory
 * @param {number} limit
 * @param {string} key
 * @param {() => Promise<T>} make
 * @returns {Promise<T>}
 */
function remember(memory, limit, key, make) {
  const value = memory.get(key) ?? make();
  memory.delete(key);
  memory.set(key, value);
  value.catch(() => memory.get(key) === value && memory.delete(key));
  const [oldest] = memory.keys();
  if (memory.size > limit && oldest !== undefined) memory.delete(oldest);
  return value;
}

/**
 * @param {boolean} inRange
 * @param {number} position
 * @param {string} message
 */
function check(inRange, position, message) {
  if (!inRange || !Number.isSafeInteger(position)) throw new RangeError(message);
}

/**
 * A place that the arithmetic above says is there.
 * @template T
 * @param {T | undefined} value
 * @returns {T}
 */
function found(value) {
  if (value === undefined) throw new Error("a place outside the tree was asked for");
  return value;
}
