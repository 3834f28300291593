// Merkle tree hashing (RFC 6962 section 2.1) and the two proof checks (RFC 9162 sections 2.1.3.2 and 2.1.4.2), as in
// benchsite/log/merkle.py. Refuses by answering false, never by an exception: numbers and hashes come from strangers.
// Sizes reach 2^53 - 1, so nothing here shifts: JavaScript's shifts cut to 32 bits.

import { concat, equal } from "./bytes.js";
import { sha256 } from "./digest.js";

/** Length of every hash here. */
export const HASH_BYTES = 32;

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/**
 * SHA-256(0x00 || entry).
 * @param {Uint8Array} entry
 */
export function leafHash(entry) {
  return sha256(concat(LEAF, entry));
}

/**
 * SHA-256(0x01 || left || right).
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
export function nodeHash(left, right) {
  return sha256(concat(NODE, left, right));
}

/**
 * The layer above: neighbours joined, a last odd one left out.
 * @param {readonly Uint8Array[]} hashes
 * @returns {Promise<Uint8Array[]>}
 */
export function joined(hashes) {
  const pairs = [];
  for (let at = 0; at + 1 < hashes.length; at += 2) {
    const [left, right] = hashes.slice(at, at + 2);
    if (left && right) pairs.push(nodeHash(left, right));
  }
  return Promise.all(pairs);
}

/**
 * The Merkle tree hash over leaf hashes in log order; SHA-256 of nothing for an empty log.
 * @param {readonly Uint8Array[]} leafHashes
 * @returns {Promise<Uint8Array>}
 */
export async function rootHash(leafHashes) {
  let layer = leafHashes;
  while (layer.length > 1) {
    // RFC 6962 splits at powers of two, so that only a last odd hash has no neighbour; it moves up as it is.
    const odd = layer.length % 2 === 1 ? layer.slice(-1) : [];
    layer = [...(await joined(layer)), ...odd];
  }
  return layer[0] ?? sha256(new Uint8Array());
}

/**
 * Whether the proof shows that `leaf` is leaf `index` of the tree of `size` leaves with this root.
 * @param {Uint8Array} leaf its leaf hash
 * @param {number} index
 * @param {number} size
 * @param {readonly Uint8Array[]} proof
 * @param {Uint8Array} root
 * @returns {Promise<boolean>}
 */
export async function verifyInclusion(leaf, index, size, proof, root) {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if (!Array.isArray(proof) || ![leaf, root, ...proof].every(isHash)) return false;
  const path = new Path(index, size - 1);
  let running = leaf;
  for (const sibling of proof) {
    if (path.last === 0) return false;
    running = path.fromLeft() ? await nodeHash(sibling, running) : await nodeHash(running, sibling);
    path.up();
  }
  return path.last === 0 && equal(running, root);
}

/**
 * Whether the proof shows that the tree of `newSize` leaves begins with the tree of `oldSize` leaves; never from size
 * 0, because every tree is consistent with nothing.
 * @param {number} oldSize
 * @param {number} newSize
 * @param {readonly Uint8Array[]} proof
 * @param {Uint8Array} oldRoot
 * @param {Uint8Array} newRoot
 * @returns {Promise<boolean>}
 */
export async function verifyConsistency(oldSize, newSize, proof, oldRoot, newRoot) {
  if (!isCount(oldSize) || !isCount(newSize) || oldSize === 0 || oldSize > newSize) return false;
  if (!Array.isArray(proof) || !(oldRoot instanceof Uint8Array) || !(newRoot instanceof Uint8Array)) return false;
  // Third-party vectors have texts for roots here: of the same size, only sameness counts.
  if (oldSize === newSize) return proof.length === 0 && equal(oldRoot, newRoot);
  if (![oldRoot, newRoot, ...proof].every(isHash)) return false;
  // RFC 9162 2.1.4.2 step 2: a complete old tree is its own first proof component and is left out.
  const [first, ...siblings] = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof;
  if (first === undefined) return false;
  const path = new Path(oldSize - 1, newSize - 1);
  path.skipRightChildren();
  let older = first;
  let newer = first;
  for (const sibling of siblings) {
    if (path.last === 0) return false;
    if (path.fromLeft()) {
      older = await nodeHash(sibling, older);
      newer = await nodeHash(sibling, newer);
    } else {
      newer = await nodeHash(newer, sibling);
    }
    path.up();
  }
  return path.last === 0 && equal(older, oldRoot) && equal(newer, newRoot);
}

/** A node's number on its layer and the number of the layer's last node, on the way up. */
class Path {
  /**
   * @param {number} node
   * @param {number} last
   */
  constructor(node, last) {
    this.node = node;
    this.last = last;
  }

  /** Whether the next sibling stands to the left: the node is a right child, or the last of its layer. */
  fromLeft() {
    return this.node % 2 === 1 || this.node === this.last;
  }

  /** To the parent of the node just joined; a last node is first taken up to where it is a right child. */
  up() {
    if (this.fromLeft()) {
      while (this.node > 0 && this.node % 2 === 0) this.halve();
    }
    this.halve();
  }

  skipRightChildren() {
    while (this.node % 2 === 1) this.halve();
  }

  halve() {
    this.node = Math.floor(this.node / 2);
    this.last = Math.floor(this.last / 2);
  }
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** @param {unknown} value */
function isHash(value) {
  return value instanceof Uint8Array && value.length === HASH_BYTES;
}

/**
 * Whether a positive count is one.
 * @param {number} count
 */
export function isPowerOfTwo(count) {
  let rest = count;
  while (rest % 2 === 0) rest /= 2;
  return rest === 1;
}

/**
 * How often a power of two halves; engines differ about Math.log2.
 * @param {number} power
 */
export function heightOf(power) {
  let height = 0;
  for (let rest = power; rest > 1; rest /= 2) height += 1;
  return height;
}

/**
 * The largest power of two strictly below a width of at least 2: where RFC 6962 splits.
 * @param {number} width
 */
export function splitOf(width) {
  let power = 1;
  while (power * 2 < width) power *= 2;
  return power;
}
