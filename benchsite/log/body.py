"""The entries of a log and every complete subtree over them, segment by segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from benchsite.log.merkle import leaf_hash
from benchsite.log.segments import SEGMENT
from benchsite.log.tree import Prover, Tree

_HEIGHT: Final = SEGMENT.bit_length() - 1


class _Part(NamedTuple):
    """The entries of one segment and the tree over them."""

    entries: tuple[bytes, ...]
    tree: Tree

    def extended(self, entries: Sequence[bytes]) -> _Part:
        return _Part((*self.entries, *entries), self.tree.extended(map(leaf_hash, entries)))


_NONE: Final = _Part((), Tree())


class Body(Prover):
    """Immutable; `extended` shares the segments that it does not change."""

    __slots__ = ("_parts", "_size_held", "_upper")

    def __init__(self) -> None:
        self._parts: list[_Part] = []
        self._upper = Tree()
        self._size_held = 0

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
            body._parts[-1] = body._parts[-1].extended(entries[:room])
        body._parts += [
            _NONE.extended(entries[at : at + SEGMENT]) for at in range(room, len(entries), SEGMENT)
        ]
        full = range(self._upper.size, body._size_held // SEGMENT)
        body._upper = self._upper.extended(body._parts[number].tree.root() for number in full)
        return body

    def complete(self, height: int, number: int) -> bytes:
        """The hash of a complete subtree; only one within a segment needs that segment."""
        if height >= _HEIGHT:
            return self._upper.complete(height - _HEIGHT, number)
        segment, inside = divmod(number, 1 << (_HEIGHT - height))
        return self._parts[segment].tree.complete(height, inside)

    def entry(self, index: int) -> bytes:
        """The bytes of one entry."""
        self._check_index(index, self._size_held)
        return self.segment(index // SEGMENT)[index % SEGMENT]

    def segment(self, number: int) -> tuple[bytes, ...]:
        """The entries of one segment."""
        return self._parts[number].entries
