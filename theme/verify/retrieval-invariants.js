// Relations that hold for every retrieval run: the codes and fields of
// benchsite/tracks/retrieval/record/violations.py, and its sentences, for schema 1.0.0 and for the seed's 0.0.1, whose rows hold no expected ids.
// Expects a document whose schema was checked before. That a score differs from its evidence is a difference of
// rescore-retrieval.js and not repeated here.

import { filled, violation } from "./filled.js";
import { shown } from "./numerals.js";
import { firstRank } from "./retrieval-scoring.js";
import { MESSAGES, TERMS } from "./sentences-retrieval.js";
import { members } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {import("./retrieval-scoring.js").Query} Query */
/** @typedef {Map<string, Map<number, number>>} ByMeasure measure and cut to score */

/** Foreign implementations round differently; ours satisfies the relations exactly. */
const TOLERANCE = 1e-9;

const ABSTENTION = "abstention_rate";

const HIT_RATE = "success";

/** What schema 0.0.1 calls the hit rate. */
const LEGACY_HIT_RATE = "recall";

/** @typedef {keyof typeof MESSAGES} Message */
/** @typedef {[measure: string, bound: string, code: Message]} Bounded a metric and one it cannot exceed */

/** @type {Bounded[]} */
const OF_RECALL = [
  ["recall", HIT_RATE, "recall-above-success"], ["recall_all", "recall", "full-recall-above-recall"],
];

/** @type {[measure: string, code: Message][]} */
const GROWING = [[HIT_RATE, "success-falls"], ["recall", "recall-falls"], ["recall_all", "full-recall-falls"]];

const SPOKEN = new Map([["ndcg", "nDCG"], ["recall_all", "full recall"], ["map", "MAP"], ["mrr", "MRR"]]);

/**
 * Every broken relation of a receipt of schema 1.0.0.
 * @param {Document} document
 * @param {Query[]} queries its `perQuery`, read
 * @returns {Violation[]}
 */
export function violations(document, queries) {
  const byCategory = document["byCategory"];
  const inCategories = members(byCategory).flatMap((name) => inTable(byCategory[name], `byCategory.${name}.`));
  return [...inTable(document, ""), ...inCategories, ...rangeOfRuns(document), ...rows(document, queries)];
}

/**
 * @param {Document} table
 * @param {string} prefix
 * @returns {Violation[]}
 */
function inTable(table, prefix) {
  const { scores, intervals } = table;
  return [...impossible(scores, `${prefix}scores`), ...impossibleIntervals(intervals, `${prefix}intervals`)];
}

/**
 * Relations that hold between the metrics whatever the system under test.
 * @param {Document} scores
 * @param {string} field
 * @param {string} hitRate its name in the schema
 * @returns {Generator<Violation>}
 */
function* impossible(scores, field, hitRate = HIT_RATE) {
  /** @type {ByMeasure} */
  const at = new Map();
  for (const name of members(scores)) {
    const value = scores[name];
    const [measure, k] = parsed(name);
    if (k === 0 && name !== ABSTENTION) continue;
    at.set(measure, (at.get(measure) ?? new Map()).set(k, value));
    if (!(value >= 0 && value <= 1)) {
      const values = { metric: label(name, hitRate), value: shown(value) };
      yield violation(MESSAGES, "out-of-range", `${field}.${name}`, values);
    }
  }
  /** @type {Bounded[]} */
  const bounded = [["ndcg", hitRate, "ndcg-above-success"], ...(hitRate === HIT_RATE ? OF_RECALL : [])];
  for (const relation of bounded) yield* above(at, relation, field, hitRate);
  const growing = hitRate === HIT_RATE ? GROWING : [/** @type {const} */ ([hitRate, "success-falls"])];
  for (const [measure, code] of growing) yield* falling(at.get(measure) ?? new Map(), measure, code, field, hitRate);
}

/**
 * @param {ByMeasure} at
 * @param {Bounded} relation
 * @param {string} field
 * @param {string} hitRate
 * @returns {Generator<Violation>}
 */
function* above(at, [measure, bound, code], field, hitRate) {
  const values = at.get(measure) ?? new Map();
  for (const k of [...values.keys()].sort((a, b) => a - b)) {
    const most = at.get(bound)?.get(k);
    const value = values.get(k);
    if (most === undefined || value <= most + TOLERANCE) continue;
    const name = `${measure}_at_${k}`;
    yield violation(MESSAGES, code, `${field}.${name}`, {
      metric: label(name, hitRate), value: shown(value), bound: label(`${bound}_at_${k}`, hitRate), most: shown(most),
    });
  }
}

/**
 * @param {Map<number, number>} values by cut
 * @param {string} measure
 * @param {Message} code
 * @param {string} field
 * @param {string} hitRate
 * @returns {Generator<Violation>}
 */
