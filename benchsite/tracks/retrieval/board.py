"""A leaderboard: one fixture under one methodology version, ranked with ties (specs/retrieval.md, "Boards").

Every board ranks by nDCG@10, so that one column never holds two cut-offs; which receipts lack it is said by
`verification`. A row is the latest receipt of a system, version and configuration, never the best. Floors are shown
and not ranked; a floor nobody has run is said to be "not run". No number is averaged across boards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from benchsite import canonical
from benchsite.addresses import board_path
from benchsite.history import Header, History
from benchsite.history import Row as LatestRow
from benchsite.receipt import Document
from benchsite.stats import holm, paired_randomisation
from benchsite.track import Bodies, Library
from benchsite.tracks.retrieval.figures import Category, categories, item_word, no_width, saturation
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scoring import Query
from benchsite.tracks.retrieval.verification import HEADLINE_K, METRIC
from benchsite.words import counted as count_of
from benchsite.words import number_word

FLOORS: Final = ("bm25", "recency", "random")
LEVEL: Final = 0.05

AUTHOR: Final = "benchsite"
"""Who wrote the floors."""

Standing = Literal["above", "level", "below"]
"""How the leader stands against the bm25 floor; `level` where a paired test cannot tell them apart."""

Vector = Mapping[str, float]
"""Query id to the headline measure of that query."""


@dataclass(frozen=True, slots=True)
class Row:
    """One system on a board.

    Attributes:
        first, last: the range of ranks it may hold, from 1; None for floors and where no test could be made.
        tied: how it stands in its tie group: "", "first", "inner" or "last".
        found, asked: queries with a right item among the first k, and queries scored.
    """

    header: Header
    runs: int
    value: float | None
    low: float | None
    high: float | None
    success: float | None
    found: int | None
    asked: int | None
    categories: tuple[Category, ...]
    floor: bool
    first: int | None = None
    last: int | None = None
    tied: str = ""

    @property
    def name(self) -> str:
        """The system's name."""
        return self.header.summary.subject.name if self.header.summary else ""

    @property
    def version(self) -> str:
        """The system's version."""
        return self.header.summary.subject.version if self.header.summary else ""

    @property
    def label(self) -> str:
        """Its configuration in words, empty with an adapter's default options."""
        return self.header.summary.subject.label if self.header.summary else ""

    @property
    def rank(self) -> str:
        """`1`, or `2–4` where a paired test cannot tell the systems apart."""
        if self.first is None:
            return ""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

    @property
    def rank_words(self) -> str:
        """`2nd to 4th`."""
        if self.first is None or self.last is None:
            return "not ranked"
        if self.first == self.last:
            return ordinal(self.first)
        return f"{ordinal(self.first)} to {ordinal(self.last)}"


