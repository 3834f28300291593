// What a leaderboard states as of one size of the log, as benchsite/board/statement.py has it: every receipt of its target and
// methodology version, exactly once.

import { base64 } from "./bytes.js";
import { comparable, ranking } from "./ranks.js";
import { isImported } from "./reasons.js";

/** @typedef {import("./header.js").Header} Header */
/** @typedef {import("./leaderboard.js").Rules} Rules */
/** @typedef {import("./ranks.js").Row} Row */
/** @typedef {{track: string, target: string, version: string}} Name of a leaderboard */
/** @typedef {{[member: string]: any}} Statement whose shape `STATEMENT` of schemas.js checks */

/**
 * @param {Name} name
 * @param {Rules} rules
 * @param {readonly Header[]} headers every receipt of the leaderboard, in log order
 * @param {object} log
 * @param {string} log.origin
 * @param {number} log.size
 * @param {Uint8Array} log.root of so many entries
 * @param {import("./contents.js").Contents} log.contents
 * @returns {Statement}
 */
export function statement({ track, target, version }, rules, headers, { origin, size, root, contents }) {
  const kept = comparable(rules, headers);
  const { ranked, baselines, imported, tested } = ranking(rules, kept);
  const rows = [
    ...ranked.map((row) => rowOf(row, "ranked")), ...baselines.map((row) => rowOf(row, "baseline")),
    ...imported.map((row) => rowOf(row, "imported")),
  ];
  const latest = new Map([...ranked, ...baselines, ...imported].map((row) => [lineOf(row.header), row.receiptId]));
  const listed = new Set(rows.map(({ receiptId }) => receiptId));
  const others = kept.filter(({ receiptId }) => !listed.has(receiptId));
  const isReplaced = (/** @type {Header} */ { reasons }) => reasons.length === 0 || (rules.imports && isImported(reasons));
  return {
    v: 1, track, target, methodology: version, log: { origin, size, root: base64(root) }, metric: rules.headline, tested, rows,
    notRanked: others.filter((one) => !isReplaced(one)).map(({ receiptId, index, reasons }) => ({ receiptId, index, reasons: [...reasons] })),
    earlier: others.filter(isReplaced).map((one) => ({ receiptId: one.receiptId, index: one.index, by: latest.get(lineOf(one)) ?? "" })),
    unreported: unreported({ track, target, version }, headers, contents),
    declined: contents.declined.filter(({ entry }) => entry.track === track && entry.target === target)
      .map(({ index, entry: { subject, reason } }) => ({ index, subject, reason })),
  };
}

/** @param {Header} header */
function lineOf({ row, sentBy, reasons }) {
  return `${row} ${isImported(reasons)} ${sentBy}`;
}

/**
 * @param {Row} row
 * @param {"ranked" | "baseline" | "imported"} section
 */
function rowOf({ receiptId, header, runs, value, low, high, first, last, toLeader, toBaseline }, section) {
  const { index, name, version, label, sentBy } = header;
  return {
    receiptId, index, section, name, version, label, submittedBy: sentBy, runs, value, low, high, rankFirst: first,
    rankLast: last, toLeader, toBaseline,
  };
}

/**
 * Pre-registered runs that no receipt reports.
 * @param {Name} name
 * @param {readonly Header[]} headers
 * @param {import("./contents.js").Contents} contents
 */
function unreported({ track, target, version }, headers, { intents }) {
  const done = new Set(headers.flatMap(({ registered, intentId }) => (registered ? [intentId] : [])));
  return [...intents].flatMap(([intentId, { index, entry }]) => {
    const isHere = entry.track === track && entry.target === target && entry.methodology === version;
    return isHere && !done.has(intentId) ? [{ intentId, index }] : [];
  });
}
