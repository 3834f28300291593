"""Runs as a researcher has them: one JSON object per line (content/docs/import-runs.md).

Owns the members of a line, their ranges and the numbering of runs. Read as strict JSON, except that a byte order mark and CRLF
are accepted and blank lines are skipped. Refused, with the line: what is no JSON object, unknown members, numbers as text, scores
outside [0, 1], members that contradict one another, a run that occurs twice, and lines above 16 MiB. Blank is never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Text, first_fault
from benchsite.track.parts import Readable
from benchsite.tracks.agents.importers.line_stream import lines
from benchsite.tracks.agents.record.action_log import MAX_ACTIONS
from benchsite.tracks.agents.record.config import MAX_REPEATS, Amount, Count
from benchsite.tracks.agents.record.payload import MAX_RUNS, Limit, Outcome, Share

__all__ = ["FOREIGN", "Line", "StatedRun", "read_runs", "repeats", "stated"]

MAX_LINE: Final = 16 * 1024 * 1024
MAX_ANSWER: Final = 100_000
"""Characters of an answer."""
_TOO_LONG: Final = "remove images and files from the transcript"
_HINT: Final = "content/docs/import-runs.md lists the members of a line"
FOREIGN: Final = "content/docs/import-harness.md lists what is read of each format"


class Line(Schema):
    """One run as its line states it; None is a blank."""

    task: Text
    run: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = 1
    outcome: Outcome | None = None
    success: bool | None = None
    score: Share | None = None
    limit: Limit | None = None
    tokens: Count | None = None
    cost_usd: Amount | None = None
    latency_ms: Amount | None = None
    tool_calls: Count | None = None
    messages: Any = None
    error: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    answer: Annotated[str, StringConstraints(max_length=MAX_ANSWER)] | None = None
    actions: Annotated[tuple[Any, ...], Field(strict=False, max_length=MAX_ACTIONS)] | None = None


@dataclass(frozen=True, slots=True)
class StatedRun:
    """A run, its place in words, and the outcome that the file states.

    Attributes:
        outcome: None if the line states neither outcome nor success nor score.
        events: its trace, if the format has one: members of events without ids; `answers` marks the result of the event before.
    """

    line: Line
    where: str
    outcome: Literal["success", "failure", "limit", "error"] | None
    events: Sequence[Mapping[str, Any]] = ()

    def with_events(self, events: Sequence[Mapping[str, Any]]) -> StatedRun:
        """Return the same run with its trace."""
        return replace(self, events=events)


def read_runs(file: Readable) -> Iterator[StatedRun]:
    """Yield the runs of a file in the order of its lines; one is in memory at a time.

    Raises:
        InputError: the file is empty or a line is refused; the line is named.
    """
    seen: dict[tuple[str, int], int] = {}
    for number, text in lines(file.chunks(), file.name, MAX_LINE, _TOO_LONG):
        where = f"{file.name} line {number}"
        line = _parsed(text, where)
        key = line.task, line.run
        if (earlier := seen.setdefault(key, number)) != number:
            raise InputError(
                f"{where}: run {line.run} of task {line.task!r} occurs twice, first in line {earlier}",
                hint='number the runs of a task: "run": 1, "run": 2, …',
            )
        if len(seen) > MAX_RUNS:
            raise InputError(f"{where}: more than {MAX_RUNS:,} runs", hint="import them as several systems")
        yield StatedRun(line, where, _outcome(line, where))
    if not seen:
        raise InputError(f"{file.name}: no run: the file has no line", hint=_HINT)


def stated(value: Mapping[str, Any], where: str) -> StatedRun:
    """Return a run that another format states, from the members of a line.

    Raises:
        InputError: a member is out of range, or two contradict one another; `where` is named.
    """
    try:
        line = Line.model_validate(dict(value))
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"{where}: {place or 'run'}: {fault}", hint=FOREIGN) from None
    return StatedRun(line, where, _outcome(line, where))


def repeats(runs: Iterable[StatedRun]) -> int:
    """Return the largest number of a run: how many runs each task must have."""
    return max(run.line.run for run in runs)


def _parsed(text: bytes, where: str) -> Line:
    try:
        value = canonical.loads(text, max_bytes=MAX_LINE)
        line = Line.model_validate(value)
    except JsonError as error:
        raise InputError(f"{where}: {error.message} of the line", hint=_HINT) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"{where}: {place or 'line'}: {fault}", hint=_HINT) from None
    if line.messages is not None and not isinstance(line.messages, list) and not _is_count(line.messages):
        raise InputError(
            f"{where}: messages: must be a list of messages or their number, a whole number from 0",
            hint=_HINT,
        )
    return line


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _outcome(line: Line, where: str) -> Literal["success", "failure", "limit", "error"] | None:
    """The outcome that a line states; a score alone succeeds at 1."""
    found: Literal["success", "failure", "limit", "error"] | None = line.outcome
    if found is None and line.success is not None:
        found = "success" if line.success else "failure"
    if found is None and line.score is not None:
        found = "success" if line.score == 1 else "failure"
    for is_wrong, fault, hint in (
        (
            line.success is not None and (found == "success") != line.success,
            f"success is {str(line.success).lower()}, but outcome is {found}",
            "remove one of the two, or correct it",
        ),
        (
            (found == "limit") != (line.limit is not None),
            f"outcome is {found or 'not stated'}, but limit is {line.limit or 'not stated'}",
            'an outcome "limit" names its limit, such as "limit": "tokens"; if it is unknown, state "failure" and an error',
        ),
        (
            found == "success" and bool(line.error),
            "a success has no error",
            "remove error, or correct the outcome",
        ),
        (
            line.actions is not None and isinstance(line.messages, list),
            "actions and a list of messages: both tell the tool calls",
            "remove actions",
        ),
    ):
        if is_wrong:
            raise InputError(f"{where}: {fault}", hint=hint)
    return found
