// The keys of a log, found by replaying its key events (specs/log.md, "Keys"); every rule is that of
// benchsite/log/replay.py. The log index decides, never a date. A key event says of itself that a root signed it; that
// it stands in the log at its index is for the caller to prove, or to take from whoever the trust data comes from.

import { equal, fromBase64, fromBase64url, hex, utf8 } from "./bytes.js";
import { sha256 } from "./digest.js";
import { isAcceptableKey, verify } from "./ed25519.js";
import { decodeEntry } from "./entries.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { serialize, without } from "./jcs.js";
import { MESSAGES } from "./sentences-log.js";
import { BEGIN, END, PREFIX, spki } from "./spki.js";

/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {import("./entries.js").Role} Role */
/** @typedef {"trusted" | "suspect" | "outside"} Standing */

/**
 * One key and the range of log indices it is believed about.
 * @typedef {object} KeyRecord
 * @property {string} fingerprint `sha256:` and 64 hex digits
 * @property {Role} role
 * @property {Uint8Array} publicKey 32 bytes
 * @property {"active" | "retired" | "compromised"} state as of the newest event
 * @property {number} fromIndex of the key-add event
 * @property {number | null} toIndex of the event that closed the window; null while it is open
 * @property {number | null} trustedBelowIndex of a compromised key: from here on its signatures are suspect
 */

/**
 * The tree that the compromise of a log key calls the last honest one: entry `index` says that the first `size`
 * entries have this root.
 * @typedef {{index: number, size: number, root: Uint8Array}} Frozen
 */

/**
 * @typedef {object} Accepted
 * @property {string} origin
 * @property {Iterable<string>} roots fingerprints of the root keys that may found the log
 * @property {(size: number) => Promise<Uint8Array>} [rootAt] the root of the first entries, where the log can be read;
 *   without it what key events say of its roots is taken as said
 */

const PEM = new RegExp(`^[ \\t\\n\\r\\f\\v]*${BEGIN}\\r?\\n([A-Za-z0-9+/]{59}=)\\r?\\n${END}[ \\t\\n\\r\\f\\v]*$`);

/**
 * @param {keyof typeof MESSAGES} name
 * @param {import("./filled.js").Values} [values]
 * @param {string} [field]
 */
function refusal(name, values = {}, field = "") {
  return new Fault(filled(MESSAGES[name], values), field);
}

/** The keys of a log, in the order they were added. */
export class Keyring {
  /** @type {Map<string, KeyRecord>} */
  #records;

  /**
   * @param {Iterable<KeyRecord>} records
   * @param {readonly Frozen[]} [frozen]
   */
  constructor(records, frozen = []) {
    this.#records = new Map(Array.from(records, (record) => [record.fingerprint, record]));
    this.frozen = frozen;
  }

  /**
   * The record of a fingerprint, whatever its state.
   * @param {string} fingerprint
   * @returns {KeyRecord | null}
   */
  get(fingerprint) {
    return this.#records.get(fingerprint) ?? null;
  }

  [Symbol.iterator]() {
    return this.#records.values();
  }
}

/**
 * The keyring after these entries, each with its index, in log order and beginning with entry 0. Entries that are no
 * key events only have to be well-formed.
 * @param {Iterable<readonly [number, Uint8Array]>} events
 * @param {Accepted} accepted
 * @returns {Promise<Keyring>}
 * @throws {Fault} naming the entry that is refused
 */
export async function replay(events, accepted) {
  const fold = new Replay(accepted);
  for (const [index, bytes] of events) {
    try {
      await fold.apply(index, decodeEntry(bytes));
    } catch (error) {
      if (error instanceof Fault) throw new Fault(`entry ${index}: ${error.message}`, error.field);
      throw error;
    }
  }
  if (fold.next === 0) throw refusal("empty");
  return new Keyring(fold.records.values(), fold.frozen);
}

