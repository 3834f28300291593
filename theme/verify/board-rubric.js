// What a leaderboard of the rubric track keeps of a receipt: the composite, and no numbers to be compared by pairs.

import { oneLine } from "./label.js";

const HEADLINE = "composite_score";

/** @type {import("./leaderboard.js").Face} */
export const RUBRIC_BOARD = {
  summary({ agent, template, methodology, scores, intervals }) {
    const { name, version, vendor } = agent;
    const interval = intervals[HEADLINE] ?? null;
    return {
      name, version, label: oneLine(vendor), targetSha256: methodology.sha256,
      row: { name, version, vendor, template: template.slug },
      metric: HEADLINE, value: scores[HEADLINE] ?? null, low: interval?.low ?? null, high: interval?.high ?? null,
      unranked: [],
    };
  },
  vector: () => new Map(),
  isOnce: () => false,
  accepts: () => true,
  under: () => ({}),
};
