"""Writing one file so that a crash leaves the old bytes or the new ones."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from benchsite.errors import InputError


def write_atomically(path: Path, data: bytes | Iterable[bytes], *, temporaries: Path | None = None) -> None:
    """Replace a file so that a reader or a crash sees the old bytes or the new, never a part.

    When it returns, the file and its name are on the disk.

    Args:
        path: the file.
        data: its new content, or its pieces.
        temporaries: a folder of the same file system for the unfinished file, where a crash may leave it;
            beside the file by default.

    Raises:
        InputError: the place cannot be written (full disk, read-only folder, not a folder).
    """
    temporary = (temporaries or path.parent) / f".{path.name}.{os.getpid()}.tmp"
    try:
        with temporary.open("wb") as out:
            out.writelines([data] if isinstance(data, bytes) else data)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
        _flush_name(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(
            f"cannot write {path}: {error.strerror}", hint="free some space or fix its mode"
        ) from None


def _flush_name(folder: Path) -> None:
    """Bring the entries of a folder to the disk: a renamed file may otherwise be gone after a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
