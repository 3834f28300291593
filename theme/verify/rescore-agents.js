// Agents receipts: is the body well formed, and do its numbers follow from the run columns in it. The same outcome, field by
// field, as benchsite/tracks/agents/record/verification.py without `deep`: bootstrap intervals must be present and are not
// recomputed. Where the traces are at hand the run columns are recomputed from them too.

import { furtherLevels } from "./agents-columns.js";
import { score } from "./agents-scoring.js";
import { tables, violations } from "./agents-violations.js";
import { inOrder, nested, own, tableDifferences } from "./differences.js";
import { part } from "./envelope.js";
import { CONFIG, ENGINES, PAYLOAD } from "./shapes-agents.js";
import { demand } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Difference} Difference */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./types.js").Track} Track */

const SUCCESS = "success";

/**
 * @param {Document} document
 */
function check(document) {
  demand(PAYLOAD, part(document, false));
  demand(CONFIG, document["config"], "config");
}

/**
 * @param {Document} document
 * @param {import("./types.js").Given} given
 * @returns {Promise<Rescoring>}
 */
async function rescore(document, { evidence }) {
  const { steps, differences: columns, violations: broken } = await furtherLevels(document, evidence);
  const found = [...differences(document), ...columns];
  return {
    rescore: found.length > 0 ? "DIFFERS" : "MATCHES",
    reason: "",
    ...counts(document),
    differences: found,
    violations: [...violations(document), ...broken],
    further: steps,
  };
}

/**
 * How many numbers are compared: scores, their counts, and both ends of every interval by Wilson; and how many ends of
 * other intervals are left out.
 * @param {Document} document
 */
function counts(document) {
  let compared = Object.keys(document["timing"]).length + Object.keys(document["calibration"] ?? {}).length;
  compared += Object.keys(document["answers"] ?? {}).length;
  let omitted = 0;
  for (const [, { scores, denominators, intervals }] of tables(document)) {
    compared += Object.keys(scores).length;
    for (const counted of Object.values(denominators)) compared += Object.keys(counted).length;
    for (const { method } of Object.values(intervals)) {
      if (method === "wilson") compared += 2;
      else omitted += 2;
    }
  }
  return { compared, omitted };
}

/**
 * @param {Document} document
 * @returns {Difference[]}
 */
function differences(document) {
  const { overall, byDomain, timing, calibration, answers } = score(document);
  const found = [
    ...tableDifferences(document, overall, ""), ...nested(document["timing"], timing, "timing"),
    ...nested(document["calibration"] ?? {}, calibration ?? {}, "calibration"),
    ...nested(document["answers"] ?? {}, answers ?? {}, "answers"),
  ];
  const stated = document["byDomain"];
  for (const name of inOrder([...Object.keys(stated), ...byDomain.keys()])) {
    const given = own(stated, name);
    const computed = byDomain.get(name) ?? null;
    if (given !== null && computed !== null) found.push(...tableDifferences(given, computed, `byDomain.${name}.`));
    else found.push({ field: `byDomain.${name}`, recorded: given, computed: /** @type {any} */ (computed) });
  }
  return found;
}

/**
 * The success rate.
 * @param {Document} document checked
 * @returns {import("./types.js").Figure | null}
 */
function figure({ scores, benchmark }) {
  if (!Object.hasOwn(scores, SUCCESS)) return null;
  return { label: "Success", value: scores[SUCCESS], digits: 3, scale: "", on: benchmark.id };
}

/** The numbers follow from the run columns, which the receipt holds: no evidence is needed. */
function needs() {
  return new Set();
}

/**
 * @param {Document} document
 * @returns {import("./types.js").Target}
 */
function target({ benchmark }) {
  return { field: "benchmark", id: benchmark.id, sha256: benchmark.sha256 };
}

/** @type {import("./types.js").TrackWords} */
const WORDS = Object.freeze({
  leftOut: "bootstrap CIs. The success of each run was read from the receipt and not decided by the benchmark's evaluator",
  elsewhere: "In a clone, benchsite rescore recomputes the bootstrap CIs; benchsite rescore --evaluate runs the evaluator.",
  limit: "That each run succeeded: the benchmark's evaluator decides it. In a clone, benchsite rescore --evaluate runs it, " +
    "where the benchmark's data is imported.",
  broken: { short: "columns inconsistent", word: "Inconsistent:", text: "No run of a system can give these columns." },
});

/** @type {Track} */
export const AGENTS = {
  name: "agents", words: WORDS, engines: ENGINES, subject: (document) => document["system"], check, rescore, figure, needs,
  target,
};
