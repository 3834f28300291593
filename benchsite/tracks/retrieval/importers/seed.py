"""The seed's own fixture format: items, and queries with `expectedAnswerIds`, in one scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.assembly import Collection, Origin, slug_of
from benchsite.tracks.retrieval.importers.reading import ids_of, json_document, member

__all__ = ["convert"]

PUBLISHED: Final[Mapping[str, str]] = {
    "przm-bench longmemeval-temporal-inference-v1": "32b554aaa1a5f72549c5b12d5743f85f0b1f1d80975266b98f0e18677c708129"
}
LICENSE: Final = "Apache-2.0"
SOURCE: Final = "OneNomad-LLC/przm-bench"


def convert(
    data: bytes, *, where: str, fixture_id: str | None, origin: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """Read a fixture of the seed's format.

    Args:
        data: the file.
        where: its name.
        fixture_id: of the fixture; by default its own.
        origin: license, source, notes and description, as far as the person states them.

    Raises:
        InputError: it is malformed.
    """
    document = _object(data, where)
    found = Collection()
    for place, row in _rows(document, "items", where):
        metadata = row.get("metadata")
        found.item(
            member(row, ("id",), place),
            member(row, ("content",), place),
            place,
            timestamp=row.get("timestamp"),
            metadata=metadata if isinstance(metadata, dict) else {},
        )
    for place, row in _rows(document, "queries", where):
        name = member(row, ("id",), place)
        expected = ids_of(row.get("expectedAnswerIds"), f"{place}: expectedAnswerIds")
        members = {key: row[key] for key in ("when", "category") if row.get(key) is not None}
        found.query(name, member(row, ("query",), place), place, **members, answerable=bool(expected))
        for item in dict.fromkeys(expected):
            found.judge(name, item, 1, place)
    stated = {name: value for name, value in origin.items() if value}
    is_published = canonical.sha256_hex(data) in PUBLISHED.values()
    license_of = (
        {"license": LICENSE, "source": SOURCE} if is_published else {"license": "not stated", "source": where}
    )
    own = {name: str(document.get(name) or "") for name in ("notes", "description")}
    made = Origin.of("seed", {**license_of, **own, **stated}, PUBLISHED)
    subset = document.get("subset")
    return found.fixture(
        data,
        made,
        fixture_id or slug_of(str(document.get("id") or "")) or "seed",
        benchmark=str(document.get("benchmark") or document.get("id") or "seed"),
        subset=subset if isinstance(subset, str) and subset else None,
        granularity="session",
    )


def _object(data: bytes, where: str) -> dict[str, Any]:
    found = json_document(data, where)
    if not isinstance(found, dict):
        raise InputError(
            f"{where}: not a JSON object", hint="the seed's format is an object with items and queries"
        )
    return found


def _rows(document: Mapping[str, Any], name: str, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    rows = document.get(name)
    if not isinstance(rows, list):
        raise InputError(
            f"{where}: no list {name}", hint="the seed's format is an object with items and queries"
        )
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise InputError(f"{where}: {name}[{number}] is not an object", hint="correct the file")
        yield f"{where}: {name}[{number}]", row
