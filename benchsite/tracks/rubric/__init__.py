"""Rubric: agents scored by evaluators against a versioned methodology (specs/rubric.md).

`TRACK` is light: scoring, pages and the reading of sheets are imported when first asked for.
"""

from __future__ import annotations

from benchsite.track import Track

__all__ = ["TRACK"]

TRACK = Track(
    "rubric",
    "Rubric",
    __name__,
    on_files=False,
    violated="AGAINST THE RULES. The version that the receipt names would not have accepted them",
)
