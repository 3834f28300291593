// A site's log as an examination asks for it: where a receipt stands, proven; roots of older sizes; what witnesses saw.
// The index of a receipt is looked up in a list nobody vouches for and believed only once its inclusion is proven.

import { base64, concat, equal, fromBase64, fromUtf8, hex } from "./bytes.js";
import { openCheckpoint, parseCheckpointText } from "./checkpoint.js";
import { checkCosignature, decodeCosignatures, witness } from "./cosignature.js";
import { Fault } from "./fault.js";
import { JsonError, parse } from "./json.js";
import { logKeys } from "./keyring.js";
import { leafHash, verifyInclusion } from "./merkle.js";
import { NoteError, parseNote } from "./note.js";
import { formatProof, parseProof } from "./proof.js";
import { Inconsistent, Unavailable } from "./tiles.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./served.js").Served} Served */
/** @typedef {import("./head.js").Standpoint} Standpoint */
/** @typedef {import("./tiles.js").Tree} Tree */
/** @typedef {Awaited<ReturnType<typeof witness>>} Witness */

const LARGEST_SHARD = 8 << 20;
const LARGEST_COSIGNATURES = 8 << 20;
/** Cosignatures that are verified for one question, newest first. */
const MOST_CHECKED = 32;

/**
 * Where the log holds a receipt. `entry` is the log's own; `proof` a tlog-proof file of it, null where the visitor
 * brought one.
 * @typedef {{state: "at", index: number, entry: Uint8Array, size: number, shown: [string, string][], proof: string | null}} At
 * @typedef {At | {state: "absent"} | {state: "unknown", why: string}} Place
 */

/**
 * A line that a trusted witness is said to have signed, not verified yet.
 * @typedef {{by: Witness, size: number, time: number, line: import("./note.js").NoteSignature}} Claim
 */

/** What is known of a site's log. */
export class SiteRecord {
  /**
   * @param {Standpoint} at
   * @param {Served | null} served
   * @param {Uint8Array | null} proof a tlog-proof file the visitor brought along
   * @param {Witness[]} witnesses
   * @param {Claim[]} claims
   */
  constructor(at, served, proof, witnesses, claims) {
    const { methodologies, fixtures, withdrawn, about } = at.contents;
    this.origin = at.head.origin;
    this.size = at.head.size;
    this.keyring = at.keyring;
    this.methodologies = methodologies;
    this.fixtures = fixtures;
    this.withdrawn = withdrawn;
    this.about = about;
    this.witnesses = witnesses;
    this.at = at;
    this.served = served;
    this.brought = proof;
    this.claims = claims;
    /** @type {string | null} what in the served log does not fit its signed head, where anything was met that does not */
    this.fault = null;
  }

  /**
   * @param {Standpoint} at
   * @param {Trust} trust
   * @param {Served | null} served
   * @param {Uint8Array | null} proof
   */
  static async of(at, trust, served, proof) {
    const witnesses = await Promise.all(trust.witnesses.map((text) => witness(text)));
    const claims = await claimed(at, witnesses, served);
    return new SiteRecord(at, served, proof, witnesses, claims);
  }

