// Rows of a leaderboard and their ranks with ties, as benchsite/board/build_board.py, ranks.py and comparable.py make them: the
// latest receipt of each row, by a paired test where the track gives one number a task, else by intervals.

import { filled } from "./filled.js";
import { byCodePoint, inOrder } from "./differences.js";
import { holm, PairedTest } from "./paired.js";
import { isImported } from "./reasons.js";
import { DETAILS } from "./sentences-board.js";

/** @typedef {import("./header.js").Header} Header */
/** @typedef {import("./leaderboard.js").Rules} Rules */
/** @typedef {import("./paired.js").Tested} Tested */

/**
 * @typedef {object} Row
 * @property {string} receiptId
 * @property {Header} header
 * @property {number} runs receipts of the same row
 * @property {number | null} value
 * @property {number | null} low
 * @property {number | null} high
 * @property {boolean} baseline
 * @property {number | null} first
 * @property {number | null} last
 * @property {Tested | null} toLeader
 * @property {Tested | null} toBaseline
 *
 * @typedef {{ranked: Row[], baselines: Row[], tested: boolean}} Ranking
 */

/**
 * The latest receipt of each row, never the best: of runs of this site, or of imports.
 * @param {readonly Header[]} headers in log order
 * @param {boolean} imported
 * @returns {Row[]}
 */
export function latest(headers, imported) {
  /** @type {Map<string, Row>} */
  const found = new Map();
  for (const header of headers) {
    if (imported ? !isImported(header.reasons) : header.reasons.length > 0) continue;
    const line = `${header.row} ${header.sentBy}`;
    const runs = (found.get(line)?.runs ?? 0) + 1;
    const { receiptId, value, low, high } = header;
    const baseline = !imported && header.sentBy === "" && header.isBaseline;
    const rank = { first: null, last: null, toLeader: null, toBaseline: null };
    // A row keeps the place of its first receipt.
    found.set(line, { receiptId, header, runs, value, low, high, baseline, ...rank });
  }
  return [...found.values()];
}

/**
 * Exclude, with a reason, receipts that share no task with most rows: they are not of this target. Submitted receipts don't
 * decide what most rows have, unless there are no others.
 * @param {Rules} rules
 * @param {readonly Header[]} headers
 * @returns {readonly Header[]}
 */
export function comparable(rules, headers) {
  if (!rules.isCompared) return headers;
  let kept = headers;
  for (;;) {
    const rows = [...latest(kept, false), ...(rules.imports ? latest(kept, true) : [])];
    const found = rows.map(({ header }) => header).sort((a, b) => a.index - b.index).filter(({ vector }) => vector.size > 0);
    const own = found.filter(({ sentBy }) => sentBy === "");
    const deciding = own.length > 0 ? own : found;
    const sets = deciding.map(({ vector }) => inOrder([...vector.keys()]).map((task) => JSON.stringify(task)).join());
    const counts = new Map();
    for (const set of sets) counts.set(set, (counts.get(set) ?? 0) + 1);
    const most = deciding[sets.findIndex((set) => counts.get(set) === Math.max(...counts.values()))];
    const odd = new Set(found.filter(({ vector }) => ![...vector.keys()].some((task) => most?.vector.has(task))));
    if (odd.size === 0) return kept;
    const reason = filled(DETAILS["no-common-tasks"], { tasks: rules.tasks });
    kept = kept.map((one) => (odd.has(one) ? { ...one, reasons: [...one.reasons, reason] } : one));
  }
}

/**
 * Every row of a leaderboard.
 * @param {Rules} rules
 * @param {readonly Header[]} headers comparable ones
 * @returns {Ranking & {imported: Row[]}}
 */
