"""Rubric: agents scored by evaluators against a versioned methodology (specs/rubric.md).

`TRACK` is light: scoring, pages and the reading of sheets are imported when first asked for.
"""

from __future__ import annotations

from benchsite.track import Metric, Track

__all__ = ["TRACK"]

TRACK = Track(
    "rubric",
    "Rated agents",
    __name__,
    on_files=False,
    metrics={
        "composite_score": Metric("Composite", 2, " of 100", 100),
        "universal_score": Metric("Universal", 2, " of 100", 100),
        "domain_score": Metric("Domain", 2, " of 100", 100),
        "raw_composite": Metric("raw composite", 2, " of 100", 100),
        "penalty": Metric("penalty", 2, " of 100", 100),
    },
    violated="AGAINST THE RULES. The version that the receipt names would not have accepted them",
)
