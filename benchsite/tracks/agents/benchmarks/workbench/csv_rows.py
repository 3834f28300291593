"""CSV files of the benchmark, as bytes, to rows of text: RFC 4180 in UTF-8, strict.

Pure and bounded. Refuses, with file, row and column: text that is not UTF-8, NUL, an open quotation mark, a last
line without its end (the file was cut), rows of another width, other columns, and cells or files that are too large.
The header is row 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from benchsite.errors import InputError

__all__ = ["MAX_BYTES", "MAX_CELL", "MAX_ROWS", "rows"]

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_CELL: Final = 1_000_000
"""Characters of one cell; the largest published transcript has 56,883."""
MAX_ROWS: Final = 100_000

_CELL: Final = re.compile(r'(?:"((?:[^"]++|"")*+)"|([^",\r\n]*+))(,|\r?\n)')
_EDITION: Final = "import the file as published, or correct the place named"


def rows(
    data: bytes, columns: Sequence[str], *, where: str, most: int = MAX_CELL
) -> Iterator[tuple[str, ...]]:
    """Each row's cells in the order of `columns`, which must be the file's header.

    Args:
        data: the file's bytes, at most `MAX_BYTES`.
        columns: the names of the header, in order.
        where: the file's name, for messages.
        most: characters that one cell may have.

    Raises:
        InputError: the file is not such a table, or has no row.
    """
    found = _records(_text(data, where), where, most)
    header = next(found, [])
    if header != list(columns):
        raise _header_error(header, columns, where)
    count = 0
    for count, record in enumerate(found, 1):
        if len(record) != len(columns):
            raise _refused(f"expected {len(columns)} cells, found {len(record)}", where, count + 1)
        if count > MAX_ROWS:
            raise _refused(f"more than {MAX_ROWS:,} rows", where, count + 1)
        yield tuple(record)
    if not count:
        raise _refused("no row below the header", where, 1)


def _text(data: bytes, where: str) -> str:
    if len(data) > MAX_BYTES:
        raise InputError(f"{where}: larger than {MAX_BYTES // 2**20} MiB", hint=_EDITION)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{where}: line {row}: not UTF-8 (byte {error.start})", hint=_EDITION) from None
    if text.startswith("\ufeff"):
        raise InputError(
            f"{where}: line 1: a byte order mark",
            hint="save it as UTF-8 without a byte order mark",
        )
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{where}: line {row}: a NUL character", hint=_EDITION)
    return text


def _records(text: str, where: str, most: int) -> Iterator[list[str]]:
    """The records of a whole file; a cell is taken off at a time, so that a fault has its row and column."""
    record: list[str] = []
    place, number, end = 0, 1, len(text)
    while place < end:
        cell = _CELL.match(text, place)
        if cell is None:
            fault = "a quotation mark inside a cell or without its end, or a file cut short"
            raise _refused(fault, where, number, len(record) + 1)
        quoted, plain, mark = cell.groups()
        value = plain if quoted is None else quoted.replace('""', '"')
        if len(value) > most:
            raise _refused(
                f"a cell of {len(value):,} characters; at most {most:,}", where, number, len(record) + 1
            )
        record.append(value)
        if len(record) > 1000:
            raise _refused("more than 1,000 cells", where, number)
        place = cell.end()
        if mark != ",":
            yield record
            record, number = [], number + 1
    if record:
        raise _refused("the file is cut short", where, number, len(record) + 1)


def _header_error(header: Sequence[str], columns: Sequence[str], where: str) -> InputError:
    missing = [name for name in columns if name not in header]
    extra = [name[:40] for name in header if name not in columns][:10]
    faults = [
        *([f"missing columns: {', '.join(missing)}"] if missing else []),
        *([f"unknown columns: {', '.join(map(repr, extra))}"] if extra else []),
    ]
    return _refused("; ".join(faults) or f"columns must be in this order: {', '.join(columns)}", where, 1)


def _refused(fault: str, where: str, row: int, column: int | None = None) -> InputError:
    at = f"{where}: row {row}" + (f", column {column}" if column else "")
    return InputError(f"{at}: {fault}", hint=_EDITION)
