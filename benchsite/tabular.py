"""Records as CSV: RFC 4180 with line feeds, numbers as canonical JSON writes them, blank where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchsite import canonical

__all__ = ["csv_bytes", "csv_cell"]


def csv_bytes(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> bytes:
    """A line of column names and a line a record, each of which has every column."""
    lines = [",".join(columns)]
    lines += [",".join(csv_cell(record[name]) for name in columns) for record in records]
    return ("\n".join(lines) + "\n").encode("utf-8")


def csv_cell(value: Any) -> str:
    """One value, quoted where it must be."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return canonical.dumps(value).decode("ascii")
    return '"' + value.replace('"', '""') + '"' if any(mark in value for mark in ',"\r\n') else value
