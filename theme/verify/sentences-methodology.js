// Written by `make reference` from benchsite.methodology.sentences; do not edit.

export const MESSAGES = Object.freeze({
  "not-utf8": "the file is not UTF-8",
  "line-break": "a line break that is neither LF nor CRLF",
  "no-key": "expected a plain key at the left margin",
  "no-parameter": "expected a key at the left margin, or `  name: value` below parameters",
  "given-twice": "{key} is given twice",
  "not-alone": "parameters must be alone on its line: put each parameter on its own line below it",
  "more-values": "more than one plain value",
  "not-a-list": "a list is `[a, b, c]` on one line",
  "not-plain": "not a plain value",
  "not-exact": "a number that not every reader holds exactly",
  "no-engine": "scoring engine '{engine}' is not one this release has",
  "no-parameters": "parameters of methodology {track} {version} are not what engine '{engine}' takes",
  "wrong-parameter": "parameters.{field} of methodology {track} {version} is not one that engine '{engine}' takes",
});
