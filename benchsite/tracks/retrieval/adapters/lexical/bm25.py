"""`bm25`: Okapi BM25 over lower-cased words, in plain Python, without stemming, stopwords kept.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), equation 3.15, with
the idf that never becomes negative, ln(1 + (N - df + 0.5) / (df + 0.5)), k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from benchsite.tracks.retrieval.adapter import About, Hit, Item

__all__ = ["Bm25"]

K1 = 1.2
B = 0.75
_WORD = re.compile(r"\w+")


class Bm25:
    """Items that share a word with the question, by BM25; the score is relative to the best one."""

    about = About("bm25", author="benchsite", version="1.0.0")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._lengths: list[int] = []
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def ingest(self, items: Sequence[Item]) -> None:
        """Add the items to the inverted index."""
        for item in items:
            place = len(self._items)
            words = _words(item.content)
            self._items.append(item)
            self._lengths.append(len(words))
            for word, count in Counter(words).items():
                self._postings[word].append((place, count))

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - BM25 has no clock
        """The k best items; equal sums keep the order of ingest."""
        if not self._items:
            return []
        mean_length = sum(self._lengths) / len(self._lengths) or 1.0
        sums: defaultdict[int, float] = defaultdict(float)
        for word in _words(q):
            postings = self._postings.get(word, ())
            idf = math.log(1 + (len(self._items) - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, count in postings:
                norm = K1 * (1 - B + B * self._lengths[place] / mean_length)
                sums[place] += idf * count * (K1 + 1) / (count + norm)
        ranked = sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))[:k]
        return [
            Hit(self._items[place].id, total / ranked[0][1], self._items[place].content)
            for place, total in ranked
        ]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
