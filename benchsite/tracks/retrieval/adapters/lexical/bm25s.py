"""`bm25s`: BM25 by sparse matrices (Lù, 2024), with the Snowball stemmer, English stopwords removed, as its documentation recommends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bm25s
import Stemmer

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

__all__ = ["Bm25s"]


class Bm25s:
    """Items that share a stemmed word with the question; the score is relative to the best one."""

    about = About("bm25s", author="benchsite", distributions=("bm25s", "PyStemmer", "numpy"))

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._index: Any = None

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items: the index cannot be extended."""
        self._items.extend(items)

    def flush(self) -> None:
        """Build the index; none if no item has a word."""
        tokens = self._tokens([item.content for item in self._items])
        self._index = None
        if any(tokens):
            self._index = bm25s.BM25()
            self._index.index(tokens, show_progress=False)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best items; the library fails above the size of the corpus, and fills up with zeros."""
        words = self._tokens([q])
        if self._index is None or not words[0]:
            return []
        places, scores = self._index.retrieve(words, k=min(k, len(self._items)), show_progress=False)
        found = [
            (int(place), float(score)) for place, score in zip(places[0], scores[0], strict=True) if score > 0
        ]
        items = [self._items[place] for place, _ in found]
        shown = relative(score for _, score in found)
        return [Hit(item.id, score, item.content) for item, score in zip(items, shown, strict=True)]

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = bm25s.tokenize(
            list(texts), stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        return found
