"""Lexical systems, in the environment `lexical`."""

from __future__ import annotations

from typing import Final

from benchsite.track import NeededProgram, System

__all__ = ["SYSTEMS"]

_GROUP: Final = "lexical"
_NUMPY: Final = "numpy==2.4.6"
_INITDB: Final = NeededProgram(
    "initdb of PostgreSQL",
    (
        "/usr/bin/initdb",
        "/usr/local/bin/initdb",
        "/usr/local/pgsql/bin/initdb",
        "/usr/lib/postgresql/*/bin/initdb",
    ),
    "apt install postgresql",
)

SYSTEMS: Final = (
    System("tantivy", _GROUP, ("tantivy==0.27.0",)),
    System("bm25s", _GROUP, ("bm25s==0.3.16", "PyStemmer==3.1.0", _NUMPY)),
    System("rank-bm25", _GROUP, ("rank-bm25==0.2.2", _NUMPY)),
    System("tfidf", _GROUP, ("scikit-learn==1.9.1", "scipy==1.17.1", _NUMPY)),
    System("whoosh", _GROUP, ("Whoosh-Reloaded==2.7.5",)),
    System("duckdb-fts", _GROUP, ("duckdb==1.5.5", "duckdb-extension-fts==1.5.5")),
    System("postgres-fts", _GROUP, ("psycopg[binary]==3.3.9",), programs=(_INITDB,)),
)
