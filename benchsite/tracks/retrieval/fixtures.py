"""The part for data: what a fixture is, where it is listed and checked, and the imported datasets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from benchsite.track import Described, Imported
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.importers import IMPORTERS
from benchsite.tracks.retrieval.importers.locomo import Report
from benchsite.words import amount

__all__ = ["described", "folders", "importers", "noun"]


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


def _imported(kind: str) -> Callable[..., Imported]:
    def convert(data: bytes, **options: Any) -> Imported:
        document, report = IMPORTERS[kind](data, **options)
        text = json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"
        return Imported(text, _lines(report), _facts(report))

    return convert


_ALTERED: Final = (
    "altered data: not the published locomo10.json, so its license and source are not stated as the authors'"
)
noun: Final = "dataset"
importers: Final[Mapping[str, Callable[..., Imported]]] = {kind: _imported(kind) for kind in IMPORTERS}
folders: Final[Mapping[str, Callable[[Mapping[str, bytes]], Imported]]] = {}


def _lines(report: Report) -> list[str]:
    """The import in words."""
    held = (
        f"{amount(report.scopes, 'scope')}, {amount(report.items, 'item')}, "
        f"{amount(report.queries, 'query', 'queries')}: "
        f"{report.scored:,} scored, {report.abstention:,} unanswerable, {len(report.excluded):,} without relevant items"
    )
    found = [held, "the published data" if report.published else _ALTERED]
    if report.unresolved:
        found.append(f"{len(report.unresolved)} of {report.evidence:,} evidence strings are not a turn id:")
    for item in report.unresolved:
        read = ", ".join(item.found) or "nothing"
        lost = f"; dropped {', '.join(item.dropped)}" if item.dropped else ""
        found.append(f"  {item.sample} question {item.question}: {item.text!r} resolved to {read}{lost}")
    found.extend(f"  excluded: {query} has no relevant items" for query in report.excluded)
    return found


def _facts(report: Report) -> dict[str, Any]:
    """The import as `fixture import --json` shows it."""
    return {
        "id": report.fixture_id,
        "published": report.published,
        "scopes": report.scopes,
        "items": report.items,
        "queries": report.queries,
        "scored": report.scored,
        "abstention": report.abstention,
        "excluded": list(report.excluded),
        "evidence": report.evidence,
        "errata": report.errata,
        "unresolved": [
            {
                "sample": item.sample,
                "question": item.question,
                "text": item.text,
                "found": list(item.found),
                "dropped": list(item.dropped),
            }
            for item in report.unresolved
        ],
    }
