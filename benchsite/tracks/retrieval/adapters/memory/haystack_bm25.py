"""`haystack-bm25`: BM25 of Haystack's `InMemoryDocumentStore` with its defaults: BM25L over lower-cased words, stopwords kept.

Haystack reads whether it may send usage data when it is imported, so that is set first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore

__all__ = ["HaystackBm25"]


class HaystackBm25:
    """Documents that share a word with the question; the score is relative to the best one."""

    about = About("haystack-bm25", author="benchsite", distributions=("haystack-ai",))

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Make a new store; a shared one would stay in memory."""
        self._store = InMemoryDocumentStore(shared=False)

    def ingest(self, items: Sequence[Item]) -> None:
        """Write the documents."""
        self._store.write_documents([Document(id=item.id, content=item.content) for item in items])

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best documents; the store refuses an empty question."""
        found = self._store.bm25_retrieval(q, top_k=k) if q else []
        scores = relative(one.score for one in found)
        return [Hit(one.id, score, one.content) for one, score in zip(found, scores, strict=True)]
