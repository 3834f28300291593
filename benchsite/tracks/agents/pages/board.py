"""The leaderboards of the agents track, and its pages besides them: tasks, comparisons, evidence."""

from __future__ import annotations

from collections.abc import Iterator

from benchsite.board import TrackBoards
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.agents.pages.comparison import roster
from benchsite.tracks.agents.pages.evidence import evidence_pages
from benchsite.tracks.agents.pages.leaderboard import LEADERBOARD
from benchsite.tracks.agents.pages.tasks import outcomes, task_pages

__all__ = ["LEADERBOARD", "pages"]


def pages(boards: TrackBoards, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The pages of each benchmark's tasks and the outcomes as data; then the evidence of each receipt."""
    for made in boards.current:
        found = roster(made, bodies, library)
        yield from task_pages(found)
        yield outcomes(found)
    yield from evidence_pages(boards.history, bodies, library)
