"""`tfidf`: the vector space model of scikit-learn, cosine of TF-IDF vectors, English stopwords removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchsite.tracks.retrieval.adapter import About, Hit, Item

__all__ = ["TfIdf"]


class TfIdf:
    """Items with a cosine above 0, which is their score."""

    about = About("tfidf", author="benchsite", distributions=("scikit-learn", "scipy", "numpy"))

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._vectorizer = TfidfVectorizer(stop_words="english", sublinear_tf=True)
        self._vectors: Any = None

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items: each new one changes every weight."""
        self._items.extend(items)

    def flush(self) -> None:
        """Compute the vectors; none if no item has a word."""
        texts = [item.content for item in self._items]
        analyze = self._vectorizer.build_analyzer()
        self._vectors = self._vectorizer.fit_transform(texts) if any(map(analyze, texts)) else None

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k nearest items; equal cosines keep the order of ingest."""
        if self._vectors is None:
            return []
        cosines = (self._vectors @ self._vectorizer.transform([q]).T).toarray()[:, 0]
        places = [place for place in np.argsort(-cosines, kind="stable")[:k] if cosines[place] > 0]
        return [
            Hit(self._items[place].id, min(float(cosines[place]), 1.0), self._items[place].content)
            for place in places
        ]
