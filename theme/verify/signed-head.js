// Heads of a log as its key has signed them: read from a checkpoint note, and cut down to the one line that shows it, so
// that no line of anybody else can push it out of what a browser remembers.

import { base64, utf8 } from "./bytes.js";
import { Broken } from "./broken.js";
import { openCheckpoint, parseCheckpointText } from "./checkpoint.js";
import { logKeys } from "./keyring.js";
import { checkSigned, NoteError, parseNote } from "./note.js";
import { fail } from "./steps.js";

/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./keyring.js").Keyring} Keyring */

/**
 * @param {string} text
 * @param {string} origin
 * @returns {Head} as the note claims it, no signature checked
 */
export function claim(text, origin) {
  try {
    const { size, root } = parseCheckpointText(parseNote(utf8(text)).text);
    return { origin, size, root: base64(root), note: text };
  } catch (error) {
    if (error instanceof NoteError) throw new Broken(fail("checkpoint", `the served checkpoint: ${error.message}`));
    throw error;
  }
}

/**
 * A head that a log key has signed; its note is cut down to the line that shows it.
 * @param {string} text
 * @param {string} origin
 * @param {Keyring} keyring
 * @param {string} what
 * @returns {Promise<Head>}
 */
export async function opened(text, origin, keyring, what) {
  try {
    const whole = parseNote(utf8(text));
    const { size, root } = parseCheckpointText(whole.text);
    const accepted = logKeys(keyring, size);
    await openCheckpoint(utf8(text), { origin, keys: accepted });
    for (const line of whole.signatures) {
      if (!(await isBy(origin, accepted, { text: whole.text, signatures: [line] }))) continue;
      return { origin, size, root: base64(root), note: `${whole.text}\n${line.line}\n` };
    }
    throw new NoteError("checkpoint: no line of the log's key");
  } catch (error) {
    if (error instanceof NoteError) throw new Broken(fail("checkpoint", `${what}: ${error.message}`));
    throw error;
  }
}

/**
 * Whether any log key of the past has signed a note, one revoked as compromised included.
 * @param {Keyring} keyring
 * @param {Head} seen
 */
export async function isByAnyLogKey(keyring, seen) {
  const ever = [...keyring].filter(({ role }) => role === "log").map(({ publicKey }) => publicKey);
  try {
    return await isBy(seen.origin, ever, parseNote(utf8(seen.note)));
  } catch (error) {
    if (error instanceof NoteError) return false;
    throw error;
  }
}

/**
 * @param {string} origin
 * @param {Uint8Array[]} accepted
 * @param {import("./note.js").Note} alone a note with one signature
 */
async function isBy(origin, accepted, alone) {
  try {
    await checkSigned(alone, origin, accepted);
    return true;
  } catch (error) {
    if (error instanceof NoteError) return false;
    throw error;
  }
}
