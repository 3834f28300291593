// Retrieval receipts: is the body well formed, and do its numbers follow from the evidence in it. The same outcome,
// field by field, as benchsite/tracks/retrieval/record/verification.py without `deep`: bootstrap intervals must be present
// and are not recomputed. Schema 0.0.1 recorded no expected ids, so its numbers can only be checked against each
// other.

import { inOrder, own, tableDifferences } from "./differences.js";
import { part } from "./envelope.js";
import { Fault } from "./fault.js";
import { legacyViolations, violations } from "./retrieval-invariants.js";
import { DETAILS } from "./sentences-retrieval.js";
import { CONFIG, ENGINES, PAYLOAD } from "./shapes-retrieval.js";
import { readQuery, score } from "./retrieval-scoring.js";
import { demand, members } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Difference} Difference */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./types.js").Track} Track */
/** @typedef {import("./retrieval-scoring.js").Query} Query */

/** Recall in the text of 1.0.0 that was replaced before its first public receipt. */
const EARLIER = "true_recall_at_";

/** What is ranked by where a methodology is not at hand: that of 1.0.0. */
const HEADLINE_K = 10;

/**
 * @param {Document} document
 */
function check(document) {
  if (!Object.hasOwn(document, "schemaVersion")) return; // schema 0.0.1 is validated whole when it is read
  demand(PAYLOAD, part(document, false));
  demand(CONFIG, document["config"], "config");
  const earlier = members(document["scores"]).find((name) => name.startsWith(EARLIER));
  if (earlier === undefined) return;
  throw new Fault(`field scores.${earlier}: ${DETAILS["earlier-text"]}`, `scores.${earlier}`);
}

/**
 * @param {Document} document
 * @returns {Rescoring}
 */
function rescore(document) {
  if (!Object.hasOwn(document, "denominators")) {
    const reason = DETAILS["no-relevant-items"];
    const found = legacyViolations(document);
    return { rescore: "NOT RE-SCORABLE", reason, compared: 0, differences: [], violations: found };
  }
  const queries = document["perQuery"].map(readQuery);
  const found = differences(document, queries);
  return {
    rescore: found.length > 0 ? "DIFFERS" : "MATCHES",
    reason: "",
    compared: compared(document),
    omitted: omitted(document),
    differences: found,
    violations: violations(document, queries),
  };
}

/**
 * How many numbers are compared: scores, their counts, and both ends of every interval by Wilson.
 * @param {Document} document
 * @returns {number}
 */
function compared(document) {
  let total = 0;
  for (const table of [document, ...Object.values(document["byCategory"])]) {
    total += Object.keys(table.scores).length;
    for (const counted of Object.values(table.denominators)) total += Object.keys(counted).length;
    for (const { method } of Object.values(table.intervals)) total += method === "wilson" ? 2 : 0;
  }
  return total;
}

/**
 * Both ends of every interval by bootstrap.
 * @param {Document} document
 */
function omitted(document) {
  const tables = [document, ...Object.values(document["byCategory"])];
  return tables.reduce((total, { intervals }) =>
    total + 2 * Object.values(intervals).filter(({ method }) => method !== "wilson").length, 0);
}

/**
 * @param {Document} document
 * @param {Query[]} queries
 * @returns {Difference[]}
 */
function differences(document, queries) {
  const { overall, byCategory } = score(queries, document["config"].k);
  const found = [...tableDifferences(document, overall, "")];
  const stated = document["byCategory"];
  for (const name of inOrder([...Object.keys(stated), ...byCategory.keys()])) {
    const given = own(stated, name);
    const computed = byCategory.get(name);
    if (given !== null && computed !== undefined) {
      for (const difference of tableDifferences(given, computed(), `byCategory.${name}.`)) found.push(difference);
      continue;
    }
    found.push({ field: `byCategory.${name}`, recorded: given, computed: computed === undefined ? null : computed() });
  }
  return found;
}

/**
 * nDCG at the cut-off that leaderboards rank by, or at the largest where that is none of the receipt's.
 * @param {Document} document checked
 * @param {import("./types.js").Methodology | null} methodology
 * @returns {import("./types.js").Figure | null}
 */
function figure(document, methodology) {
  const headline = methodology === null ? HEADLINE_K : methodology.parameters["headlineK"];
  const scores = document["scores"];
  const ks = Object.keys(scores).flatMap((name) => (/^ndcg_at_[1-9][0-9]{0,3}$/.test(name) ? [Number(name.slice(8))] : []));
  if (ks.length === 0) return null;
  const k = ks.includes(headline) ? headline : Math.max(...ks);
  return { label: `nDCG@${k}`, value: scores[`ndcg_at_${k}`], digits: 3, scale: "", on: document["fixture"].id };
}

/** The numbers follow from perQuery, which the receipt holds: no evidence is needed. */
function needs() {
  return new Set();
}

/**
 * @param {Document} document
 * @returns {import("./types.js").Target}
 */
function target({ fixture }) {
  return { field: "fixture", id: fixture.id, sha256: fixture.sha256 };
}

/** @type {import("./types.js").TrackWords} */
const WORDS = Object.freeze({
  leftOut: "bootstrap CIs, latency, throughput and memory. Relevant items were read from the receipt and not compared " +
    "with the dataset",
  elsewhere: "In a clone, benchsite rescore recomputes the bootstrap CIs; benchsite reproduce re-runs the benchmark.",
  limit: "Relevant items against the dataset, bootstrap CIs and latency. In a clone, benchsite rescore recomputes the " +
    "CIs; benchsite reproduce re-runs the benchmark.",
  broken: { short: "numbers impossible", word: "Impossible:", text: "No measurement can give these numbers." },
});

/** @type {Track} */
export const RETRIEVAL = {
  name: "retrieval", words: WORDS, engines: ENGINES, subject: (document) => document["adapter"], check, rescore, figure,
  needs, target,
};
