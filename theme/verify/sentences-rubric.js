// Written by `make reference` from benchsite.tracks.rubric.sentences; do not edit.

export const MESSAGES = Object.freeze({
  "evaluator-without-sheet": "{name} is listed as an evaluator and has no sheet.",
  "evaluator-twice": "{name} is listed twice: passes of one evaluator would count as agreement of two.",
  "evaluator-twice/similar": "{name} is too similar to {earlier}, also listed: passes of one evaluator would count as agreement of two.",
  "model-missing": "{name} is a model evaluator, and its model is not described: the model's name and what it could see are required. The SHA-256 of its prompt may be null.",
  "model-unknown": "{name} is a human evaluator, and a model is described for them.",
  "probe-impossible": "The false-positive probe of {name} accepted {accepted} of {planted} planted wrong answers: at most all of them can be accepted.",
  "sheets-unordered": "The sheets are not ordered by session, evaluator's name and pass.",
  "sheet-twice": "{name} has {times} sheets for pass {number} over session {session}: each pass has one sheet.",
  "session-missing": "The sessions are numbered {numbers}: they must run from 1 without a gap, so that no session is omitted.",
  "too-few-sessions": "{name} requires {required} sessions or more, and this receipt has {count}.",
  "too-few-sheets": "{name} requires {required} sheets or more per session, from several evaluators or passes; session {sessions} has fewer.",
  "text-blank": "{what} is blank: a receipt must show who rated which agent, and any conflict of interest.",
  "pass-missing": "The passes of {evaluator} over session {session} are numbered {numbers}: they must run from 1 without a gap, so that no pass is omitted.",
  "date-unknown": "Session dates are not valid dates: {days}.",
  "date-ahead": "Session dates are in the future: {days}. The receipt was made at {made}.",
  "sheet-repeated": "The {count} sheets have {different} different SHA-256 hashes: each sheet may be listed once.",
  "question-twice": "{scenario}: a sheet scores one question twice.",
  "questions-differ": "{scenario}: the sheets of session {sessions} differ in their questions or the order of them, so their scores cannot be compared.",
  "questions-not-repeated": "{scenario}: session {sessions} has other questions than session {earliest}. Under {name}, a test of repeatability asks the same questions in every session.",
  "sessions-alike": "Session {sessions} cites no document that no other session cites, nor, without documents, a quote that no other session has: {name} requires separate transcripts for each session.",
  "tests-missing": "{name} requires 3 tests in every session (the standardized task, the hallucination stress test and the invalid input), and this receipt records none.",
  "tests-unknown": "{name} has no required tests, and this receipt records some.",
  "disclosure-missing": "{name} requires every evaluation to state {what}, and this receipt does not.",
  "disclosure-unknown": "{name} does not ask {what}, and this receipt states it.",
  "repeatability-unfounded": "The receipt states that repeatability was tested, and has {sessions} session. Under {name}, a test of repeatability has two sessions or more.",
  "repeatability-unfounded/denied": "The receipt states that repeatability was not tested, and has {sessions} sessions. Under {name}, a test of repeatability has two sessions or more.",
  "averaging-unknown": "{scenario} averages several questions; under {name} a scenario is one question.",
  "note-missing": "{name} requires a note for every score, and one for {what} is missing.",
  "evidence-missing": "{name} requires evidence for every score, and a sheet has none for {what}.",
  "evidence-unknown": "Evidence for {what} is neither a document that this receipt pins nor an excerpt that matches its own sha256.",
});

export const DETAILS = Object.freeze({
  "entries-uneven": "the number of entries is {count} and that of sheets {sheets}: one entry a sheet",
  "no-evaluator": "there are {count} evaluators, counted from 0",
  "criteria-differ": "the criteria are not those of the first scenario",
  "other-sum": "universalWeight and domainWeight must add up to 1",
});

export const TERMS = Object.freeze({
  "name": "The agent's name",
  "version": "The agent's version",
  "vendor": "The agent's vendor",
  "model": "The name of an evaluator's model",
  "saw": "What a model evaluator could see",
  "evaluator": "An evaluator's name",
  "conflictOfInterest": "An evaluator's statement on conflicts of interest",
  "repeatabilityTested": "whether repeatability was tested",
  "multiStep": "whether U3 was tried in a single message or over several turns",
});
