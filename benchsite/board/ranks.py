"""Ranks with ties: by a paired test, task by task, where a track gives one number a task; else by intervals.

Follows specs/retrieval.md, "Boards". The tests are seeded by receipt ids, so that anybody gets the same ranks. By
intervals a rank is a range: a subject may stand wherever no interval lies wholly above or wholly below its own. Where
there are no intervals, equal numbers tie.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from benchsite import canonical
from benchsite.board.rows import Row
from benchsite.stats import holm, paired_randomisation

Standing = Literal["above", "level", "below"]
"""How the leader stands against the floor; `level` where a paired test cannot tell them apart."""

Vector = Mapping[str, float]
"""Task id to the headline number of that task; empty where the receipt does not hold it."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The paired randomisation test of a board.

    Attributes:
        vectors: receipt id to per-task values.
        flips: random sign assignments.
        level: two rows differ below it.
    """

    vectors: Mapping[str, Vector]
    flips: int
    level: float

    def p_value(self, a: str, b: str) -> float:
        """Of two receipts having the same mean, over the tasks of the first."""
        order = sorted(self.vectors[a])
        values = ([self.vectors[name][task] for task in order] for name in (a, b))
        return paired_randomisation(*values, seed=seed(a, b), flips=self.flips)


def by_test(rows: Sequence[Row], test: PairedTest) -> tuple[tuple[Row, ...], bool]:
    """Ranks with ties, from the top down.

    The best row not yet placed leads a group. Each row below is compared with it by the paired randomisation
    test, the p-values are corrected after Holm, and the group ends before the first row that
    differs at the test's level.

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


def by_interval(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows, best first, each with its range of ranks; one without a value has none."""
    held = [_ends(row) for row in rows if row.value is not None]
    lows, highs = sorted(low for low, _ in held), sorted(high for _, high in held)
    found = [_placed(row, lows, highs) for row in rows]
    groups = [list(same) for _, same in groupby(found, key=lambda row: (row.first, row.last))]
    return tuple(row for group in groups for row in _bracketed(group))


def against_floor(leader: Row, floor: Row | None, test: PairedTest) -> Standing | None:
    """How the first row stands against the floor, by the paired test that makes the ranks.

    It is one comparison, so nothing is corrected. None where the floor was not run or not over the same tasks.
    """
    if floor is None or leader.value is None or floor.value is None:
        return None
    a, b = leader.header.receipt_id, floor.header.receipt_id
    if not test.vectors[a] or test.vectors[a].keys() != test.vectors[b].keys():
        return None
    if test.p_value(a, b) >= test.level:
        return "level"
    return "above" if leader.value > floor.value else "below"


def seed(*receipt_ids: str) -> int:
    """The first 8 bytes of SHA-256 of the sorted receipt ids, joined by line feeds."""
    return int(canonical.sha256_hex("\n".join(sorted(receipt_ids)).encode("ascii"))[:16], 16)


def _tied(rows: Sequence[Row], test: PairedTest) -> int:
    """How many of the rows below the first cannot be told apart from it."""
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
