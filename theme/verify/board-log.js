// The log up to one size, every entry of it, for a leaderboard: read from the site's tiles, or from a file that carries the
// entries. Entries count only under a root that the log's key has signed and that fits what this page knew before.

import { base64, equal, fromBase64, utf8 } from "./bytes.js";
import { Broken } from "./broken.js";
import { Contents } from "./contents.js";
import { Cosignatures } from "./cosignatures.js";
import { Fault } from "./fault.js";
import { pinned, standpoint } from "./head.js";
import { replay } from "./keyring.js";
import { joined, leafHash, nodeHash, rootHash } from "./merkle.js";
import { opened } from "./signed-head.js";
import { fail, pass, unchecked } from "./steps.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./served.js").Served} Served */
/** @typedef {import("./record.js").Place} Place */

/**
 * Entries and what vouches for them.
 * @typedef {object} Source
 * @property {Head} head
 * @property {(index: number) => Promise<Uint8Array>} entry
 * @property {(size: number) => Promise<Uint8Array>} root
 * @property {Step[]} steps
 * @property {boolean} keep whether `head` should be remembered
 * @property {import("./types.js").Course} course
 * @property {{size: number, note: Uint8Array}[]} notes checkpoints with all their signature lines
 */

/** The roots of a log's beginnings, from its leaf hashes. */
class Roots {
  /** @param {Uint8Array[]} leaves */
  constructor(leaves) {
    this.layers = [leaves];
  }

  /** @param {readonly Uint8Array[]} entries */
  static async of(entries) {
    const made = new Roots(await Promise.all(entries.map(leafHash)));
    for (let layer = made.layers[0] ?? []; layer.length > 1;) made.layers.push((layer = await joined(layer)));
    return made;
  }

  /** @param {number} size */
  async at(size) {
    if (size === 0) return rootHash([]);
    /** @type {Uint8Array[]} peaks from the right */
    const peaks = [];
    for (let [level, rest] = [0, size]; rest > 0; level += 1, rest = Math.floor(rest / 2)) {
      const peak = rest % 2 === 1 ? this.layers[level]?.[rest - 1] : undefined;
      if (rest % 2 === 1 && peak === undefined) throw new RangeError(`no root of ${size} entries here`);
      if (peak !== undefined) peaks.push(peak);
    }
    let [root, ...others] = /** @type {[Uint8Array, ...Uint8Array[]]} */ (peaks);
    for (const peak of others) root = await nodeHash(peak, root);
    return root;
  }
}

/**
 * The log as the site serves it.
 * @param {Trust} trust
 * @param {Served} served
 * @param {Head | null} seen
 * @returns {Promise<Source>}
 */
export async function servedSource(trust, served, seen) {
  const { head, tree, steps, keep, course, notes } = await standpoint(trust, served, seen);
  if (tree === null) throw new Broken(unchecked("log", "the served log could not be read"), "unavailable");
  return { head, entry: (index) => tree.entry(index), root: (size) => tree.root(size), steps, keep, course, notes };
}

/**
 * The log as a file carries it, compared with what the page itself knows.
 * @param {Trust} trust
 * @param {{checkpoint: string, entries: readonly string[]}} file
 * @returns {Promise<Source>}
 */
