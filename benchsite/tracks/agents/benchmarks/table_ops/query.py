"""A read-only SQL tool over small tables: SQLite in memory, one SELECT a call, bounded in work and in output.

SQLite's authorizer denies everything but reading columns and calling the functions listed here; a progress handler ends a
query after a fixed number of steps of SQLite's machine, so that a run's result depends on no clock.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Final

from benchsite.tracks.agents.benchmarks.packaged import ToolError

__all__ = ["Database", "Value"]

Value = str | int | None

MOST_ROWS: Final = 50
MOST_TEXT: Final = 1500
"""Characters of a result; larger values than this are refused by SQLite itself."""
STEPS: Final = 10_000
MOST_CHECKS: Final = 50
"""A query ends after so many times so many steps: half a million, about 15 ms and at most 50 MB."""
_LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: 2_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 2_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 50,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
}
_NAMES: Final = (
    "abs avg coalesce count dense_rank first_value group_concat ifnull iif instr lag last_value lead length like lower "
    "ltrim max min nullif rank replace round row_number rtrim substr substring sum total trim typeof upper"
)
_FUNCTIONS: Final = frozenset(_NAMES.split())
"""None reads the clock, as SQLite's functions of dates do, and none makes long texts."""
_FUNCTION: Final = "not authorized to use function: "
_READING: Final = re.compile(r"\s*(?:SELECT|WITH|VALUES)\b", re.IGNORECASE)
_READS: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})


class Database:
    """Tables in a new database for every query."""

    def __init__(self, tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Value]]]]) -> None:
        """Take the tables: for each name its columns and its rows.

        Raises:
            sqlite3.Error: a name is not usable, or a row is too long or too short.
        """
        self._tables = tables
        with closing(self._opened()):
            pass

    def query(self, sql: str) -> str:
        """Return the result of one SELECT: the columns' names, then a row a line, cells separated by ` | `.

        Raises:
            ToolError: SQLite refuses it, or it takes too long.
        """
        if _READING.match(sql) is None:
            raise ToolError("only reading is allowed: write one SELECT over the tables")
        with closing(self._opened()) as database:
            _restrict(database)
            try:
                cursor = database.execute(sql)
                header = [str(column[0]) for column in cursor.description or ()]
                rows = cursor.fetchmany(MOST_ROWS + 1)
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise ToolError(_said(error)) from None
            except (ValueError, OverflowError):
                raise ToolError("the query has a character that SQL does not allow") from None
        return _text(header, rows)

    def _opened(self) -> sqlite3.Connection:
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.execute("PRAGMA temp_store = MEMORY")  # sorting writes no file
        for name, (columns, rows) in self._tables.items():
            database.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(map(_quoted, columns))})")
            places = ", ".join("?" * len(columns))
            database.executemany(f"INSERT INTO {_quoted(name)} VALUES ({places})", rows)  # noqa: S608 - quoted
        return database


def _restrict(database: sqlite3.Connection) -> None:
    for limit, value in _LIMITS.items():
        database.setlimit(limit, value)
    checks = 0

    def check() -> int:
        nonlocal checks
        checks += 1
        return int(checks > MOST_CHECKS)

    database.set_progress_handler(check, STEPS)
    database.set_authorizer(_authorized)


def _authorized(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
    """Allow reading, and the functions of the list; deny the schema tables, pragmas, writing and everything else."""
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if (second or "").lower() in _FUNCTIONS else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and (_first or "").lower().startswith("sqlite_"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY


def _said(error: Exception) -> str:
    text = " ".join(str(error).split())[:300]
    if text == "interrupted":
        return "the query takes too long; write a smaller one"
    if text.startswith(_FUNCTION):
        return f"function {text.removeprefix(_FUNCTION)} is not available; compare dates as texts YYYY-MM-DD"
    if text.startswith(("not authorized", "access to")):
        return "only reading is allowed: write one SELECT over the tables"
    return text


def _text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [" | ".join(header), *(" | ".join(map(_cell, row)) for row in rows[:MOST_ROWS])]
    if not rows:
        return f"{lines[0]}\n(no rows)"[:MOST_TEXT]
    more = [f"... more than {MOST_ROWS} rows"] if len(rows) > MOST_ROWS else []
    text = "\n".join((*lines, *more))
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n... cut"


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"{value:.10g}"
    return value.hex() if isinstance(value, bytes) else str(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
