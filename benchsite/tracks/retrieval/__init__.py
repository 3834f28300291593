"""Retrieval: memory and retrieval systems, scored without a model in the loop (specs/retrieval.md).

`TRACK` is light: metrics, pages and the runner are imported when first asked for.
"""

from __future__ import annotations

from benchsite.track import Track

__all__ = ["TRACK"]

TRACK = Track(
    "retrieval",
    "Retrieval",
    __name__,
    groups={"adapter": "benchsite.retrieval.adapters"},
    limited="limited run: only the first {limit} queries were asked",
)