export async function carriedSource(trust, { checkpoint, entries }) {
  const known = await pinned(trust);
  const bytes = entries.map(utf8);
  const roots = await Roots.of(bytes);
  const contents = contentsOf(bytes);
  const keyring = await keysOf(contents, trust, (size) => roots.at(size));
  const head = await opened(checkpoint, known.head.origin, keyring, "the checkpoint in the file");
  if (head.size !== bytes.length || base64(await roots.at(head.size)) !== head.root) {
    throw new Broken(fail("checkpoint", "the entries in the file are not those under its signed checkpoint"));
  }
  const steps = [pass("checkpoint", `${grouped(head.size)} entries; signed by the log's key`, [["Checkpoint", head.note]])];
  if (known.head.size > head.size) {
    steps.push(unchecked("consistency", `this page knows ${grouped(known.head.size)} entries, and the file has ${grouped(head.size)}`));
  } else if (base64(await roots.at(known.head.size)) !== known.head.root) {
    const why = `two inconsistent signed checkpoints: of the file and of this page, which knows ${grouped(known.head.size)} entries`;
    throw new Broken(fail("consistency", why), "fork", `${head.note}\n${known.head.note}`);
  } else {
    steps.push(pass("consistency", `consistent with the ${grouped(known.head.size)} entries that this page knows`, []));
  }
  return {
    head, entry: async (index) => /** @type {Uint8Array} */ (bytes[index]), root: (size) => roots.at(size), steps, keep: false,
    course: "unavailable", notes: [{ size: head.size, note: utf8(checkpoint) }],
  };
}

/** @param {readonly Uint8Array[]} entries */
function contentsOf(entries) {
  const contents = new Contents();
  try {
    for (const [index, bytes] of entries.entries()) contents.apply(index, bytes);
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `malformed entry: ${error.message}`));
    throw error;
  }
  return contents;
}

/**
 * @param {Contents} contents
 * @param {Trust} trust
 * @param {(size: number) => Promise<Uint8Array>} rootAt
 */
async function keysOf(contents, trust, rootAt) {
  try {
    return await replay(contents.keyEvents, { origin: trust.origin ?? "", roots: trust.roots, rootAt });
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `the log's key events are not valid: ${error.message}`));
    throw error;
  }
}

/** The record as it was at one size: what an examination asks of `SiteRecord`, with every entry read. */
export class BoardLog {
  /**
   * @param {Source} source
   * @param {number} size
   * @param {readonly Uint8Array[]} entries
   * @param {Contents} contents
   * @param {import("./keyring.js").Keyring} keyring
   */
  constructor(source, size, entries, contents, keyring) {
    this.origin = source.head.origin;
    this.size = size;
    this.entries = entries;
    this.contents = contents;
    this.keyring = keyring;
    this.methodologies = contents.methodologies;
    this.fixtures = contents.fixtures;
    this.withdrawn = contents.withdrawn;
    this.about = contents.about;
    this.source = source;
    /** @type {Step[]} */
    this.troubles = [];
    this.cosignatures = new Cosignatures(this.origin, (at) => this.root(at), this.troubles);
    /** @type {Map<number, Promise<Uint8Array>>} */
    this.roots = new Map();
  }

  /**
   * @param {Source} source
   * @param {number} size
   * @param {Trust} trust
   * @param {Pick<Served, "get"> | null} served where cosignatures are
   */
  static async of(source, size, trust, served) {
    const entries = [];
    for (let index = 0; index < size; index += 1) entries.push(await source.entry(index));
    const contents = contentsOf(entries);
    const keyring = await keysOf(contents, trust, source.root);
    const log = new BoardLog(source, size, entries, contents, keyring);
    const at = { ...source, keyring, online: served !== null };
    await log.cosignatures.read(trust.witnesses, /** @type {any} */ (at), /** @type {any} */ (served));
    return log;
  }

  /** @param {number} size */
  root(size) {
    const found = this.roots.get(size) ?? this.source.root(size);
    this.roots.set(size, found);
    return found;
  }

  /**
   * @param {string} receiptId
   * @returns {Promise<Place>}
   */
  async find(receiptId) {
    const index = this.contents.receipts.get(receiptId);
    const entry = index === undefined ? undefined : this.entries[index];
    if (index === undefined || entry === undefined) return { state: "absent" };
    return { state: "at", index, entry, size: this.size, shown: [], proof: null };
  }

  /**
   * Whether a statement's root is that of the first entries.
   * @param {string} root base64
   */
  async hasRoot(root) {
    return equal(await this.root(this.size), fromBase64(root) ?? new Uint8Array());
  }
}
