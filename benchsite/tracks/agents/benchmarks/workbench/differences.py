"""What differs between two states, row by row and cell by cell, bounded for pages.

Rows are matched by their first column, which is their id (of plots the file's name), and where an id occurs more than
once by its order. Cells that only differ where the evaluator does not look are equal, if asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite.tracks.agents.benchmarks.workbench.sandbox import State
from benchsite.tracks.agents.benchmarks.workbench.tables import Row, Table, folded

__all__ = ["CellChange", "Differences", "RowChange", "differences", "same"]

MAX_CHANGES: Final = 50
MAX_TEXT: Final = 1000

_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell before and after, as text up to 1,000 characters; None where there is none."""

    column: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is in one state only, or differs. Of kind `order` a table whose rows are the same, in another order or place."""

    table: str
    row: str
    kind: Literal["created", "deleted", "changed", "order"]
    cells: tuple[CellChange, ...]


@dataclass(frozen=True, slots=True)
class Differences:
    """The first 50 changes, and how many there are."""

    changes: tuple[RowChange, ...]
    total: int


def differences(before: State, after: State, *, fold: bool = False) -> Differences:
    """What must change in `before` to make it `after`; with `fold` as the evaluator compares."""
    found = [
        change for name, table in before.items() for change in _of_table(name, table, after[name], fold=fold)
    ]
    return Differences(tuple(found[:MAX_CHANGES]), len(found))


def same(one: State, other: State, *, fold: bool) -> bool:
    """Whether two states are equal: columns, labels, order and cells; with `fold` as the evaluator compares."""
    return all(_same_table(table, other[name], fold=fold) for name, table in one.items())


def _same_table(one: Table, other: Table, *, fold: bool) -> bool:
    if one is other or (one.columns == other.columns and one.rows == other.rows):
        return True
    if not fold or one.columns != other.columns or len(one.rows) != len(other.rows):
        return False
    pairs: Iterator[tuple[Row, Row]] = zip(one.rows, other.rows, strict=True)
    return all(a is b or _folded(one, a) == _folded(one, b) for a, b in pairs)


def _folded(table: Table, row: Row) -> Row:
    return row[0], tuple([folded(name, cell) for name, cell in zip(table.columns, row[1], strict=True)])


def _of_table(name: str, before: Table, after: Table, *, fold: bool) -> Iterator[RowChange]:
    if _same_table(before, after, fold=fold):
        return
    start, stop = _changed_part(before.rows, after.rows)
    old = _by_id(before, before.rows[start : len(before.rows) - stop])
    new = _by_id(after, after.rows[start : len(after.rows) - stop])
    count = 0
    for key in dict.fromkeys([*old, *new]):
        cells = tuple(_cells(old.get(key, {}), new.get(key, {}), fold=fold))
        if key in old and key in new and not cells:
            continue
        count += 1
        kind: Literal["created", "deleted", "changed"] = "changed"
        if key not in new or key not in old:
            kind = "created" if key in new else "deleted"
        yield RowChange(name, key[0], kind, cells)
    if not count:
        yield RowChange(name, "", "order", ())


def _changed_part(one: Sequence[Row], other: Sequence[Row]) -> tuple[int, int]:
    """How many rows have the same cells at the beginning, and of the rest at the end: a run changes few of many."""
    most = min(len(one), len(other))
    start = next((i for i in range(most) if one[i][1] is not other[i][1]), most)
    rest = most - start
    stop = next((i for i in range(rest) if one[-1 - i][1] is not other[-1 - i][1]), rest)
    return start, stop


def _by_id(table: Table, rows: Sequence[Row]) -> dict[_Key, dict[str, Any]]:
    seen, found = Counter[str](), dict[_Key, dict[str, Any]]()
    for row in rows:
        name = _shown(row[1][0]) or ""
        found[name, seen[name]] = table.record(row)
        seen[name] += 1
    return found


def _cells(old: dict[str, Any], new: dict[str, Any], *, fold: bool) -> Iterator[CellChange]:
    """The cells of a row that differ; a cell of a row that is not there is None."""
    for column in dict.fromkeys([*old, *new]):
        one, other = old.get(column), new.get(column)
        if one is other or one == other:
            continue
        if fold and old and new and column in old and column in new:
            left, right = folded(column, one), folded(column, other)
            if left is right or left == right:
                continue
        yield CellChange(column, _shown(one), _shown(other))


def _shown(cell: Any) -> str | None:
    return None if cell is None or cell != cell else str(cell)[:MAX_TEXT]  # noqa: PLR0124 - NaN, a missing cell
