// Why a leaderboard lists a receipt separately, as benchsite/history/ranking.py has it: what verification found, then what
// the receipt says of itself.

import { RESCORE_SENTENCES, SENTENCES } from "./sentences.js";
import { said } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./leaderboard.js").Summary} Summary */

const RANKED = new Set(["LOGGED", "WITNESSED", "DISPUTED"]);
const IMPORTED = said("measured-elsewhere", { origin: "import" });

/**
 * Whether nothing but its origin, an import, keeps a receipt from being ranked.
 * @param {readonly string[]} reasons
 */
export function isImported(reasons) {
  return reasons.length === 1 && reasons[0] === IMPORTED;
}

/**
 * Every reason, in words.
 * @param {import("./findings.js").Findings} found
 * @param {Document} document
 * @param {Summary} summary
 * @param {string} limited the track's words for a run with a limit
 * @returns {string[]}
 */
export function reasons(found, document, summary, limited) {
  const verdict = RANKED.has(found.verdict) ? [] : [SENTENCES[found.verdict]];
  return [...verdict, ...ofNumbers(found), ...unranked(document, summary, limited)];
}

/**
 * Only recomputed scores are ranked.
 * @param {import("./findings.js").Findings} found
 */
function ofNumbers({ rescoring }) {
  if (rescoring === null) return [];
  const made = [];
  if (rescoring.rescore === "DIFFERS") made.push(RESCORE_SENTENCES["DIFFERS"]);
  if (rescoring.rescore === "NOT RE-SCORABLE") made.push(said("not-rescored", { why: rescoring.reason }));
  return [...made, ...rescoring.violations.slice(0, 1).map(({ message }) => message)];
}

/**
 * Why a run is not ranked, whatever verification says of it.
 * @param {Document} document
 * @param {Summary} summary
 * @param {string} limited
 */
function unranked(document, summary, limited) {
  const { config = null, environment = null, origin = "native", reproduces = null } = document;
  const git = environment?.git ?? null;
  const made = [];
  if ((config?.limit ?? null) !== null) made.push(limited.replace("{limit}", String(config.limit)));
  if (document["simulated"]) made.push(said("simulated-model"));
  if (git !== null && git.dirty) made.push(said("dirty-tree"));
  else if (git !== null && (git.dirty ?? null) === null) made.push(said("tree-unknown"));
  if (origin !== "native") made.push(said("measured-elsewhere", { origin }));
  if (summary.value === null) made.push(said("no-score", { metric: summary.metric }));
  if (reproduces !== null) made.push(said("reproduction-of", { original: reproduces }));
  return [...made, ...summary.unranked];
}
