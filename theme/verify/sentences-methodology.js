// Written by `make reference` from benchsite.methodology.sentences; do not edit.

export const MESSAGES = Object.freeze({
  "no-engine": "scoring engine '{engine}' is not one this release has",
  "no-parameters": "parameters of methodology {track} {version} are not what engine '{engine}' takes",
  "wrong-parameter": "parameters.{field} of methodology {track} {version} is not one that engine '{engine}' takes",
});
