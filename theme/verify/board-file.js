// What a visitor gives of a leaderboard: its statement (`proof.json`), or a saved page that carries the statement, the log and
// the receipts in its trust data. Nothing in such a file is believed: its own keys are read by no one.

import { fromBase64, fromUtf8 } from "./bytes.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { JsonError, parse } from "./json.js";
import { unzipped } from "./materials.js";
import { STATEMENT } from "./schemas.js";
import { DETAILS } from "./sentences-board.js";
import { isObject } from "./shape.js";

/** @typedef {import("./statement.js").Statement} Statement */
/**
 * @typedef {object} Carried
 * @property {string} checkpoint signed, with its cosignatures
 * @property {string[]} entries of the log, from the first
 * @property {string[]} receipts the text of each file
 * @property {string[]} documents of methodologies that the release does not have
 * @property {string} cosignatures of earlier checkpoints
 *
 * @typedef {{statement: Statement, carried: Carried | null}} BoardFile
 */

/** The bundle holds no such element's name in full. */
const TRUST = /<s[c]ript type="application\/json" id="trust">(.*?)<\/s[c]ript>/s;

/**
 * @param {Uint8Array} bytes
 * @returns {Promise<BoardFile>}
 * @throws {Fault} it holds no leaderboard
 */
export async function readBoard(bytes) {
  const text = fromUtf8(bytes);
  const held = text === null ? null : TRUST.exec(text)?.[1];
  if (held === null || held === undefined) return { statement: readStatement(bytes), carried: null };
  return ofTrust(valueOf(held));
}

/**
 * The leaderboard that trust data carries.
 * @param {any} trust
 * @returns {Promise<BoardFile>}
 */
export async function ofTrust(trust) {
  const board = isObject(trust) ? trust["board"] : null;
  if (!isObject(board)) throw refused("the page carries no leaderboard");
  const { checkpoint, cosignatures, entries, receipts, documents } = board;
  const texts = [checkpoint, cosignatures, entries, receipts];
  if (!texts.every((one) => typeof one === "string") || !Array.isArray(documents) || !documents.every((one) => typeof one === "string")) {
    throw refused("the log or the receipts in the page are malformed");
  }
  const carried = { checkpoint, cosignatures, entries: await lines(entries), receipts: await lines(receipts), documents };
  return { statement: checked(board["statement"]), carried };
}

/**
 * @param {Uint8Array} bytes
 * @returns {Statement}
 * @throws {Fault}
 */
export function readStatement(bytes) {
  try {
    return checked(parse(bytes));
  } catch (error) {
    if (error instanceof JsonError) throw refused(error.message);
    throw error;
  }
}

/** @param {unknown} value @returns {Statement} */
function checked(value) {
  const flaw = STATEMENT(value);
  if (flaw !== null) throw refused(`field ${flaw.path.replace(/^\.+/, "").replaceAll("[", ".").replaceAll("]", "") || "$"}: ${flaw.message}`);
  return /** @type {Statement} */ (value);
}

/** @param {string} text @returns {unknown} */
function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw refused("its trust data is no JSON");
  }
}

/**
 * The lines of a gzip file in base64.
 * @param {string} text
 */
async function lines(text) {
  const packed = fromBase64(text);
  const bytes = packed === null ? null : await unzipped(packed);
  const found = bytes === null ? null : fromUtf8(bytes);
  if (found === null) throw refused("the log or the receipts in the page are malformed");
  return found === "" ? [] : found.split("\n");
}

/** @param {string} why */
function refused(why) {
  return new Fault(filled(DETAILS["no-statement"], { why }));
}
