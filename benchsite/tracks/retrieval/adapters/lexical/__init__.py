"""Lexical systems: BM25, SQLite FTS5 and others."""
