"""Dense systems: static and contextual embeddings with exact search, and their fusion with lexical search."""
