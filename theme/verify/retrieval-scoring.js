// Retrieval measures and scores from the evidence, as benchsite/tracks/retrieval/scores/scoring.py and metrics.py define them:
// E is the expected ids with grade >= 1, R the retrieved ids with duplicates dropped, keeping the first, before any
// cut. Gain is the grade; discounts come from the literal table; sums are correctly rounded. Every operation is the one
// Python makes, in its order, so that every double is the same. Bootstrap intervals are not computed here.

import { DISCOUNTS } from "./tables.js";
import { fsum, wilson } from "./stats.js";

/** @typedef {import("./types.js").Document} Document */

/**
 * @typedef {object} Query the evidence of one query, in the form scoring reads
 * @property {string[]} relevant E, best first
 * @property {number[]} ideal their grades
 * @property {Map<string, number>} ranks R: id to rank from 1; empty when the query failed
 * @property {boolean} answerable
 * @property {boolean} failed
 * @property {string | null} category
 *
 * @typedef {{rank: number, grade: number}} Hit a relevant result
 * @typedef {{num?: number, den: number, excluded: number}} Denominator
 * @typedef {{low: number, high: number, method: string}} Interval
 *
 * @typedef {object} Table scores of one group of queries, by metric; one without queries has no score
 * @property {{[metric: string]: number}} scores
 * @property {{[metric: string]: Denominator}} denominators
 * @property {{[metric: string]: Interval}} intervals Wilson's, of the shares
 *
 * @typedef {object} Measure
 * @property {string} name
 * @property {boolean} isShare the mean is a share of queries (num ÷ den); else a mean of fractions
 * @property {boolean} isEveryK reported at every cut; else at the largest only
 * @property {(hits: Hit[], ideal: number[], k: number) => number} value in [0, 1], of a query with hits within k
 *
 * @typedef {{name: string, measure: Measure, k: number}} Column a measure at a cut: one name in `scores`
 *
 * @typedef {object} Group queries scored together
 * @property {Map<number, number>} counts how many scored queries have each pattern
 * @property {number} excluded answerable queries with an empty E
 * @property {number} unanswerable
 * @property {number} abstained
 */

const ABSTENTION = "abstention_rate";

/** @type {Measure["value"]} */
const success = (hits) => (hits.length > 0 ? 1 : 0);

/** @type {Measure["value"]} */
const recall = (hits, ideal) => hits.length / ideal.length;

/** @type {Measure["value"]} */
const recallAll = (hits, ideal) => (hits.length === ideal.length ? 1 : 0);

/** @type {Measure["value"]} */
const precision = (hits, _ideal, k) => hits.length / k;

/** @type {Measure["value"]} */
const ndcg = (hits, ideal, k) => {
  const gained = fsum(hits.map(({ rank, grade }) => grade * weight(rank)));
  return gained / fsum(ideal.slice(0, k).map((grade, i) => grade * weight(i + 1)));
};

/** @type {Measure["value"]} */
const reciprocalRank = (hits) => (hits[0] ? 1 / hits[0].rank : 0);

/** @type {Measure["value"]} */
const averagePrecision = (hits, ideal) => fsum(hits.map(({ rank }, i) => (i + 1) / rank)) / ideal.length;

/** @type {readonly Measure[]} */
const MEASURES = [
  { name: "success", isShare: true, isEveryK: true, value: success },
  { name: "recall", isShare: false, isEveryK: true, value: recall },
  { name: "recall_all", isShare: true, isEveryK: true, value: recallAll },
  { name: "precision", isShare: false, isEveryK: true, value: precision },
  { name: "ndcg", isShare: false, isEveryK: true, value: ndcg },
  { name: "mrr", isShare: false, isEveryK: false, value: reciprocalRank },
  { name: "map", isShare: false, isEveryK: false, value: averagePrecision },
];

/** @param {number} rank from 1 */
function weight(rank) {
  return /** @type {number} */ (DISCOUNTS[rank - 1]);
}

/**
 * Read a `perQuery` row of a receipt; a row with an `error` failed and so retrieved nothing.
 * @param {Document} row
 * @returns {Query}
 */
export function readQuery(row) {
  /** @type {Map<string, number>} */
  const grades = new Map();
  for (const { id, grade } of row["expected"]) grades.set(id, grade);
  const graded = [...grades].filter(([, grade]) => grade >= 1).sort(([, a], [, b]) => b - a);
  const failed = (row["error"] ?? null) !== null;
  /** @type {Map<string, number>} */
  const ranks = new Map();
  for (const id of failed ? [] : row["retrieved"]) {
    if (!ranks.has(id)) ranks.set(id, ranks.size + 1);
  }
  return {
    relevant: graded.map(([id]) => id),
    ideal: graded.map(([, grade]) => grade),
    ranks,
    answerable: row["answerable"],
    failed,
    category: row["category"] ?? null,
  };
}

/**
 * Rank of the first relevant result within k, after de-duplication; null when there is none.
 * @param {Query} query
 * @param {number} k
 * @returns {number | null}
 */
export function firstRank(query, k) {
  /** @type {number | null} */
  let first = null;
  for (const id of query.relevant) {
    const rank = query.ranks.get(id);
    if (rank !== undefined && rank <= k && (first === null || rank < first)) first = rank;
  }
  return first;
}

/**
 * The value of a measure for one query that counts in its mean.
 * @param {Query} query
 * @param {string} name as `ndcg`
 * @param {number} k
 * @returns {number}
 */
export function perQuery(query, name, k) {
  const columns = columnsOf([k]).filter(({ measure }) => measure.name === name);
  return valuesOf(query, columns, [k])[0] ?? 0;
}

