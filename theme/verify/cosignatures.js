// What trusted witnesses have signed of a log, looked up lazily: lines are verified only where a question needs them. The
// conclusions are those of benchsite/log/witnessing.py. A line under a trusted witness's key that does not verify is
// never passed over: it is forged, or proof that the witness was shown another log.

import { equal } from "./bytes.js";
import { checkCosignature, claims, decodeCosignatures, witness } from "./cosignature.js";
import { Fault } from "./fault.js";
import { NoteError, parseNote } from "./note.js";
import { fail, warning } from "./steps.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./served.js").Served} Served */
/** @typedef {import("./head.js").Standpoint} Standpoint */
/** @typedef {Awaited<ReturnType<typeof witness>>} Witness */

/**
 * A line that a trusted witness is said to have signed, not verified yet.
 * @typedef {{by: Witness, size: number, time: number, line: import("./note.js").NoteSignature}} Claim
 */

const LARGEST = 8 << 20;
/** Lines that are verified for one question. */
const MOST_CHECKED = 32;
const TIME_AND_SIGNATURE = 8 + 64;

/** The trusted witnesses of a site, and their lines. */
export class Cosignatures {
  /**
   * @param {string} origin
   * @param {(size: number) => Promise<Uint8Array | null>} rootOf
   * @param {Step[]} troubles where a line that does not hold is reported
   */
  constructor(origin, rootOf, troubles) {
    this.origin = origin;
    this.rootOf = rootOf;
    this.troubles = troubles;
    /** @type {Witness[]} */
    this.witnesses = [];
    /** @type {Claim[]} */
    this.claims = [];
    /** Whether the site's file of older lines was read; without it, "none" is not known. */
    this.whole = false;
  }

  /**
   * @param {string[]} policy verifier keys
   * @param {Standpoint} at
   * @param {Served | null} served
   */
  async read(policy, at, served) {
    for (const text of new Set(policy)) {
      try {
        const found = await witness(text);
        const own = [...at.keyring].find(({ publicKey }) => equal(publicKey, found.publicKey));
        if (!own) this.witnesses.push(found);
        else this.troubles.push(fail("witness", `witness ${found.name} uses the ${own.role} key of this log: a log key cannot be a witness key`));
      } catch (error) {
        if (!(error instanceof NoteError)) throw error;
        this.troubles.push(fail("witness", `malformed witness in the page's trust data: ${error.message}`));
      }
    }
    if (this.witnesses.length === 0) return;
    const { head } = at;
    const lines = at.notes.flatMap(({ size, note }) => parseNote(note).signatures.map((line) => ({ size, line })));
    const answer = served && at.online ? await served.get("log/cosignatures", LARGEST) : null;
    this.whole = answer?.state === "found" || answer?.state === "missing";
    if (answer?.state === "found") lines.push(...this.#decoded(answer.bytes));
    for (const { size, line } of lines) {
      const by = this.witnesses.find((one) => claims(one, line));
      if (!by) continue;
      if (size > head.size) this.#say(warning("witness", `${by.name} has cosigned a log of ${grouped(size)} entries, more than are known here`));
      const length = line.signature.length;
      if (length === TIME_AND_SIGNATURE) this.claims.push({ by, size, line, time: timeOf(line.signature) });
      else this.#report(`a cosignature of ${by.name} has ${length} bytes, expected ${TIME_AND_SIGNATURE}`);
    }
  }

  /** @param {Uint8Array} bytes */
  #decoded(bytes) {
    try {
      return decodeCosignatures(bytes);
    } catch (error) {
      if (!(error instanceof NoteError || error instanceof Fault)) throw error;
      this.whole = false;
      return [];
    }
  }

  /**
   * The newest time after `seconds` at which a trusted witness had signed a smaller log than this; null where none had.
   * Only smaller sizes count: see `not_before` in benchsite/log/witnessing.py.
   * @param {number} size
   * @param {number} seconds
   */
  async after(size, seconds) {
    const newest = this.claims.filter((claim) => claim.size < size && claim.time > seconds).sort((a, b) => b.time - a.time);
    return (await this.#firstGood(newest))?.time ?? null;
  }

  /**
   * The earliest time at which a trusted witness had signed a log that holds an entry; null where none has.
   * @param {number} index
   */
  async holding(index) {
    const oldest = this.claims.filter((claim) => claim.size > index).sort((a, b) => a.time - b.time);
    return (await this.#firstGood(oldest))?.time ?? null;
  }

  /**
   * The names of the trusted witnesses that have signed a log that holds an entry.
   * @param {number} index
   */
  async namesHolding(index) {
    const names = [];
    for (const by of this.witnesses) {
      const own = this.claims.filter((claim) => claim.by === by && claim.size > index).sort((a, b) => b.size - a.size);
      if (await this.#firstGood(own)) names.push(by.name);
    }
    return names;
  }

  /** @param {Claim[]} claimed */
  async #firstGood(claimed) {
    for (const { by, size, line } of claimed.slice(0, MOST_CHECKED)) {
      const root = await this.rootOf(size);
      if (root === null) continue;
      try {
        return { time: await checkCosignature(by, { origin: this.origin, size, root }, line) };
      } catch (error) {
        if (!(error instanceof NoteError)) throw error;
        this.#report(`${error.message}: forged, or ${by.name} was shown another log`);
      }
    }
    return null;
  }

  /** @param {string} detail */
  #report(detail) {
    this.#say(fail("witness", detail));
  }

  /** @param {Step} said */
  #say(said) {
    if (!this.troubles.some(({ detail }) => detail === said.detail)) this.troubles.push(said);
  }
}

/** @param {Uint8Array} signature 8 bytes of time, big endian, and 64 of signature */
function timeOf(signature) {
  return Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
}