/** A fold over decoded entries. */
class Replay {
  /** @param {Accepted} accepted */
  constructor({ origin, roots, rootAt }) {
    this.origin = origin;
    this.roots = new Set(roots);
    this.rootAt = rootAt;
    /** @type {Map<string, KeyRecord>} */
    this.records = new Map();
    /** @type {Frozen[]} */
    this.frozen = [];
    this.events = 0;
    this.next = 0;
  }

  /**
   * @param {number} index
   * @param {Entry} entry
   */
  async apply(index, entry) {
    if (!Number.isSafeInteger(index) || index < this.next) throw new Fault("out of order");
    if (this.next === 0 && index !== 0) throw refusal("founding");
    this.next = index + 1;
    if (entry.type !== "key-add" && entry.type !== "key-retire" && entry.type !== "key-compromise") {
      if (index === 0) throw new Fault(`${entry.type}: ${MESSAGES.founding}`);
      return;
    }
    try {
      const publicKey = await this.check(index, entry);
      this.records.set(entry.fingerprint, await this.changed(index, entry, publicKey));
    } catch (error) {
      if (error instanceof Fault) throw new Fault(`${entry.type}: ${error.message}`, error.field);
      throw error;
    }
    this.events += 1;
  }

  /**
   * Everything that holds for an event of any type.
   * @param {number} index
   * @param {Entry} event
   * @returns {Promise<Uint8Array>} the key it is about
   */
  async check(index, event) {
    if (event.origin !== this.origin) {
      throw refusal("origin", { origin: event.origin, expected: this.origin }, "origin");
    }
    if (event.seq !== this.events) throw refusal("seq", { seq: event.seq, expected: this.events }, "seq");
    const publicKey = bytesOf(event.publicKey, "publicKey");
    if ((await fingerprint(publicKey)) !== event.fingerprint) {
      throw refusal("fingerprint", {}, "fingerprint");
    }
    const signer = index === 0 ? this.founder(event, publicKey) : this.rootInForce(event);
    const signed = utf8(serialize(without(event, "rootSignature")));
    if (!(await verify(signer, signed, bytesOf(event.rootSignature, "rootSignature")))) {
      throw refusal("root-signature", { root: event.rootFingerprint }, "rootSignature");
    }
    return publicKey;
  }

  /**
   * @param {Entry} event
   * @param {Uint8Array} publicKey
   */
  founder(event, publicKey) {
    if (event.type !== "key-add" || event.role !== "root" || event.rootFingerprint !== event.fingerprint) {
      throw refusal("founding");
    }
    if (!this.roots.has(event.fingerprint)) {
      throw refusal("root-unknown", { key: event.fingerprint }, "fingerprint");
    }
    return publicKey;
  }

  /** @param {Entry} event */
  rootInForce(event) {
    const root = this.records.get(event.rootFingerprint);
    if (!root || root.role !== "root" || root.state !== "active") {
      throw refusal("root-not-in-force", { root: event.rootFingerprint }, "rootFingerprint");
    }
    return root.publicKey;
  }

  /**
   * The record that an event leaves.
   * @param {number} index
   * @param {Entry} event
   * @param {Uint8Array} publicKey
   * @returns {Promise<KeyRecord>}
   */
  async changed(index, event, publicKey) {
    const record = this.records.get(event.fingerprint);
    if (event.type === "key-add") {
      if (record) throw refusal("key-twice", { key: event.fingerprint }, "fingerprint");
      return {
        fingerprint: event.fingerprint, role: event.role, publicKey, state: "active",
        fromIndex: index, toIndex: null, trustedBelowIndex: null,
      };
    }
    if (!record || record.role !== event.role) {
      throw refusal("key-unknown", { role: event.role, key: event.fingerprint }, "fingerprint");
    }
    return event.type === "key-retire" ? this.retired(index, record) : this.compromised(index, event, record);
  }

  /**
   * @param {number} index
   * @param {KeyRecord} record
   * @returns {KeyRecord}
   */
  retired(index, record) {
    if (record.state !== "active") throw refusal("key-closed", { key: record.fingerprint, state: record.state });
    const roots = [...this.records.values()].filter(({ role, state }) => role === "root" && state === "active");
    if (record.role === "root" && roots.length === 1) {
      throw refusal("last-root");
    }
    return { ...record, state: "retired", toIndex: index };
  }

