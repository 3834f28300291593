// Sums in the browser: is the body well formed, and does the accuracy follow from the answers that the receipt pins.

import { nested } from "./differences.js";
import { part } from "./envelope.js";
import { CONFIG, ENGINES, PAYLOAD } from "./shapes-sums.js";
import { demand } from "./shape.js";
import { wilson } from "./stats.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Given} Given */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./types.js").Track} Track */

const SECTIONS = ["scores", "denominators", "intervals"];

/** @param {Document} document */
function check(document) {
  demand(PAYLOAD, part(document, false));
  demand(CONFIG, document["config"], "config");
}

/**
 * @param {Document} document
 * @param {Given} given
 * @returns {Promise<Rescoring>}
 */
async function rescore(document, given) {
  const violations = [...broken(document)];
  const bytes = await given.evidence(document["evidence"][0].sha256);
  if (bytes === null || given.methodology === null) {
    return { rescore: "NOT RE-SCORABLE", reason: "the answers are not at hand", compared: 0, differences: [], violations };
  }
  const answers = new TextDecoder().decode(bytes).trim().split("\n").map((line) => JSON.parse(line));
  const tolerance = /** @type {number} */ (given.methodology.parameters["tolerance"]);
  const num = answers.filter(({ a, b, answer }) => Math.abs(answer - a - b) <= tolerance).length;
  const den = answers.length;
  /** @type {Document} */
  const computed = {
    scores: { accuracy: num / den },
    denominators: { accuracy: { num, den, excluded: 0 } },
    intervals: { accuracy: { ...wilson(num, den), method: "wilson" } },
  };
  const differences = SECTIONS.flatMap((name) => [...nested(document[name], computed[name], name)]);
  return { rescore: differences.length > 0 ? "DIFFERS" : "MATCHES", reason: "", compared: 6, differences, violations };
}

/** @param {Document} document */
function* broken(document) {
  const { num, den } = document["denominators"].accuracy;
  if (num > den) {
    yield { code: "more-than-all", message: "more sums are right than were asked", field: "denominators.accuracy.num" };
  }
}

/** @type {Track} */
export const SUMS = {
  name: "sums",
  words: {
    leftOut: "nothing",
    elsewhere: "",
    limit: "That the answers are those the system gave.",
    broken: { short: "numbers impossible", word: "Impossible:", text: "No real measurement gives such numbers." },
  },
  engines: ENGINES,
  subject: (document) => document["system"],
  check,
  rescore,
  figure: ({ scores, fixture }) => ({ label: "Accuracy", value: scores.accuracy, digits: 3, scale: "", on: fixture.id }),
  needs: ({ evidence }) => new Set(evidence.map((/** @type {{sha256: string}} */ item) => item.sha256)),
  target: ({ fixture }) => ({ field: "fixture", id: fixture.id, sha256: fixture.sha256 }),
};
