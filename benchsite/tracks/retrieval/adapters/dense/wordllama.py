"""`wordllama`: static word embeddings of 256 dimensions, whose weights are in the package, with exact cosine search.

`load()` alone asks a model hub. With the package's own folder as its cache, and the download disabled, it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wordllama import WordLlama

from benchsite.tracks.retrieval.adapter import About
from benchsite.tracks.retrieval.adapters.dense.exact_cosine import ExactCosine

__all__ = ["WordLlamaExact"]

_SPEC = find_spec("wordllama")
_FOLDER = Path(_SPEC.origin).parent if _SPEC and _SPEC.origin else Path()


class WordLlamaExact(ExactCosine):
    """The nearest items by the cosine of their embeddings; a text without known words is at no distance from any other."""

    about = About(
        "wordllama",
        author="benchsite",
        distributions=("wordllama", "numpy"),
        assets={
            "wordllama weights": str(_FOLDER / "weights/l2_supercat_256.safetensors"),
            "wordllama tokenizer": str(_FOLDER / "tokenizers/l2_supercat_tokenizer_config.json"),
        },
    )

    def __init__(self) -> None:
        self._model = WordLlama.load(cache_dir=_FOLDER, disable_download=True)
        super().__init__(self._embedded)

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.nan_to_num(self._model.embed(list(texts), norm=False).astype(np.float32))
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        result: NDArray[np.float32] = rows / np.where(lengths > 0, lengths, 1)
        return result