  /**
   * @param {string} receiptId
   * @param {Uint8Array} own the bytes its entry must have
   * @returns {Promise<Place>}
   */
  async find(receiptId, own) {
    const brought = this.brought === null ? null : await this.#byProof(own, this.brought);
    if (brought?.state === "at") return brought;
    if (this.at.tree === null || this.served === null) {
      const offline = "not looked up: offline, this page needs a proof file (benchsite log proof) beside the receipt";
      return brought ?? { state: "unknown", why: this.at.course === "broken" ? "not looked up" : offline };
    }
    try {
      const index = this.at.contents.receipts.get(receiptId) ?? (await this.#lookup(receiptId, this.served));
      if (index === null) return { state: "absent" };
      return await this.#proven(index, this.at.tree);
    } catch (error) {
      if (error instanceof Inconsistent) this.fault = error.message;
      else if (!(error instanceof Unavailable)) throw error;
      return { state: "unknown", why: `not proven: ${error.message}` };
    }
  }

  /**
   * The root of the first entries; null where it cannot be had.
   * @param {number} size
   * @returns {Promise<Uint8Array | null>}
   */
  async root(size) {
    if (size === this.size) return fromBase64(this.at.head.root);
    if (this.at.tree === null || size > this.at.served) return null;
    try {
      return await this.at.tree.root(size);
    } catch (error) {
      if (error instanceof Inconsistent) this.fault = error.message;
      else if (!(error instanceof Unavailable)) throw error;
      return null;
    }
  }

  /**
   * The newest time after `seconds` at which a trusted witness had signed a smaller log than this; null where none had.
   * Only smaller sizes count: see `not_before` in benchsite/log/witnessing.py.
   * @param {number} size
   * @param {number} seconds
   */
  async seenAfter(size, seconds) {
    const newest = this.claims.filter((claim) => claim.size < size && claim.time > seconds).sort((a, b) => b.time - a.time);
    return (await this.#firstGood(newest))?.time ?? null;
  }

  /**
   * The earliest time at which a trusted witness had signed a log that holds an entry; null where none has.
   * @param {number} index
   */
  async seenBy(index) {
    const oldest = this.claims.filter((claim) => claim.size > index).sort((a, b) => a.time - b.time);
    return (await this.#firstGood(oldest))?.time ?? null;
  }

  /**
   * The names of the trusted witnesses that have signed a log that holds an entry.
   * @param {number} index
   */
  async witnessesOf(index) {
    const names = [];
    for (const by of this.witnesses) {
      const own = this.claims.filter((claim) => claim.by === by && claim.size > index).sort((a, b) => b.size - a.size);
      if (await this.#firstGood(own)) names.push(by.name);
    }
    return names;
  }

  /** @param {Claim[]} claims */
  async #firstGood(claims) {
    for (const { by, size, line } of claims.slice(0, MOST_CHECKED)) {
      const root = await this.root(size);
      if (root === null) continue;
      try {
        return { time: await checkCosignature(by, { origin: this.origin, size, root }, line) };
      } catch (error) {
        if (!(error instanceof NoteError)) throw error;
      }
    }
    return null;
  }

  /**
   * @param {number} index
   * @param {Tree} tree
   * @returns {Promise<Place>}
   */
  async #proven(index, tree) {
    const size = this.at.served;
    if (index >= size) return { state: "absent" };
    const entry = await tree.entry(index);
    const hashes = await tree.inclusionProof(index);
    const root = (await this.root(size)) ?? new Uint8Array();
    const leaf = await leafHash(entry);
    if (!(await verifyInclusion(leaf, index, size, hashes, root))) throw new Inconsistent(`entry ${index} is not under its root`);
    const proof = formatProof({ index, hashes, checkpoint: this.at.head.note });
    return { state: "at", index, entry, size, shown: shown(entry, leaf, hashes, root), proof: size === this.size ? proof : null };
  }

  /**
   * @param {string} receiptId
   * @param {Served} served
   * @returns {Promise<number | null>}
   */
  async #lookup(receiptId, served) {
    const answer = await served.get(`log/lookup/${receiptId.slice(0, 2)}.json`, LARGEST_SHARD);
    if (answer.state === "missing") return null;
    if (answer.state === "failed") throw new Unavailable("the list of places could not be read");
    try {
      const places = parse(answer.bytes);
      const index = typeof places === "object" && places !== null && !Array.isArray(places) ? places[receiptId] : null;
      return typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : null;
    } catch (error) {
      if (error instanceof JsonError) throw new Unavailable("the list of places is malformed");
      throw error;
    }
  }

  /**
   * @param {Uint8Array} own
   * @param {Uint8Array} file
   * @returns {Promise<Place>}
   */
  async #byProof(own, file) {
    const unusable = (/** @type {string} */ why) => ({ state: /** @type {const} */ ("unknown"), why: `the proof file was of no use: ${why}` });
    try {
      const { index, hashes, checkpoint } = parseProof(file);
      const bytes = new TextEncoder().encode(checkpoint);
      const { size } = parseCheckpointText(parseNote(bytes).text);
      const { root } = await openCheckpoint(bytes, { origin: this.origin, keys: logKeys(this.keyring, size) });
      const known = await this.root(size);
      if (known !== null && !equal(known, root)) return unusable("its signed list is not the one this page knows");
      const leaf = await leafHash(own);
      if (!(await verifyInclusion(leaf, index, size, hashes, root))) return unusable("it proves another entry than this receipt's");
      return { state: "at", index, entry: own, size, shown: shown(own, leaf, hashes, root), proof: null };
    } catch (error) {
      if (error instanceof NoteError || error instanceof Fault) return unusable(error.message);
      throw error;
    }
  }
}

/**
 * @param {Uint8Array} entry
 * @param {Uint8Array} leaf
 * @param {Uint8Array[]} hashes
 * @param {Uint8Array} root
 * @returns {[string, string][]}
 */
function shown(entry, leaf, hashes, root) {
  return [
    ["Entry", fromUtf8(entry) ?? ""],
    ["Leaf hash", hex(leaf)],
    [`Inclusion proof, ${grouped(hashes.length)} hashes`, hashes.map(hex).join("\n")],
    ["Root", base64(root)],
  ];
}

/**
 * Every line that claims to be a trusted witness's: those under the newest checkpoint, and those the site serves.
 * @param {Standpoint} at
 * @param {Witness[]} witnesses
 * @param {Served | null} served
 * @returns {Promise<Claim[]>}
 */
async function claimed(at, witnesses, served) {
  if (witnesses.length === 0) return [];
  const lines = parseNote(new TextEncoder().encode(at.head.note)).signatures.map((line) => ({ size: at.head.size, line }));
  const answer = served && at.tree ? await served.get("log/cosignatures", LARGEST_COSIGNATURES) : null;
  if (answer?.state === "found") {
    try {
      lines.push(...decodeCosignatures(answer.bytes));
    } catch (error) {
      if (!(error instanceof NoteError || error instanceof Fault)) throw error;
    }
  }
  const claims = [];
  for (const { size, line } of lines) {
    const by = witnesses.find(({ name, keyId }) => name === line.name && equal(keyId, line.keyId));
    if (by && line.signature.length === 72) claims.push({ by, size, line, time: time(line.signature) });
  }
  return claims;
}

/** @param {Uint8Array} signature 8 bytes of time, big endian, and 64 of signature */
function time(signature) {
  return Number(new DataView(concat(signature).buffer).getBigUint64(0));
}
