// The tracks that can be scored again here, by the name a receipt gives. Written from the modules that there are.

import { RETRIEVAL } from "./rescore-retrieval.js";
import { RUBRIC } from "./rescore-rubric.js";

/** @typedef {import("./types.js").Track} Track */

/** @type {Map<string, Track>} a Worker of another package's track adds that track */
export const TRACKS = new Map([
  ["retrieval", RETRIEVAL],
  ["rubric", RUBRIC],
]);

/** @type {ReadonlySet<string>} tracks of other packages: each is scored in a Worker of its own */
export const OTHERS = new Set([]);
