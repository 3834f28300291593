"""Ranks with ties: by a paired test, task by task, where a track gives one number a task; else by intervals.

Follows specs/retrieval.md, "Boards". The tests are seeded by the data, so that every reader gets the same ranks, and
publishing again is no new draw. By intervals a rank is a range: every place where no interval is wholly above or wholly below its own. Where there are no
intervals, equal numbers tie.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from benchsite.board.rows import Comparison, Row
from benchsite.board.summary_text import separable
from benchsite.history import Header
from benchsite.stats import binary_pairs_needed, holm, mcnemar, paired_randomisation, pairs_needed

Vector = Mapping[str, float]
"""Task id to the headline number of that task; empty where the receipt does not hold it."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The paired test of a board: McNemar's exact test where both receipts have one run a task, else randomization.

    Attributes:
        vectors: receipt id to per-task values.
        flips: random sign assignments.
        level: two rows differ below it.
        seed: of the generator, the same for every comparison; `seed` makes it.
        once: receipts whose values are of one run a task, each 0 or 1.
    """

    vectors: Mapping[str, Vector]
    flips: int
    level: float
    seed: int
    once: frozenset[str] = frozenset()

    def p_value(self, a: str, b: str) -> float:
        """Of two receipts having the same mean, over the tasks of the first."""
        if {a, b} <= self.once:
            wins, losses, _ = counts(self.vectors[a], self.vectors[b])
            return mcnemar(wins, losses)
        order = sorted(self.vectors[a])
        values = ([self.vectors[name][task] for task in order] for name in (a, b))
        return paired_randomisation(*values, seed=self.seed, flips=self.flips)

    def words(self, receipts: AbstractSet[str]) -> str:
        """Name the test of these receipts."""
        if receipts <= self.once:
            return "McNemar's exact test"
        if not receipts & self.once:
            return "paired randomization test"
        return "McNemar's exact test where each task was run once, else a paired randomization test"

    def compared(self, row: Row, other: Row | None) -> Comparison | None:
        """A row with another one, as one pair; None for itself, without a value, or over other tasks."""
        if other is None or row.value is None or other.value is None:
            return None
        a, b = row.header.receipt_id, other.header.receipt_id
        if a == b or not self.vectors[a] or self.vectors[a].keys() != self.vectors[b].keys():
            return None
        p = self.p_value(a, b)
        return Comparison(row.value - other.value, p, p, p >= self.level)

    def family(self, rows: Sequence[Row], other: Row | None) -> list[Comparison | None]:
        """Each row with the same other one, Holm-adjusted over the rows that can be compared with it."""
        found = [self.compared(row, other) for row in rows]
        p_values = [one.p for one in found if one is not None]
        adjusted = iter(holm(p_values) if p_values else ())
        return [one and one._replace(holm=(p := next(adjusted)), tied=p >= self.level) for one in found]


def counts(first: Vector, second: Vector) -> tuple[int, int, int]:
    """Count the tasks on which the first has the higher value, the second has, and neither has."""
    wins = sum(value > second[task] for task, value in first.items())
    losses = sum(value < second[task] for task, value in first.items())
    return wins, losses, len(first) - wins - losses


def by_test(rows: Sequence[Row], test: PairedTest) -> tuple[tuple[Row, ...], bool]:
    """Ranks with ties, from the top down.

    The best row not yet placed leads a group. Each row below is compared with it by the paired randomization
    test, the p-values are Holm-adjusted, and the group ends before the first row that differs at the test's level.

    Args:
        rows: best first.
        test: over the same tasks.

    Returns:
        The rows with their ranges, and False where a row could not be tested: then no row has a rank.
    """
    tasks = {frozenset(test.vectors.get(row.header.receipt_id, ())) for row in rows}
    if rows and (len(tasks) > 1 or tasks == {frozenset()}):
        return tuple(rows), False
    placed: list[Row] = []
    while len(placed) < len(rows):
        start = len(placed)
        size = 1 + _tied(rows[start:], test)
        group = [replace(row, first=start + 1, last=start + size) for row in rows[start : start + size]]
        placed += _bracketed(group)
    return tuple(placed), True


def resolution(rows: Sequence[Row], test: PairedTest, tasks: str) -> str:
    """How many adjacent rows the test separates, Holm-adjusted, and how many tasks the first two would need.

    Args:
        rows: best first, over the same tasks.
        test: of any two of them.
        tasks: what the tests pair, in the plural.

    Returns:
        The line; empty for fewer than two rows.
    """
    names = [row.header.receipt_id for row in rows]
    p_values = [test.p_value(above, below) for above, below in pairwise(names)]
    if not p_values:
        return ""
    adjacent = [p < test.level for p in holm(p_values)]
    a, b = (test.vectors[name] for name in names[:2])
    wins, losses, _ = counts(a, b)
    differences = [a[task] - b[task] for task in sorted(a)]
    is_binary = set(names[:2]) <= test.once
    needed = binary_pairs_needed(wins, losses, len(a)) if is_binary else pairs_needed(differences)
    one = f"{tasks[:-3]}y" if tasks.endswith("ies") else tasks.removesuffix("s")
    total = math.fsum(
        [*a.values(), *(-value for value in b.values())]
    )  # exactly 0 for the same values in any order
    return separable(adjacent, len(a), total, p_values[0], needed, (one, tasks))


def by_interval(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows, best first, each with its range of ranks; one without a value has none."""
    held = [_ends(row) for row in rows if row.value is not None]
    lows, highs = sorted(low for low, _ in held), sorted(high for _, high in held)
    found = [_placed(row, lows, highs) for row in rows]
    groups = [list(same) for _, same in groupby(found, key=lambda row: (row.first, row.last))]
    return tuple(row for group in groups for row in _bracketed(group))