export function ranking(rules, headers) {
  const native = latest(headers, false);
  const imported = rules.imports ? latest(headers, true) : [];
  const all = [...native, ...imported];
  const last = all.reduce((/** @type {Row | null} */ one, row) => (one && one.header.index >= row.header.index ? one : row), null);
  const test = new PairedTest(
    new Map(all.map(({ receiptId, header }) => [receiptId, header.vector])),
    new Set(all.filter(({ header }) => header.isOnce).map(({ receiptId }) => receiptId)),
    { flips: rules.flips, level: rules.level, seed: BigInt(`0x${last?.header.targetSha256.slice(0, 16) ?? "0"}`) },
  );
  const place = (/** @type {Row} */ row) => rules.baselines.indexOf(row.header.name);
  const baselines = native.filter(({ baseline }) => baseline).sort((a, b) => place(a) - place(b) || b.header.index - a.header.index);
  const found = ranked(rules, native.filter(({ baseline }) => !baseline), baselines, test);
  return { ...found, imported: imported.length > 0 ? ranked(rules, imported, baselines, test).ranked : [] };
}

/**
 * @param {Rules} rules
 * @param {Row[]} rows
 * @param {Row[]} baselines
 * @param {PairedTest} test
 * @returns {Ranking}
 */
function ranked(rules, rows, baselines, test) {
  const contenders = [...rows].sort(bestFirst);
  if (!rules.isCompared) return { ranked: byInterval(contenders), baselines, tested: true };
  if (contenders.length > 0 && !test.isSame(contenders.map(({ receiptId }) => receiptId))) {
    return { ranked: contenders, baselines, tested: false };
  }
  const placed = byTest(contenders, test);
  const [leader = null] = placed;
  const reference = referenceOf(rules, baselines);
  const compared = (/** @type {readonly Row[]} */ among) => {
    const [toLeader, toBaseline] = [test.family(among, leader), test.family(among, reference)];
    return among.map((row, i) => ({ ...row, toLeader: toLeader[i] ?? null, toBaseline: toBaseline[i] ?? null }));
  };
  return { ranked: compared(placed), baselines: compared(baselines), tested: true };
}

/**
 * The newest baseline of the first name with default options; without any, the newest of that name.
 * @param {Rules} rules
 * @param {readonly Row[]} baselines
 */
function referenceOf(rules, baselines) {
  const named = baselines.filter(({ header }) => header.name === rules.baselines[0]);
  return named.find(({ header }) => header.label === "") ?? named[0] ?? null;
}

/**
 * By the headline number, blank ones last; among equals submitted ones last, then by name.
 * @param {Row} a
 * @param {Row} b
 */
function bestFirst(a, b) {
  const number = (/** @type {Row} */ { value }) => (value === null ? Infinity : -value);
  const [one, other] = [number(a), number(b)];
  if (one !== other) return one < other ? -1 : 1;
  const sent = Number(a.header.sentBy !== "") - Number(b.header.sentBy !== "");
  return sent || byCodePoint(a.header.name, b.header.name) || byCodePoint(a.receiptId, b.receiptId);
}

/**
 * From the top down: the best row not yet placed leads a group, which ends before the first row that differs from it.
 * @param {readonly Row[]} rows best first, over the same tasks
 * @param {PairedTest} test
 * @returns {Row[]}
 */
function byTest(rows, test) {
  /** @type {Row[]} */
  const placed = [];
  while (placed.length < rows.length) {
    const start = placed.length;
    const [leader, ...below] = /** @type {[Row, ...Row[]]} */ (rows.slice(start));
    const adjusted = holm(below.map(({ receiptId }) => test.pValue(leader.receiptId, receiptId)));
    const differing = adjusted.findIndex((p) => p < test.level);
    const size = 1 + (differing < 0 ? below.length : differing);
    placed.push(...rows.slice(start, start + size).map((row) => ({ ...row, first: start + 1, last: start + size })));
  }
  return placed;
}

/**
 * First = 1 + those wholly above; last = all less those wholly below; one without a value has no rank.
 * @param {readonly Row[]} rows
 * @returns {Row[]}
 */
function byInterval(rows) {
  const held = rows.filter(({ value }) => value !== null).map(ends);
  return rows.map((row) => {
    if (row.value === null) return row;
    const own = ends(row);
    const above = held.filter(({ low }) => low > own.high).length;
    return { ...row, first: 1 + above, last: held.filter(({ high }) => high >= own.low).length };
  });
}

/** The interval; the value itself, twice, where there is none. @param {Row} row */
function ends({ value, low, high }) {
  return low === null || high === null ? { low: value ?? 0, high: value ?? 0 } : { low, high };
}
