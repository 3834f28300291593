"""Retrievers and stores of agent frameworks, each in its own environment: packages of one change what another one does."""

from __future__ import annotations

from typing import Final

from benchsite.track import System

__all__ = ["SYSTEMS"]

_NUMPY: Final = "numpy==2.4.6"

SYSTEMS: Final = (
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
)
