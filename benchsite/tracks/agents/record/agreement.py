"""Agreement of the pieces of evidence of a run: trace, action record and outcome (specs/agents.md, "Trace").

The second level of re-scoring reads traces, the third reads actions. This ties them: both must record the same actions
and the same error, and the outcome must be one that they allow. `theme/verify/agents-agreement.js` is its counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from benchsite import canonical
from benchsite.history import Difference, Violation, violation
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.sentences import MESSAGES
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.event import Event

ENDINGS: Final = frozenset({"failure", "limit", "error"})
"""Outcomes of a run that an error may have ended."""
NOT_SUCCESS: Final = "not success"
_SHOWN: Final = 200
"""Characters of an error that a difference quotes."""

Key: TypeAlias = tuple[str, int]
"""Task and number of a run."""

_broken: Final = partial(violation, MESSAGES)


class TracedRun(NamedTuple):
    """Actions and end of one run by its trace.

    Attributes:
        actions: how many.
        sha256: of the list of them, as canonical JSON.
        error: text of the error event that ended the run; None without one.
        error_sha256: of the whole text, where the trace cut it.
        ending: the outcome that the error event states; None if it states none.
        limit: the limit that it states; absent if it states none.
        answer: the last one; None without one. A record without one, as of published runs, is not compared.
    """

    actions: int
    sha256: str
    error: str | None = None
    error_sha256: str | None = None
    ending: str | None = None
    limit: tuple[str | None, ...] = ()
    answer: str | None = None


class RecordedRun(NamedTuple):
    """Actions, error and answer of one run by its action record; members as in `TracedRun`."""

    actions: int
    sha256: str
    error: str | None
    answer: str | None = None


Traced: TypeAlias = Mapping[Key, TracedRun]
Recorded: TypeAlias = Mapping[Key, RecordedRun]


def traced_run(events: Sequence[Event]) -> TracedRun:
    """Return what a trace says of the run's actions and of the error that ended it."""
    listed = [
        event.payload["action"]
        for event in events
        if event.event_type == "tool_call" and _is_action(event.payload.get("action"))
    ]
    answers = [event.payload.get("output") for event in events if event.event_type == "finalize"]
    answer = answers[-1] if answers and isinstance(answers[-1], str) else None
    found = TracedRun(len(listed), canonical.digest(listed), answer=answer)
    end = _ending_event(events)
    if end is None:
        return found
    payload = end.payload
    text, whole, ending = payload.get("text"), payload.get("text_sha256"), payload.get("ending")
    limit = payload.get("limit", False)
    return found._replace(
        error=text if isinstance(text, str) and text else "error",
        error_sha256=whole if isinstance(whole, str) else None,
        ending=ending if isinstance(ending, str) and ending in ENDINGS else None,
        limit=(limit,) if limit is None or isinstance(limit, str) else (),
    )


def recorded_run(run: action_log.Acted) -> RecordedRun:
    """Return what an action record says of the run's actions and of the error that ended it."""
    listed = list(map(action_log.as_json, run.actions))
    return RecordedRun(len(listed), canonical.digest(listed), run.error or None, run.answer)


def _is_action(value: object) -> bool:
    try:
        action_log.read_action(value)
    except ValueError:
        return False
    return True


def _ending_event(events: Sequence[Event]) -> Event | None:
    """The first error event that ended the run: a tool's error ends it only if no other event follows."""
    last = len(events) - 1
    for place, event in enumerate(events):
        if event.event_type == "error" and (place == last or event.payload.get("source") != "tool"):
            return event
    return None


