// Cosignatures (C2SP tlog-cosignature v1, Ed25519, type 0x04): an outside party's dated signature on a checkpoint, and
// the lines of results/log/cosignatures. The same acceptance as benchsite/log/cosignature.py. A line by a witness that
// nobody here trusts may carry any algorithm's signature: it is kept and not judged.

import { equal, fromUtf8, utf8 } from "./bytes.js";
import { checkpointText } from "./checkpoint.js";
import { verify } from "./ed25519.js";
import { excerpt, NoteError, parseSignature, parseVkey, refusal } from "./note.js";
import { lengthOfUtf8 } from "./utf8-prefix.js";
import { grouped } from "./wording.js";

const PATH = "results/log/cosignatures";
const MAX_BYTES = 8 << 20;
const TYPE = 4;
const TIME_BYTES = 8;
const KEY_BYTES = 32;
const LINE_BYTES = TIME_BYTES + 64;
const SIZE = /^[1-9][0-9]{0,15}$/;

/** @typedef {import("./checkpoint.js").Checkpoint} Checkpoint */
/** @typedef {import("./note.js").NoteSignature} NoteSignature */
/** @typedef {{name: string, publicKey: Uint8Array, keyId: Uint8Array}} Witness somebody whose cosignatures count */
/** @typedef {{size: number, line: NoteSignature}} Cosignature under the checkpoint of this size */

/**
 * @param {string} vkey `name+hex(key id)+base64(0x04 || public key)`
 * @returns {Promise<Witness>}
 * @throws {NoteError}
 */
export async function witness(vkey) {
  const { name, type, publicKey, keyId } = await parseVkey(vkey);
  if (type !== TYPE) {
    const found = type.toString(16).padStart(2, "0");
    throw refusal("witness-type", { name: excerpt(name), type: found });
  }
  if (publicKey.length !== KEY_BYTES) {
    throw refusal("witness-key", { name, count: publicKey.length, expected: KEY_BYTES });
  }
  return { name, publicKey, keyId };
}

/**
 * Whether a signature line says that this witness made it.
 * @param {Witness} witness
 * @param {NoteSignature} line
 */
export function claims(witness, line) {
  return line.name === witness.name && equal(line.keyId, witness.keyId);
}

/**
 * The time, in seconds since 1970, at which this witness signed this checkpoint.
 * @param {Witness} witness
 * @param {Checkpoint} checkpoint
 * @param {NoteSignature} line one that `claims` to be the witness's
 * @returns {Promise<number>}
 * @throws {NoteError} where it has not
 */
export async function checkCosignature(witness, checkpoint, line) {
  const { signature } = line;
  if (signature.length !== LINE_BYTES) {
    throw refusal("cosignature-bytes", { name: witness.name, count: signature.length, expected: LINE_BYTES });
  }
  const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  if (time < 1n || time > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw refusal("cosignature-time", { name: witness.name, time: `${time}` });
  }
  const signed = utf8(`cosignature/v1\ntime ${time}\n${checkpointText(checkpoint)}`);
  if (!(await verify(witness.publicKey, signed, signature.slice(TIME_BYTES)))) {
    const { size, origin } = checkpoint;
    throw refusal("cosignature-wrong", { name: witness.name, size, origin });
  }
  return Number(time);
}

/**
 * The lines `<size> — <name> <base64>` of the file; an empty file holds none.
 * @param {Uint8Array} data
 * @returns {Cosignature[]}
 * @throws {NoteError} naming the line
 */
export function decodeCosignatures(data) {
  if (data.length > MAX_BYTES) {
    throw refusal("too-large", { path: PATH, count: grouped(data.length), most: grouped(MAX_BYTES) });
  }
  if (data.length === 0) return [];
  const text = fromUtf8(data);
  if (text === null) throw refusal("not-utf8", { path: PATH, place: lengthOfUtf8(data) });
  const lines = text.split("\n");
  if (lines.pop() !== "") throw refusal("cut-short", { path: PATH, line: lines.length + 1 });
  return lines.map((line, at) => {
    try {
      return cosignature(line);
    } catch (error) {
      if (error instanceof NoteError) throw new NoteError(`${PATH} line ${at + 1}: ${error.message}`);
      throw error;
    }
  });
}

/**
 * @param {string} text
 * @returns {Cosignature}
 */
function cosignature(text) {
  const space = text.indexOf(" ");
  const size = space < 0 ? text : text.slice(0, space);
  if (!SIZE.test(size)) throw refusal("cosigned-numeral", { size: excerpt(size) });
  const line = parseSignature(space < 0 ? "" : text.slice(space + 1));
  if (!Number.isSafeInteger(Number(size))) throw refusal("cosigned-size", { size });
  return { size: Number(size), line };
}
