"""Files of a whole record: one table in CSV, JSON Lines or Parquet, a database with all tables, or a folder for Every Eval Ever.

Each is written row by row to a new file, which is removed if writing fails. CSV marks text that a spreadsheet would run as a
formula (`benchsite.tabular`); the other formats keep the exact text.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.pipeline.export import eee, parquet, sqlite
from benchsite.pipeline.export.record import ExportedRecord, flat
from benchsite.progress import Progress, silent
from benchsite.tabular import csv_cell

__all__ = ["FORMATS", "Written", "creating", "write"]


class Written(NamedTuple):
    """A file or folder that was written, and its number of rows and receipts."""

    path: Path
    rows: int
    receipts: int


_Write: TypeAlias = Callable[[ExportedRecord, Path, Progress], int]


def write(record: ExportedRecord, kind: str, path: Path, progress: Progress = silent) -> Written:
    """Write a record to a new file.

    Args:
        record: the verified receipts.
        kind: a name in `FORMATS`.
        path: the file, or for `eee` the folder.
        progress: called with (done, total, label).

    Raises:
        InputError: the file exists, or cannot be written.
        PrerequisiteError: the format needs a package that isn't installed.
    """
    with creating(path, is_folder=kind in _FOLDERS):
        # A database of others is no place for superseded, retracted or simulated results.
        chosen = record.ranked if kind == "eee" else record
        return Written(path, FORMATS[kind](chosen, path, progress), len(chosen.headers))


@contextmanager
def creating(path: Path, *, is_folder: bool) -> Iterator[None]:
    """Create a file or a folder, which is removed if what is written to it fails.

    Raises:
        InputError: it exists, or cannot be written.
    """
    try:
        if is_folder:
            path.mkdir()
        else:
            path.open("xb").close()
    except FileExistsError:
        raise InputError(f"{path} exists", hint="give another name, or remove it") from None
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        yield
    except BaseException as error:
        if is_folder:
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise


def _unwritable(path: Path, error: OSError) -> InputError:
    reason = (error.strerror or "unwritable").lower()
    return InputError(f"cannot write {path}: {reason}", hint="check the path and its permissions")


def _csv(record: ExportedRecord, path: Path, progress: Progress) -> int:
    names = [column.name for column in record.columns]
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(names) + "\n")
        for header, body in record.bodies(progress):
            for row in record.items(header, body):
                file.write(",".join(csv_cell(flat(row[name])) for name in names) + "\n")
                count += 1
    return count


def _jsonl(record: ExportedRecord, path: Path, progress: Progress) -> int:
    count = 0
    with path.open("wb") as file:
        for header, body in record.bodies(progress):
            lines = canonical.dumps_each(list(record.items(header, body)))
            file.writelines(line + b"\n" for line in lines)
            count += len(lines)
    return count


_FOLDERS: Final = frozenset({"eee"})
"""Formats of several files, which are written to a new folder."""

FORMATS: Final[Mapping[str, _Write]] = {
    "csv": _csv,
    "eee": eee.write,
    "jsonl": _jsonl,
    "parquet": parquet.write,
    "sqlite": sqlite.write,
}
"""Name of a format to what writes it."""
