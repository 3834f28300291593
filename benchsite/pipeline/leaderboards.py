"""The leaderboards of a record for commands: composed from the verified history as `build` composes them."""

from __future__ import annotations

from benchsite.board import Boards, boards
from benchsite.history import History
from benchsite.pipeline.building.pages import bodies, library
from benchsite.pipeline.snapshot import Snapshot

__all__ = ["leaderboards"]


def leaderboards(snapshot: Snapshot, history: History) -> Boards:
    """Return the leaderboards of a history that was verified from the same snapshot."""
    found, _ = library(snapshot, history, snapshot.methodologies.every(), frozenset())
    return boards(history, snapshot.tracks.values(), bodies(snapshot, history), found)
