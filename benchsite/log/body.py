"""The entries of a log and every complete subtree over them, segment by segment.

Owns where the entries are: in memory, or, of a full segment that a cache knows, still in git until one is asked for.
Such a segment is taken only where its leaves hash to what the tree above was made of, and where it says what was kept.

Refuses any other segment as LogError, which names it and the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from benchsite.layout import LOG_CACHE, segment_path
from benchsite.log.errors import LogError
from benchsite.log.kept import Kept
from benchsite.log.merkle import leaf_hash
from benchsite.log.segments import SEGMENT, decode_segment
from benchsite.log.tree import Prover, Tree

_HEIGHT: Final = SEGMENT.bit_length() - 1


class _Part(NamedTuple):
    """The entries of one segment and the tree over them."""

    entries: tuple[bytes, ...]
    tree: Tree

    def extended(self, entries: Sequence[bytes]) -> _Part:
        return _Part((*self.entries, *entries), self.tree.extended(map(leaf_hash, entries)))


_NONE: Final = _Part((), Tree())


class _Left(NamedTuple):
    """A full segment that is still in git: its hash, and what else is kept of it."""

    number: int
    found: bytes
    kept: Kept
    read: Callable[[int], bytes]

    def taken(self) -> _Part:
        """The segment, if it is what the cache says."""
        part = _NONE.extended(decode_segment(self.read(self.number), self.number))
        whole = len(part.entries) == SEGMENT and part.tree.root() == self.found
        if not whole or not self.kept.agrees(self.number, part.entries):
            raise LogError(
                f"{segment_path(self.number)} is not what {LOG_CACHE} keeps of it",
                hint=f"delete {LOG_CACHE} and re-run the command",
            )
        return part


class Body(Prover):
    """Immutable; `extended` shares the segments that it does not change."""

    __slots__ = ("_parts", "_size_held", "_upper")

    def __init__(self) -> None:
        self._parts: list[_Part | _Left] = []
        self._upper = Tree()
        self._size_held = 0

    @classmethod
    def left(cls, kept: Kept, count: int, read: Callable[[int], bytes]) -> Body:
        """The first `count` segments of those that are kept; `read` gives the bytes of one when it is needed."""
        body, hashes = cls(), kept.hashes(count)
        body._parts = [_Left(number, found, kept, read) for number, found in enumerate(hashes)]
        body._upper = Tree(hashes)
        body._size_held = count * SEGMENT
        return body

    @property
    def size(self) -> int:
        """Number of entries."""
        return self._size_held

    def extended(self, entries: Sequence[bytes]) -> Body:
        """With more entries at the end; only they are hashed."""
        body = Body()
        body._parts = [*self._parts]
        body._size_held = self._size_held + len(entries)
        room = -self._size_held % SEGMENT
        if room and entries:
            body._parts[-1] = self._part(len(self._parts) - 1).extended(entries[:room])
        body._parts += [
            _NONE.extended(entries[at : at + SEGMENT]) for at in range(room, len(entries), SEGMENT)
        ]
        full = range(self._upper.size, body._size_held // SEGMENT)
        body._upper = self._upper.extended(body._part(number).tree.root() for number in full)
        return body

    def complete(self, height: int, number: int) -> bytes:
        """The hash of a complete subtree; only one within a segment needs that segment."""
        if height >= _HEIGHT:
            return self._upper.complete(height - _HEIGHT, number)
        segment, inside = divmod(number, 1 << (_HEIGHT - height))
        return self._part(segment).tree.complete(height, inside)

    def entry(self, index: int) -> bytes:
        """The bytes of one entry."""
        self._check_index(index, self._size_held)
        return self.segment(index // SEGMENT)[index % SEGMENT]

    def segment(self, number: int) -> tuple[bytes, ...]:
        """The entries of one segment."""
        return self._part(number).entries

    def _part(self, number: int) -> _Part:
        part = self._parts[number]
        if isinstance(part, _Left):
            part = self._parts[number] = part.taken()
        return part
