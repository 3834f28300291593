"""The evidence that decides success: of each run its actions, the error that ended it, and what the evaluator saw.

Owns the file `actions.jsonl`, one canonical JSON line a run, and its parser. It holds no transcript, so that a record can
keep it where the transcripts are outside git: success can be decided again from it and the benchmark's data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

from pydantic import Field, PlainSerializer, PlainValidator, ValidationError

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Slug, first_fault
from benchsite.tracks.agents.record.sentences import said
from benchsite.tracks.agents.tools import Action, Call
from benchsite.tracks.agents.trace.event import each_line

NAME: Final = "actions.jsonl"
"""The name of this evidence in a receipt."""
MEDIA_TYPE: Final = "application/x-ndjson"
MAX_ACTIONS: Final = 10_000
MAX_RUN_TEXT: Final = 1_000_000
"""Characters of the actions of one run; parsing 1,000,000 costs at most about two seconds."""
MAX_TEXT: Final = 32_000_000
"""Characters of all actions of a receipt."""
_HINT: Final = "this evidence is written by benchsite: import the results or re-run the system"


class Skipped(Schema):
    """An action that was not carried out, by its index, and why in words."""

    action: Annotated[int, Field(ge=0)]
    reason: str


class Change(Schema):
    """A cell of the final state that is not as expected, or a whole row, which has no column; `before` is expected."""

    table: str
    row: str
    column: str | None = None
    before: str | None
    after: str | None


def read_action(value: Any) -> Action:
    """Return the action that a JSON value is.

    Raises:
        ValueError: it is neither text nor an object of `tool` and `arguments`.
    """
    if isinstance(value, str | Call):
        return value
    if isinstance(value, dict) and value.keys() == {"tool", "arguments"}:
        tool, arguments = value["tool"], value["arguments"]
        if isinstance(tool, str) and isinstance(arguments, dict):
            return Call(tool, arguments)
    raise ValueError(said("no-action"))


def as_json(action: Action) -> Json:
    """Return the JSON value of an action, the inverse of `read_action`."""
    return action if isinstance(action, str) else {"tool": action.tool, "arguments": dict(action.arguments)}


def size_of(action: Action) -> int:
    """Return how many characters an action has, a call as canonical JSON."""
    return len(action if isinstance(action, str) else canonical.dumps(as_json(action)).decode("utf-8"))


class Acted(Schema):
    """One run: its actions, in order, its answer, and what the evaluator said of them."""

    task: Slug
    run: Annotated[int, Field(ge=1)]
    actions: Annotated[
        tuple[Annotated[Any, PlainValidator(read_action), PlainSerializer(as_json, return_type=Any)], ...],
        Field(strict=False, max_length=MAX_ACTIONS),
    ]
    answer: str | None = None
    error: str | None
    skipped: Annotated[tuple[Skipped, ...], Field(strict=False, max_length=MAX_ACTIONS)]
    difference: Annotated[tuple[Change, ...], Field(strict=False, max_length=MAX_ACTIONS)]


def written(runs: Iterable[Acted]) -> bytes:
    """The file of several runs, in the order given."""
    return b"".join(canonical.dumps(run.model_dump(by_alias=True, mode="json")) + b"\n" for run in runs)


def read(data: bytes) -> Iterator[Acted]:
    """The runs of a file.

    Raises:
        InputError: a line is malformed, or a run occurs twice; the line is named.
    """
    if data and not data.endswith(b"\n"):
        raise InputError(said("half-line", where=NAME), hint=_HINT)
    seen: set[tuple[str, int]] = set()
    total, may_be_long = 0, len(data) > MAX_TEXT
    for number, line in enumerate(each_line(data), 1):
        try:
            run = Acted.model_validate(canonical.loads(line))
        except JsonError as error:
            raise InputError(f"{error.message}: {NAME} line {number}", hint=_HINT) from None
        except ValidationError as error:
            place, fault = first_fault(error)
            raise InputError(f"{place or 'line'}: {fault}: {NAME} line {number}", hint=_HINT) from None
        if (run.task, run.run) in seen:
            where = f"{NAME} line {number}"
            raise InputError(said("run-twice", run=run.run, task=run.task, where=where), hint=_HINT)
        seen.add((run.task, run.run))
        # Fewer bytes cannot be more characters.
        size = sum(map(size_of, run.actions)) if may_be_long or len(line) > MAX_RUN_TEXT else 0
        total += size
        for found, most, whose in ((size, MAX_RUN_TEXT, "a run"), (total, MAX_TEXT, "a receipt")):
            if found > most:
                where = f"{NAME} line {number}"
                raise InputError(
                    said("actions-too-long", whose=whose, most=f"{most:,}", where=where), hint=_HINT
                )
        yield run
