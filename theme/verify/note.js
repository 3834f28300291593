// Signed notes (C2SP signed-note v1.0.0): a text with signature lines under it, and the verifier keys that name
// signers. The same acceptance as benchsite/log/note.py: unknown signature lines are kept, and ignored when verifying.

import { concat, fromBase64, fromUtf8, hex, utf8 } from "./bytes.js";
import { sha256 } from "./digest.js";
import { verify } from "./ed25519.js";
import { filled } from "./filled.js";
import { firstOf, quoted } from "./json.js";
import { MESSAGES } from "./sentences-log.js";
import { lengthOfUtf8 } from "./utf8-prefix.js";

const MAX_NOTE_BYTES = 1 << 20;
const MAX_SIGNATURES = 100;
/** The signature type of Ed25519 in key ids and verifier keys. */
export const ED25519 = 1;

const CONTROL = /[\x00-\x09\x0b-\x1f]/;
// The Unicode White_Space property, written out because regex engines disagree about \s (FEFF, 0085, 001C).
const NAME = /^[^+\x00-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u;

/** A note that is not a signed note, or that no accepted key has signed. */
export class NoteError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "NoteError";
  }
}

/**
 * A refusal in the words of benchsite.log.sentences.
 * @param {keyof typeof MESSAGES} name
 * @param {import("./filled.js").Values} [values]
 */
export function refusal(name, values = {}) {
  return new NoteError(filled(MESSAGES[name], values));
}

/**
 * @typedef {object} NoteSignature one signature line
 * @property {string} name who says so
 * @property {Uint8Array} keyId 4 bytes
 * @property {Uint8Array} signature at least 1 byte, of whatever algorithm the key has
 * @property {string} line its text without the newline
 *
 * @typedef {{text: string, signatures: NoteSignature[]}} Note the text ends in a newline
 * @typedef {{name: string, type: number, publicKey: Uint8Array, keyId: Uint8Array}} VerifierKey
 */

/**
 * Read a whole note; the last empty line parts the text from the signatures.
 * @param {Uint8Array | string} note
 * @returns {Note}
 * @throws {NoteError} naming what is wrong
 */
export function parseNote(note) {
  const whole = decoded(note);
  const border = whole.lastIndexOf("\n\n");
  if (border < 0) throw refusal("note-no-blank");
  const lines = whole.slice(border + 2);
  if (!lines.endsWith("\n")) throw refusal("note-no-signature");
  const split = lines.slice(0, -1).split("\n");
  if (split.length > MAX_SIGNATURES) throw refusal("note-signatures", { count: split.length, most: MAX_SIGNATURES });
  const signatures = split.map(parseSignature);
  const text = whole.slice(0, border + 1);
  const control = CONTROL.exec(text);
  if (control) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    throw refusal("note-control", { code });
  }
  return { text, signatures };
}

/** @param {Uint8Array | string} note */
function decoded(note) {
  // A text of more UTF-16 units than the limit has more bytes, too.
  const bytes = typeof note === "string" && note.length <= MAX_NOTE_BYTES ? utf8(note) : note;
  if (typeof bytes === "string" || bytes.length > MAX_NOTE_BYTES) throw refusal("note-large", { most: MAX_NOTE_BYTES });
  const text = fromUtf8(bytes);
  if (text === null) throw refusal("not-utf8", { path: "signed note", place: lengthOfUtf8(bytes) });
  if (typeof note === "string" && text !== note) throw new NoteError("signed note: not UTF-8");
  return text;
}

/**
 * One signature line, without its newline.
 * @param {string} line
 * @returns {NoteSignature}
 * @throws {NoteError}
 */
export function parseSignature(line) {
  const [dash, name, encoded, ...more] = line.split(" ", 4);
  if (dash !== "—" || name === undefined || encoded === undefined || more.length > 0) {
    throw refusal("note-signature-line", { line: excerpt(line) });
  }
  const data = decodeBase64(encoded);
  checkName(name);
  if (data.length < 5) throw refusal("note-signature-short", { name });
  return { name, keyId: data.slice(0, 4), signature: data.slice(4), line };
}

/**
 * Return when at least one of these Ed25519 keys has signed under this name. Lines of other names or key ids are
 * ignored; a line that claims a known key must verify, and a known key signs once.
 * @param {Note} note
 * @param {string} name
 * @param {Iterable<Uint8Array>} publicKeys
 * @throws {NoteError} otherwise
 */
export async function checkSigned(note, name, publicKeys) {
  /** @type {Map<string, Uint8Array>} */
  const known = new Map();
  for (const key of publicKeys) known.set(hex(await keyId(name, ED25519, key)), key);
  const seen = new Set();
  for (const line of note.signatures) {
    const id = hex(line.keyId);
    const key = known.get(id);
    if (line.name !== name || key === undefined) continue;
    if (seen.has(id)) throw refusal("note-twice", { key: `${name}+${id}` });
    if (!(await verify(key, utf8(note.text), line.signature))) {
      throw refusal("note-wrong", { key: `${name}+${id}` });
    }
    seen.add(id);
  }
  if (seen.size === 0) throw refusal("note-unsigned", { name });
}

/**
 * First 4 bytes of SHA-256(name || 0x0A || type || public key).
 * @param {string} name
 * @param {number} type
 * @param {Uint8Array} publicKey
 */
export async function keyId(name, type, publicKey) {
  return (await sha256(concat(utf8(`${name}\n`), Uint8Array.of(type), publicKey))).slice(0, 4);
}

/**
 * A verifier key: `name+hex(key id)+base64(type || public key)`; the key id must be the one that name and key give.
 * @param {string} text
 * @returns {Promise<VerifierKey>}
 * @throws {NoteError}
 */
export async function parseVkey(text) {
  const found = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text);
  if (!found) throw refusal("vkey", { text: excerpt(text) });
  const [, name = "", id = "", encoded = ""] = found;
  const data = decodeBase64(encoded);
  const type = data[0];
  if (type === undefined) throw refusal("witness-type", { name: excerpt(name), type: "missing" });
  checkName(name);
  const publicKey = data.slice(1);
  const own = await keyId(name, type, publicKey);
  if (hex(own) !== id) {
    throw refusal("vkey-id", { name: excerpt(name), id, own: hex(own) });
  }
  return { name, type, publicKey, keyId: own };
}

/**
 * Standard base64 with padding, in its one spelling.
 * @param {string} text
 * @returns {Uint8Array}
 * @throws {NoteError}
 */
export function decodeBase64(text) {
  const data = fromBase64(text);
  if (data === null) throw refusal("base64", { text: excerpt(text) });
  return data;
}

/** @param {string} name */
function checkName(name) {
  if (!NAME.test(name)) throw refusal("note-name", { name: excerpt(name) });
}

/**
 * The beginning of a foreign text, quoted as Python quotes it.
 * @param {string} text
 */
export function excerpt(text) {
  return quoted(firstOf(text, 80));
}
