"""The kind `kb-lookup`: packaged tasks, a search over the document's passages, and a calendar that takes events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints, ValidationError

from benchsite.errors import InputError
from benchsite.schema import Schema, first_fault
from benchsite.tracks.agents.benchmarks.kb_lookup.search import Index
from benchsite.tracks.agents.benchmarks.packaged import Function, ToolError, described, kind

__all__ = ["KIND"]

_ADDRESS: Final = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}")
_DATE: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")


class _Data(Schema):
    """What the search tool works on."""

    passages: Annotated[
        tuple[Annotated[str, StringConstraints(min_length=1, max_length=1000)], ...],
        Field(strict=False, min_length=1, max_length=10_000),
    ]


def _functions(data: Mapping[str, Any], where: str) -> Sequence[Function]:
    try:
        passages = _Data.model_validate(data).passages
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(
            f"benchmark {where}: data.{place}: {fault}", hint="see content/docs/write-a-benchmark.md"
        ) from None
    index = Index(passages)
    return (
        Function(
            described("search", "Find passages by words.", "query", most=200),
            lambda arguments: index.search(arguments["query"]),
        ),
        Function(
            described(
                "create_event",
                "Invite a person by e-mail address to an event on a date YYYY-MM-DD.",
                "attendee",
                "date",
            ),
            _created,
            changes=True,
        ),
    )


def _created(arguments: Mapping[str, str]) -> str:
    attendee, date = arguments["attendee"].strip(), arguments["date"].strip()
    if _ADDRESS.fullmatch(attendee) is None:
        raise ToolError("attendee must be an e-mail address; search for it")
    if _DATE.fullmatch(date) is None:
        raise ToolError("date must have the form YYYY-MM-DD")
    return f"event created: {attendee}, {date}"


KIND: Final = kind(_functions)
