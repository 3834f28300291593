"""The JSON Schemas of the site's data files, and the data dictionary: what programs that read `/api/v1/` are promised."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchsite import canonical
from benchsite.addresses import schema_path
from benchsite.board import Leaderboard
from benchsite.board.dictionary import dictionary
from benchsite.board.schemas import (
    DIALECT,
    comparison_schema,
    index_schema,
    leaderboard_schema,
    per_query_schema,
)
from benchsite.track import Page, Track

__all__ = ["shared_schemas", "track_schemas"]


def track_schemas(about: Leaderboard, root: str) -> Iterator[Page]:
    """Yield the schemas of a track's receipts, by version, and of its leaderboards; `root` is the site's address."""
    track = about.track
    for version, schema in track.schemas().items():
        yield _page(schema_path(f"receipt-{version}", track.name), schema, root)
    # The address of the newest schema, from before schemas had versions.
    yield _page(schema_path(track.name), track.schema(), root)
    yield _page(schema_path("leaderboard", track.name), leaderboard_schema(about), root)
    if about.items or about.compared:
        yield _page(schema_path("comparison", track.name), comparison_schema(about), root)
        yield _page(schema_path("per-query", track.name), per_query_schema(about), root)


def shared_schemas(
    tracks: Mapping[str, Track], leaderboards: Iterable[Leaderboard], root: str
) -> Iterator[Page]:
    """Yield the schemas of the files that no track owns, and the dictionary of all tables."""
    yield _page(schema_path("index"), index_schema(), root)
    tables = dictionary(tracks.values(), leaderboards)
    yield Page(path="api/v1/dictionary.json", data=canonical.dumps({"v": 1, "tables": tables}))


def _page(path: str, schema: Mapping[str, Any], root: str) -> Page:
    """A schema under the address that is its `$id`; relative to the site if the site's address is unknown."""
    named = {"$schema": DIALECT, **schema, "$id": f"{root or '/'}{path}"}
    return Page(path=path, data=json.dumps(named, indent=1, sort_keys=True).encode() + b"\n")
