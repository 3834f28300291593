"""Agreement of the pieces of evidence of a run: trace, action record and outcome (specs/agents.md, "Trace").

The second level of re-scoring reads traces, the third reads actions. This ties them: both must record the same actions
and the same error, and the outcome must be one that they allow. A native trace is one that the harness writes: each tool
call states itself as its action, nothing else states an action, and nothing is left out.
`theme/verify/agents-agreement.js` is its counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from benchsite import canonical
from benchsite.history import Difference, Violation, violation
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.sentences import MESSAGES, said
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import is_send

ENDINGS: Final = frozenset({"failure", "limit", "error"})
"""Outcomes of a run that an error may have ended."""
NOT_SUCCESS: Final = "not success"
_SHOWN: Final = 200
"""Characters of an error that a difference quotes."""
_CALL: Final = frozenset({"action", "tool", "input"})
"""Members of a payload that state a call."""

Key: TypeAlias = tuple[str, int]
"""Task and number of a run."""

_broken: Final = partial(violation, MESSAGES)


class TracedRun(NamedTuple):
    """Actions and end of one run by its trace.

    Attributes:
        actions: how many tool calls state one; a send is no tool call.
        sha256: of the list of them, as canonical JSON.
        error: text of the error event that ended the run; None without one.
        error_sha256: of the whole text, where the trace cut it.
        ending: the outcome that the error event states; None if it states none.
        limit: the limit that it states; absent if it states none.
        answer: the last one; None without one. Of published runs no record has one: it is not compared.
        unlike: of the first event that no native trace has, its id and whether it is a tool call; None without one.
        is_partial: whether an event says that steps are left out.
    """

    actions: int
    sha256: str
    error: str | None = None
    error_sha256: str | None = None
    ending: str | None = None
    limit: tuple[str | None, ...] = ()
    answer: str | None = None
    unlike: tuple[str, bool] | None = None
    is_partial: bool = False


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
        if _is_call(event) and _is_action(event.payload.get("action"))
    ]
    outputs = [event.payload.get("output") for event in events if event.event_type == "finalize"]
    found = TracedRun(
        len(listed),
        canonical.digest(listed),
        answer=next((text for text in reversed(outputs) if isinstance(text, str)), None),
        unlike=next(((event.id, _is_call(event)) for event in events if not _is_native(event)), None),
        is_partial=any(event.payload.get("partial") is True for event in events),
    )
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


def _is_call(event: Event) -> bool:
    return event.event_type == "tool_call" and not is_send(event)


def _is_native(event: Event) -> bool:
    """Whether an event states a call as the harness does: a tool call its own, any other event none."""
    payload = event.payload
    if not _is_call(event):
        return not _CALL & payload.keys()
    action, tool, given = payload.get("action"), payload.get("tool"), payload.get("input")
    if tool is None:
        return isinstance(given, str) and action == given
    own = {"tool": tool, "arguments": given}
    return _is_action(own) and canonical.dumps(action) == canonical.dumps(own)


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
    runs: Mapping[str, Any], traced: Traced | None, recorded: Recorded | None, *, is_native: bool
) -> Iterator[Difference]:
    """Compare trace, action record and outcome of every run.

    Args:
        runs: the receipt's run columns.
        traced: by task and number; None if the traces are not at hand.
        recorded: the same of the action records.
        is_native: whether benchsite measured the runs itself.
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
            if is_native and trace.unlike is not None:
                yield _other_call(i, *trace.unlike)
        if record is not None:
            yield from _of_record(runs, i, record, counted=trace is not None)
        if trace is not None and record is not None:
            yield from _between(i, trace, record, is_native=is_native)


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


def partial_natives(runs: Mapping[str, Any], traced: Traced | None) -> Iterator[Violation]:
    """A native trace tells every step."""
    for i, (task, number) in enumerate(zip(runs["taskId"], runs["run"], strict=True)):
        found = traced.get((task, number)) if traced is not None else None
        if found is not None and found.is_partial:
            yield _broken("partial-native", f"{archive.NAME}[{i}]", run=number, task=task)


def _other_call(i: int, name: str, is_call: bool) -> Difference:  # noqa: FBT001 - as `TracedRun.unlike` has it
    """An event whose action is not its own tool and input, or which is no tool call and states one."""
    own = said("call-of", event=name) if is_call else None
    return Difference(f"{archive.NAME}[{i}].actions", said("action-of", event=name), own)


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


def _between(i: int, trace: TracedRun, record: RecordedRun, *, is_native: bool) -> Iterator[Difference]:
    """Actions, answer and error of the record compared with those of the trace."""
    if (record.actions, record.sha256) != (trace.actions, trace.sha256):
        other = f"{trace.actions} actions" if trace.actions != record.actions else "other actions"
        yield Difference(f"{action_log.NAME}[{i}].actions", f"{record.actions} actions", other)
    if (is_native or record.answer is not None) and record.answer != trace.answer:
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
