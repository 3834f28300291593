// Proof files (C2SP tlog-proof v1): one entry's inclusion with the checkpoint it leads to, to keep and check offline.
// The same acceptance as benchsite/log/proof.py: an `extra` line has data, at most 63 hashes. What a file proves is for
// `verifyInclusion` and the checkpoint's own signatures to say. Nothing authenticates `extra`, which carries the entry's
// bytes: it is compared with the entry that was computed here, and never used instead.

import { base64, fromUtf8 } from "./bytes.js";
import { HASH_BYTES } from "./merkle.js";
import { decodeBase64, parseNote, refusal } from "./note.js";

const HEADER = "c2sp.org/tlog-proof@v1";
const MAX_HASHES = 63;
const EXTRA = "extra ";
const INDEX = /^index (0|[1-9][0-9]{0,15})$/;
const NEWLINE = 10;

/**
 * `checkpoint` is the note, verbatim; `extra` is empty where the file has no such line.
 * @typedef {{index: number, hashes: Uint8Array[], checkpoint: string, extra: Uint8Array}} Proof
 */

/**
 * @param {Proof} proof
 * @returns {string}
 */
export function formatProof({ index, hashes, checkpoint, extra }) {
  const beside = extra.length > 0 ? `${EXTRA}${base64(extra)}\n` : "";
  const lines = hashes.map((found) => `${base64(found)}\n`).join("");
  return `${HEADER}\n${beside}index ${index}\n${lines}\n${checkpoint}`;
}

/**
 * The exact inverse of `formatProof`.
 * @param {Uint8Array} bytes
 * @returns {Proof}
 * @throws {NoteError} naming what is wrong
 */
export function parseProof(bytes) {
  const blank = bytes.findIndex((byte, at) => byte === NEWLINE && bytes[at + 1] === NEWLINE);
  const head = blank < 0 ? bytes : bytes.subarray(0, blank);
  const stray = head.findIndex((byte) => byte > 0x7f);
  if (stray >= 0) throw refusal("proof-ascii", { place: stray });
  const [first, ...lines] = (fromUtf8(head) ?? "").split("\n");
  if (first !== HEADER) throw refusal("proof-header", { header: HEADER });
  const beside = lines[0]?.startsWith(EXTRA) ? lines.shift()?.slice(EXTRA.length) : undefined;
  const extra = decodeBase64(beside ?? "");
  if (beside === "") throw refusal("proof-extra");
  const index = INDEX.exec(lines.shift() ?? "")?.[1];
  if (index === undefined) throw refusal("proof-no-index");
  if (blank < 0) throw refusal("proof-no-blank");
  const hashes = decodeHashes(lines);
  if (!Number.isSafeInteger(Number(index))) throw refusal("proof-index", { index });
  const checkpoint = bytes.subarray(blank + 2);
  parseNote(checkpoint);
  return { index: Number(index), hashes, checkpoint: fromUtf8(checkpoint) ?? "", extra };
}

/** @param {string[]} lines */
function decodeHashes(lines) {
  if (lines.length > MAX_HASHES) throw refusal("proof-hashes", { count: lines.length, most: MAX_HASHES });
  return lines.map((line, at) => {
    const found = decodeBase64(line);
    if (found.length !== HASH_BYTES) {
      throw refusal("proof-hash", { number: at + 1, count: found.length, expected: HASH_BYTES });
    }
    return found;
  });
}
