"""`sqlite-fts5`: SQLite's full-text index (FTS5, Porter stemming), the default adapter.

Any word of the question may match; FTS5's own bm25() ranks, rowid breaks ties. With `stopwords` the words of
`STOPWORDS` are excluded from the query (never out of the index): questions are mostly function words, and
those match almost every item. The version is SQLite's own, because the ranking is.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from benchsite.tracks.retrieval.adapter import About, Hit, Item

__all__ = ["STOPWORDS", "SqliteFts5"]

_WORD = re.compile(r"[^\W_]+")

STOPWORDS = frozenset(
    """
    a an the this that these those
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
    who whom whose which what when where why how
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would
    and or but nor so if then than because as while
    of at by for with about against between into through during before after above below to from up down
    in out on off over under
    again once here there all any both each few more most other some such no not only own same too very just
    s t d ll m re ve
    """.split()  # noqa: SIM905 - a list of 150 quoted words would be unreadable
)
"""English function words, chosen for this project by grammatical class: articles and demonstratives, pronouns,
question words, auxiliaries, conjunctions, prepositions, quantifiers and adverbs of degree, and the tails of
contractions that the tokenizer leaves behind."""


class SqliteFts5:
    """Items that share a stemmed word with the question; the score is relative to the best one."""

    about = About("sqlite-fts5", author="benchsite", version=sqlite3.sqlite_version)

    def __init__(self, *, stopwords: bool = False) -> None:
        self._stopwords = STOPWORDS if stopwords else frozenset[str]()
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._ids: list[str] = []
        self._database.execute("DROP TABLE IF EXISTS items")
        self._database.execute(
            "CREATE VIRTUAL TABLE items USING fts5(content, tokenize = 'porter unicode61')"
        )

    def ingest(self, items: Sequence[Item]) -> None:
        """Index the items; rowids count from 0 in the order of ingest."""
        rows = [(len(self._ids) + place, item.content) for place, item in enumerate(items)]
        self._ids.extend(item.id for item in items)
        self._database.execute("BEGIN")
        self._database.executemany("INSERT INTO items (rowid, content) VALUES (?, ?)", rows)
        self._database.execute("COMMIT")

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - FTS5 has no clock
        """The k best items; none when the question has no word left to look for."""
        words = [word for word in _WORD.findall(q.lower()) if word not in self._stopwords]
        if not words:
            return []
        rows = self._database.execute(
            "SELECT rowid, bm25(items), content FROM items WHERE items MATCH ? ORDER BY bm25(items), rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), k),
        ).fetchall()
        return [Hit(self._ids[rowid], rank / rows[0][1], content) for rowid, rank, content in rows]

    def close(self) -> None:
        """Release the database."""
        self._database.close()
