"""The part for settings grids: contested settings of a benchmark, every combination scored from stored rankings."""

from __future__ import annotations

from benchsite.tracks.retrieval.grids.declaration import Grid, read
from benchsite.tracks.retrieval.grids.packaged import packaged
from benchsite.tracks.retrieval.grids.result import Result, scored

__all__ = ["Grid", "Result", "packaged", "read", "scored"]
