"""`postgres-fts`: full text of PostgreSQL: `ts_rank` over an English `tsvector`, any word of the question.

The adapter makes and starts a server in its private folder, reached by a socket there alone. The version is the server's.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import psycopg

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative

__all__ = ["PostgresFts"]

_WORD = re.compile(r"[^\W_]+")
_PATTERNS = ("usr/lib/postgresql/*/bin", "usr/local/pgsql/bin", "usr/local/bin", "usr/bin")
_USER = "benchsite"


def _programs() -> Path:
    found = (path for pattern in _PATTERNS for path in sorted(Path("/").glob(pattern), reverse=True))
    return next((path for path in found if (path / "initdb").is_file()), Path("/usr/bin"))


_BIN = _programs()


def _version() -> str:
    said = subprocess.run([_BIN / "postgres", "--version"], capture_output=True, check=True, text=True).stdout
    return said.split()[2]


class PostgresFts:
    """Items that share a stemmed word with the question; the score is relative to the best one."""

    about = About(
        "postgres-fts", author="benchsite", version=_version(), assets={"postgres": str(_BIN / "postgres")}
    )

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(prefix="pg-")
        data = f"{folder}/data"
        options = f"-k {folder} -c listen_addresses= -c fsync=off -c max_parallel_workers_per_gather=0"
        _run("initdb", "-D", data, "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        _run("pg_ctl", "-D", data, "-o", options, "-l", f"{folder}/log", "-w", "start")
        self._stop = ("pg_ctl", "-D", data, "-m", "immediate", "stop")
        self._database = psycopg.connect(host=folder, user=_USER, dbname="postgres", autocommit=True)
        self._database.execute("CREATE UNLOGGED TABLE items (place integer, words tsvector)")
        self._items: list[Item] = []

    def reset(self) -> None:
        """Forget the scope."""
        self._items = []
        self._database.execute("TRUNCATE items")

    def ingest(self, items: Sequence[Item]) -> None:
        """Add the items; a NUL, which PostgreSQL cannot store, separates words."""
        rows = [
            (len(self._items) + place, item.content.replace("\0", " ")) for place, item in enumerate(items)
        ]
        self._items.extend(items)
        with self._database.cursor() as cursor:
            cursor.executemany("INSERT INTO items VALUES (%s, to_tsvector('english', %s))", rows)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """The k best items; equal ranks keep the order of ingest."""
        words = " | ".join(f"'{word}'" for word in _WORD.findall(q))
        if not words:
            return []
        found = self._database.execute(
            "SELECT place, ts_rank(words, asked) AS score FROM items, to_tsquery('english', %s) AS asked "
            "WHERE words @@ asked ORDER BY score DESC, place LIMIT %s",
            (words, k),
        ).fetchall()
        items = [self._items[place] for place, _ in found]
        shown = relative(float(score) for _, score in found)
        return [Hit(item.id, score, item.content) for item, score in zip(items, shown, strict=True)]

    def close(self) -> None:
        """Stop the server; if the adapter is killed, the server ends with it."""
        self._database.close()
        _run(*self._stop)


def _run(program: str, *arguments: str) -> None:
    done = subprocess.run([_BIN / program, *arguments], capture_output=True, check=False, text=True)
    if done.returncode:
        raise RuntimeError(f"{program}: {(done.stderr or done.stdout).strip()}")
