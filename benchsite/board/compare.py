"""The systems of a leaderboard side by side: every pair with its difference, and the values of every item.

The difference of a pair has the CI of Student's t over the differences of its items and the p-value of the leaderboard's
paired test, unadjusted. A track without a paired test compares the two CIs instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from benchsite.board.matrix import Matrix, matrix
from benchsite.board.ranks import Vector, counts
from benchsite.board.rows import Row
from benchsite.stats import mean_interval
from benchsite.track import Metric
from benchsite.words import p_value

if TYPE_CHECKING:
    from benchsite.board.board import Board

MOST: Final = 12
"""Systems side by side: a table of pairs has 66 rows then."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on the same items.

    Attributes:
        delta: of the headline number, the first less the second.
        low, high: the 95% CI of the paired difference; None without a paired test.
        p: of the paired test, unadjusted; None without one.
        tied: whether p is at least the level, or the two CIs overlap; None without a test and without CIs.
        wins, losses, ties: items on which the first has the higher value, the lower one, the same.
        metric: how the difference is shown.
    """

    first: Row
    second: Row
    delta: float
    low: float | None
    high: float | None
    p: float | None
    tied: bool | None
    wins: int
    losses: int
    ties: int
    metric: Metric

    @property
    def ids(self) -> tuple[str, str]:
        """The two receipts."""
        return self.first.header.receipt_id, self.second.header.receipt_id

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Difference, CI, test, and wins / losses / ties as tables show them."""
        interval = "–"
        if self.low is not None and self.high is not None:
            low, high = (self.metric.difference(end).removesuffix(" pt") for end in (self.low, self.high))
            interval = f"[{low}, {high}]"
        counted = f"{self.wins:,} / {self.losses:,} / {self.ties:,}"
        return self.metric.difference(self.delta), interval, self._test, counted

    @property
    def _test(self) -> str:
        if self.p is not None:
            return f"{p_value(self.p)}{', n.s.' if self.tied else ''}"
        return "–" if self.tied is None else "overlap" if self.tied else "do not overlap"

    @property
    def reversed(self) -> Pair:
        """The same in the other order."""
        low, high = (None if end is None else 0 - end for end in (self.high, self.low))
        return replace(
            self,
            first=self.second,
            second=self.first,
            delta=0 - self.delta,  # never -0.0, which JSON refuses
            low=low,
            high=high,
            wins=self.losses,
            losses=self.wins,
        )

    @property
    def record(self) -> Mapping[str, Any]:
        """The pair in a data file; `shown` is what a page writes, so that numbers are rounded in one place."""
        delta, interval, p, _ = self.cells
        first, second = self.ids
        return {
            "first": first,
            "second": second,
            "delta": self.delta,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "tied": self.tied,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "shown": {"delta": delta, "interval": interval, "p": p},
        }


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The best systems of a leaderboard, at most `MOST`, baselines and imported results among them.

    Attributes:
        rows: best first.
        more: whether the leaderboard has further rows.
        matrix: the value of each item.
        pairs: of systems that ran the same items, the better one first.
        test: the paired test in words; empty without one.
    """

    rows: tuple[Row, ...]
    more: bool
    matrix: Matrix
    pairs: tuple[Pair, ...]
    test: str

    @property
    def records(self) -> list[Mapping[str, Any]]:
        """Every pair in both orders, as data files have them."""
        return [one.record for pair in self.pairs for one in (pair, pair.reversed)]


def side_by_side(made: Board, vectors: Mapping[str, Vector]) -> SideBySide:
    """Return the systems of a leaderboard side by side.

    Args:
        made: the leaderboard.
        vectors: receipt id to item id to value.
    """
    every = by_value((*made.rows, *made.imported.ranked))
    rows = tuple(every[:MOST])
    ids = {row.header.receipt_id for row in rows}
    return SideBySide(
        rows=rows,
        more=len(every) > MOST,
        matrix=matrix(rows, vectors),
        pairs=tuple(_pairs(made, rows, vectors)),
        test=made.test.words(ids) if made.about.compared is not None else "",
    )


def by_value(rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows best first, baselines among the rest."""
    return sorted(rows, key=lambda row: float("inf") if row.value is None else -row.value)


def _pairs(made: Board, rows: Sequence[Row], vectors: Mapping[str, Vector]) -> Iterator[Pair]:
    for first, second in combinations(rows, 2):
        if (found := pair(made, first, second, vectors)) is not None:
            yield found


def pair(made: Board, first: Row, second: Row, vectors: Mapping[str, Vector]) -> Pair | None:
    """Compare two rows of a leaderboard; None without a value of each, or on other items.

    Args:
        made: the leaderboard, whose paired test is used.
        first, second: the difference is the first less the second.
        vectors: receipt id to item id to value, of both rows at least.
    """
    a, b = (vectors.get(row.header.receipt_id, {}) for row in (first, second))
    if first.value is None or second.value is None or not a or a.keys() != b.keys():
        return None
    delta = first.value - second.value
    low, high, p, tied = None, None, None, _overlap(first, second)
    result = made.test.compared(first, second)
    if result is not None:
        interval = mean_interval([a[item] - b[item] for item in sorted(a)]) if len(a) > 1 else None
        low, high = interval or (delta, delta)
        p, tied = result.p, result.tied
    return Pair(first, second, delta, low, high, p, tied, *counts(a, b), made.about.metric)


def _overlap(first: Row, second: Row) -> bool | None:
    """Whether the two CIs overlap; None without both."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return None
    return first.low <= second.high and second.low <= first.high
