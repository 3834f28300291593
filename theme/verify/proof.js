// Proof files (C2SP tlog-proof v1): one entry's inclusion with the checkpoint it leads to, to keep and check offline.
// The same acceptance as benchsite/log/proof.py: no `extra` line, at most 63 hashes. What a file proves is for
// `verifyInclusion` and the checkpoint's own signatures to say.

import { base64, fromUtf8 } from "./bytes.js";
import { HASH_BYTES } from "./merkle.js";
import { decodeBase64, NoteError, parseNote } from "./note.js";

const HEADER = "c2sp.org/tlog-proof@v1";
const MAX_HASHES = 63;
const INDEX = /^index (0|[1-9][0-9]{0,15})$/;
const NEWLINE = 10;

/** @typedef {{index: number, hashes: Uint8Array[], checkpoint: string}} Proof `checkpoint` is the note, verbatim */

/**
 * @param {Proof} proof
 * @returns {string}
 */
export function formatProof({ index, hashes, checkpoint }) {
  const lines = hashes.map((found) => `${base64(found)}\n`).join("");
  return `${HEADER}\nindex ${index}\n${lines}\n${checkpoint}`;
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
  if (stray >= 0) throw new NoteError(`proof: not ASCII at byte ${stray}`);
  const [first, second = "", ...lines] = (fromUtf8(head) ?? "").split("\n");
  if (first !== HEADER) throw new NoteError(`proof: the first line is not ${HEADER}`);
  if (second.startsWith("extra ")) {
    throw new NoteError("proof: it carries extra data, which nothing in it vouches for");
  }
  const index = INDEX.exec(second)?.[1];
  if (index === undefined) {
    throw new NoteError("proof: there is no line `index N`, N a decimal number without leading zeros");
  }
  if (blank < 0) throw new NoteError("proof: no blank line between the hashes and the checkpoint");
  const hashes = decodeHashes(lines);
  if (!Number.isSafeInteger(Number(index))) {
    throw new NoteError(`proof: index ${index} is not between 0 and 2^53 - 1`);
  }
  const checkpoint = bytes.subarray(blank + 2);
  parseNote(checkpoint);
  return { index: Number(index), hashes, checkpoint: fromUtf8(checkpoint) ?? "" };
}

/** @param {string[]} lines */
function decodeHashes(lines) {
  if (lines.length > MAX_HASHES) throw new NoteError(`proof: ${lines.length} hashes, the limit is ${MAX_HASHES}`);
  return lines.map((line, at) => {
    const found = decodeBase64(line);
    if (found.length !== HASH_BYTES) {
      throw new NoteError(`proof: hash ${at + 1} has ${found.length} bytes, expected ${HASH_BYTES}`);
    }
    return found;
  });
}
