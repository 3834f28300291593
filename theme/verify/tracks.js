// The tracks this engine can score again, by the name a receipt gives; a new one is added here and nowhere else.

import { RETRIEVAL } from "./rescore-retrieval.js";
import { RUBRIC } from "./rescore-rubric.js";

/** @typedef {import("./types.js").Track} Track */

/** @type {ReadonlyMap<string, Track>} */
export const TRACKS = new Map([["retrieval", RETRIEVAL], ["rubric", RUBRIC]]);