function* falling(values, measure, code, field, hitRate) {
  const ordered = [...values].sort(([a], [b]) => a - b);
  for (const [i, [large, there]] of ordered.entries()) {
    const [small, here] = ordered[i - 1] ?? [0, 0];
    if (i === 0 || here <= there + TOLERANCE) continue;
    const name = `${measure}_at_${large}`;
    yield violation(MESSAGES, code, `${field}.${name}`, {
      before: label(`${measure}_at_${small}`, hitRate), here: shown(here), after: label(name, hitRate), there: shown(there),
      large, small,
    });
  }
}

/**
 * @param {Document} given
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* impossibleIntervals(given, field) {
  for (const name of members(given)) {
    const { low, high } = given[name];
    if (0 <= low && low <= high && high <= 1) continue;
    const values = { metric: label(name), low: shown(low), high: shown(high) };
    yield violation(MESSAGES, "impossible-interval", `${field}.${name}`, values);
  }
}

/**
 * Whether the lowest and the highest nDCG of repeated runs are in order; the first run is the receipt's own.
 * @param {Document} document
 * @returns {Generator<Violation>}
 */
function* rangeOfRuns(document) {
  const k = document["config"]["k"].at(-1);
  const low = document["determinism"]?.["ndcgLow"] ?? null;
  const high = document["determinism"]?.["ndcgHigh"] ?? null;
  const value = document["scores"][`ndcg_at_${k}`] ?? null;
  if (low === null || high === null || value === null) return;
  if (low - TOLERANCE <= value && value <= high + TOLERANCE) return;
  const values = { k, value: shown(value), low: shown(low), high: shown(high) };
  yield violation(MESSAGES, "runs-range", "determinism.ndcgLow", values);
}

/**
 * Whether the rows of schema 1.0.0 agree with themselves, with the fixture and with the faults counted.
 * @param {Document} document
 * @param {Query[]} queries
 * @returns {Generator<Violation>}
 */
function* rows(document, queries) {
  const { k, limit } = document["config"];
  const depth = k.at(-1);
  const asked = Math.min(limit ?? Infinity, document["fixture"].queries);
  if (queries.length !== asked) {
    yield violation(MESSAGES, "query-count", "perQuery", { asked, count: queries.length });
  }
  /** @type {Set<string>} */
  const seen = new Set();
  let repeats = 0;
  let foreign = 0;
  let errors = 0;
  for (const [i, query] of queries.entries()) {
    const row = document["perQuery"][i];
    yield* outcomes(row, firstRank(query, depth), seen, `perQuery[${i}]`);
    yield* lists(row, depth, `perQuery[${i}]`);
    seen.add(row.queryId);
    repeats += query.failed ? 0 : row.retrieved.length - query.ranks.size;
    foreign += row.foreign.length;
    errors += query.failed ? 1 : 0;
  }
  yield* uncounted(document["faults"], repeats, foreign, errors);
}

/**
 * @param {Document} row
 * @param {number | null} rank what its results say
 * @param {Set<string>} seen query ids before it
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* outcomes(row, rank, seen, field) {
  const query = row["queryId"];
  if (row["rank"] !== rank || row["hit"] !== (rank !== null)) {
    const values = { query, stated: outcome(row["hit"], row["rank"]), given: outcome(rank !== null, rank) };
    yield violation(MESSAGES, "hit-rank", `${field}.rank`, values);
  }
  if (seen.has(query)) yield violation(MESSAGES, "duplicate-query", field, { query });
}

/**
 * What only a row with an error, foreign ids, several expected ids or too many results can break.
 * @param {Document} row
 * @param {number} depth
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* lists(row, depth, field) {
  const { queryId: query, retrieved, foreign, expected } = row;
  if (retrieved.length > depth) {
    yield violation(MESSAGES, "too-deep", `${field}.retrieved`, { query, count: retrieved.length, depth });
  }
  if ((row["error"] ?? null) !== null && retrieved.length > 0) {
    yield violation(MESSAGES, "failed-with-results", `${field}.retrieved`, { query });
  }
  const judged = new Set(expected.map((/** @type {Document} */ entry) => entry["id"]));
  if (judged.size < expected.length) {
    yield violation(MESSAGES, "duplicate-expected", `${field}.expected`, { query });
  }
  if (foreign.length === 0) return;
  const found = new Set(retrieved);
  const isBroken = foreign.some((/** @type {string} */ id) => !found.has(id) || judged.has(id));
  if (isBroken || new Set(foreign).size < foreign.length) {
    yield violation(MESSAGES, "foreign-list", `${field}.foreign`, { query });
  }
}

/**
 * Faults that the rows show and the counts deny; the counts may be larger, as they cover every repeat.
 * @param {Document} faults
 * @param {number} repeats
 * @param {number} foreign
 * @param {number} errors
 * @returns {Generator<Violation>}
 */
