"""A leaderboard: one fixture under one methodology version, ranked with ties (specs/retrieval.md, "Boards").

Every board ranks by nDCG@10, so that one column never holds two cut-offs; which receipts lack it is said by
`verification`. A row is the latest receipt of a system, version and configuration, never the best; what somebody sent
has a row of its own, one a sender. Floors are shown and not ranked; a floor that this site has not run is said to be
"not run". A reproduction takes nobody's place: it is listed apart. So is a run that was announced and never reported.
No number is averaged across boards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsite.addresses import board_path
from benchsite.history import Header, History, Unreported
from benchsite.history import Row as LatestRow
from benchsite.receipt import Document
from benchsite.track import Bodies, Library
from benchsite.tracks.retrieval.board_words import readable
from benchsite.tracks.retrieval.figures import item_word, no_width, saturation
from benchsite.tracks.retrieval.ranks import Standing, Vector, against_floor, per_query, rank, reference
from benchsite.tracks.retrieval.row import FLOORS, Row, best_first, floors_in_order, row_of
from benchsite.tracks.retrieval.verification import HEADLINE_K, METRIC


@dataclass(frozen=True, slots=True)
class Board:
    """Everything a board's page and its data files say."""

    fixture: str
    fixture_sha256: str
    methodology: str
    newer: str
    current: str
    item: str
    title: str
    counts: Mapping[str, int]
    saturation: str
    description: str
    license: str
    ranked: tuple[Row, ...]
    floors: tuple[Row, ...]
    missing_floors: tuple[str, ...]
    unranked: tuple[Header, ...]
    reproductions: tuple[Header, ...]
    unreported: tuple[Unreported, ...]
    tested: bool
    standing: Standing | None

    @property
    def metric(self) -> str:
        """What it is ranked by, on every board."""
        return METRIC

    @property
    def k(self) -> int:
        """The cut-off of `metric`."""
        return HEADLINE_K

    @property
    def path(self) -> str:
        """The permanent page of the fixture; it shows the newest methodology version with receipts."""
        return board_path("retrieval", self.fixture)

    @property
    def frozen_path(self) -> str:
        """The permanent page of the fixture under this methodology version."""
        return board_path("retrieval", self.fixture, self.methodology)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Ranked systems, best first, then floors."""
        return self.ranked + self.floors

    @property
    def floor(self) -> float | None:
        """Where the reference line stands: the newest bm25 floor with default options."""
        row = reference(self.floors)
        return row.value if row else None

    @property
    def values(self) -> list[float]:
        """What the shared scale must hold: the intervals of the ranked systems, and of bm25."""
        rows = (*self.ranked, *(row for row in self.floors if row.name == "bm25" or not self.ranked))
        return [bound for row in rows for bound in (row.value, row.low, row.high) if bound is not None]

    @property
    def leaders(self) -> tuple[Row, ...]:
        """The systems that may be first."""
        return tuple(row for row in self.ranked if row.first == 1)

    @property
    def systems(self) -> int:
        """How many systems are ranked, a system in several configurations counted once."""
        return len({row.name for row in self.ranked})

    @property
    def collapsed(self) -> bool:
        """Whether some interval on the page has no width."""
        ends = [(row.low, row.high) for row in self.rows]
        ends += [(part.low, part.high) for row in self.rows for part in row.categories]
        return any(no_width(low, high) for low, high in ends)


def board(
    history: History,
    headers: Sequence[Header],
    bodies: Bodies,
    library: Library,
    *,
    methodology: str,
    newer: str,
) -> Board:
    """Compose the board of receipts that share a fixture and a methodology version.

    Args:
        history: where the newest receipt of each row is found.
        headers: every receipt of the fixture under this version, ranked or not, in log order.
        bodies: receipt bodies by id.
        library: the fixture, where it may be shown.
        methodology: the version.
        newer: a later version under which this fixture was measured too, or empty.
    """
    entries = [_entry(found, bodies(found.header.receipt_id)) for found in history.rows(headers)]
    contenders = sorted((entry.row for entry in entries if not entry.row.floor), key=best_first)
    floors = tuple(sorted((entry.row for entry in entries if entry.row.floor), key=floors_in_order))
    vectors = {entry.row.header.receipt_id: entry.vector for entry in entries}
    ranked, tested = rank(contenders, vectors)
    summaries = (header.summary for header in reversed(headers))
    target, sha256 = next(((found.target, found.target_sha256) for found in summaries if found), ("", ""))
    fixture = library.fixture(target, sha256) or {}
    superseding = library.newer("retrieval", methodology)
    newest = max(entries, key=lambda entry: entry.row.header.index or 0, default=None)
    counts, item = (newest.counts, newest.item) if newest else ({}, "item")
    return Board(
        fixture=target,
        fixture_sha256=sha256,
        methodology=methodology,
        newer=newer,
        current="" if superseding is None else superseding.version,
        item=item,
        title=f"Finding the right {item} in {readable(target, item)}",
        counts=counts,
        saturation=saturation(counts, HEADLINE_K, item),
        description=str(fixture.get("description", "")),
        license=str(fixture.get("license", "")),
        ranked=ranked,
        floors=floors,
        missing_floors=tuple(name for name in FLOORS if name not in {row.name for row in floors}),
        unranked=tuple(header for header in headers if not header.ranked and header.reproduces is None),
        reproductions=tuple(header for header in headers if header.reproduces is not None),
        unreported=_unreported(history, target, methodology),
        tested=tested,
        standing=against_floor(ranked[0], floors, vectors) if ranked and tested else None,
    )


def _unreported(history: History, target: str, methodology: str) -> tuple[Unreported, ...]:
    """Announced runs on this fixture, under this version, that no receipt reports."""
    here = ("retrieval", target, methodology)
    return tuple(item for item in history.unreported if (item.track, item.target, item.methodology) == here)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a board keeps of one receipt's body: its row, the values a paired test compares, the fixture's counts."""

    row: Row
    vector: Vector
    counts: Mapping[str, int]
    item: str


def _entry(found: LatestRow, document: Document) -> _Entry:
    row = row_of(found.header, found.runs, document)
    return _Entry(
        row=row,
        vector=per_query(document),
        counts={key: value for key, value in document["fixture"].items() if isinstance(value, int)},
        item=item_word(document),
    )
