"""`whoosh`: Whoosh-Reloaded, full text in plain Python: BM25F over stemmed words, stopwords removed, in memory.

Any word of the question may match. The parser has no plugins: AND, NOT and wildcards of a question are words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from whoosh.analysis import StemmingAnalyzer
from whoosh.fields import NUMERIC, TEXT, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.qparser import OrGroup, QueryParser

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

__all__ = ["Whoosh"]

_WORD = re.compile(r"\w+")


class Whoosh:
    """Items that share a stemmed word with the question; the score is relative to the best one."""

    about = About("whoosh", author="benchsite", distributions=("Whoosh-Reloaded",))

    def __init__(self) -> None:
        self._schema = Schema(place=NUMERIC(stored=True), content=TEXT(analyzer=StemmingAnalyzer()))
        self._parser = QueryParser("content", self._schema, plugins=[], group=OrGroup)
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._index = RamStorage().create_index(self._schema)
        self._searcher = self._index.searcher()

    def ingest(self, items: Sequence[Item]) -> None:
        """Add the items; a stored number says which item a document is."""
        writer = self._index.writer()
        for item in items:
            writer.add_document(place=len(self._items), content=item.content)
            self._items.append(item)
        writer.commit()

    def flush(self) -> None:
        """Let searches see what was added."""
        self._searcher.close()
        self._searcher = self._index.searcher()

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best items; none if no word of the question is left."""
        words = " ".join(_WORD.findall(q))
        if not words:
            return []
        found = self._searcher.search(self._parser.parse(words), limit=k)
        items = [self._items[hit["place"]] for hit in found]
        shown = relative(float(hit.score) for hit in found)
        return [Hit(item.id, score, item.content) for item, score in zip(items, shown, strict=True)]
