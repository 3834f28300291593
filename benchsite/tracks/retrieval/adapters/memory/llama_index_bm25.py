"""`llama-index-bm25`: `BM25Retriever` of LlamaIndex with its defaults: bm25s with the Snowball stemmer, English stopwords removed."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

__all__ = ["LlamaIndexBm25"]


class LlamaIndexBm25:
    """Nodes that share a stemmed word with the question; the score is relative to the best one."""

    about = About(
        "llama-index-bm25",
        author="benchsite",
        distributions=("llama-index-retrievers-bm25", "llama-index-core", "bm25s", "PyStemmer", "numpy"),
        backend="bm25s",
    )

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._retriever: BM25Retriever | None = None

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items: the retriever cannot be extended."""
        self._items.extend(items)

    def flush(self) -> None:
        """Build the retriever; none if no item has a word, which it refuses."""
        texts = [item.content for item in self._items]
        words = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False) if texts else []
        self._retriever = None
        if any(words):
            nodes = [TextNode(id_=item.id, text=item.content) for item in self._items]
            # It would otherwise warn that it has fewer nodes than it answers by default.
            self._retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=1)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best nodes; the retriever fails above the size of the corpus, and fills up with zeros."""
        if self._retriever is None:
            return []
        self._retriever.similarity_top_k = min(k, len(self._items))
        found = [one for one in self._retriever.retrieve(q) if one.score]
        scores = relative(one.score for one in found)
        return [
            Hit(one.node.node_id, score, one.node.get_content())
            for one, score in zip(found, scores, strict=True)
        ]
