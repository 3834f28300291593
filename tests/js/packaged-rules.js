// The parameters of the rubric's packaged versions, for tests that name a version.

import { KNOWN } from "../../theme/verify/known-methodologies.js";

const rubric = [...KNOWN.values()].filter(({ track }) => track === "rubric");

/** @param {string} version */
export const rulesOf = (version) => rubric.find((one) => one.version === version)?.parameters;
