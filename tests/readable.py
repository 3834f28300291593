"""A file in memory, as importers of large files are given one."""

from __future__ import annotations

from collections.abc import Iterator

from benchsite import canonical


class Held:
    """A `benchsite.track.parts.Readable` that holds its bytes."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.path, self.size = name, name, len(data)
        self._data = data

    def chunks(self) -> Iterator[bytes]:
        for start in range(0, len(self._data), 100):
            yield self._data[start : start + 100]

    def sha256(self) -> str:
        return canonical.sha256_hex(self._data)