@dataclass(frozen=True, slots=True)
class Board:
    """Everything a board's page and its data files say."""

    fixture: str
    fixture_sha256: str
    methodology: str
    newer: str
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
        row = _reference(self.floors)
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
    contenders = sorted((entry.row for entry in entries if not entry.row.floor), key=_best_first)
    floors = tuple(sorted((entry.row for entry in entries if entry.row.floor), key=_floors_in_order))
    vectors = {entry.row.header.receipt_id: entry.vector for entry in entries}
    ranked, tested = rank(contenders, vectors)
    target, sha256 = next(
        ((found.target, found.target_sha256) for header in reversed(headers) if (found := header.summary)),
        ("", ""),
    )
    fixture = library.fixture(target, sha256) or {}
    newest = max(entries, key=lambda entry: entry.row.header.index or 0, default=None)
    counts, item = (newest.counts, newest.item) if newest else ({}, "item")
    return Board(
        fixture=target,
        fixture_sha256=sha256,
        methodology=methodology,
        newer=newer,
        item=item,
        title=f"Finding the right {item} in {readable(target, item)}",
        counts=counts,
        saturation=saturation(counts, HEADLINE_K, item),
        description=str(fixture.get("description", "")),
        license=str(fixture.get("license", "")),
        ranked=ranked,
        floors=floors,
        missing_floors=tuple(name for name in FLOORS if name not in {row.name for row in floors}),
        unranked=tuple(header for header in headers if not header.ranked),
        tested=tested,
        standing=against_floor(ranked[0], floors, vectors) if ranked and tested else None,
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a board keeps of one receipt's body: its row, the values a paired test compares, the fixture's counts."""

    row: Row
    vector: Vector
    counts: Mapping[str, int]
    item: str


def _entry(found: LatestRow, document: Document) -> _Entry:
    row = _row(found.header, found.runs, document)
    return _Entry(
        row=row,
        vector=per_query(document),
        counts={key: value for key, value in document["fixture"].items() if isinstance(value, int)},
        item=item_word(document),
    )


def is_floor(document: Document) -> bool:
    """Whether it measured a built-in reference adapter: by name and author, so that a namesake is a system like others."""
    adapter = document["adapter"]
    return adapter["name"] in FLOORS and adapter.get("author") == AUTHOR


def per_query(document: Document) -> Vector:
    """nDCG@10 of every scored query; empty where the receipt does not record what was expected."""
    rows = document["perQuery"]
    if any("expected" not in row for row in rows):
        return {}
    asked = [(row["queryId"], Query.from_row(row)) for row in rows]
    values = score((query for _, query in asked), (HEADLINE_K,)).per_query("ndcg", HEADLINE_K)
    names = [name for name, query in asked if query.answerable and query.ideal]
    return dict(zip(names, values, strict=True))


def rank(rows: Sequence[Row], vectors: Mapping[str, Vector]) -> tuple[tuple[Row, ...], bool]:
    """Ranks with ties, from the top down.

    The best row not yet placed leads a group. Each row below is compared with it by the paired randomisation
    test (10,000 flips), the p-values are corrected after Holm, and the group ends before the first row that
    differs at the 5 % level.

    Args:
        rows: best first.
        vectors: receipt id to per-query values, over the same queries.

    Returns:
        The rows with their ranges, and False where a row could not be tested: then nobody has a rank.
    """
    queries = {frozenset(vectors.get(row.header.receipt_id, ())) for row in rows}
    if rows and (len(queries) > 1 or queries == {frozenset()}):
        return tuple(rows), False
    placed: list[Row] = []
    while len(placed) < len(rows):
        start = len(placed)
        size = 1 + _tied(rows[start:], vectors)
        for offset, row in enumerate(rows[start : start + size]):
            tied = "" if size == 1 else "first" if offset == 0 else "last" if offset == size - 1 else "inner"
            placed.append(replace(row, first=start + 1, last=start + size, tied=tied))
    return tuple(placed), True


def _tied(rows: Sequence[Row], vectors: Mapping[str, Vector]) -> int:
    """How many of the rows below the first cannot be told apart from it."""
    leader = rows[0].header.receipt_id
    p_values = [_p_value(leader, row.header.receipt_id, vectors) for row in rows[1:]]
    adjusted = holm(p_values) if p_values else []
    return next((place for place, p in enumerate(adjusted) if p < LEVEL), len(adjusted))


def _p_value(a: str, b: str, vectors: Mapping[str, Vector]) -> float:
    order = sorted(vectors[a])
    return paired_randomisation(
        [vectors[a][query] for query in order], [vectors[b][query] for query in order], seed=seed(a, b)
    )


def _reference(floors: Iterable[Row]) -> Row | None:
    """The newest bm25 floor with default options."""
    return next((row for row in floors if row.name == "bm25" and not row.label), None)


def against_floor(leader: Row, floors: Iterable[Row], vectors: Mapping[str, Vector]) -> Standing | None:
    """How the first row stands against the bm25 floor, by the paired test that makes the ranks.

    It is one comparison, so nothing is corrected. None where the floor was not run or not over the same queries.
    """
    floor = _reference(floors)
    if floor is None or leader.value is None or floor.value is None:
        return None
    a, b = leader.header.receipt_id, floor.header.receipt_id
    if not vectors[a] or vectors[a].keys() != vectors[b].keys():
        return None
    if _p_value(a, b, vectors) >= LEVEL:
        return "level"
    return "above" if leader.value > floor.value else "below"


def seed(*receipt_ids: str) -> int:
    """The first 8 bytes of SHA-256 of the sorted receipt ids, joined by line feeds."""
    return int(canonical.sha256_hex("\n".join(sorted(receipt_ids)).encode("ascii"))[:16], 16)


def _row(header: Header, runs: int, document: Document) -> Row:
    assert header.summary is not None  # noqa: S101 - History.rows gives quotable headers only
    headline, success = header.summary.headline, f"success_at_{HEADLINE_K}"
    counted = document["denominators"].get(success) or {}
    return Row(
        header=header,
        runs=runs,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        success=document["scores"].get(success),
        found=counted.get("num"),
        asked=counted.get("den"),
        categories=categories(document, METRIC, HEADLINE_K),
        floor=is_floor(document),
    )


def _floors_in_order(row: Row) -> tuple[int, int]:
    """In the order of `FLOORS`, the newest of a name first."""
    return FLOORS.index(row.name), -(row.header.index or 0)


def _best_first(row: Row) -> tuple[float, str, str]:
    return (-1.0 if row.value is None else -row.value, row.name, row.header.receipt_id)


def readable(fixture: str, item: str) -> str:
    """A fixture's id as a title says it: `three-notebooks-v1` as words; `locomo-10-turn` as the name `locomo-10`."""
    bare = re.sub(r"-v[0-9]+$", "", fixture).removesuffix(f"-{item}")
    return bare if any(char.isdigit() for char in bare) else bare.replace("-", " ")


def system_words(rows: Sequence[Row]) -> str:
    """Rows as what they are: `two systems`, `two configurations of a`, `two systems in three configurations`."""
    systems = len({row.name for row in rows})
    if systems == len(rows):
        return count_of(systems, "system")
    if systems == 1:
        return f"{number_word(len(rows))} {variants(rows)} of {rows[0].name}"
    return f"{count_of(systems, 'system')} in {number_word(len(rows))} {variants(rows)}"


def variants(rows: Iterable[Row]) -> str:
    """What tells rows of one name apart, in the plural: configurations, unless its version differs too."""
    versions: dict[str, set[str]] = {}
    labels: dict[str, set[str]] = {}
    for row in rows:
        versions.setdefault(row.name, set()).add(row.version)
        labels.setdefault(row.name, set()).add(row.label)
    if all(len(found) == 1 for found in versions.values()):
        return "configurations"
    if all(len(found) == 1 for found in labels.values()):
        return "versions"
    return "versions or configurations"


def category_names(rows: Iterable[Row]) -> tuple[list[str], list[str]]:
    """The categories that have a headline measure, and those that have none, each in name order."""
    found = [category for row in rows for category in row.categories]
    measured = {category.name for category in found if category.value is not None}
    return sorted(measured), sorted({category.name for category in found} - measured)


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
