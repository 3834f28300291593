// The signature check written out as commands for a POSIX shell and OpenSSL 3, so that nothing of this site is needed.
// The receipt's name was chosen by a stranger: it reaches the shell inside quotes or not at all. No comments among the
// commands, because a shell that was not told to allow them would try to run them.

import { base64 } from "./bytes.js";
import { pem } from "./spki.js";
import { visible } from "./unseen.js";

/** @typedef {import("./types.js").Material} Material */

/** What a receipt is to be saved as where its own name is none to type. */
export const PLAIN_NAME = "receipt.json";

/** What "Save the signed bytes" writes, and the commands then read. */
export const SIGNED_NAME = "receipt-signed.bin";

/** What the signer's key is to be saved as where the page does not know it. */
const KEY_NAME = "signer.pem";

/**
 * The name under which the commands look for the receipt: its own, unless a terminal could stumble over that.
 * @param {string} fileName
 */
export function nameInFolder(fileName) {
  const odd = fileName === "" || fileName === "." || fileName === ".." || fileName.length > 200 ||
    /[/\\\t\n]/.test(fileName) || visible(fileName) !== fileName;
  return odd ? PLAIN_NAME : fileName;
}

/** @param {string} text */
function quoted(text) {
  const one = text.startsWith("-") ? `./${text}` : text;
  return `'${one.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {Material} material
 * @param {string} fileName
 * @returns {string} lines for a shell in the folder that holds the receipt; they write into a new temporary folder only
 */
export function opensslCommands(material, fileName) {
  const key = material.publicKey === null ? quoted(KEY_NAME) : '"$t/key.pem"';
  const lines = ["t=$(mktemp -d)"];
  if (material.publicKey !== null) lines.push(`cat > "$t/key.pem" <<'PEM'\n${pem(material.publicKey)}PEM`);
  lines.push(`openssl pkey -pubin -in ${key} -outform DER | openssl dgst -sha256`);
  lines.push(`printf %s '${base64(material.signature)}' | openssl base64 -d -A > "$t/signature.bin"`);
  let signed = quoted(SIGNED_NAME);
  if (material.canonical) {
    signed = '"$t/signed.bin"';
    const member = String.raw`s/,"signature":\{"algorithm":[^}]*\}//`;
    lines.push(`LC_ALL=C sed -E '${member}' ${quoted(nameInFolder(fileName))} | tr -d '\\n' > ${signed}`);
  }
  lines.push(`openssl pkeyutl -verify -pubin -inkey ${key} -rawin -in ${signed} -sigfile "$t/signature.bin"`);
  return `${lines.join("\n")}\n`;
}

/**
 * What to do before the commands, and what they should print.
 * @param {Material} material
 * @param {string} fileName
 * @returns {string[]}
 */
export function opensslNotes(material, fileName) {
  const notes = [];
  if (!material.canonical) {
    notes.push(`This file is not in canonical form, and the signature covers the canonical form: save the signed bytes as ${SIGNED_NAME} first.`);
  } else if (nameInFolder(fileName) !== fileName) {
    notes.push(`Save the receipt as ${PLAIN_NAME} first.`);
  }
  if (material.publicKey === null) notes.push(`Save the signer's public key (PEM) as ${KEY_NAME} first.`);
  const digest = /^sha256:[0-9a-f]{64}$/.exec(material.fingerprint)?.[0].slice(7);
  if (digest) notes.push(`The printed key hash must end in ${digest}. The last line must say “Signature Verified Successfully”.`);
  return notes;
}
