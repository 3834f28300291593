// What no honest retrieval receipt can break, in plain words: the codes, fields and sentences of
// benchsite/tracks/retrieval/invariants.py, for schema 1.0.0 and for the seed's 0.0.1, whose rows hold no expected ids.
// Expects a document whose schema was checked before. That a score differs from its evidence is a difference of
// rescore-retrieval.js and not said again here.

import { shown } from "./numerals.js";
import { firstRank } from "./retrieval-scoring.js";
import { members } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {import("./retrieval-scoring.js").Query} Query */
/** @typedef {Map<string, Map<number, number>>} ByMeasure measure and cut to score */

/** Foreign implementations round differently; ours satisfies the relations exactly. */
const TOLERANCE = 1e-9;

const ABSTENTION = "abstention_rate";

const SPOKEN = new Map([["ndcg", "nDCG"], ["recall", "success"], ["map", "MAP"], ["mrr", "MRR"]]);

/**
 * Every broken relation of a receipt of schema 1.0.0.
 * @param {Document} document
 * @param {Query[]} queries its `perQuery`, read
 * @returns {Violation[]}
 */
export function violations(document, queries) {
  const byCategory = document["byCategory"];
  const inCategories = members(byCategory).flatMap((name) => inTable(byCategory[name], `byCategory.${name}.`));
  return [...inTable(document, ""), ...inCategories, ...rows(document, queries)];
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
 * Relations that hold between the measures whatever the system under test.
 * @param {Document} scores
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* impossible(scores, field) {
  /** @type {ByMeasure} */
  const at = new Map();
  for (const name of members(scores)) {
    const value = scores[name];
    const [measure, k] = parsed(name);
    if (k === 0 && name !== ABSTENTION) continue;
    at.set(measure, (at.get(measure) ?? new Map()).set(k, value));
    if (!(value >= 0 && value <= 1)) {
      yield {
        code: "out-of-range",
        message: `${label(name)} is ${shown(value)}; it is an average of values between 0 and 1, so it cannot lie ` +
          "outside them.",
        field: `${field}.${name}`,
      };
    }
  }
  const success = new Map([...(at.get("recall") ?? []), ...(at.get("success") ?? [])]);
  for (const [k, share] of success) {
    yield* above(at, "ndcg", "ndcg-above-success", k, share, field);
    yield* above(at, "true_recall", "true-recall-above-success", k, share, field);
  }
  yield* falling(success, field);
}

/**
 * @param {Map<number, number>} success
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* falling(success, field) {
  const ordered = [...success].sort(([a], [b]) => a - b);
  for (const [i, [large, there]] of ordered.entries()) {
    const [small, here] = ordered[i - 1] ?? [0, 0];
    if (i === 0 || here <= there + TOLERANCE) continue;
    yield {
      code: "success-falls",
      message: `success@${small} is ${shown(here)} but success@${large} is only ${shown(there)}: ` +
        `whatever is found among the first ${small} results is also among the first ${large}.`,
      field: `${field}.recall_at_${large}`,
    };
  }
}

/**
 * @param {ByMeasure} at
 * @param {string} measure
 * @param {string} code
 * @param {number} k
 * @param {number} share
 * @param {string} field
 * @returns {Generator<Violation>}
 */
function* above(at, measure, code, k, share, field) {
  const value = at.get(measure)?.get(k);
  if (value === undefined || value <= share + TOLERANCE) return;
  const name = `${measure}_at_${k}`;
  yield {
    code,
    message: `${label(name)} is ${shown(value)} but success@${k} is ${shown(share)}. A query that found nothing ` +
      `right counts 0 in both, and one that did counts 1 in success@${k} and at most 1 in ${label(name)}, so ` +
      `${label(name)} can never be the larger.`,
    field: `${field}.${name}`,
  };
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
    yield {
      code: "impossible-interval",
      message: `The interval of ${label(name)} runs from ${shown(low)} to ${shown(high)}: ` +
        "it must rise and stay between 0 and 1.",
      field: `${field}.${name}`,
    };
  }
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
    yield {
      code: "query-count",
      message: `The run was to ask ${asked} queries but ${queries.length} are listed: a failed query counts as 0, ` +
        "it is never left out.",
      field: "perQuery",
    };
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
    yield {
      code: "hit-rank",
      message: `Query ${query} says ${outcome(row["hit"], row["rank"])}; its list of results says ` +
        `${outcome(rank !== null, rank)}.`,
      field: `${field}.rank`,
    };
  }
  if (seen.has(query)) {
    yield { code: "duplicate-query", message: `Query ${query} is listed twice and so counted twice.`, field };
  }
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
    const message = `Query ${query} lists ${retrieved.length} results where ${depth} were asked for.`;
    yield { code: "too-deep", message, field: `${field}.retrieved` };
  }
  if ((row["error"] ?? null) !== null && retrieved.length > 0) {
    const message = `Query ${query} failed and yet lists results.`;
    yield { code: "failed-with-results", message, field: `${field}.retrieved` };
  }
  const judged = new Set(expected.map((/** @type {Document} */ entry) => entry["id"]));
  if (judged.size < expected.length) {
    const message = `Query ${query} expects the same item more than once.`;
    yield { code: "duplicate-expected", message, field: `${field}.expected` };
  }
  if (foreign.length === 0) return;
  const found = new Set(retrieved);
  const isBroken = foreign.some((/** @type {string} */ id) => !found.has(id) || judged.has(id));
  if (isBroken || new Set(foreign).size < foreign.length) {
    const message = `Query ${query} lists as foreign an id that it did not retrieve, that it expects, or twice.`;
    yield { code: "foreign-list", message, field: `${field}.foreign` };
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
  /** @type {[string, number, number, string][]} */
  const kinds = [
    ["duplicates", faults["duplicates"], repeats, "repeated results"],
    ["foreignIds", faults["foreignIds"], foreign, "results from outside the query's scope"],
    ["failed", faults["failed"] + faults["timedOut"], errors, "failed queries"],
  ];
  for (const [field, counted, listed, what] of kinds) {
    if (counted >= listed) continue;
    const message = `The queries show ${listed} ${what}, the receipt counts ${counted}.`;
    yield { code: "faults-uncounted", message, field: `faults.${field}` };
  }
}

