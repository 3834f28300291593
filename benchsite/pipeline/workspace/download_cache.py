"""Documents that were fetched, on disk until the command ends: one file without a name, so that nothing is left behind.

Refuses to be trusted: its reader hashes what it gets. Processes forked from one command share the file, and one may write
over what another put there.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import weakref
from contextlib import suppress
from typing import Final

from benchsite import canonical

__all__ = ["Budget", "DownloadCache"]


_COUNTS: Final = struct.Struct("<QQ")
"""Nanoseconds and bytes that were spent."""
_ROOM: Final = 1 << 30
"""Bytes that are kept at most: `publish` writes on the same disk, which may be memory."""


class Budget:
    """What a command may still spend on mirrors: shared by the processes that it forks, and counted by each.

    Two processes that count at the same time may lose one of the counts; every limit stays one.
    """

    SECONDS: Final = 20 * 60
    BYTES: Final = 16 << 30

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)

    @property
    def seconds_left(self) -> float:
        """Seconds in which mirrors may still answer."""
        return self.SECONDS - self._count(0) / 10**9

    @property
    def bytes_left(self) -> int:
        """Bytes that mirrors may still send."""
        return self.BYTES - self._count(1)

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is fetched."""
        return self.seconds_left <= 0 or self.bytes_left <= 0

    def spend(self, nanoseconds: int, sent: int) -> None:
        """Count one answer."""
        counts = self._count(0) + nanoseconds, self._count(1) + sent
        self._shared[: _COUNTS.size] = _COUNTS.pack(*counts)

    def is_blocked(self, host: str) -> bool:
        """Whether a host ran into a limit."""
        return self._shared[_slot(host)] != 0

    def block(self, host: str) -> None:
        """Ask a host no more."""
        self._shared[_slot(host)] = 1

    def tell_once(self) -> bool:
        """Whether this is the first call of the command."""
        told, self._shared[_COUNTS.size] = self._shared[_COUNTS.size], 1
        return not told

    def _count(self, place: int) -> int:
        return int(_COUNTS.unpack(self._shared[: _COUNTS.size])[place])


def _slot(host: str) -> int:
    """The place of a host in the shared memory, by its name."""
    first = _COUNTS.size + 1
    return first + int(canonical.sha256_hex(host.lower().encode())[:8], 16) % (mmap.PAGESIZE - first)


class DownloadCache:
    """Bytes by name, and the budget of what may be fetched."""

    def __init__(self) -> None:
        self.budget = Budget()
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
