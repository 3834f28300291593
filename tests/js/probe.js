// What the differential tests of tests/parity ask of the JavaScript: one operation on many inputs, answered in JSON.
// The same module answers in Node (probe-node.js) and in a Worker of each browser (probe-worker.js). It adds nothing to
// the modules it asks but a spelling for their answers: bytes as base64, doubles as the hex of their bits.

import { base64, fromBase64, fromHex, fromUtf8, hex, utf8 } from "../../theme/verify/bytes.js";
import { openCheckpoint } from "../../theme/verify/checkpoint.js";
import { sha256 } from "../../theme/verify/digest.js";
import { DISCOUNTS } from "../../theme/verify/tables.js";
import { engine, verify } from "../../theme/verify/ed25519.js";
import { run } from "../../theme/verify/engine.js";
import { decodeEntry } from "../../theme/verify/entries.js";
import { examine } from "../../theme/verify/examine.js";
import { Fault } from "../../theme/verify/fault.js";
import { serialize } from "../../theme/verify/jcs.js";
import { JsonError, parse } from "../../theme/verify/json.js";
import { replay } from "../../theme/verify/keyring.js";
import { materials } from "../../theme/verify/materials.js";
import { readMethodology } from "../../theme/verify/methodology.js";
import { leafHash, rootHash, verifyConsistency, verifyInclusion } from "../../theme/verify/merkle.js";
import { NoteError } from "../../theme/verify/note.js";
import { fsum, wilson } from "../../theme/verify/stats.js";
import { TRACKS } from "../../theme/verify/tracks.js";
import { manifest } from "./key-manifest.js";

/** Error types that are an answer; any other is a fault of the module and must be seen. */
const REFUSALS = [Fault, JsonError, NoteError];

const OPERATIONS = new Map(Object.entries({
  json, doubles, fsum: summed, wilson: shares, discounts, engine, signature, root, inclusion, consistency, checkpoint,
  entry, keyring, methodology, receipt, rescoring, site,
}));

/**
 * @param {{operation: string, items: unknown[]}} request
 * @returns {Promise<{answers: unknown[]} | {trouble: string}>}
 */
export async function answer({ operation, items }) {
  const act = OPERATIONS.get(operation);
  if (!act) return { trouble: `no operation ${operation}` };
  const answers = [];
  for (const item of items) {
    try {
      answers.push(await act(item));
    } catch (error) {
      if (!REFUSALS.some((kind) => error instanceof kind)) {
        return { trouble: `${told(error)} on ${JSON.stringify(item).slice(0, 400)}` };
      }
      answers.push({ refused: error.message });
    }
  }
  return { answers };
}

/** Engines differ in whether the stack begins with the message. */
function told(error) {
  return error instanceof Error ? `${error.name}: ${error.message} ${error.stack}` : String(error);
}

/** An engine as browsers before Ed25519 had it: from now on WebCrypto knows no such algorithm. */
export function withholdEd25519() {
  const genuine = crypto.subtle.importKey;
  crypto.subtle.importKey = async (...given) => {
    if (given[2]?.name === "Ed25519") throw new DOMException("Unrecognized name.", "NotSupportedError");
    return genuine.apply(crypto.subtle, given);
  };
}

/** The canonical bytes of a document, or why there are none. */
function json(document) {
  try {
    return base64(utf8(serialize(parse(fromBase64(document)))));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // Two offences of one object may be met in another order by the writer (json.js says why): it names no place.
    return error.offset === null ? [error.reason] : [error.reason, error.offset, error.message];
  }
}

/** How each of many doubles is written; the hash of all these texts, or the texts themselves. */
async function doubles({ bits, whole }) {
  const texts = doublesOf(bits).map((double) => {
    try {
      return serialize(double);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      return error.reason;
    }
  }).join("\n");
  return whole ? texts : hex(await sha256(utf8(texts)));
}

function summed(bits) {
  try {
    return bitsOf(fsum(doublesOf(bits)));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "overflow";
  }
}

function shares([successes, n]) {
  const { low, high } = wilson(successes, n);
  return [bitsOf(low), bitsOf(high)];
}

function discounts() {
  return DISCOUNTS.map(bitsOf);
}

function signature(parts) {
  return verify(...parts.map(fromHex));
}

async function root(entries) {
  return base64(await rootHash(await Promise.all(entries.map((entry) => leafHash(utf8(entry))))));
}

function inclusion(given) {
  const { index, size } = given;
  return verifyInclusion(fromBase64(given.leafHash), index, size, given.proof.map(fromBase64), fromBase64(given.root));
}

function consistency({ oldSize, newSize, proof, oldRoot, newRoot }) {
  return verifyConsistency(oldSize, newSize, proof.map(fromBase64), fromBase64(oldRoot), fromBase64(newRoot));
}

async function checkpoint({ note, origin, keys }) {
  const opened = await openCheckpoint(fromBase64(note), { origin, keys: keys.map(fromBase64) });
  return [opened.size, base64(opened.root)];
}

async function entry(bytes) {
  const decoded = decodeEntry(fromBase64(bytes));
  return [base64(utf8(serialize(decoded))), base64(await leafHash(fromBase64(bytes)))];
}

/** A whole log's keyring; the root of an earlier size is computed from the entries themselves. */
async function keyring({ origin, roots, entries }) {
  const events = entries.map((entry, index) => [index, fromBase64(entry)]);
  const leaves = await Promise.all(events.map(([, bytes]) => leafHash(bytes)));
  const rootAt = (size) => rootHash(leaves.slice(0, size));
  return fromUtf8(manifest(await replay(events, { origin, roots, rootAt })));
}

/** The members of a `parameters.json`. */
function methodology(document) {
  return serialize(readMethodology(fromBase64(document)));
}

async function receipt({ bytes, key, given = [] }) {
  const atHand = materials({ given: given.map(fromBase64) });
  return findings(await examine(fromBase64(bytes), async () => null, key === null ? null : fromHex(key), null, atHand));
}

/** What a track says of a document's numbers. */
async function rescoring(document) {
  const value = parse(fromBase64(document));
  const track = TRACKS.get(value.track ?? "retrieval");
  return judged(await track.rescore(value, { methodology: null, evidence: async () => null }));
}

async function site(request) {
  const given = (request.given ?? []).map(fromBase64);
  const report = await run({ ...request, bytes: fromBase64(request.bytes), given, proof: null, seen: null });
  return { ...findings(report), index: report.index, size: report.head?.size ?? null };
}

function findings({ verdict, steps, rescoring: found }) {
  return {
    verdict,
    steps: steps.map(({ name, state, field, detail }) => [name, state, field, detail]),
    ...judged(found),
  };
}

function judged(found) {
  return {
    rescore: found?.rescore ?? "NOT RE-SCORABLE",
    compared: found?.compared ?? 0,
    differences: found?.differences.map(({ field, recorded, computed }) => [field, plain(recorded), plain(computed)]) ?? [],
    violations: found?.violations.map(({ code, field, message }) => [code, field, message]) ?? [],
  };
}

function plain(value) {
  return value === undefined || value === null ? null : serialize(value);
}

function doublesOf(bits) {
  const bytes = fromBase64(bits);
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(i * 8));
}

function bitsOf(double) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  return hex(new Uint8Array(view.buffer));
}
