"""Records as CSV: RFC 4180 with line feeds, numbers as canonical JSON writes them, blank where there is none.

Spreadsheets take text that begins with one of `= + - @`, a tab or an end of line for a formula. Such text gets an
apostrophe in front, as OWASP's "CSV injection" advises, and text that begins with an apostrophe gets one more:
a reader of a text cell takes one leading apostrophe off. Numbers are left as they are. Characters that nobody sees or
that reorder text are written out, as pages write them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from benchsite import canonical
from benchsite.unseen import escaped

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "'", "＝", "＋", "－", "＠")

__all__ = ["csv_bytes", "csv_cell"]


def csv_bytes(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> bytes:
    """A line of column names and a line a record, each of which has every column."""
    lines = [",".join(columns)]
    lines += [",".join(csv_cell(record[name]) for name in columns) for record in records]
    return ("\n".join(lines) + "\n").encode("utf-8")


@lru_cache(maxsize=2**12, typed=True)
def _number(value: float) -> str:
    """Canonical text, of which a table repeats much; typed, because 1 equals true."""
    return canonical.dumps(value).decode("ascii")


def csv_cell(value: Any) -> str:
    """One value, quoted where it must be; text that a spreadsheet would run is marked as text."""
    if value is None:
        return ""
    if isinstance(value, (bool, int, float)):
        return _number(value)
    if not isinstance(value, str):
        return canonical.dumps(value).decode("ascii")
    text: str = escaped(f"'{value}" if value.startswith(_FORMULA) else value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\r\n') else text
