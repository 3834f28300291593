"""The leaderboards of a record for commands: composed from the verified history as `build` composes them."""

from __future__ import annotations

from benchsite import plugins
from benchsite.board import Board, Boards, boards, one_board
from benchsite.history import History
from benchsite.pipeline.building.pages import bodies, library
from benchsite.pipeline.snapshot import Snapshot

__all__ = ["leaderboard", "leaderboards"]


def leaderboards(snapshot: Snapshot, history: History) -> Boards:
    """Return the leaderboards of a history that was verified from the same snapshot."""
    found, _ = library(snapshot, history, snapshot.methodologies.every(), frozenset())
    return boards(history, snapshot.tracks.values(), bodies(snapshot, history), found)


def leaderboard(
    snapshot: Snapshot, history: History, *, track: str, target: str, version: str = ""
) -> Board | None:
    """Return one leaderboard of such a history as `one_board` does; raises `TrackError` for a track that isn't installed."""
    found, _ = library(snapshot, history, snapshot.methodologies.every(), frozenset())
    return one_board(
        plugins.track(track), history, bodies(snapshot, history), found, target=target, version=version
    )
