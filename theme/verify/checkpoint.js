// Checkpoints (C2SP tlog-checkpoint v1.0.0): the signed statement "my first `size` entries hash to `root`".
// The same acceptance as benchsite/log/checkpoint.py: no extension lines, no leading zeros, sizes up to 2^53 - 1.

import { base64 } from "./bytes.js";
import { checkSigned, decodeBase64, excerpt, parseNote, refusal } from "./note.js";

const HASH_BYTES = 32;
const MAX_ORIGIN = 200;
const ORIGIN = /^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/;
const SIZE = /^(0|[1-9][0-9]{0,15})$/;

/** @typedef {{origin: string, size: number, root: Uint8Array}} Checkpoint */

/**
 * Whether a log may have this origin: a scheme-less URL prefix, a subset of the names that signed notes allow.
 * @param {string} text
 */
function isOrigin(text) {
  return text.length <= MAX_ORIGIN && ORIGIN.test(text);
}

/**
 * The signed text: origin, size and root, a line each.
 * @param {Checkpoint} checkpoint
 */
export function checkpointText({ origin, size, root }) {
  return `${origin}\n${size}\n${base64(root)}\n`;
}

/**
 * The exact inverse of `checkpointText`.
 * @param {string} text
 * @returns {Checkpoint}
 * @throws {NoteError} naming the line
 */
export function parseCheckpointText(text) {
  const [origin = "", size = "", encoded = "", end, ...more] = text.split("\n", 5);
  if (end !== "" || more.length > 0) throw refusal("checkpoint-lines");
  if (!SIZE.test(size)) throw refusal("checkpoint-numeral", { size: excerpt(size) });
  const root = decodeBase64(encoded);
  if (!isOrigin(origin)) throw refusal("checkpoint-origin", { origin: excerpt(origin) });
  if (!Number.isSafeInteger(Number(size))) throw refusal("checkpoint-size", { size });
  if (root.length !== HASH_BYTES) throw refusal("checkpoint-root", { count: root.length, expected: HASH_BYTES });
  return { origin, size: Number(size), root };
}

/**
 * Read a checkpoint of this origin that at least one of these 32-byte log keys has signed; lines by anybody else
 * (witnesses, unknown keys) are ignored.
 * @param {Uint8Array | string} note
 * @param {{origin: string, keys: Iterable<Uint8Array>}} accepted
 * @returns {Promise<Checkpoint & {text: string}>}
 * @throws {NoteError} naming what is wrong
 */
export async function openCheckpoint(note, { origin, keys }) {
  const parsed = parseNote(note);
  const checkpoint = parseCheckpointText(parsed.text);
  if (checkpoint.origin !== origin) {
    throw refusal("checkpoint-other", { origin: checkpoint.origin, expected: origin });
  }
  await checkSigned(parsed, origin, keys);
  return { ...checkpoint, text: parsed.text };
}
