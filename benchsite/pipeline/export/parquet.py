"""A record as one Parquet file, by pyarrow, which is the extra `parquet`; each column carries its description."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchsite.errors import PrerequisiteError
from benchsite.pipeline.export.record import ExportedRecord, Row
from benchsite.progress import Progress
from benchsite.track import DataColumn

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write"]

_GROUP: Final = 50_000
"""Rows that are held at once: a row group."""


def write(record: ExportedRecord, path: Path, progress: Progress) -> int:
    """Write the table `items`; return its number of rows.

    Raises:
        PrerequisiteError: pyarrow isn't installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, large
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise PrerequisiteError(
            "no package pyarrow, which Parquet files need",
            hint="pip install 'benchsite[parquet]', or use --csv",
        ) from None
    schema = _schema(
        pa, record.columns, {"origin": _origin(record), "size": str(record.size), "root": record.root}
    )
    count, held = 0, list[Row]()
    with parquet.ParquetWriter(path, schema) as file:
        for header, body in record.bodies(progress):
            held.extend(record.items(header, body))
            while len(held) >= _GROUP:
                count += _write(pa, file, schema, held[:_GROUP])
                del held[:_GROUP]
        count += _write(pa, file, schema, held)
    return count


def _write(pa: Any, file: Any, schema: pa.Schema, rows: Sequence[Row]) -> int:
    file.write_table(pa.Table.from_pylist(rows, schema=schema))
    return len(rows)


def _schema(pa: Any, columns: Sequence[DataColumn], about: dict[str, str]) -> pa.Schema:
    types = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "list": pa.list_(pa.string()),
    }
    fields = [
        pa.field(
            column.name,
            types[column.kind],
            nullable=not column.required,
            metadata={"description": column.description},
        )
        for column in columns
    ]
    return pa.schema(fields, metadata={f"benchsite.{name}": value for name, value in about.items()})


def _origin(record: ExportedRecord) -> str:
    return record.history.log.origin if record.history.log is not None else ""
