// Forms of three versions, and a draft with every field filled in.

import { blank } from "../../theme/assets/js/sheet-draft.js";
import { rulesOf } from "./packaged-rules.js";

export const FORM = {
  version: "1.3.0", template: "customer-service", tests: ["standardisedTask", "hallucination", "invalidInput"],
  criteria: ["accuracy", "completeness", "usefulness"].map((id) => ({ id, title: id })), parameters: rulesOf("1.3.0"),
};
export const OLDEST = { ...FORM, version: "1.0.0", tests: [], parameters: rulesOf("1.0.0") };
export const NEWEST = { ...FORM, version: "2.0.0", parameters: rulesOf("2.0.0") };

/** A draft with every field filled in and every score the same. */
export function filled(form, score) {
  const draft = blank(form);
  draft.agent = { name: "Ada’s Agent", version: "1.0", vendor: "Ada" };
  draft.evaluator = { ...draft.evaluator, name: "Bo", kind: "human", pass: 1, conflictOfInterest: "none", consentToPublish: true };
  draft.session = { n: 1, date: "2026-11-20" };
  draft.disclosures = { repeatabilityTested: true, multiStep: "multi-turn" };
  for (const test of Object.values(draft.tests)) Object.assign(test, { outcome: "pass", note: "as wanted" });
  for (const rating of Object.values(draft.universal)) Object.assign(rating, { score, note: "why", evidence: [{ excerpt: "said so" }] });
  for (const scenario of Object.values(draft.domain)) {
    scenario.evidence = [{ file: "evidence/one.txt" }];
    for (const mark of Object.values(scenario.questions[0].criteria)) Object.assign(mark, { score, note: "why" });
  }
  return draft;
}
