"""Memory products, and retrievers and stores of agent frameworks.

Each has its own environment: packages of one change what another one does.
"""

from __future__ import annotations

from typing import Final

from benchsite.track import System
from benchsite.tracks.retrieval.systems.dense import MINILM, MINILM_WEIGHTS

__all__ = ["SYSTEMS"]

_NUMPY: Final = "numpy==2.4.6"

SYSTEMS: Final = (
    System(
        "mempalace",
        "mempalace",
        ("mempalace==3.11.0", "chromadb==1.5.9", *MINILM),
        MINILM_WEIGHTS,
        backend="chroma",
    ),
    System(
        "mem0",
        "mem0",
        ("mem0ai==2.2.1", "qdrant-client==1.20.0", *MINILM),
        MINILM_WEIGHTS,
        backend="minilm",
    ),
    System(
        "langgraph-store",
        "langgraph-store",
        ("langgraph==1.2.24", "langgraph-checkpoint==4.3.2", *MINILM),
        MINILM_WEIGHTS,
        backend="minilm",
    ),
    System(
        "langchain-bm25",
        "langchain-bm25",
        ("langchain-community==0.4.2", "langchain-core==1.8.3", "rank-bm25==0.2.2", _NUMPY),
        backend="rank-bm25",
    ),
    System(
        "llama-index-bm25",
        "llama-index-bm25",
        (
            "llama-index-retrievers-bm25==0.8.0",
            "llama-index-core==0.14.25",
            "bm25s==0.3.16",
            "PyStemmer==2.2.0.3",
            _NUMPY,
        ),
        backend="bm25s",
    ),
    System(
        "txtai",
        "txtai",
        (
            "faiss-cpu==1.15.1",
            "huggingface-hub==2.4.0",
            "msgpack==1.2.4",
            "pyyaml==6.0.4",
            "regex==2026.11.19",
            "sqlalchemy==2.1.9",
            *MINILM,
        ),
        ("txtai==9.14.0", *MINILM_WEIGHTS),
        backend="faiss",
    ),
    System("haystack-bm25", "haystack-bm25", ("haystack-ai==3.4.1",)),
)
