// What a leaderboard of the retrieval track keeps of a receipt, as benchsite/tracks/retrieval has it: nDCG at the cut-off that
// the methodology ranks by, of the receipt and of each query.

import { filled } from "./filled.js";
import { oneLine, optionsWords, written } from "./label.js";
import { readQuery, perQuery } from "./retrieval-scoring.js";
import { DETAILS } from "./sentences-retrieval.js";

/** @typedef {import("./types.js").Document} Document */

/** What is ranked by where a methodology is not at hand: that of 1.0.0. */
const HEADLINE_K = 10;
const ENGINE = "retrieval/1";
const AUTHOR = "benchsite";

/** @param {import("./types.js").Methodology | null} methodology */
function cutOff(methodology) {
  return methodology?.engine === ENGINE ? methodology.parameters["headlineK"] : HEADLINE_K;
}

/** @param {Document} document */
function label({ adapter, config = {} }) {
  const { arguments: given = null, ...options } = config.options ?? {};
  const words = [...(given ? [given === true ? "True" : written(given)] : []), ...optionsWords(options)];
  return oneLine([...words, ...(adapter.hosted ? [DETAILS["hosted-version"]] : [])].join(", "));
}

/**
 * nDCG at the cut-off, or at the largest where that is none of the receipt's.
 * @param {Document} document
 * @param {number} k
 */
function headline({ scores, intervals = {}, config }, k) {
  const names = Object.keys(scores).flatMap((name) => (/^ndcg_at_[0-9]+$/.test(name) ? [Number(name.slice(8))] : []));
  const ks = config === undefined ? names : config.k;
  const metric = `ndcg_at_${ks.includes(k) || ks.length === 0 ? k : Math.max(...ks)}`;
  const interval = intervals[metric] ?? null;
  return { metric, value: scores[metric] ?? null, low: interval?.low ?? null, high: interval?.high ?? null };
}

/** @type {import("./leaderboard.js").Face} */
export const RETRIEVAL_BOARD = {
  summary(document, methodology) {
    const k = cutOff(methodology);
    const { adapter, config = {}, fixture } = document;
    const { name, version } = adapter;
    const lacks = Object.hasOwn(document, "schemaVersion") && !config.k.includes(k);
    return {
      name, version, label: label(document), targetSha256: fixture.sha256,
      row: { name, version, config: { ...config, subjectSha256: null, assets: [] } },
      ...headline(document, k),
      unranked: lacks ? [filled(DETAILS["cut-off-missing"], { k })] : [],
    };
  },
  vector(document, metric) {
    const rows = document["perQuery"];
    if (rows.some((/** @type {Document} */ row) => !Object.hasOwn(row, "expected"))) return new Map();
    const k = Number(metric.slice("ndcg_at_".length));
    return new Map(rows.flatMap((/** @type {Document} */ row) => {
      const query = readQuery(row);
      return query.answerable && query.ideal.length > 0 ? [[row["queryId"], perQuery(query, "ndcg", k)]] : [];
    }));
  },
  isOnce: () => false,
  accepts: ({ adapter }) => adapter.author === AUTHOR,
  under(methodology) {
    if (methodology?.engine !== ENGINE) return {};
    const { headlineK, flips, level } = methodology.parameters;
    return { headline: `ndcg_at_${headlineK}`, flips, level };
  },
};
