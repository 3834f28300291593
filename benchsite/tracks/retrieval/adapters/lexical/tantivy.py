"""`tantivy`: the full-text engine in Rust, BM25 over its stemming English tokenizer `en_stem`, in memory.

Any word of the question may match. The query parser reads quotes, colons and brackets as syntax, so each word is sent in
quotes, lower-cased: the parser counts equal clauses once, and `The` and `the` would be two. One writer thread keeps the order of documents, which breaks ties.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import tantivy

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

__all__ = ["Tantivy"]

_WORD = re.compile(r"[^\W_]+")


class Tantivy:
    """Items that share a stemmed word with the question; the score is relative to the best one."""

    about = About("tantivy", author="benchsite", distributions=("tantivy",))

    def __init__(self) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field("place", stored=True, indexed=True)
        builder.add_text_field("content", tokenizer_name="en_stem")
        self._schema = builder.build()
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._index = tantivy.Index(self._schema)
        self._writer = self._index.writer(num_threads=1)

    def ingest(self, items: Sequence[Item]) -> None:
        """Add the items; a stored number says which item a document is."""
        for item in items:
            self._writer.add_document(tantivy.Document(place=len(self._items), content=item.content))
            self._items.append(item)

    def flush(self) -> None:
        """Commit what was added, and let searches see it."""
        self._writer.commit()
        self._index.reload()

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best items; none if the question has no word."""
        words = " ".join(f'"{word}"' for word in _WORD.findall(q.lower()))
        if not words or not self._items:
            return []
        searcher = self._index.searcher()
        found = searcher.search(self._index.parse_query(words, ["content"]), k).hits
        items = [self._items[searcher.doc(address)["place"][0]] for _, address in found]
        scores = relative(score for score, _ in found)
        return [Hit(item.id, score, item.content) for item, score in zip(items, scores, strict=True)]
