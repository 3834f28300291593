// What entries of the log say, by subject: which rules and data were named first, and what was said of receipts later.
// The trust data lists such entries up to its checkpoint; younger ones are read from the served log.

import { utf8 } from "./bytes.js";
import { decodeEntry } from "./entries.js";

/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {{index: number, sha256: string}} Named */

/** A fold over decoded entries. */
export class Contents {
  constructor() {
    /** @type {[number, Uint8Array][]} */
    this.keyEvents = [];
    /** @type {Map<string, Named>} by `<track> <version>` */
    this.methodologies = new Map();
    /** @type {Map<string, Named>} by id */
    this.fixtures = new Map();
    /** @type {Map<string, {index: number, reason: string}>} by sha256 of the evidence */
    this.withdrawn = new Map();
    /** @type {Map<string, {index: number, event: Entry}[]>} by receipt id */
    this.about = new Map();
    /** @type {Map<string, number>} receipts among the entries taken, by id */
    this.receipts = new Map();
    /** @type {Map<string, {index: number, entry: Entry}>} pre-registered runs, by id */
    this.intents = new Map();
    /** @type {{index: number, entry: Entry}[]} */
    this.declined = [];
  }

  /**
   * What the trust data says.
   * @param {Trust} trust
   * @returns {Contents}
   * @throws {import("./fault.js").Fault} an entry is malformed
   */
  static of(trust) {
    const contents = new Contents();
    const listed = [...trust.keyEvents, ...trust.documents, ...trust.events];
    for (const [index, text] of listed.sort((a, b) => a[0] - b[0])) contents.apply(index, utf8(text));
    return contents;
  }

  /**
   * @param {number} index
   * @param {Uint8Array} bytes the entry
   */
  apply(index, bytes) {
    const entry = decodeEntry(bytes);
    const first = (/** @type {Map<string, any>} */ map, /** @type {string} */ key, /** @type {any} */ value) =>
      map.has(key) || map.set(key, value);
    switch (entry.type) {
      case "receipt":
        first(this.receipts, entry.path.slice(-41, -5), index);
        break;
      case "methodology":
        first(this.methodologies, `${entry.track} ${entry.version}`, { index, sha256: entry.sha256 });
        break;
      case "fixture":
        first(this.fixtures, entry.id, { index, sha256: entry.sha256 });
        break;
      case "withdraw-evidence":
        first(this.withdrawn, entry.sha256, { index, reason: entry.reason });
        break;
      case "retract":
      case "supersede":
      case "dispute":
        first(this.about, entry.receiptId, []);
        this.about.get(entry.receiptId)?.push({ index, event: entry });
        break;
      case "intent":
        first(this.intents, entry.intentId, { index, entry });
        break;
      case "decline":
        this.declined.push({ index, entry });
        break;
      default:
        this.keyEvents.push([index, bytes]);
    }
  }
}
