"""Every page of the agents track but the receipts' own: leaderboards, tasks, comparisons, evidence."""

from __future__ import annotations

from collections.abc import Iterator

from benchsite.board import Board, leaderboards
from benchsite.history import History
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.agents.pages.compare import compare_pages
from benchsite.tracks.agents.pages.comparison import roster
from benchsite.tracks.agents.pages.evidence import evidence_pages
from benchsite.tracks.agents.pages.leaderboard import LEADERBOARD
from benchsite.tracks.agents.pages.tasks import task_pages


def pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The leaderboards, each with the pages of its tasks and of its pairs of systems; then the evidence of each receipt."""
    for page in leaderboards(LEADERBOARD, history, bodies, library):
        yield page
        made: Board | None = page.context.get("board")
        if made is not None and page.path == made.path and made.headers:
            found = roster(made, bodies, library)
            yield from task_pages(found)
            yield from compare_pages(found)
    yield from evidence_pages(history, bodies, library)
