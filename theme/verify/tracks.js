// The tracks that can be scored again here, by the name a receipt gives. Written from the modules that there are.

import { RETRIEVAL } from "./rescore-retrieval.js";
import { RUBRIC } from "./rescore-rubric.js";

/** @typedef {import("./types.js").Track} Track */

/** @type {ReadonlyMap<string, Track>} */
export const TRACKS = new Map([
  ["retrieval", RETRIEVAL],
  ["rubric", RUBRIC],
]);
