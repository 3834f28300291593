"""The home page: the leader or tie of each leaderboard with its CI, and how to verify it. No overall score."""

from __future__ import annotations

from benchsite.board import Boards
from benchsite.history import History
from benchsite.track import Page


def home(history: History, boards: Boards, *, site_name: str) -> Page:
    """The home page.

    Args:
        history: the verified record.
        boards: the site's leaderboards; each is quoted under its newest methodology version.
        site_name: the site's title.
    """
    quoted = boards.current
    leading = next((board.leaders[0].header.receipt_id for board in quoted if board.leaders), None)
    newest = next((header.receipt_id for header in reversed(history.headers) if header.ranked), None)
    example = leading or newest
    return Page(
        path="",
        title=site_name,
        description="Benchmark results that anyone can verify: signed, in a public log, and recomputable.",
        template="site/home.html.j2",
        context={
            "boards": quoted,
            "tracks": list({board.about.track.name: board.about for board in quoted}.values()),
            "explained": list(filter(None, dict.fromkeys(board.explained for board in quoted))),
            "example": example,
            "quoted": example or (history.headers[-1].receipt_id if history.headers else None),
            "total": len(history),
        },
    )
