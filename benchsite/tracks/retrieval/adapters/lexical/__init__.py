"""Lexical systems: BM25 and SQLite FTS5."""
