"""The kind `table-ops`: packaged tasks and a read-only SQL tool over the document's tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints, ValidationError

from benchsite.errors import InputError
from benchsite.schema import Schema, first_fault
from benchsite.tracks.agents.benchmarks.packaged import Function, described, kind
from benchsite.tracks.agents.benchmarks.table_ops.query import Database

__all__ = ["KIND"]

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,39}$")]
Cell = (
    Annotated[str, StringConstraints(max_length=200)] | Annotated[int, Field(ge=-(10**12), le=10**12)] | None
)


class _Table(Schema):
    """A small table; cells are texts, whole numbers or missing."""

    columns: Annotated[tuple[Name, ...], Field(strict=False, min_length=1, max_length=20)]
    rows: Annotated[
        tuple[Annotated[tuple[Cell, ...], Field(strict=False)], ...], Field(strict=False, max_length=500)
    ]


class _Data(Schema):
    """What the SQL tool reads."""

    tables: Annotated[dict[Name, _Table], Field(min_length=1, max_length=10)]


def _functions(data: Mapping[str, Any], where: str) -> Sequence[Function]:
    hint = "see content/docs/write-a-benchmark.md"
    try:
        tables = _Data.model_validate(data).tables
        database = Database({name: (table.columns, table.rows) for name, table in tables.items()})
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"benchmark {where}: data.{place}: {fault}", hint=hint) from None
    except sqlite3.Error as error:
        raise InputError(f"benchmark {where}: data.tables: {error}", hint=hint) from None
    schema = "; ".join(f"{name}({', '.join(table.columns)})" for name, table in tables.items())
    return (
        Function(
            described("query", f"Run one SQLite SELECT. Tables: {schema}.", "sql", most=500),
            lambda arguments: database.query(arguments["sql"]),
        ),
    )


KIND: Final = kind(_functions)
