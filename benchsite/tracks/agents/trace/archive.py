"""The traces of many runs in one file: before the events of each run, a line that names its task and its number.

Owns that line, `{"run":1,"task":"calendar-001"}` in canonical JSON, the packing and its exact inverse. A run without
events has its line alone. Refused, with the number of the line: events before the first such line, a run that occurs
twice, a run of more than 100,000 events or 64 MiB, and whatever `trace` refuses. The file is read line by line: beside it,
one run is held at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Final, NamedTuple

from pydantic import Field, ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Slug, first_fault
from benchsite.tracks.agents.record.sentences import said
from benchsite.tracks.agents.trace.event import MAX_EVENTS, Event, Problem, Trace, each_line, line

NAME: Final = "traces.jsonl"
"""The name of packed traces among a receipt's evidence."""
MEDIA_TYPE: Final = "application/x-ndjson"
MAX_LINE: Final = 16 * 1024 * 1024
MAX_RUN: Final = 64 * 1024 * 1024
"""Bytes of the events of one run, which is held whole to be measured."""
_HEAD: Final = b'{"run":'
_HINT: Final = "packed traces are written by benchsite: import the results or re-run the system"


class Traced(NamedTuple):
    """The events of one run, and what is odd about them; the lines of problems are counted from the run's first event."""

    task: str
    run: int
    events: tuple[Event, ...]
    problems: tuple[Problem, ...] = ()


class _Head(Schema):
    """The line before the events of a run."""

    run: Annotated[int, Field(ge=1)]
    task: Slug


def packed(runs: Iterable[Traced]) -> bytes:
    """The file of several runs, in the order given."""
    return joined((run.task, run.run, b"".join(map(line, run.events))) for run in runs)


def joined(runs: Iterable[tuple[str, int, bytes]]) -> bytes:
    """The file of several runs, each by its task, its number and the lines of its events."""
    return b"".join(pieces(runs))


def pieces(runs: Iterable[tuple[str, int, bytes]]) -> Iterator[bytes]:
    """Yield the same in pieces, so that one run is held at a time."""
    for task, run, lines in runs:
        yield canonical.dumps({"run": run, "task": task}) + b"\n"
        yield lines


def unpacked(data: bytes) -> Iterator[Traced]:
    """The runs of a file, one at a time.

    Raises:
        InputError: a line is refused, or a run occurs twice; the line is named.
    """
    if data and not data.endswith(b"\n"):
        raise InputError(said("half-line", where=NAME), hint=_HINT)
    head, first, held, size = None, 1, list[bytes](), 0
    seen: set[tuple[str, int]] = set()
    for number, text in enumerate(each_line(data), 1):
        where = f"{NAME} line {number}"
        if not text.startswith(_HEAD):
            if head is None:
                raise InputError(said("no-run-yet", where=where), hint=_HINT)
            held.append(text)
            size += len(text)
            if len(held) > MAX_EVENTS or size > MAX_RUN:
                most = {"events": f"{MAX_EVENTS:,}", "bytes": f"{MAX_RUN:,}"}
                raise InputError(
                    said("run-too-long", run=head.run, task=head.task, **most, where=where), hint=_HINT
                )
            continue
        if head is not None:
            yield _traced(head, held, first)
        head, first, held, size = _head(text, number), number, [], 0
        if (head.task, head.run) in seen:
            raise InputError(said("run-twice", run=head.run, task=head.task, where=where), hint=_HINT)
        seen.add((head.task, head.run))
    if head is not None:
        yield _traced(head, held, first)


def is_packed(data: bytes) -> bool:
    """Whether a file begins with the line of a run; the trace of one run begins with an event."""
    return data.startswith(_HEAD)


def _head(text: bytes, number: int) -> _Head:
    try:
        return _Head.model_validate(canonical.loads(text))
    except JsonError as error:
        raise InputError(f"{error.message}: {NAME} line {number}", hint=_HINT) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"{place or 'line'}: {fault}: {NAME} line {number}", hint=_HINT) from None


def _traced(head: _Head, held: list[bytes], first: int) -> Traced:
    """The events of one run; their lines are counted from the line that names it."""
    name = f"{NAME} from line {first + 1}, event"
    trace = Trace((text + b"\n" for text in held), name=name, max_line=MAX_LINE)
    return Traced(head.task, head.run, tuple(trace), tuple(trace.problems))
