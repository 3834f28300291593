// The verify page's part for leaderboards: asks the engine, remembers the log, and makes the result.

import { checkBoard } from "./client.js";
import { recall, remember } from "./memory.js";
import { presentBoard, wordOf } from "./present-board.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").BoardRequest} BoardRequest */
/** @typedef {{trust: import("./types.js").Trust, base: string | null, source: import("./client.js").Source}} Desk */

const SIZE = /^[1-9][0-9]{0,14}$/;

/**
 * A number of entries in an address; null for none.
 * @param {string | null} text
 */
export function sizeOf(text) {
  return text !== null && SIZE.test(text) ? Number(text) : null;
}

/**
 * @param {Desk} desk
 * @param {Pick<BoardRequest, "path" | "file" | "at">} asked
 * @param {(words: string) => void} say
 * @returns {Promise<{place: HTMLElement, word: string}>}
 */
export async function verifiedBoard({ trust, base, source }, asked, say) {
  const seen = recall(trust.origin);
  say("Reading the log");
  const report = await checkBoard({ trust, base, seen, ...asked }, source, (done, of) => {
    say(`Verifying receipts: ${grouped(done)} of ${grouped(of)}`);
  });
  if (report.keep && report.head !== null) remember(report.head, seen);
  const isOwn = asked.file === null && asked.path === null;
  return { place: presentBoard(report, { base, isOwn }), word: wordOf(report) };
}
