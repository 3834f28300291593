// How a stated leaderboard differs from the one recomputed from the log, as benchsite/board/discrepancies.py finds it: in the
// same order and in the same words.

import { nested } from "./differences.js";
import { filled } from "./filled.js";
import { DETAILS, MESSAGES } from "./sentences-board.js";
import { grouped, recorded } from "./wording.js";

/** @typedef {import("./statement.js").Statement} Statement */
/** @typedef {keyof typeof MESSAGES} Kind */
/**
 * @typedef {object} Discrepancy
 * @property {Kind} kind
 * @property {string} receiptId empty where it is of the whole leaderboard
 * @property {string} field
 * @property {string} message
 */

const HEADINGS = ["track", "target", "methodology", "metric", "tested", "unreported", "declined"];
const SECTIONS = ["ranked", "baseline", "imported"];

/**
 * Every difference: of the whole, then of each receipt in log order, what was added, and the order of rows.
 * @param {Statement} stated
 * @param {Statement} computed
 * @returns {Discrepancy[]}
 */
export function discrepancies(stated, computed) {
  const given = listed(stated);
  const found = new Map(listed(computed).map((one) => [one["receiptId"], one]));
  /** @type {Map<string, Statement>} */
  const first = new Map();
  const repeated = [];
  for (const one of given) {
    if (first.has(one["receiptId"])) repeated.push(one["receiptId"]);
    else first.set(one["receiptId"], one);
  }
  return [
    ...headings(stated, computed),
    ...[...found.values()].sort((a, b) => a["index"] - b["index"]).flatMap((one) => ofReceipt(first.get(one["receiptId"]), one)),
    ...[...first.values()].filter(({ receiptId }) => !found.has(receiptId)).map(added),
    ...repeated.map((receipt) => told("row-repeated", receipt, "", { receipt })),
    ...reordered(first, found),
  ];
}

/**
 * Every receipt with its section, in the order of the statement.
 * @param {Statement} made
 * @returns {Statement[]}
 */
function listed(made) {
  const others = ["notRanked", "earlier"].flatMap((section) => made[section].map((/** @type {Statement} */ one) => ({ ...one, section })));
  return [...made["rows"], ...others];
}

/**
 * @param {Statement} stated
 * @param {Statement} computed
 */
function headings(stated, computed) {
  return HEADINGS.flatMap((name) => [...differing(stated[name], computed[name], name)].map(({ field, ...values }) =>
    told("heading-altered", "", field, { field, ...values })));
}

/**
 * What is said otherwise of one receipt of the record.
 * @param {Statement | undefined} given
 * @param {Statement} computed
 * @returns {Discrepancy[]}
 */
function ofReceipt(given, computed) {
  const receipt = computed["receiptId"];
  if (given === undefined) {
    return [told("row-dropped", receipt, "", { receipt, index: grouped(computed["index"]), place: placeOf(computed) })];
  }
  if (given["section"] !== computed["section"]) {
    return [told("row-moved", receipt, "section", { receipt, place: placeOf(given), computed: placeOf(computed) })];
  }
  return Object.keys(computed).sort().flatMap((name) => [...differing(given[name], computed[name], name)].map(({ field, ...values }) =>
    told("row-altered", receipt, field, { receipt, field, ...values })));
}

/** @param {Statement} stated */
function added(stated) {
  const receipt = stated["receiptId"];
  return told("row-added", receipt, "", { receipt, place: placeOf(stated) });
}

/**
 * The first place at which the rows differ that both have in the same section.
 * @param {ReadonlyMap<string, Statement>} stated
 * @param {ReadonlyMap<string, Statement>} computed
 * @returns {Discrepancy[]}
 */
function reordered(stated, computed) {
  /** @type {(these: ReadonlyMap<string, Statement>, those: ReadonlyMap<string, Statement>) => string[]} */
  const order = (these, those) => [...these].flatMap(([name, one]) =>
    (SECTIONS.includes(one["section"]) && those.get(name)?.["section"] === one["section"] ? [name] : []));
  const [given, right] = [order(stated, computed), order(computed, stated)];
  const at = given.findIndex((name, place) => name !== right[place]);
  const [receipt, wanted] = [given[at], right[at]];
  if (receipt === undefined || wanted === undefined) return [];
  return [told("row-reordered", receipt, "", { receipt, computed: wanted, place: String(at + 1) })];
}

/**
 * Where a receipt is listed, in words.
 * @param {Statement} one
 */
function placeOf(one) {
  const { section, rankFirst, rankLast } = one;
  if (section === "notRanked") return filled(DETAILS["as-excluded"], { reasons: one["reasons"].join("; ") });
  if (section === "earlier") return filled(DETAILS["as-earlier"], { by: one["by"] });
  if (rankFirst === null || rankLast === null) return filled(DETAILS["as-unplaced"], { section });
  return filled(DETAILS["as-ranked"], { rank: rankFirst === rankLast ? String(rankFirst) : `${rankFirst}–${rankLast}` });
}

/**
 * @param {any} stated
 * @param {any} computed
 * @param {string} name
 */
function* differing(stated, computed, name) {
  if (Array.isArray(stated) && Array.isArray(computed)) {
    if (recorded(stated) !== recorded(computed)) yield { field: name, stated: recorded(stated), computed: recorded(computed) };
    return;
  }
  for (const one of nested(stated, computed, name)) {
    yield { field: one.field, stated: recorded(one.recorded), computed: recorded(one.computed) };
  }
}

/**
 * @param {Kind} kind
 * @param {string} receiptId
 * @param {string} field
 * @param {import("./filled.js").Values} values
 * @returns {Discrepancy}
 */
function told(kind, receiptId, field, values) {
  return { kind, receiptId, field, message: filled(MESSAGES[kind], values) };
}
