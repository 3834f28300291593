// A site's log as an examination asks for it: where it holds a receipt, proven; roots of older sizes. The index of a receipt
// is looked up in an unsigned list and used only once its inclusion is proven; that a receipt is absent is
// said only where every entry was read.

import { base64, equal, fromBase64, fromUtf8, hex, utf8 } from "./bytes.js";
import { openCheckpoint, parseCheckpointText } from "./checkpoint.js";
import { Cosignatures } from "./cosignatures.js";
import { isEntryOf } from "./entries.js";
import { Fault } from "./fault.js";
import { JsonError, parse } from "./json.js";
import { logKeys } from "./keyring.js";
import { leafHash, verifyInclusion } from "./merkle.js";
import { NoteError, parseNote } from "./note.js";
import { formatProof, parseProof } from "./proof.js";
import { misfit, warning } from "./steps.js";
import { Inconsistent, Unavailable } from "./tiles.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./served.js").Served} Served */
/** @typedef {import("./head.js").Standpoint} Standpoint */
/** @typedef {import("./tiles.js").Tree} Tree */

const LARGEST_SHARD = 8 << 20;
const OFFLINE = "not checked: the log could not be read; add a proof file (benchsite log proof) to prove inclusion offline";

/**
 * Where the log holds a receipt. `entry` is the log's own; `proof` a tlog-proof file of it, null where the visitor
 * brought one. `absent` is said only of a log that was read whole.
 * @typedef {{state: "at", index: number, entry: Uint8Array, size: number, shown: [string, string][], proof: string | null}} At
 * @typedef {{state: "unknown", why: string}} Unknown
 * @typedef {At | {state: "absent"} | Unknown} Place
 */

/** What is known of a site's log. */
export class SiteRecord {
  /**
   * @param {Standpoint} at
   * @param {Served | null} served
   * @param {Uint8Array | null} proof a tlog-proof file the visitor brought along
   */
  constructor(at, served, proof) {
    const { methodologies, fixtures, withdrawn, about } = at.contents;
    this.origin = at.head.origin;
    this.size = at.head.size;
    this.keyring = at.keyring;
    this.methodologies = methodologies;
    this.fixtures = fixtures;
    this.withdrawn = withdrawn;
    this.about = about;
    this.at = at;
    this.served = served;
    this.brought = proof;
    /** Whether the visitor brought a proof of a larger log than this page knows. */
    this.isOlder = false;
    /** @type {Step[]} what of the served log turned out not to hold */
    this.troubles = [];
    this.cosignatures = new Cosignatures(this.origin, (size) => this.root(size), this.troubles);
  }

  /**
   * @param {Standpoint} at
   * @param {Trust} trust
   * @param {Served | null} served
   * @param {Uint8Array | null} proof
   */
  static async of(at, trust, served, proof) {
    const record = new SiteRecord(at, served, proof);
    await record.cosignatures.read(trust.witnesses, at, served);
    return record;
  }

  /**
   * @param {string} receiptId
   * @param {Uint8Array} own the bytes its entry must have
   * @returns {Promise<Place>}
   */
  async find(receiptId, own) {
    const brought = this.brought === null ? null : await this.#byProof(own, this.brought);
    if (brought?.state === "at") return brought;
    const { tree, whole, contents } = this.at;
    if (tree === null || this.served === null) return brought ?? unknown(OFFLINE);
    const listed = contents.receipts.get(receiptId);
    if (listed === undefined && whole) return { state: "absent" };
    try {
      const index = listed ?? (await this.#lookup(receiptId, this.served));
      if (index === null || index >= this.size) return unknown("not found in the site's log lookup");
      const place = await this.#proven(index, tree);
      return isEntryOf(place.entry, receiptId) ? place : unknown("not proven: the site's log lookup names another entry");
    } catch (error) {
      return unknown(`not proven: ${this.#missed(error)}`);
    }
  }

  /**
   * The root of the first entries; null where it cannot be had.
   * @param {number} size
   * @returns {Promise<Uint8Array | null>}
   */
  async root(size) {
    const head = [this.at.head, this.at.pinned].find((one) => one.size === size);
    if (head) return fromBase64(head.root);
    const frozen = this.keyring.frozen.find((one) => one.size === size);
    if (frozen) return frozen.root;
    if (this.at.tree === null || size > this.size) return null;
    try {
      return await this.at.tree.root(size);
    } catch (error) {
      this.#missed(error);
      return null;
    }
  }

  /**
   * Why something of the served log could not be had; what does not fit its signed head is trouble, too.
   * @param {unknown} error
   */
  #missed(error) {
    if (error instanceof Inconsistent && this.troubles.length === 0) this.troubles.push(misfit(error.message));
    if (error instanceof Inconsistent || error instanceof Unavailable) return error.message;
    throw error;
  }

