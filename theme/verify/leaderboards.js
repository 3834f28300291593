// Written by `make reference` from the leaderboards of our tracks; do not edit.

/** @typedef {import("./leaderboard.js").Rules} Rules */

/** @type {ReadonlyMap<string, Rules>} by track; a methodology may have other values */
export const LEADERBOARDS = new Map([
  ["agents", {"headline": "success", "tasks": "tasks", "limited": "limited run: only the first {limit} tasks were run", "baselines": ["null", "constant", "random-choice", "spam-tools"], "imports": true, "isCompared": true, "flips": 10000, "level": 0.05}],
  ["retrieval", {"headline": "ndcg_at_10", "tasks": "queries", "limited": "limited run: only the first {limit} queries were run", "baselines": ["bm25", "recency", "random"], "imports": false, "isCompared": true, "flips": 10000, "level": 0.05}],
  ["rubric", {"headline": "composite_score", "tasks": "tasks", "limited": "limited run: only the first {limit} tasks were run", "baselines": [], "imports": false, "isCompared": false, "flips": 10000, "level": 0.05}],
]);
