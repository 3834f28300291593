"""The numbers that the retrieval track goes by, as `parameters` of each version's document states them.

Where the code has a name for a number it is taken from there, so that neither can change alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite.board.ranks import LEVEL
from benchsite.stats import MAX_RANK
from benchsite.stats.exact import Z_95
from benchsite.stats.resample import FLIPS, ONE, REPLICATES
from benchsite.tracks.retrieval.payload import MAX_CUTS
from benchsite.tracks.retrieval.verification import HEADLINE_K

__all__ = ["parameters"]


def parameters(version: str) -> Mapping[str, Any] | None:
    """What a version's document must say; None where this release knows nothing of the version."""
    known: dict[str, Mapping[str, Any]] = {
        "0.0.1": {"ks": [5, 10]},
        "1.0.0": {
            "ks": [1, 5, 10],
            "maxK": MAX_RANK,
            "maxCuts": MAX_CUTS,
            "headlineK": HEADLINE_K,
            "z": Z_95,
            "confidence": 0.95,
            "bootstrapReplicates": REPLICATES,
            "bootstrapLowRank": 250,
            "bootstrapHighRank": 9750,
            "fixedPointBits": ONE.bit_length() - 1,
            "flips": FLIPS,
            "level": LEVEL,
            "discountsSha256": "83d701acf9ea6e6bb9eca1ae48b0be24ba714ac6bfe5230a3959254d92a4d304",
        },
    }
    return known.get(version)
