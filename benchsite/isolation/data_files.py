"""Large data files of benchmarks in the user's cache folder, by SHA-256: `$XDG_CACHE_HOME/benchsite/data/<sha256>`.

A fixture names such a file by hash and size. It is hashed when it is kept, and once more before a process uses it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from benchsite.errors import InputError, IntegrityError, PrerequisiteError

__all__ = ["DataFile", "described", "folder", "found", "keep", "line_at", "lines"]

_BLOCK: Final = 1 << 22
_LONGEST: Final = 64 << 20


class DataFile(NamedTuple):
    """A file by name, SHA-256 and size, and where it is."""

    name: str
    sha256: str
    size: int
    path: Path


def folder() -> Path:
    """Return the folder of all data files, which may not exist yet."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(given) if given.startswith("/") else Path.home() / ".cache"
    return cache / "benchsite" / "data"


def described(path: Path, name: str) -> DataFile:
    """Return the hash and size of a file; raises `InputError` if it cannot be read."""
    try:
        return DataFile(name, _sha256(path), path.stat().st_size, path)
    except OSError as error:
        raise _unreadable(path, error) from None


def keep(file: DataFile) -> Path:
    """Copy a file into the cache folder, and return its path there.

    Raises:
        InputError: it cannot be copied.
    """
    to = folder() / file.sha256
    try:
        if to.exists() and to.stat().st_size == file.size:
            return to
        to.parent.mkdir(parents=True, exist_ok=True)
        partial = to.with_name(f"{to.name}.{os.getpid()}.partial")
        try:
            shutil.copyfile(file.path, partial)
            partial.replace(to)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise _unreadable(to, error) from None
    return to


def found(sha256: str, name: str, hint: str) -> Path:
    """Return the path of a kept file.

    Raises:
        PrerequisiteError: it is not on this machine.
        IntegrityError: its content is not that of its hash.
    """
    path = folder() / sha256
    try:
        state = path.stat()
        actual = _hashed(path, state.st_size, state.st_mtime_ns)
    except OSError:
        raise PrerequisiteError(f"{name} is not on this machine: SHA-256 {sha256[:12]}…", hint=hint) from None
    if actual != sha256:
        raise IntegrityError(
            f"{path}: its content has SHA-256 {actual[:12]}…", hint=f"remove it, then {hint}"
        )
    return path


@functools.lru_cache(maxsize=32)
def _hashed(path: Path, size: int, changed: int) -> str:
    del size, changed  # of the key: an altered file is hashed again
    return _sha256(path)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{path}: {(error.strerror or 'unknown error').lower()}",
        hint="check its permissions and free disk space",
    )


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each line of a file with its place in bytes; raises `InputError` for one that is longer than 64 MiB."""
    place = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(_LONGEST + 1):
                if len(line) > _LONGEST:
                    raise InputError(
                        f"{path.name}: a line is longer than {_LONGEST:,} bytes",
                        hint="write one JSON object a line",
                    )
                yield place, line
                place += len(line)
    except OSError as error:
        raise _unreadable(path, error) from None


def line_at(path: Path, place: int) -> bytes:
    """Return the line at a place in bytes that `lines` gave."""
    try:
        with path.open("rb") as file:
            file.seek(place)
            return file.readline(_LONGEST)
    except OSError as error:
        raise _unreadable(path, error) from None