function* uncounted(faults, repeats, foreign, errors) {
  /** @type {[keyof typeof TERMS, number, number][]} */
  const kinds = [
    ["duplicates", faults["duplicates"], repeats],
    ["foreignIds", faults["foreignIds"], foreign],
    ["failed", faults["failed"] + faults["timedOut"], errors],
  ];
  for (const [field, counted, listed] of kinds) {
    if (counted >= listed) continue;
    yield violation(MESSAGES, "faults-uncounted", `faults.${field}`, { shown: listed, what: TERMS[field], counted });
  }
}

/**
 * Schema 0.0.1: relations between the metrics, duplicates in the lists, hit and rank, the hit rate from the ranks.
 * @param {Document} document
 * @returns {Violation[]}
 */
export function legacyViolations(document) {
  const { scores, perQuery } = document;
  return [
    ...impossible(scores, "scores", LEGACY_HIT_RATE), ...repeated(perQuery), ...legacyRanks(perQuery),
    ...legacyShares(scores, perQuery),
  ];
}

/**
 * @param {Document[]} perQuery
 * @returns {Generator<Violation>}
 */
function* repeated(perQuery) {
  const counted = perQuery.map(({ queryId, retrieved }) => {
    return { queryId, all: retrieved.length, different: new Set(retrieved).size };
  });
  const broken = counted.filter(({ all, different }) => different < all);
  const [first, ...others] = broken;
  if (first === undefined) return;
  const worst = others.reduce((least, row) => (row.different < least.different ? row : least), first);
  const extra = broken.reduce((sum, { all, different }) => sum + all - different, 0);
  yield violation(MESSAGES, "duplicate-ids", "perQuery", {
    repeated: broken.length, queries: perQuery.length, extra,
    worst: worst.queryId, different: worst.different, count: worst.all,
  });
}

/**
 * @param {Document[]} perQuery
 * @returns {Generator<Violation>}
 */
function* legacyRanks(perQuery) {
  for (const [i, { queryId, retrieved, hit, rank }] of perQuery.entries()) {
    if (hit === (rank !== null) && (rank ?? 0) <= retrieved.length) continue;
    const values = { query: queryId, stated: outcome(hit, rank), count: retrieved.length };
    yield violation(MESSAGES, "hit-rank/legacy", `perQuery[${i}].rank`, values);
  }
}

/**
 * @param {Document} scores
 * @param {Document[]} perQuery
 * @returns {Generator<Violation>}
 */
function* legacyShares(scores, perQuery) {
  /** @type {number[]} */
  const ranks = perQuery.map(({ rank }) => rank).filter((rank) => rank !== null);
  for (const name of members(scores)) {
    const [measure, k] = parsed(name);
    if (measure !== LEGACY_HIT_RATE) continue;
    const hits = ranks.filter((rank) => rank <= k).length;
    if (isShare(scores[name], hits, perQuery.length)) continue;
    const values = { metric: label(name, measure), value: shown(scores[name]), hits, queries: perQuery.length, k };
    yield violation(MESSAGES, "score-differs/legacy", `scores.${name}`, values);
  }
}

/**
 * Whether a value is `hits` of some number of scored queries, at most `queries`. Queries without relevant items are
 * excluded from the share, and 0.0.1 does not say how many there were.
 * @param {number} value
 * @param {number} hits
 * @param {number} queries
 * @returns {boolean}
 */
function isShare(value, hits, queries) {
  const least = Math.max(hits, 1);
  if (queries < least) return false;
  // hits / n falls as n grows, so the best n is a neighbour of hits / value.
  const best = value > 0 ? Math.min(Math.max(hits / value, least), queries) : queries;
  return [Math.floor(best), Math.ceil(best)].some((scored) => Math.abs(value - hits / scored) < TOLERANCE);
}

/**
 * @param {boolean} hit
 * @param {number | null} rank
 * @returns {string}
 */
function outcome(hit, rank) {
  if (rank === null) return TERMS[hit ? "hit-unranked" : "miss"];
  return filled(TERMS[hit ? "hit" : "miss-ranked"], { rank });
}

/**
 * `ndcg` and 10 for `ndcg_at_10`; the name and 0 where it has no cut.
 * @param {string} name
 * @returns {[string, number]}
 */
function parsed(name) {
  const [, measure, k] = /^([a-z_]+)_at_([1-9][0-9]{0,3})$/.exec(name) ?? [];
  return measure === undefined ? [name, 0] : [measure, Number(k)];
}

/**
 * @param {string} name
 * @param {string} hitRate
 */
function label(name, hitRate = HIT_RATE) {
  const [measure, k] = parsed(name);
  if (k === 0) return name.replaceAll("_", " ");
  const spoken = measure === hitRate ? "hit rate" : SPOKEN.get(measure);
  return `${spoken ?? measure.replaceAll("_", " ")}@${k}`;
}
