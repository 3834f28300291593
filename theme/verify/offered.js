// What a visitor has brought, recognized by its content and never by its name; and reading no more of it than can be checked.

import { fromUtf8 } from "./bytes.js";
import { UUID4_FORM } from "./receipt-id.js";

/** One byte more than the limit is enough for the engine to refuse. */
export const MOST = 8 * 1024 * 1024 + 1;
/** Of a document or of evidence that comes along. */
export const MOST_BESIDE = 256_000_000;

const SECONDS = 30;
const PROOF = "c2sp.org/tlog-proof@v1\n";

/** @typedef {"receipt" | "proof" | "key" | "document" | "private key" | "certificate" | "board"} Kind */

/**
 * @param {Uint8Array} bytes
 * @returns {Kind} a document is a methodology's data or prose, or evidence that is compressed or of many lines
 */
export function kindOf(bytes) {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "document";
  const start = (fromUtf8(bytes.subarray(0, Math.min(bytes.length, 4096)))
    ?? Array.from(bytes.subarray(0, 64), (byte) => String.fromCharCode(byte)).join("")).trimStart();
  if (start.startsWith(PROOF)) return "proof";
  if (start.slice(0, 14).toLowerCase() === "<!doctype html" || start.startsWith('{"declined":')) return "board";
  if (/^-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/.test(start)) return "private key";
  if (start.startsWith("-----BEGIN PUBLIC KEY-----")) return "key";
  if (start.startsWith("-----BEGIN ") || /^(ssh|ecdsa)-[a-z0-9-]+ /.test(start)) return "certificate";
  // JSON lines, as evidence has them: a receipt is one value.
  if (/^\{[^\n]*\}\n\{/.test(start)) return "document";
  if (/^#{1,6} \S/.test(start) || (/^track: /m.test(start) && /^version: /m.test(start))) return "document";
  return "receipt";
}

/**
 * What each of several things is, beside what the page has. A file that no receipt looks like is evidence where it comes
 * along with one, or where the receipt at hand lacks something.
 * @param {readonly Uint8Array[]} things
 * @param {boolean} isLacking
 * @returns {Kind[]}
 */
export function kindsOf(things, isLacking) {
  const kinds = things.map(kindOf);
  const likely = things.map((bytes, i) => kinds[i] === "receipt" && isLikely(bytes));
  if (!isLacking && !likely.includes(true)) return kinds;
  return kinds.map((kind, i) => (kind === "receipt" && !likely[i] ? "document" : kind));
}

/** @param {Uint8Array} bytes */
function isLikely(bytes) {
  const text = bytes.length < MOST ? fromUtf8(bytes) : null;
  return text !== null && /^\s*\{/.test(text) && /"(publicKeyFingerprint|receiptId|schemaVersion)"/.test(text);
}

/**
 * @param {string | null} text
 * @returns {string | null} a UUID of version 4, the only kind of receipt id
 */
export function receiptId(text) {
  return text !== null && UUID4_FORM.test(text) ? text : null;
}

/**
 * Whether a file starts as a leaderboard does: one that carries its receipts may be larger than a receipt.
 * @param {Blob} file
 */
export async function isBoard(file) {
  return kindOf(await readFile(file, 4096)) === "board";
}

/**
 * @param {Blob} file
 * @param {number} [most] bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function readFile(file, most = MOST) {
  return new Uint8Array(await file.slice(0, most).arrayBuffer());
}

/**
 * @param {URL} address
 * @returns {Promise<Uint8Array<ArrayBuffer>>} at most `MOST` bytes
 * @throws {Error} in words for the visitor
 */
export async function readAddress(address) {
  const settings = { cache: /** @type {const} */ ("no-cache"), credentials: /** @type {const} */ ("omit"), redirect: /** @type {const} */ ("error") };
  const answer = await fetch(address, { ...settings, signal: AbortSignal.timeout(SECONDS * 1000) }).catch(() => null);
  if (answer === null) throw new Error("the site could not be reached");
  if (answer.status === 404) throw new Error("no such file on this site");
  if (!answer.ok || !answer.body) throw new Error(`the site answered with status ${answer.status}`);
  const kept = new Uint8Array(MOST);
  const reader = answer.body.getReader();
  let length = 0;
  while (length < MOST) {
    const { done, value } = await reader.read();
    if (done) break;
    const taken = value.subarray(0, MOST - length);
    kept.set(taken, length);
    length += taken.length;
  }
  if (length === MOST) await reader.cancel();
  return kept.slice(0, length);
}
