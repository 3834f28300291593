// Answers test_log_parity.py: reads [kind, bytes in hex] as JSON lines on stdin and writes what the browser's parser
// makes of them, null where it refuses. Any exception but a refusal ends the process.

import { createInterface } from "node:readline";
import { parseCheckpointText } from "../../theme/verify/checkpoint.js";
import { decodeCosignatures, witness } from "../../theme/verify/cosignature.js";
import { decodeEntry } from "../../theme/verify/entries.js";
import { Fault } from "../../theme/verify/fault.js";
import { loadPem } from "../../theme/verify/keyring.js";
import { NoteError, parseNote } from "../../theme/verify/note.js";
import { formatProof, parseProof } from "../../theme/verify/proof.js";
import { fromUtf8 } from "../../theme/verify/bytes.js";

const hex = (data) => Buffer.from(data).toString("hex");
const line = ({ name, keyId, signature }) => [name, hex(keyId), hex(signature)];
const text = (data) => fromUtf8(data) ?? "";

const READERS = new Map(
  Object.entries({
    note: (data) => {
      const note = parseNote(data);
      return [note.text, note.signatures.map(line)];
    },
    checkpoint: (data) => {
      const { origin, size, root } = parseCheckpointText(text(data));
      return [origin, size, hex(root)];
    },
    cosignatures: (data) => decodeCosignatures(data).map((found) => [found.size, line(found.line)]),
    witness: async (data) => {
      const { name, publicKey, keyId } = await witness(text(data));
      return [name, hex(publicKey), hex(keyId)];
    },
    proof: (data) => {
      const proof = parseProof(data);
      return [proof.index, hex(proof.extra), proof.hashes.map(hex), proof.checkpoint, formatProof(proof) === text(data)];
    },
    entry: (data) => decodeEntry(data).type,
    pem: (data) => hex(loadPem(text(data))),
  }),
);

for await (const asked of createInterface({ input: process.stdin })) {
  const [kind, given] = JSON.parse(asked);
  let answer = null;
  try {
    answer = await READERS.get(kind)(new Uint8Array(Buffer.from(given, "hex")));
  } catch (error) {
    if (!(error instanceof NoteError || error instanceof Fault)) throw error;
  }
  console.log(JSON.stringify(answer));
}
