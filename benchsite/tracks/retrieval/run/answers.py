"""The reader of what `query` returns: one for measurements and the conformance test."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

__all__ = ["Malformed", "ReturnedHit", "is_confidence", "read_hits"]

TOLERANCE: Final = 1e-6
"""A score this far outside [0, 1] is rounding: the cosine of a text with itself can be 1.0000000000000002."""


class ReturnedHit(NamedTuple):
    """An id, a score as it came, and the text; the score is clipped to [0, 1] if it is outside by rounding alone."""

    id: str
    score: Any
    content: str | None


class Malformed(NamedTuple):
    """Why a result is no list of hits, and what to return instead."""

    detail: str
    hint: str


def read_hits(result: Any) -> list[ReturnedHit] | Malformed:
    """Return the hits of a result of `query`, in order, or why it has none."""
    hits = result.get("hits") if isinstance(result, dict) else None
    if not isinstance(hits, list):
        return Malformed("no list of hits", 'return {"hits": [[id, score, content], …]}')
    for place, hit in enumerate(hits):
        if not (isinstance(hit, list) and len(hit) == 3 and isinstance(hit[0], str)):
            return Malformed(f"hit {place} is not [id, score, content]", "the id must be text")
        if not isinstance(hit[2], str | None):
            return Malformed(f"the content of hit {place} is not text", "return the item's text, or null")
    return [ReturnedHit(hit[0], _clipped(hit[1]), hit[2]) for hit in hits]


def is_confidence(score: Any) -> bool:
    """Whether a score is a number in [0, 1]; NaN fails both comparisons."""
    return isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1


def _clipped(score: Any) -> Any:
    near = isinstance(score, float) and -TOLERANCE <= score <= 1 + TOLERANCE
    return min(max(score, 0.0), 1.0) if near else score