def disagreements(
    runs: Mapping[str, Any], traced: Traced | None, recorded: Recorded | None
) -> Iterator[Difference]:
    """Compare trace, action record and outcome of every run.

    Args:
        runs: the receipt's run columns.
        traced: by task and number; None if the traces are not at hand.
        recorded: the same of the action records.
    """
    places = {pair: i for i, pair in enumerate(zip(runs["taskId"], runs["run"], strict=True))}
    for task, number in recorded or ():
        if (task, number) not in places:
            yield Difference("runs.taskId", None, f"{task}, run {number}")
    for (task, number), i in places.items():
        trace = traced.get((task, number)) if traced is not None else None
        record = recorded.get((task, number)) if recorded is not None else None
        if recorded is not None and record is None:
            yield Difference(f"runs.taskId[{i}]", f"{task}, run {number}", None)
        if trace is not None:
            yield from _of_end(runs, i, trace)
        if record is not None:
            yield from _of_record(runs, i, record, counted=trace is not None)
        if trace is not None and record is not None:
            yield from _between(i, trace, record)


def impossible_successes(
    runs: Mapping[str, Any], traced: Traced | None, recorded: Recorded | None
) -> Iterator[Violation]:
    """A success needs an empty error in every piece of evidence."""
    pieces: Iterable[tuple[str, Mapping[Key, Any] | None]] = (
        (archive.NAME, traced),
        (action_log.NAME, recorded),
    )
    for name, held in pieces:
        for i, (task, number) in enumerate(zip(runs["taskId"], runs["run"], strict=True)):
            found = held.get((task, number)) if held is not None else None
            if found is not None and found.error is not None and runs["outcome"][i] == "success":
                yield _broken("error-success", f"runs.outcome[{i}]", run=number, task=task, name=name)


def _of_end(runs: Mapping[str, Any], i: int, trace: TracedRun) -> Iterator[Difference]:
    """The outcome, and the limit, as far as the trace states them."""
    outcome = runs["outcome"][i]
    field = f"runs.outcome[{i}]"
    if trace.error is None:
        if outcome in ("limit", "error"):
            yield Difference(field, outcome, None)
        return
    if outcome == "success" or (trace.ending is not None and outcome != trace.ending):
        yield Difference(field, outcome, trace.ending or NOT_SUCCESS)
    limit = (runs.get("limit") or {i: None})[i]
    if trace.limit and limit != trace.limit[0]:
        yield Difference(f"runs.limit[{i}]", limit, trace.limit[0])


def _of_record(
    runs: Mapping[str, Any], i: int, record: RecordedRun, *, counted: bool
) -> Iterator[Difference]:
    """The outcome; without a trace, which counts the tool calls, their number too."""
    outcome = runs["outcome"][i]
    if record.error is None and outcome in ("limit", "error"):
        yield Difference(f"runs.outcome[{i}]", outcome, None)
    if record.error is not None and outcome == "success":
        yield Difference(f"runs.outcome[{i}]", outcome, NOT_SUCCESS)
    calls = (runs.get("toolCalls") or {i: None})[i]
    if not counted and calls is not None and calls < record.actions:
        yield Difference(f"runs.toolCalls[{i}]", calls, record.actions)


def _between(i: int, trace: TracedRun, record: RecordedRun) -> Iterator[Difference]:
    """Actions and error of the record compared with those of the trace."""
    if (record.actions, record.sha256) != (trace.actions, trace.sha256):
        other = f"{trace.actions} actions" if trace.actions != record.actions else "other actions"
        yield Difference(f"{action_log.NAME}[{i}].actions", f"{record.actions} actions", other)
    if record.answer is not None and record.answer != trace.answer:
        quoted = (text and text[:_SHOWN] for text in (record.answer, trace.answer))
        yield Difference(f"{action_log.NAME}[{i}].answer", *quoted)
    if not _is_same_error(trace, record.error):
        quoted = (text and text[:_SHOWN] for text in (record.error, trace.error))
        yield Difference(f"{action_log.NAME}[{i}].error", *quoted)


def _is_same_error(trace: TracedRun, error: str | None) -> bool:
    """Whether the texts are equal, or the trace's is the beginning and the digest of the record's."""
    if trace.error == error:
        return True
    if trace.error is None or error is None or trace.error_sha256 is None:
        return False
    whole = canonical.sha256_hex(error.encode("utf-8"))
    return error.startswith(trace.error) and whole == trace.error_sha256
