"""`duckdb-fts`: the full-text extension of DuckDB: BM25 over stemmed words, stopwords removed.

`LOAD fts` would download the extension. Its file is in the package duckdb-extension-fts and is loaded by its path.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import duckdb

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

__all__ = ["DuckDbFts"]


def _extension() -> Path:
    spec = find_spec("duckdb_extension_fts")
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    return next(folder.rglob("fts.duckdb_extension"), folder / "fts.duckdb_extension")


_FILE = _extension()


class DuckDbFts:
    """Items that share a stemmed word with the question; the score is relative to the best one."""

    about = About(
        "duckdb-fts",
        author="benchsite",
        distributions=("duckdb", "duckdb-extension-fts"),
        assets={"fts.duckdb_extension": str(_FILE)},
    )

    def __init__(self) -> None:
        self._database = duckdb.connect(":memory:", config={"threads": 1})
        self._database.execute(f"LOAD '{_FILE}'")
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._database.execute("CREATE OR REPLACE TABLE items (place INTEGER, content VARCHAR)")
        self._is_indexed = False

    def ingest(self, items: Sequence[Item]) -> None:
        """Add the items to the table."""
        rows = [(len(self._items) + place, item.content) for place, item in enumerate(items)]
        self._items.extend(items)
        if rows:
            self._database.executemany("INSERT INTO items VALUES (?, ?)", rows)

    def flush(self) -> None:
        """Build the index, which does not follow the table."""
        self._is_indexed = bool(self._items)
        if self._is_indexed:
            self._database.execute("PRAGMA create_fts_index('items', 'place', 'content', overwrite = 1)")

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best items; equal scores keep the order of ingest."""
        if not self._is_indexed:
            return []
        found = self._database.execute(
            "SELECT place, score FROM (SELECT place, fts_main_items.match_bm25(place, ?) AS score FROM items) "
            "WHERE score IS NOT NULL ORDER BY score DESC, place LIMIT ?",
            (q, k),
        ).fetchall()
        items = [self._items[place] for place, _ in found]
        shown = relative(score for _, score in found)
        return [Hit(item.id, score, item.content) for item, score in zip(items, shown, strict=True)]

    def close(self) -> None:
        """Release the database."""
        self._database.close()