  /**
   * @param {number} index
   * @param {Entry} event
   * @param {KeyRecord} record
   * @returns {Promise<KeyRecord>}
   */
  async compromised(index, event, record) {
    if (record.role === "root" && event.rootFingerprint === event.fingerprint) {
      throw refusal("root-itself");
    }
    const limit = event.trustedBelowIndex ?? event.frozenSize ?? null;
    const earlier = record.trustedBelowIndex;
    if (record.state === "compromised" && limit === null) {
      throw refusal("key-closed", { key: event.fingerprint, state: record.state });
    }
    if (record.state === "compromised" && !(limit !== null && earlier !== null && limit < earlier)) {
      throw refusal("limit-raised", { limit: `${limit}`, earlier: `${earlier}` });
    }
    if (limit !== null && (limit < record.fromIndex || limit > index)) {
      throw refusal("limit-outside", { limit, first: record.fromIndex, index });
    }
    if (event.frozenRoot !== undefined) await this.freeze(index, limit ?? 0, event.frozenRoot);
    return { ...record, state: "compromised", toIndex: record.toIndex ?? index, trustedBelowIndex: limit };
  }

  /**
   * @param {number} index
   * @param {number} size
   * @param {string} encoded
   */
  async freeze(index, size, encoded) {
    const root = fromBase64(encoded);
    if (root === null) throw new Fault("frozenRoot is not canonical base64", "frozenRoot");
    if (this.rootAt && !equal(root, await this.rootAt(size))) {
      throw refusal("frozen-root", { limit: size }, "frozenRoot");
    }
    this.frozen.push({ index, size, root });
  }
}

/**
 * What a key's signature is worth at one index of the log: outside its window, suspect inside it but at or above a
 * compromise's limit, else trusted.
 * @param {KeyRecord} record
 * @param {number} index
 * @returns {Standing}
 */
export function standing(record, index) {
  if (index < record.fromIndex || (record.toIndex !== null && index >= record.toIndex)) return "outside";
  return record.trustedBelowIndex !== null && index >= record.trustedBelowIndex ? "suspect" : "trusted";
}

/**
 * The public keys whose signature makes a checkpoint of this size count.
 * @param {Keyring} keyring
 * @param {number} size
 * @returns {Uint8Array[]}
 */
export function logKeys(keyring, size) {
  const trusted = [...keyring].filter((record) => record.role === "log" && standing(record, size - 1) === "trusted");
  return trusted.map((record) => record.publicKey);
}

/**
 * `sha256:` and 64 lower-case hex digits: SHA-256 of the key's SPKI DER.
 * @param {Uint8Array} publicKey 32 bytes
 * @returns {Promise<string>}
 */
export async function fingerprint(publicKey) {
  return `sha256:${hex(await sha256(spki(publicKey)))}`;
}

/**
 * The 32 bytes of the Ed25519 public key in an SPKI PEM.
 * @param {string} text
 * @returns {Uint8Array}
 * @throws {Fault}
 */
export function loadPem(text) {
  const der = fromBase64(PEM.exec(text)?.[1] ?? "");
  if (der !== null && der.length > 0 && equal(der.subarray(0, PREFIX.length), PREFIX)) {
    const key = der.slice(PREFIX.length);
    if (isAcceptableKey(key)) return key;
    throw new Fault("this key is not a point of prime order: no signature can be accepted under it");
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw new Fault("this is a private key: supply the public key, and never share the private one");
  }
  const wanted = `one "${BEGIN}" block, as written by openssl pkey -pubout or by benchsite keys init`;
  throw new Fault(`not an Ed25519 public key in PEM: the file must hold ${wanted}`);
}

/**
 * @param {string} text
 * @param {string} field
 */
function bytesOf(text, field) {
  const bytes = fromBase64url(text);
  if (bytes === null) throw new Fault(`${field} is not canonical base64url without padding`, field);
  return bytes;
}
