// An oracle for trees of any size up to 2^53 - 1: where all leaves are equal, a subtree's hash depends on its width
// alone, so the recursive definitions of RFC 6962 section 2.1, written down naively, end after a few steps. Shares
// nothing with theme/verify. Arithmetic is BigInt's.

import { createHash } from "node:crypto";

const sha256 = (...parts) => new Uint8Array(createHash("sha256").update(Buffer.concat(parts)).digest());

export const EQUAL_ENTRY = new Uint8Array(Buffer.from("equal"));
export const EQUAL_LEAF = sha256(Uint8Array.of(0), EQUAL_ENTRY);

/** The largest power of two below n. */
function split(n) {
  return 1n << BigInt((n - 1n).toString(2).length - 1);
}

/** Section 2.1, MTH(D[n]). */
const known = new Map([[1n, EQUAL_LEAF]]);
function mth(n) {
  let hash = known.get(n);
  if (!hash) {
    hash = sha256(Uint8Array.of(1), mth(split(n)), mth(n - split(n)));
    known.set(n, hash);
  }
  return hash;
}

/** Section 2.1.1, PATH(m, D[n]). */
function path(m, n) {
  if (n === 1n) return [];
  const k = split(n);
  return m < k ? [...path(m, k), mth(n - k)] : [...path(m - k, n - k), mth(k)];
}

/** Section 2.1.2, SUBPROOF(m, D[n], b). */
function subproof(m, n, whole) {
  if (m === n) return whole ? [] : [mth(n)];
  const k = split(n);
  return m <= k ? [...subproof(m, k, whole), mth(n - k)] : [...subproof(m - k, n - k, false), mth(k)];
}

export const root = (size) => mth(BigInt(size));
export const inclusion = (index, size) => path(BigInt(index), BigInt(size));
export const consistency = (old, size) => subproof(BigInt(old), BigInt(size), true);