/**
 * Schema 0.0.1: what holds between the numbers, no duplicates in the lists, hit and rank, recall from the ranks.
 * @param {Document} document
 * @returns {Violation[]}
 */
export function legacyViolations(document) {
  const { scores, perQuery } = document;
  return [
    ...impossible(scores, "scores"), ...repeated(perQuery), ...legacyRanks(perQuery), ...legacyShares(scores, perQuery),
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
  yield {
    code: "duplicate-ids",
    message: `${broken.length} of ${perQuery.length} queries list the same result more than once (${extra} repeats ` +
      `in all; query ${worst.queryId} lists ${worst.different} different among ${worst.all}). If each repeat is ` +
      "credited as a new find, nDCG rises above what is possible.",
    field: "perQuery",
  };
}

/**
 * @param {Document[]} perQuery
 * @returns {Generator<Violation>}
 */
function* legacyRanks(perQuery) {
  for (const [i, { queryId, retrieved, hit, rank }] of perQuery.entries()) {
    if (hit === (rank !== null) && (rank ?? 0) <= retrieved.length) continue;
    const message = `Query ${queryId} says ${outcome(hit, rank)}, with ${retrieved.length} results listed.`;
    yield { code: "hit-rank", message, field: `perQuery[${i}].rank` };
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
    if (measure !== "recall" && measure !== "success") continue;
    const hits = ranks.filter((rank) => rank <= k).length;
    if (isShare(scores[name], hits, perQuery.length)) continue;
    yield {
      code: "score-differs",
      message: `${label(name)} is ${shown(scores[name])}, but ${hits} of ${perQuery.length} queries found ` +
        `something by rank ${k}.`,
      field: `scores.${name}`,
    };
  }
}

/**
 * Whether a value is `hits` of some number of scored queries, at most `queries`. Queries without expected ids are left
 * out of the share, and 0.0.1 does not say how many there were.
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
  if (hit) return rank === null ? "found, at no rank" : `found at rank ${rank}`;
  return rank === null ? "not found" : `not found, and yet at rank ${rank}`;
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

/** @param {string} name */
function label(name) {
  const [measure, k] = parsed(name);
  return k === 0 ? name.replaceAll("_", " ") : `${SPOKEN.get(measure) ?? measure.replaceAll("_", " ")}@${k}`;
}
