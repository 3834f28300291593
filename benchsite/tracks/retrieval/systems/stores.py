"""Vector stores without a product around them, over the embedding of `minilm`."""

from __future__ import annotations

from typing import Final

from benchsite.track import System
from benchsite.tracks.retrieval.systems.dense import MINILM, MINILM_WEIGHTS

__all__ = ["SYSTEMS"]

_GROUP: Final = "stores"
_EXACT: Final = "minilm"

SYSTEMS: Final = (
    System(
        "sqlite-vec",
        _GROUP,
        ("sqlite-vec==0.1.9", *MINILM),
        MINILM_WEIGHTS,
        sqlite_extensions=True,
        backend=_EXACT,
    ),
    System("faiss", _GROUP, ("faiss-cpu==1.15.1", *MINILM), MINILM_WEIGHTS, backend=_EXACT),
    System("usearch", _GROUP, ("usearch==2.26.6", *MINILM), MINILM_WEIGHTS, backend=_EXACT),
    System("hnswlib", "hnswlib", ("hnswlib==0.8.0", *MINILM), MINILM_WEIGHTS, backend=_EXACT),
    System("chroma", "chroma", ("chromadb==1.5.9", *MINILM), MINILM_WEIGHTS, backend=_EXACT),
    System("qdrant", "qdrant", ("qdrant-client==1.20.0", *MINILM), MINILM_WEIGHTS, backend=_EXACT),
    System(
        "lancedb", "lancedb", ("lancedb==0.40.0", "pyarrow==26.0.1", *MINILM), MINILM_WEIGHTS, backend=_EXACT
    ),
)
