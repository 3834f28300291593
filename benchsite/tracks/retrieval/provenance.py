"""Whether a draft asks what its fixture asks, and expects what its fixture expects.

A receipt carries its own evidence, so that it can be scored with nothing else; that evidence is worth as much as
its agreement with the fixture it names. `publish` holds each draft against the fixture before it signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchsite.errors import IntegrityError
from benchsite.receipt import Document
from benchsite.tracks.retrieval.fixture import Fixture, Query, parse

_FIELDS = ("queryId", "scope", "category", "split", "answerable", "expected")


def hold_against(document: Document, target: bytes) -> None:
    """Compare the counts, every question in order, and the results' scopes with the fixture.

    Args:
        document: a draft whose schema has been checked.
        target: the bytes of its fixture.

    Raises:
        IntegrityError: the first thing that is not the fixture's, by query and field.
    """
    fixture = parse(target, where=document["fixture"]["id"])
    for fault in _faults(document, fixture):
        raise IntegrityError(
            f"draft {document['receiptId']}: {fault}, which is not what fixture {fixture.id} says",
            hint="the draft was edited or made from another fixture: run it again",
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
        yield f"{len(rows)} questions are answered and {len(asked)} asked"
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
            yield f"query {row['queryId']}: result {name!r} is no item"
    outside = list(dict.fromkeys(name for name in row["retrieved"] if name not in scope))
    if row["foreign"] != outside:
        yield f"query {row['queryId']}: foreign is {row['foreign']!r}"
