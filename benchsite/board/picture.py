"""Items by systems as one picture: a cell a kind of result, items in the order that shows who solves what.

Within a category the items that more systems solve come first; among these, equal patterns are neighbors, so that a row
is few stretches. At most `ROWS` systems and `DRAWN` items are drawn; counts are over every item of these systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from benchsite.board.matrix import Solved
from benchsite.board.ranks import Vector
from benchsite.board.rows import Row
from benchsite.track import Metric
from benchsite.words import figure

if TYPE_CHECKING:
    from benchsite.board.board import Board

__all__ = ["DRAWN", "NOT_RUN", "ROWS", "Kind", "Picture", "graded", "picture"]

ROWS: Final = 40
"""Systems of a picture, the best ones."""
DRAWN: Final = 2_000
"""Items of a picture: of more, every so many-th."""
NOT_RUN: Final = "-"
"""The cell of an item that a system did not run."""
OTHER: Final = "other"
"""The category of items without one, if others have one."""


class Kind(NamedTuple):
    """One kind of cell.

    Attributes:
        key: one letter, by which cells state it.
        words: what it means, for the legend and the tables.
        tone: its color class: `good`, `part`, `some`, `plain`, `bad` or `dim`.
        solved: whether the item counts as solved.
    """

    key: str
    words: str
    tone: str
    solved: bool


class Group(NamedTuple):
    """The items of a category: `start` is the place of the first."""

    name: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The cells of the best systems of a leaderboard.

    Attributes:
        rows: best first, baselines among them.
        more: systems of the leaderboard that are not drawn.
        items: every item, in the order of the picture.
        groups: the categories in this order; one without a name if items have none.
        cells: for each row a letter of `kinds` or `NOT_RUN` for each item.
        kinds: in the order of the legend.
    """

    rows: tuple[Row, ...]
    more: int
    items: tuple[str, ...]
    groups: tuple[Group, ...]
    cells: tuple[str, ...]
    kinds: tuple[Kind, ...]

    @property
    def step(self) -> int:
        """Every so many-th item is drawn."""
        return max(1, -(-len(self.items) // DRAWN))

    @property
    def gap(self) -> int:
        """Width between two categories, the width of a drawn item being 1."""
        drawn = -(-len(self.items) // self.step)
        return max(1, drawn // 110) if len(self.groups) > 1 else 0

    @property
    def systems(self) -> tuple[tuple[Row, str], ...]:
        """The rows that are no baselines, with their cells."""
        pairs = zip(self.rows, self.cells, strict=True)
        return tuple((row, cells) for row, cells in pairs if not row.baseline)

    @property
    def solvers(self) -> tuple[int | None, ...]:
        """For each item how many systems solve it, without baselines; None if one of them did not run it."""
        good = {kind.key for kind in self.kinds if kind.solved}
        columns = zip(*(cells for _, cells in self.systems), strict=True) if self.systems else ()
        found = tuple(None if NOT_RUN in item else sum(cell in good for cell in item) for item in columns)
        return found or (None,) * len(self.items)

    @property
    def solved(self) -> Solved | None:
        """How many items none, one and all systems solve; None with fewer than two systems."""
        every, counts = len(self.systems), [count for count in self.solvers if count is not None]
        if every < 2:
            return None
        return Solved(every, len(counts), counts.count(0), counts.count(1), counts.count(every))

    @property
    def present(self) -> tuple[Kind, ...]:
        """The kinds that any cell is of."""
        return tuple(kind for kind in self.kinds if any(kind.key in cells for cells in self.cells))

    def counts(self, cells: str) -> tuple[int, ...]:
        """How many cells of a row are of each kind that is present."""
        found = Counter(cells)
        return tuple(found[kind.key] for kind in self.present)

    def by_solvers(self, group: Group) -> Iterator[tuple[int | None, tuple[str, ...]]]:
        """Yield the number of solvers and the items of a category that so many solve, most first."""
        places = range(group.start, group.start + group.size)
        solvers = self.solvers
        for count, same in groupby(places, key=lambda place: solvers[place]):
            yield count, tuple(self.items[place] for place in same)


def picture(
    made: Board, rows: Sequence[Row], vectors: Mapping[str, Vector], categories: Mapping[str, str]
) -> Picture | None:
    """Return the picture of a leaderboard; None without an item.

    Args:
        made: the leaderboard.
        rows: best first.
        vectors: receipt id to item id to value.
        categories: item id to category.
    """
    shown = [row for row in rows if vectors.get(row.header.receipt_id)][:ROWS]
    if not shown:
        return None
    kinds, kind_of = made.about.cells or graded(made.about.metric)
    columns = [
        {item: kind_of(row, item, value) for item, value in vectors[row.header.receipt_id].items()}
        for row in shown
    ]
    items = list(dict.fromkeys(item for column in columns for item in column))
    ordered, groups = _ordered(items, shown, columns, kinds, categories)
    cells = tuple("".join(column.get(item, NOT_RUN) for item in ordered) for column in columns)
    return Picture(tuple(shown), len(rows) - len(shown), tuple(ordered), groups, cells, kinds)


def _ordered(
    items: Sequence[str],
    rows: Sequence[Row],
    columns: Sequence[Mapping[str, str]],
    kinds: Sequence[Kind],
    categories: Mapping[str, str],
) -> tuple[list[str], tuple[Group, ...]]:
    """The items by category, solvers, pattern and id, and the categories."""
    good = {kind.key for kind in kinds if kind.solved}
    rank = {kind.key: place for place, kind in enumerate(kinds)} | {NOT_RUN: len(kinds)}
    solvers = [column for row, column in zip(rows, columns, strict=True) if not row.baseline]
    named = any(item in categories for item in items)

    def category(item: str) -> str:
        return categories.get(item, OTHER) if named else ""

    def place(item: str) -> tuple[str, int, tuple[int, ...], str]:
        count = sum(column.get(item) in good for column in solvers)
        pattern = tuple(rank[column.get(item, NOT_RUN)] for column in columns)
        return category(item), -count, pattern, item

    ordered = sorted(items, key=place)
    groups, start = [], 0
    for name, same in groupby(ordered, key=category):
        size = sum(1 for _ in same)
        groups.append(Group(name, start, size))
        start += size
    return ordered, tuple(groups)


KindOf = Callable[[Row, str, float], str]


def graded(metric: Metric) -> tuple[tuple[Kind, ...], KindOf]:
    """Return kinds of a number from 0 to the metric's most: all, at least half, less, and nothing."""
    most, label = metric.most, metric.label
    full, half = (figure(share * most, 1) if most != 1 else f"{share:g}" for share in (1, 0.5))
    kinds = (
        Kind("a", f"{label} = {full}", "good", solved=True),
        Kind("b", f"≥ {half}", "part", solved=True),
        Kind("c", f"< {half}", "some", solved=True),
        Kind("d", "0", "plain", solved=False),
    )

    def kind_of(_row: Row, _item: str, value: float) -> str:
        if value <= 0:
            return "d"
        return "a" if value >= most else "b" if value >= most / 2 else "c"

    return kinds, kind_of
