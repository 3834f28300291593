// Answers for test_sheet_parity.py: one JSON question a line in, one JSON answer a line out.

import { createInterface } from "node:readline";

import { draftOf, sheetOf } from "../../theme/assets/js/sheet-draft.js";
import { faults } from "../../theme/assets/js/sheet-faults.js";
import { asText } from "../../theme/assets/js/sheet-kept.js";
import { figures } from "../../theme/assets/js/sheet-shown.js";
import { read, write } from "../../theme/assets/js/sheet-yaml.js";
import { rulesOf, scoreSheet } from "../../theme/verify/rubric-scoring.js";

const ANSWERS = {
  /** A value as text, and the text as this form reads it. */
  write: (value) => {
    const text = write(value, "a sheet");
    return { text, value: read(text) };
  },
  /** A sheet as the form would save it, what it finds wrong with it, and its scores. */
  sheet: ([form, value]) => {
    const draft = draftOf(form, value);
    const { universal, domain, composite } = scoreSheet(sheetOf(form, draft), rulesOf(form.version));
    return {
      text: asText(form, draft),
      faults: faults(form, draft),
      figures: Object.fromEntries(figures(form, draft)),
      exact: [universal, domain, composite].map((value) => value.text()),
    };
  },
  /** The same of a sheet that cannot be scored yet. */
  sheet_faults: ([form, value]) => {
    const draft = draftOf(form, value);
    return { text: asText(form, draft), faults: faults(form, draft) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [question, given] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(ANSWERS[question](given))}\n`);
}
