"""Retrieval: memory and retrieval systems, scored without a model in the loop (specs/retrieval.md).

`TRACK` is made when it is first asked for: an adapter's process imports this package and needs none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchsite.tracks.retrieval.descriptor import TRACK

__all__ = ["TRACK"]


def __getattr__(name: str) -> Any:
    if name == "TRACK":
        return import_module("benchsite.tracks.retrieval.descriptor").TRACK
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
