"""Summaries of systems (`summary.csv`, one row per task), as experiments of benchsite and of MAS_Analyzer write them.

Owns the reader: UTF-8, a line of column names, as many cells in every row, an empty cell for a blank. `true` and `false` are 1 and
0. Refuses files without the column that names a row, infinite numbers, and a task that occurs twice; NaN is a blank.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite.errors import InputError

__all__ = ["NAME", "TaskRow", "read_summary"]

NAME: Final = "summary.csv"
MAX_ROWS: Final = 100_000
MAX_COLUMNS: Final = 1_000
_HINT: Final = "to write summaries: benchsite experiment summarize DIR"
_TRUTH: Final = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task of one system, or in a table of means one system.

    Attributes:
        task: what the row is named by.
        texts: cells that are no numbers.
        values: cells that are numbers; None is a blank.
    """

    task: str
    texts: Mapping[str, str]
    values: Mapping[str, float | None]

    @property
    def benchmark(self) -> str:
        """The benchmark that the row states; empty if it states none."""
        return self.texts.get("benchmark", "")

    @property
    def system(self) -> str:
        """The system that the row states; empty if it states none."""
        return self.texts.get("system_label", "") or self.texts.get("topology", "")


def read_summary(data: bytes, where: str, *, keys: Sequence[str] = ("task_id",)) -> list[TaskRow]:
    """Read the rows of a summary, in the order of its lines.

    Args:
        data: the file.
        where: what errors call it.
        keys: columns that may name a row; the first one that the file has does.

    Raises:
        InputError: the file is malformed; the line is named.
    """
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        rows = list(csv.reader(text.splitlines(keepends=True), strict=True))
    except UnicodeDecodeError:
        raise InputError(f"{where}: not UTF-8", hint=_HINT) from None
    except csv.Error as error:
        raise InputError(f"{where}: {error}", hint=_HINT) from None
    names = rows[0] if rows else []
    key = next((name for name in keys if name in names), None)
    if key is None:
        raise InputError(f"{where} line 1: no column {' or '.join(keys)}", hint=_HINT)
    if len(names) > MAX_COLUMNS or len(rows) > MAX_ROWS:
        raise InputError(f"{where}: above {MAX_COLUMNS:,} columns or {MAX_ROWS:,} rows", hint=_HINT)
    found: dict[str, TaskRow] = {}
    for number, cells in enumerate(rows[1:], 2):
        at = f"{where} line {number}"
        if not cells:
            continue
        if len(cells) != len(names):
            raise InputError(f"{at}: {len(cells)} cells, but line 1 names {len(names)}", hint=_HINT)
        row = _row(dict(zip(names, cells, strict=True)), key, at)
        if row.task in found:
            raise InputError(f"{at}: {key.removesuffix('_id')} {row.task[:80]!r} occurs twice", hint=_HINT)
        found[row.task] = row
    return list(found.values())


def _row(cells: Mapping[str, str], key: str, at: str) -> TaskRow:
    texts: dict[str, str] = {}
    values: dict[str, float | None] = {}
    for name, cell in cells.items():
        if name == key:
            continue
        if not cell.strip():
            values[name] = None
        elif cell.lower() in _TRUTH:
            values[name] = _TRUTH[cell.lower()]
        elif (value := _number(cell)) is None:
            texts[name] = cell
        elif math.isnan(value):
            values[name] = None
        elif math.isinf(value):
            raise InputError(f"{at}: {name[:80]}: not finite", hint=_HINT)
        else:
            values[name] = value
    return TaskRow(cells[key], texts, values)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