def compared(
    ranked: Sequence[Row], baselines: Sequence[Row], reference: Row | None, test: PairedTest
) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Both with their comparisons with the first row and with the reference, and tied baselines in its bracket.

    P-values are adjusted over the ranked rows, as ranks are, and over the baselines among themselves. A bracket joins neighbors: a baseline that is tied with the first row is in its bracket where every row above is.
    """
    leader = ranked[0] if ranked else None
    rows = [
        replace(row, to_leader=to_leader, to_baseline=to_baseline)
        for among in (ranked, baselines)
        for row, to_leader, to_baseline in zip(
            among, test.family(among, leader), test.family(among, reference), strict=True
        )
    ]
    joined = next((place for place, row in enumerate(rows) if not _with_leader(row)), len(rows))
    if joined > len(ranked) > 0:
        rows[:joined] = _bracketed(rows[:joined])
    for place, row in enumerate(rows):
        if row.baseline and place >= joined and row.to_leader is not None and row.to_leader.tied:
            rows[place] = replace(row, tied="alone")
    return tuple(rows[: len(ranked)]), tuple(rows[len(ranked) :])


def _with_leader(row: Row) -> bool:
    """Whether a row is the first one or tied with it."""
    return row.first == 1 or (row.baseline and row.to_leader is not None and row.to_leader.tied)


def seed(header: Header) -> int:
    """The first 8 bytes of the SHA-256 of what was run: nothing in it changes when a receipt is published again."""
    return int(header.summary.target_sha256[:16], 16) if header.summary is not None else 0


def _tied(rows: Sequence[Row], test: PairedTest) -> int:
    """How many of the rows below the first are tied with it."""
    leader = rows[0].header.receipt_id
    p_values = [test.p_value(leader, row.header.receipt_id) for row in rows[1:]]
    adjusted = holm(p_values) if p_values else []
    return next((place for place, p in enumerate(adjusted) if p < test.level), len(adjusted))


def _placed(row: Row, lows: Sequence[float], highs: Sequence[float]) -> Row:
    """First = 1 + those wholly above; last = all less those wholly below; the ends of all are sorted."""
    if row.value is None:
        return row
    low, high = _ends(row)
    above = len(lows) - bisect_right(lows, high)
    return replace(row, first=1 + above, last=len(highs) - bisect_left(highs, low))


def _ends(row: Row) -> tuple[float, float]:
    """The interval; the value itself, twice, where there is none."""
    value = row.value or 0.0
    return (value, value) if row.low is None or row.high is None else (row.low, row.high)


def _bracketed(group: Sequence[Row]) -> Iterator[Row]:
    """Neighbors of one range, each with its place among them."""
    if len(group) == 1 or group[0].first is None:
        yield from group
        return
    for place, row in enumerate(group):
        yield replace(row, tied="first" if place == 0 else "last" if place == len(group) - 1 else "inner")
