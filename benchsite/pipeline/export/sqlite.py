"""A record as an SQLite database: the tables `receipts`, `scores` and `items`, their `dictionary`, and the `record` itself.

Booleans are 0 and 1, lists are JSON text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from benchsite.board.dictionary import RECEIPTS, SCORES
from benchsite.pipeline.export.record import ExportedRecord, Row, flat, scores
from benchsite.progress import Progress
from benchsite.track import DataColumn

__all__ = ["write"]

_TYPES: Final[Mapping[str, str]] = {
    "text": "TEXT",
    "integer": "INTEGER",
    "number": "REAL",
    "boolean": "INTEGER",
    "list": "TEXT",
}
_OF_RECORD: Final = ("key", "value")
_OF_DICTIONARY: Final = ("table", "column", "type", "description")


def write(record: ExportedRecord, path: Path, progress: Progress) -> int:
    """Write the database; return the number of rows of `items`."""
    # subjectId names a page of a site, and leaderboards would have to be composed to know it.
    receipts = [column for column in RECEIPTS if column.name != "subjectId"]
    tables: Mapping[str, Sequence[DataColumn]] = {
        "receipts": receipts,
        "scores": SCORES,
        "items": record.columns,
    }
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA journal_mode = OFF")
        for name, columns in tables.items():
            _create(database, name, {column.name: _declared(column) for column in columns})
        _create(database, "dictionary", dict.fromkeys(_OF_DICTIONARY, "TEXT NOT NULL"))
        _create(database, "record", dict.fromkeys(_OF_RECORD, "TEXT NOT NULL"))
        described = [
            dict(zip(_OF_DICTIONARY, (name, column.name, column.kind, column.description), strict=True))
            for name, columns in tables.items()
            for column in columns
        ]
        _insert(database, "dictionary", _OF_DICTIONARY, described)
        about = [dict(zip(_OF_RECORD, pair, strict=True)) for pair in _about(record).items()]
        _insert(database, "record", _OF_RECORD, about)
        count = 0
        for header, body in record.bodies(progress):
            _insert(database, "receipts", [column.name for column in receipts], [record.receipt(header)])
            _insert(database, "scores", [column.name for column in SCORES], list(scores(header, body)))
            rows = list(record.items(header, body))
            _insert(database, "items", [column.name for column in record.columns], rows)
            count += len(rows)
        database.execute('CREATE INDEX "items_by_receipt" ON "items" ("receiptId", "item")')
    return count


def _about(record: ExportedRecord) -> Mapping[str, str]:
    """Return what identifies the record: its log, and how many receipts are here."""
    log = record.history.log
    return {
        "origin": log.origin if log is not None else "",
        "size": str(record.size),
        "root": record.root,
        "receipts": str(len(record.headers)),
        "excluded": str(record.excluded),
    }


def _declared(column: DataColumn) -> str:
    return _TYPES[column.kind] + (" NOT NULL" if column.required else "")


def _create(database: sqlite3.Connection, name: str, columns: Mapping[str, str]) -> None:
    declared = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
    database.execute(f'CREATE TABLE "{name}" ({declared})')


def _insert(database: sqlite3.Connection, name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    marks = ", ".join("?" * len(columns))
    lines = ([flat(row[column]) for column in columns] for row in rows)
    database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', lines)  # noqa: S608 - our own names
