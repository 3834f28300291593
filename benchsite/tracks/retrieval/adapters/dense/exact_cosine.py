"""Exact search by cosine: each query is compared with every item, and the position of an item breaks ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchsite.tracks.retrieval.adapter import Hit, Item

__all__ = ["ExactCosine"]

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to rows of length 1."""


class ExactCosine:
    """The methods of an adapter for an embedding; negative cosines are shown as 0."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._parts: list[NDArray[np.float32]] = []

    def ingest(self, items: Sequence[Item]) -> None:
        """Encode the items."""
        if items:
            self._parts.append(self._encode([item.content for item in items]))
            self._items.extend(items)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - an embedding has no clock
        """The k nearest items."""
        if not self._items:
            return []
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        cosines = self._parts[0] @ self._encode([q])[0]
        places = np.argsort(-cosines, kind="stable")[:k]
        return [
            Hit(self._items[place].id, min(max(float(cosines[place]), 0.0), 1.0), self._items[place].content)
            for place in places
        ]
