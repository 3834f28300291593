// The tracks that can be re-scored here, by the name a receipt gives. Written from the modules that there are.

import { AGENTS } from "./rescore-agents.js";
import { RETRIEVAL } from "./rescore-retrieval.js";
import { RUBRIC } from "./rescore-rubric.js";

/** @typedef {import("./types.js").Track} Track */

/** @type {Map<string, Track>} a Worker of another package's track adds that track */
export const TRACKS = new Map([
  ["agents", AGENTS],
  ["retrieval", RETRIEVAL],
  ["rubric", RUBRIC],
]);

/** @type {ReadonlySet<string>} tracks of other packages: each is scored in its own Worker */
export const OTHERS = new Set([]);