/**
 * Score a run at strictly ascending cuts within 1 to 1,000, over all queries and in each category. A category's table
 * is made when it is asked for: a hostile file may name one with every query.
 * @param {Query[]} queries
 * @param {number[]} ks MRR and MAP are reported at the last
 * @returns {{overall: Table, byCategory: Map<string, () => Table>}}
 */
export function score(queries, ks) {
  const columns = columnsOf(ks);
  const { patterns, whole, byCategory } = collect(queries);
  const rows = patterns.map((query) => valuesOf(query, columns, ks));
  /** @type {Map<string, () => Table>} */
  const tables = new Map();
  for (const [name, group] of byCategory) tables.set(name, () => table(group, rows, columns));
  return { overall: table(whole, rows, columns), byCategory: tables };
}

/**
 * Every metric of each query, by its name in `scores`; for comparisons, query by query.
 * @param {Query[]} queries answerable, with a relevant item
 * @param {number[]} ks
 * @returns {Map<string, number[]>}
 */
export function everyMetric(queries, ks) {
  const columns = columnsOf(ks);
  const rows = queries.map((query) => valuesOf(query, columns, ks));
  return new Map(columns.map(({ name }, j) => [name, rows.map((row) => row[j] ?? 0)]));
}

/**
 * @param {number[]} ks
 * @returns {Column[]}
 */
function columnsOf(ks) {
  return MEASURES.flatMap((measure) => {
    const cuts = measure.isEveryK ? ks : ks.slice(-1);
    return cuts.map((k) => ({ name: `${measure.name}_at_${k}`, measure, k }));
  });
}

/**
 * The distinct patterns, each by a query that has it, and the queries counted by pattern, in the whole and in each
 * category. A pattern is all that any measure can tell about a query: the grades of E and the rank of each.
 * @param {Query[]} queries
 */
function collect(queries) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @type {Query[]} */
  const patterns = [];
  const whole = newGroup();
  /** @type {Map<string, Group>} */
  const byCategory = new Map();
  for (const query of queries) {
    const groups = [whole];
    if (query.category !== null) {
      const own = byCategory.get(query.category) ?? newGroup();
      byCategory.set(query.category, own);
      groups.push(own);
    }
    if (query.answerable && query.ideal.length > 0) {
      const pattern = `${query.ideal} ${query.relevant.map((id) => query.ranks.get(id) ?? 0)}`;
      const number = numbers.get(pattern) ?? patterns.push(query) - 1;
      numbers.set(pattern, number);
      for (const { counts } of groups) counts.set(number, (counts.get(number) ?? 0) + 1);
    } else {
      for (const group of groups) leaveOut(group, query);
    }
  }
  return { patterns, whole, byCategory };
}

/** @returns {Group} */
function newGroup() {
  return { counts: new Map(), excluded: 0, unanswerable: 0, abstained: 0 };
}

/**
 * @param {Group} group
 * @param {Query} query
 */
function leaveOut(group, query) {
  if (query.answerable) {
    group.excluded += 1;
  } else {
    group.unanswerable += 1;
    if (query.ranks.size === 0 && !query.failed) group.abstained += 1;
  }
}

/**
 * The value of every column for a query.
 * @param {Query} query
 * @param {Column[]} columns
 * @param {number[]} ks
 * @returns {number[]}
 */
function valuesOf(query, columns, ks) {
  const hits = query.relevant
    .map((id, i) => ({ rank: query.ranks.get(id) ?? 0, grade: /** @type {number} */ (query.ideal[i]) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => a.rank - b.rank);
  const within = new Map(ks.map((k) => [k, hits.filter(({ rank }) => rank <= k)]));
  return columns.map(({ measure, k }) => measure.value(within.get(k) ?? [], query.ideal, k));
}

/**
 * @param {Group} group
 * @param {number[][]} rows values of every column, one row a pattern
 * @param {Column[]} columns
 * @returns {Table}
 */
function table(group, rows, columns) {
  const counted = [...group.counts].map(([i, count]) => ({ row: rows[i] ?? [], count, powers: powersOf(count) }));
  const scored = counted.reduce((total, { count }) => total + count, 0);
  const size = scored + group.excluded + group.unanswerable;
  /** @type {Table} */
  const result = { scores: Object.create(null), denominators: Object.create(null), intervals: Object.create(null) };
  columns.forEach(({ name, measure }, j) => {
    if (measure.isShare) {
      const num = counted.reduce((found, { row, count }) => (row[j] ? found + count : found), 0);
      share(result, name, { num, den: scored, excluded: size - scored });
      return;
    }
    result.denominators[name] = { den: scored, excluded: size - scored };
    if (scored === 0) return;
    const terms = counted.flatMap(({ row, powers }) => powers.map((power) => (row[j] ?? 0) * power));
    result.scores[name] = fsum(terms) / scored;
  });
  const { abstained, unanswerable } = group;
  share(result, ABSTENTION, { num: abstained, den: unanswerable, excluded: size - unanswerable });
  return result;
}

/**
 * Enter a share of queries, with its interval, unless there are none.
 * @param {Table} result
 * @param {string} name
 * @param {{num: number, den: number, excluded: number}} counts
 */
function share(result, name, counts) {
  result.denominators[name] = counts;
  if (counts.den === 0) return;
  result.scores[name] = counts.num / counts.den;
  result.intervals[name] = { ...wilson(counts.num, counts.den), method: "wilson" };
}

/**
 * The powers of two that add up to a count: a value times each of them is exact, so that their correctly rounded sum
 * is that of the values one by one.
 * @param {number} count
 * @returns {number[]}
 */
function powersOf(count) {
  const powers = [];
  for (let power = 1; power <= count; power *= 2) {
    if (Math.floor(count / power) % 2 === 1) powers.push(power);
  }
  return powers;
}
