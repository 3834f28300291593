"""Bytes of many runs in one temporary file, which has no name; each part is read back by its place."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable
from functools import partial

from benchsite.errors import PrerequisiteError

__all__ = ["Spool"]


class Spool:
    """A temporary file in the folder that TMPDIR names."""

    def __init__(self) -> None:
        """Open the file; raises `PrerequisiteError`."""
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as a part is needed
        except OSError as error:
            raise _unwritable(error) from None
        weakref.finalize(self, self._file.close)
        self._end = 0

    def keep(self, data: bytes) -> Callable[[], bytes]:
        """Write bytes at the end, and return what reads them; raises `PrerequisiteError`."""
        return partial(self.read, self.write(data), len(data))

    def write(self, data: bytes) -> int:
        """Write bytes at the end, and return the place where they start; raises `PrerequisiteError`."""
        start, self._end = self._end, self._end + len(data)
        try:
            self._file.seek(start)
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _unwritable(error) from None
        return start

    def read(self, start: int, size: int) -> bytes:
        """Return the bytes at a place."""
        self._file.seek(start)
        parts = list[bytes]()
        while size and (part := self._file.read(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _unwritable(error: OSError) -> PrerequisiteError:
    return PrerequisiteError(
        f"cannot keep the traces in a temporary file: {(error.strerror or 'unknown error').lower()}",
        hint="free some space, or name another folder: TMPDIR=FOLDER",
    )
