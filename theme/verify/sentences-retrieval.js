// Written by `make reference` from benchsite.tracks.retrieval.record.sentences; do not edit.

export const MESSAGES = Object.freeze({
  "out-of-range": "{metric} is {value}; the mean of values in [0, 1] is in [0, 1].",
  "ndcg-above-success": "{metric} is {value} but {bound} is {most}. A query without a hit scores 0 in both. One with a hit scores 1 in the hit rate and at most 1 in the other.",
  "recall-above-success": "{metric} is {value} but {bound} is {most}. A query without a hit scores 0 in both. One with a hit scores 1 in the hit rate and at most 1 in the other.",
  "full-recall-above-recall": "{metric} is {value} but {bound} is {most}. Full recall counts only the queries whose recall is 1.",
  "success-falls": "{before} is {here} but {after} is only {there}. The top {large} results include the top {small}.",
  "recall-falls": "{before} is {here} but {after} is only {there}. The top {large} results include the top {small}.",
  "full-recall-falls": "{before} is {here} but {after} is only {there}. The top {large} results include the top {small}.",
  "impossible-interval": "The 95% CI of {metric} is [{low}, {high}]; it must ascend within [0, 1].",
  "runs-range": "nDCG@{k} of the repeated runs is [{low}, {high}]; it must ascend and include the receipt's {value}.",
  "query-count": "The run has {asked} queries but perQuery lists {count}. A failed query scores 0 and is never excluded.",
  "hit-rank": "Query {query} records {stated}; its ranked list gives {given}.",
  "hit-rank/legacy": "Query {query} records {stated}, with {count} results listed.",
  "duplicate-query": "Query {query} is listed twice.",
  "too-deep": "Query {query} lists {count} results; the largest k is {depth}.",
  "failed-with-results": "Query {query} failed but lists results.",
  "duplicate-expected": "Query {query} lists a relevant item more than once.",
  "foreign-list": "Query {query} lists a foreign id that was not retrieved, is relevant, or is repeated.",
  "faults-uncounted": "perQuery shows {shown} {what}; faults counts {counted}.",
  "duplicate-ids": "{repeated} of {queries} queries list a result more than once ({extra} duplicates; query {worst}: {different} distinct of {count}). Gain for each duplicate raises nDCG above its maximum.",
  "score-differs/legacy": "{metric} is {value}, but {hits} of {queries} queries have a hit at rank {k} or above.",
});

export const DETAILS = Object.freeze({
  "cuts-unordered": "cut-offs must be strictly ascending",
  "ks-unordered": "ks must ascend, each cut-off once",
  "headline-missing": "headlineK must be one of ks",
  "categories-many": "the queries are of more than {most} categories",
  "no-relevant-items": "schema 0.0.1 does not record the relevant items",
  "earlier-text": "scored under an earlier text of retrieval 1.0.0, where recall_at_k was the hit rate",
  "cut-off-missing": "its cut-offs lack k = {k}, which this leaderboard ranks by",
  "hosted-version": "hosted, version as claimed",
});

export const TERMS = Object.freeze({
  "duplicates": "duplicate results",
  "foreignIds": "results from outside the query's scope",
  "failed": "failed queries",
  "hit": "a hit at rank {rank}",
  "hit-unranked": "a hit without a rank",
  "miss": "no hit",
  "miss-ranked": "no hit but rank {rank}",
});
