"""A store that knows vectors by number: the part of its adapter that is the same for all.

An item's number is its position in the order of ingest. Vectors are those of `minilm`, so that a difference to its row is the store's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchsite.tracks.retrieval.adapter import Hit, Item
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import MiniLm

__all__ = ["PositionStore", "Vectors"]

Vectors = NDArray[np.float32]
"""Rows of 384 numbers and length 1."""


class PositionStore(ABC):
    """The methods of an adapter for such a store."""

    def __init__(self) -> None:
        self._model = MiniLm()
        self.reset()

    @abstractmethod
    def clear(self) -> None:
        """Make an empty store."""

    @abstractmethod
    def add(self, first: int, vectors: Vectors) -> None:
        """Add vectors, numbered from `first`."""

    @abstractmethod
    def nearest(self, vector: Vectors, k: int) -> Iterable[tuple[int, float]]:
        """Return the numbers of the nearest vectors and their cosines, best first; `k` is at most the size of the store."""

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self.clear()

    def ingest(self, items: Sequence[Item]) -> None:
        """Encode and store the items."""
        if items:
            self.add(len(self._items), self._model.encode([item.content for item in items]))
            self._items.extend(items)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - an embedding has no clock
        """The k nearest items; negative cosines are shown as 0."""
        if not self._items:
            return []
        found = self.nearest(self._model.encode([q])[0], min(k, len(self._items)))
        return [
            Hit(self._items[place].id, min(max(cosine, 0.0), 1.0), self._items[place].content)
            for place, cosine in found
        ]
