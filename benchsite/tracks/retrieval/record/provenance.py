"""Whether a draft asks what its fixture asks, and which queries a repeated run answered otherwise.

A receipt carries its own evidence, so that it can be scored with nothing else; that evidence is worth as much as
its agreement with the fixture it names. `publish` compares each draft with the fixture before it signs. A repeated run is
compared by the two receipts' `perQuery` only; `latencyMs` differs in every run and is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.errors import IntegrityError
from benchsite.receipt import Document
from benchsite.track import Resolved
from benchsite.tracks.retrieval.fixture import Fixture, Query, parse

_SHOWN: Final = 3
_FIELDS: Final = ("queryId", "scope", "category", "split", "answerable", "expected")


def hold_against(document: Document, resolved: Resolved) -> None:
    """Compare the counts, every query in order, and the results' scopes with the fixture.

    Args:
        document: a draft whose schema has been checked.
        resolved: what was looked up for it; `target` holds the bytes of its fixture.

    Raises:
        IntegrityError: the first thing that is not the fixture's, by query and field.
    """
    fixture = parse(resolved.target, where=document["fixture"]["id"])
    for fault in _faults(document, fixture):
        raise IntegrityError(
            f"draft {document['receiptId']}: {fault}, unlike dataset {fixture.id}",
            hint="the draft was edited or made from another dataset: re-run it with `benchsite run retrieval`",
        )


def _faults(document: Document, fixture: Fixture) -> Iterator[str]:
    stated = document["fixture"]
    smallest = min(map(len, fixture.items_by_scope.values()))
    counts = {**fixture.counts, "smallestScope": smallest, "granularity": fixture.granularity}
    for name, value in counts.items():
        if stated[name] != value:
            yield f"fixture.{name} is {stated[name]!r}"
    limit = document["config"]["limit"]
    asked = fixture.queries[:limit]
    rows = document["perQuery"]
    if len(rows) != len(asked):
        yield f"{len(rows)} queries in perQuery, {len(asked)} in the run"
    inside = {scope: {item.id for item in items} for scope, items in fixture.items_by_scope.items()}
    known = frozenset().union(*inside.values())
    for row, query in zip(rows, asked, strict=False):
        for name, wanted in _said(query).items():
            if row.get(name) != wanted:
                yield f"query {query.id}: {name} is {row.get(name)!r}"
        yield from _results(row, inside.get(query.scope, set()), known)


def _said(query: Query) -> dict[str, Any]:
    values = (
        query.id,
        query.scope,
        query.category,
        query.split,
        query.answerable,
        [{"id": item.id, "grade": item.grade} for item in query.expected],
    )
    return dict(zip(_FIELDS, values, strict=True))


def _results(row: Mapping[str, Any], scope: set[str], known: frozenset[str]) -> Iterator[str]:
    """Results are items of the fixture or marked unknown; those outside the scope are listed as foreign."""
    for name in row["retrieved"]:
        if name not in known and not name.startswith("?"):
            yield f"query {row['queryId']}: result {name!r} is not an item"
    outside = list(dict.fromkeys(name for name in row["retrieved"] if name not in scope))
    if row["foreign"] != outside:
        yield f"query {row['queryId']}: foreign is {row['foreign']!r}"


def differing(document: Document, again: Document) -> Iterator[tuple[str, str]]:
    """(query id, difference in words), in the order of the first receipt, then queries it does not have."""
    repeated = {row["queryId"]: row for row in again["perQuery"]}
    for row in document["perQuery"]:
        other = repeated.pop(row["queryId"], None)
        said = "missing from the second run" if other is None else _other_answer(row, other)
        if said:
            yield row["queryId"], said
    for name in repeated:
        yield name, "missing from the first run"


def _other_answer(row: Mapping[str, Any], other: Mapping[str, Any]) -> str:
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
        return f"from rank {place + 1}: {_ids(before[place:])} became {_ids(after[place:])}"
    if (row["expected"], row["answerable"]) != (other["expected"], other["answerable"]):
        return "same ranking, other relevant items"
    return ""


def _ids(names: list[str]) -> str:
    if not names:
        return "nothing"
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
