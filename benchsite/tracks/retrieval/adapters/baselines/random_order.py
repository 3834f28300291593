"""`random`: a seeded shuffle of the scope, the baseline any system must beat.

Each item's place is drawn from SplitMix64 (`benchsite.stats`), started by the seed, the scope's contents and
the question: the same three always give the same ranking, whatever was asked before.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchsite import canonical, stats
from benchsite.tracks.retrieval.adapter import About, Hit, Item

__all__ = ["RandomOrder"]


class RandomOrder:
    """Every item of the scope in random order; the score is the drawn number."""

    about = About("random", author="benchsite", version="1.0.0")

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._scope = ""

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items in the order they came."""
        self._items.extend(items)
        self._scope = canonical.digest([self._scope, [[item.id, item.content] for item in items]])

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - a shuffle has no clock
        """The k items with the largest draws; equal draws keep ingest order."""
        seed = int(canonical.digest([self._seed, self._scope, q])[:16], 16)
        draws = [stats.word(seed, place) for place in range(len(self._items))]
        order = sorted(range(len(draws)), key=lambda place: (-draws[place], place))
        return [
            Hit(self._items[place].id, draws[place] / 2**64, self._items[place].content)
            for place in order[:k]
        ]