  /**
   * @param {number} index
   * @param {Tree} tree
   * @returns {Promise<At>}
   */
  async #proven(index, tree) {
    const entry = await tree.entry(index);
    const hashes = await tree.inclusionProof(index);
    const root = fromBase64(this.at.head.root) ?? new Uint8Array();
    const leaf = await leafHash(entry);
    if (!(await verifyInclusion(leaf, index, this.size, hashes, root))) throw new Inconsistent(`entry ${index} is not under its root`);
    const proof = formatProof({ index, hashes, checkpoint: this.at.head.note, extra: entry });
    return { state: "at", index, entry, size: this.size, shown: shown(entry, leaf, hashes, root), proof };
  }

  /**
   * @param {string} receiptId
   * @param {Served} served
   * @returns {Promise<number | null>}
   */
  async #lookup(receiptId, served) {
    const answer = await served.get(`log/lookup/${receiptId.slice(0, 2)}.json`, LARGEST_SHARD);
    if (answer.state === "missing") return null;
    if (answer.state === "failed") throw new Unavailable("the log lookup could not be read");
    try {
      const places = parse(answer.bytes);
      const index = typeof places === "object" && places !== null && !Array.isArray(places) ? places[receiptId] : null;
      return typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : null;
    } catch (error) {
      if (error instanceof JsonError) throw new Unavailable("the log lookup is malformed");
      throw error;
    }
  }

  /**
   * The place that a proof file shows. Its checkpoint counts where its root is known here, or where a log key has signed
   * it that was never compromised; and only for entries this page knows of, since later ones may have ended a key.
   * @param {Uint8Array} own
   * @param {Uint8Array} file
   * @returns {Promise<At | Unknown>}
   */
  async #byProof(own, file) {
    const useless = (/** @type {string} */ why) => unknown(`proof file not accepted: ${why}`);
    try {
      const { index, hashes, checkpoint, extra } = parseProof(file);
      const signed = utf8(checkpoint);
      const { size } = parseCheckpointText(parseNote(signed).text);
      const known = await this.root(size);
      const keys = known === null ? this.#soundKeys(size) : logKeys(this.keyring, size);
      const { root } = await openCheckpoint(signed, { origin: this.origin, keys });
      if (known !== null && !equal(known, root)) return useless("its checkpoint is not of the log that this page knows");
      const leaf = await leafHash(own);
      if (!(await verifyInclusion(leaf, index, size, hashes, root))) return useless("it proves another entry than this receipt's");
      if (index >= this.size) return useless(`entry ${index} is newer than this page, which knows ${grouped(this.size)} entries`);
      if (extra.length > 0 && !equal(extra, own)) {
        this.troubles.push(warning("log", "the `extra` line of the proof file is not this receipt's entry and was not used"));
      }
      if (size > this.size) {
        this.isOlder = true;
        const detail = `the proof is of ${grouped(size)} entries and this page knows ${grouped(this.size)}: later entries are not checked`;
        this.troubles.push(warning("consistency", detail));
      }
      return { state: "at", index, entry: own, size, shown: shown(own, leaf, hashes, root), proof: null };
    } catch (error) {
      if (error instanceof NoteError || error instanceof Fault) return useless(error.message);
      throw error;
    }
  }

  /** Log keys of a checkpoint whose root cannot be compared: one that was compromised may have signed anything. @param {number} size */
  #soundKeys(size) {
    const compromised = [...this.keyring].filter(({ state }) => state === "compromised");
    return logKeys(this.keyring, size).filter((key) => !compromised.some(({ publicKey }) => equal(publicKey, key)));
  }
}

/** @param {string} why @returns {Unknown} */
function unknown(why) {
  return { state: "unknown", why };
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
