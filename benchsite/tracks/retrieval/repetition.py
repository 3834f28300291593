"""Which queries a repeated run answered otherwise: the ranking, the error, or what was expected of it.

Pure, and of two receipts' `perQuery` only. Time is no part of it: `latencyMs` differs in every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.receipt import Document

_SHOWN: Final = 3


def differing(document: Document, again: Document) -> Iterator[tuple[str, str]]:
    """(query id, what differs in words), in the order of the first receipt, then queries it does not have."""
    repeated = {row["queryId"]: row for row in again["perQuery"]}
    for row in document["perQuery"]:
        other = repeated.pop(row["queryId"], None)
        said = "it was not asked again" if other is None else _difference(row, other)
        if said:
            yield row["queryId"], said
    for name in repeated:
        yield name, "it was not asked the first time"


def _difference(row: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """What a person looks at first; empty where the two answers are the same."""
    errors = row.get("error"), other.get("error")
    if errors[0] != errors[1]:
        return f"{errors[0] or 'answered'} became {errors[1] or 'answered'}"
    before, after = row["retrieved"], other["retrieved"]
    if before != after:
        place = next(
            (at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]),
            min(len(before), len(after)),
        )
        return f"from place {place + 1} on, {_ids(before[place:])} became {_ids(after[place:])}"
    if (row["expected"], row["answerable"]) != (other["expected"], other["answerable"]):
        return "the same ranking, held against other expected answers"
    return ""


def _ids(names: list[str]) -> str:
    if not names:
        return "nothing"
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
