// Written by `make reference` from benchsite.sentences; do not edit.

export const MESSAGES = Object.freeze({
  "not-text": "must be text",
  "few-characters": "must have at least {count} characters",
  "many-characters": "must have at most {count} characters",
  "other-form": "is not of the required form",
  "only-unseen": "holds only spaces or invisible characters",
  "not-integer": "must be a whole number",
  "not-number": "must be a number",
  "too-low": "must be at least {bound}",
  "too-high": "must be at most {bound}",
  "not-above": "must be more than {bound}",
  "not-below": "must be less than {bound}",
  "not-boolean": "must be true or false",
  "other-value": "must be {values}",
  "not-list": "must be a list",
  "not-object": "must be an object",
  "few-entries": "must have at least {count} entries",
  "many-entries": "must have at most {count} entries",
  "absent-field": "is missing",
  "unknown-field": "is not a field of this schema",
});
