"""The tables that tools read and change: immutable, so that a fresh sandbox costs nothing and states can be kept.

A row has a label beside its cells, and states are equal only where the labels are too: the original keeps its tables
in pandas, compares them with their index, and its e-mail tool writes at the label `number of rows`.
So after a deletion a new e-mail replaces the row of that label. A missing cell is `MISSING`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["CASE_MATTERS", "MISSING", "Row", "Table", "folded"]

MISSING: Final = math.nan
"""An empty cell. One object everywhere: comparisons of rows rely on its identity, because NaN is unequal to itself."""

CASE_MATTERS: Final = frozenset({"status", "list_name", "board"})
"""The columns whose text is compared as it is; text of all others is compared in lower case."""

MAX_COLUMNS: Final = 60
"""A tool that changes an unknown field adds a column; a run that adds many does nothing else."""

MAX_NAME: Final = 200
"""Characters of the name of a column."""

Row = tuple[int, tuple[Any, ...]]
"""A row's label, and its cells in the order of the columns."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and labeled rows. Every change makes another table, which shares the rows that stay."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Table:
        """The table of a file: labels count from 0, empty text is a missing cell."""
        rows = tuple((label, tuple(cell or MISSING for cell in row)) for label, row in enumerate(cells))
        return cls(tuple(columns), rows)

    def where(self, column: str, value: Any) -> list[dict[str, Any]]:
        """The records whose cell equals a value, in order."""
        at = self.columns.index(column)
        return [self.record(row) for row in self.rows if row[1][at] == value]

    def record(self, row: Row) -> dict[str, Any]:
        """A row as a mapping of column to cell."""
        return dict(zip(self.columns, row[1], strict=True))

    def records(self) -> list[dict[str, Any]]:
        """All rows as mappings."""
        return [self.record(row) for row in self.rows]

    def holds(self, column: str, value: Any) -> bool:
        """Whether a cell of the column equals a value."""
        at = self.columns.index(column)
        return value in [row[1][at] for row in self.rows]

    def without(self, column: str, value: Any) -> Table:
        """The table without the rows whose cell equals a value; the others keep their labels."""
        at = self.columns.index(column)
        return Table(self.columns, tuple([row for row in self.rows if row[1][at] != value]))

    def changed(self, column: str, value: Any, field: Any, new: Any) -> Table:
        """The table with `new` in the field of the rows whose cell equals a value.

        A field that is no column becomes one, as in the original. Its other cells are missing; the original's pandas
        writes the text `nan` there, which no verdict depends on.
        """
        if not isinstance(field, str) or len(field) > MAX_NAME:
            raise ValueError(f"a field is text of at most {MAX_NAME} characters")
        at = self.columns.index(column)
        if field not in self.columns:
            if len(self.columns) >= MAX_COLUMNS:
                raise ValueError(f"no more than {MAX_COLUMNS} columns")
            wider = tuple(
                (label, (*cells, new if cells[at] == value else MISSING)) for label, cells in self.rows
            )
            return Table((*self.columns, field), wider)
        to = self.columns.index(field)
        rows = [
            (row[0], (*row[1][:to], new, *row[1][to + 1 :])) if row[1][at] == value else row
            for row in self.rows
        ]
        return Table(self.columns, tuple(rows))

    def appended(self, label: int, record: dict[str, Any]) -> Table:
        """The table with one more row; None and columns that the record lacks are missing cells."""
        return Table(self.columns, (*self.rows, (label, self._cells(record))))

    def relabeled(self) -> Table:
        """The table with labels from 0."""
        return Table(
            self.columns,
            tuple([row if row[0] == label else (label, row[1]) for label, row in enumerate(self.rows)]),
        )

    def placed(self, label: int, record: dict[str, Any]) -> Table:
        """The table with a record in the row of this label, or at the end where there is none."""
        if label not in [row[0] for row in self.rows]:
            return self.appended(label, record)
        new = (label, self._cells(record))
        return Table(self.columns, tuple([new if row[0] == label else row for row in self.rows]))

    def greatest(self, column: str) -> Any:
        """The greatest cell of a column in the order of text.

        Raises:
            ValueError: there is no row.
            TypeError: texts and other values cannot be compared.
        """
        at = self.columns.index(column)
        return max([row[1][at] for row in self.rows])

    def _cells(self, record: dict[str, Any]) -> tuple[Any, ...]:
        values = [record.get(column, MISSING) for column in self.columns]
        return tuple([MISSING if value is None else value for value in values])


def folded(column: str, cell: Any) -> Any:
    """A cell as it is compared: text in lower case where case does not matter, and there nothing but text."""
    if column in CASE_MATTERS:
        return cell
    return cell.lower() if isinstance(cell, str) else MISSING
