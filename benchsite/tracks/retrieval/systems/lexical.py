"""Lexical systems, in the environment `lexical`."""

from __future__ import annotations

from typing import Final

from benchsite.track import System

__all__ = ["SYSTEMS"]

_GROUP: Final = "lexical"

SYSTEMS: Final = (System("tantivy", _GROUP, ("tantivy==0.27.0",)),)
