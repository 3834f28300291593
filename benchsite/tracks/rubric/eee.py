"""The part for Every Eval Ever: the composite score alone, because a rating is not right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.track.table import EvalModel
from benchsite.tracks.rubric.wording import rated_by

__all__ = ["SCALE", "model", "samples"]

SCALE: Final = (0.0, 100.0)


def model(document: Document) -> EvalModel:
    """Return the rated agent."""
    agent = document["agent"]
    return EvalModel(
        agent["name"], agent["vendor"], {"version": agent["version"], "rated_by": rated_by(document)}
    )


def samples(_document: Document, _texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield nothing."""
    return iter(())
