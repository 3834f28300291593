"""`rank-bm25`: Okapi BM25 of the library of this name, over lower-cased words without stemming, stopwords kept.

The library takes tokens and does not make them. Its defaults: k1 = 1.5, b = 0.75, and a floor for negative idf.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import rank_bm25

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

__all__ = ["RankBm25"]

_WORD = re.compile(r"\w+")


class RankBm25:
    """Items with a score above 0, which is relative to the best one."""

    about = About("rank-bm25", author="benchsite", distributions=("rank-bm25", "numpy"))

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._index: rank_bm25.BM25Okapi | None = None

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items: the index cannot be extended."""
        self._items.extend(items)

    def flush(self) -> None:
        """Build the index; none if no item has a word, by which the library divides."""
        tokens = [_words(item.content) for item in self._items]
        self._index = rank_bm25.BM25Okapi(tokens) if any(tokens) else None

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best items; equal scores keep the order of ingest."""
        if self._index is None:
            return []
        scores = self._index.get_scores(_words(q))
        places = [place for place in np.argsort(-scores, kind="stable")[:k] if scores[place] > 0]
        items = [self._items[place] for place in places]
        shown = relative(float(scores[place]) for place in places)
        return [Hit(item.id, score, item.content) for item, score in zip(items, shown, strict=True)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
