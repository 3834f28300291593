"""Documents that were fetched, on disk until the command ends: one file without a name, so that nothing is left behind.

Refuses to be trusted: its reader hashes what it gets. Processes forked from one command share the file, and one may write
over what another put there.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from contextlib import suppress
from typing import Final

__all__ = ["DownloadCache"]


_ROOM: Final = 1 << 30
"""Bytes that are kept at most: `publish` writes on the same disk, which may be memory."""


class DownloadCache:
    """Bytes by name."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def put(self, name: str, data: bytes) -> None:
        """Keep a document; without room it is not kept."""
        if self._end + len(data) > _ROOM:
            return
        with suppress(OSError):
            if self._file is None:
                unnamed = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as this is
                weakref.finalize(self, unnamed.close)
                self._file = unnamed.fileno()
            written = os.pwrite(self._file, data, self._end)
            self._places[name] = self._end, written
            self._end += written

    def get(self, name: str) -> bytes | None:
        """What was put under a name, unless the disk was full or another process wrote there; None for nothing."""
        if self._file is None or name not in self._places:
            return None
        start, size = self._places[name]
        with suppress(OSError):
            return os.pread(self._file, size, start)
        return None
