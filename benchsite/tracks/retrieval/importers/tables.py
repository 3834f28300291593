"""The reader's own data: items and queries as CSV files or lines of JSON, by the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.assembly import SCOPE, Collection, Origin
from benchsite.tracks.retrieval.importers.beir import grade_of
from benchsite.tracks.retrieval.importers.reading import json_lines, member, table
from benchsite.words import one_line

__all__ = ["COLUMNS", "convert"]

Named = tuple[str, bytes]
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "items": ("id", "text", "title", "scope", "timestamp"),
    "queries": ("id", "text", "expected", "scope", "category", "split", "when", "answerable"),
    "qrels": ("query", "item", "grade"),
}
"""What each file may have, by the name that a column has unless `--column` gives another."""
_SEPARATOR: Final = "|"
_NO: Final = frozenset({"false", "no", "0"})
_YES: Final = frozenset({"true", "yes", "1", ""})


def convert(
    kind: str,
    *,
    items: Named,
    queries: Named,
    qrels: Named | None,
    fixture_id: str,
    columns: Mapping[str, str],
    granularity: str,
    origin: Mapping[str, str],
) -> tuple[dict[str, Any], list[str]]:
    """Read own data.

    Args:
        kind: `csv` or `jsonl`.
        items: with at least an id and a text.
        queries: with at least an id and a text; `expected` lists relevant items, in CSV separated by `|`.
        qrels: judgements with a grade; None if `expected` has them.
        fixture_id: of the fixture.
        columns: `items.text` and the like to the column that has it.
        granularity: what an item is.
        origin: license, source, notes and description, as the person states them.

    Raises:
        InputError: a column is unknown, or a file is malformed.
    """
    rows = _Rows(kind, columns)
    found = Collection()
    for place, row in rows.of("items", items):
        text = "\n".join(
            filter(None, (rows.optional("items", "title", row), rows.required("items", "text", row, place)))
        )
        scope = rows.optional("items", "scope", row) or SCOPE
        timestamp = rows.optional("items", "timestamp", row) or None
        found.item(rows.required("items", "id", row, place), text, place, scope=scope, timestamp=timestamp)
    expected: list[tuple[str, str, str]] = []
    for place, row in rows.of("queries", queries):
        name = rows.required("queries", "id", row, place)
        members = {key: rows.optional("queries", key, row) for key in ("scope", "category", "split", "when")}
        members = {key: value for key, value in members.items() if value}
        answerable = _answerable(rows.optional("queries", "answerable", row), place)
        text = rows.required("queries", "text", row, place)
        found.query(name, text, place, **members, answerable=answerable)
        relevant = rows.expected(row, place)
        if relevant and not answerable:
            raise InputError(f"{place}: not answerable, and it has relevant items", hint="remove one of both")
        if relevant and qrels is not None:
            raise InputError(f"{place}: relevant items here and in --qrels", hint="keep them in one place")
        expected += [(place, name, item) for item in relevant]
    for place, name, item in expected:
        found.judge(name, item, 1, place)
    if qrels is not None:
        _judge(found, rows, qrels)
    data = b"".join((items[1], queries[1], qrels[1] if qrels is not None else b""))
    options = {f"column {name}": value for name, value in sorted(columns.items())}
    made = Origin.of(kind, origin)
    return found.fixture(
        data, made, fixture_id, benchmark=fixture_id, granularity=granularity, options=options
    )


def _judge(found: Collection, rows: _Rows, qrels: Named) -> None:
    """Add the judgements of a file; if it has no column but query and item, each of them has grade 1."""
    judged = list(rows.of("qrels", qrels))
    column = rows.column("qrels", "grade")
    is_graded = column != "grade" or any(column in row for _, row in judged)
    names = [rows.column("qrels", key) for key in ("query", "item")]
    for place, row in judged:
        query, item = (rows.required("qrels", key, row, place) for key in ("query", "item"))
        others = [one_line(str(name), 40) for name in row if name not in names]
        if not is_graded and others:
            raise InputError(
                f"{place}: no {column}",
                hint=f"--column qrels.grade=NAME names the column of grades; available: {', '.join(others[:8])}",
            )
        grade = grade_of(rows.optional("qrels", "grade", row), place) if is_graded else 1
        found.judge(query, item, grade, place)
    if judged and not is_graded:
        found.counted["labels without a grade taken as 1"] = len(judged)


class _Rows:
    """The rows of the files by what their columns mean."""

    def __init__(self, kind: str, columns: Mapping[str, str]) -> None:
        self._kind, self._columns = kind, columns
        known = [f"{file}.{name}" for file, names in COLUMNS.items() for name in names]
        for name in columns:
            if name not in known:
                raise InputError(f"--column {name}: no such column", hint=f"available: {', '.join(known)}")

    def of(self, file: str, named: Named) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield place and row; columns that `--column` names must be there."""
        name, data = named
        read = table if self._kind == "csv" else json_lines
        stated = [column for key, column in self._columns.items() if key.startswith(f"{file}.")]
        for number, row in read(data, name):
            place = f"{name} line {number}"
            missing = [column for column in stated if column not in row and self._kind == "csv"]
            if missing:
                member(row, (missing[0],), place)
            yield place, row

    def column(self, file: str, name: str) -> str:
        """The column that has this."""
        return self._columns.get(f"{file}.{name}", name)

    def required(self, file: str, name: str, row: Mapping[str, Any], place: str) -> str:
        """The text in a column; raises `InputError` if it isn't there."""
        return member(row, (self.column(file, name),), place)

    def optional(self, file: str, name: str, row: Mapping[str, Any]) -> str:
        """The text in a column; empty if it isn't there."""
        value = row.get(self.column(file, name))
        if value is None:
            return ""
        return str(value).strip() if not isinstance(value, bool) else str(value).lower()

    def expected(self, row: Mapping[str, Any], place: str) -> list[str]:
        """The relevant items that a row of a query lists."""
        value = row.get(self.column("queries", "expected"))
        if isinstance(value, list):
            if not all(isinstance(item, str | int) and not isinstance(item, bool) for item in value):
                raise InputError(
                    f"{place}: expected is not a list of ids", hint='as in {"expected": ["n1", "n2"]}'
                )
            found = [str(item) for item in value]
        else:
            found = [part.strip() for part in str(value or "").split(_SEPARATOR)]
        return list(dict.fromkeys(name for name in found if name))


def _answerable(text: str, place: str) -> bool:
    if text.lower() not in _YES | _NO:
        raise InputError(f"{place}: answerable is {text[:40]!r}", hint="write true or false")
    return text.lower() not in _NO
