"""The part for data: what a fixture is, where it is listed and checked, and the imported datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from benchsite.track import Described
from benchsite.track.parts import DataFormat
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.importers.formats import FORMATS
from benchsite.words import amount

__all__ = ["described", "formats", "noun"]


_NOT_DESCRIBED: Final = (
    "description is missing: receipts pin the file's hash, so add it before the first receipt"
)


def described(data: bytes, where: str) -> Described:
    """Read a `fixture.json`; raises `InputError` with everything that is wrong, with places and ids."""
    fixture = parse(data, where=where)
    counts = {"items": len(fixture.items), "queries": len(fixture.queries), "scopes": len(fixture.scopes)}
    facts = {"granularity": fixture.granularity}
    return Described(
        id=fixture.id,
        sha256=fixture.sha256,
        license=fixture.license,
        source=fixture.source,
        notes=fixture.notes,
        counts=counts,
        facts=facts,
        warnings=tuple(_warnings(fixture)),
    )


def _warnings(fixture: Fixture) -> Iterator[str]:
    """A missing description, and answerable queries without a relevant item (grade 1 or more), which no metric counts."""
    if not fixture.description.strip():
        yield _NOT_DESCRIBED
    answerable = [query for query in fixture.queries if query.answerable]
    lost = sum(not any(entry.grade >= 1 for entry in query.expected) for query in answerable)
    if lost:
        yield (
            f"{lost:,} of {amount(len(answerable), 'answerable query', 'answerable queries')} "
            f"{'has' if lost == 1 else 'have'} no relevant item: excluded from the scores"
        )
    if lost == len(answerable):
        yield "no query is scored: a receipt on this dataset has no score"


noun: Final = "dataset"
formats: Final[Mapping[str, DataFormat]] = FORMATS
