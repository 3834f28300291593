// Written by `make reference` from benchsite.receipt.sentences; do not edit.

export const MESSAGES = Object.freeze({
  "not-an-object": "a receipt is a JSON object",
  "schema-unknown": "receipt schema {schema} is not one this release can check",
  "schema-unnamed": "the file names no receipt schema that this release can check",
  "other-methodology": "field methodology.id: a receipt of track {track} cannot name the methodology of {other}",
  "no-track": "no track '{track}' is installed here",
});
