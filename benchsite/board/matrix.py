"""Items by systems: one value for each item of a target and each system, and how many items none, one or all solve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchsite.board.ranks import Vector
from benchsite.board.rows import Row


class Solved(NamedTuple):
    """Of `items` items, how many are solved by none, by exactly one, and by all of `systems` systems."""

    systems: int
    items: int
    none: int
    one: int
    all: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """One value for each item and system.

    Attributes:
        items: ids of tasks, queries or criteria, in the order of the receipts.
        rows: the systems, best first.
        values: for each row the value of each item; None if its receipt has none.
    """

    items: tuple[str, ...]
    rows: tuple[Row, ...]
    values: tuple[tuple[float | None, ...], ...]

    @property
    def solved(self) -> Solved | None:
        """Count the items with a value above 0, baselines left out; None with fewer than two other systems.

        An item that one of these systems did not run is left out.
        """
        systems = [column for row, column in zip(self.rows, self.values, strict=True) if not row.baseline]
        if len(systems) < 2:
            return None
        counts = [
            sum(value > 0 for value in item if value is not None)
            for item in zip(*systems, strict=True)
            if None not in item
        ]
        every = len(systems)
        return Solved(every, len(counts), counts.count(0), counts.count(1), counts.count(every))


def matrix(rows: Sequence[Row], vectors: Mapping[str, Vector]) -> Matrix:
    """Return the values of these systems.

    Args:
        rows: best first.
        vectors: receipt id to item id to value.
    """
    columns = [vectors.get(row.header.receipt_id, {}) for row in rows]
    items = tuple(dict.fromkeys(item for column in columns for item in column))
    values = tuple(tuple(column.get(item) for item in items) for column in columns)
    return Matrix(items, tuple(rows), values)
