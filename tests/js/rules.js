// The rules of a published version, for tests that name no digest.

import { KNOWN } from "../../theme/verify/known-methodologies.js";

export function rulesOf(version) {
  const found = [...KNOWN.values()].find((one) => one.track === "rubric" && one.version === version);
  return found?.parameters ?? null;
}
