"""The home page: the leader or tie of each leaderboard with its CI, and how to verify it. No overall score."""

from __future__ import annotations

from collections.abc import Iterable

from benchsite.board import Board
from benchsite.history import History
from benchsite.track import Page

TEASER = "teaser"


def home(history: History, pages: Iterable[Page], *, site_name: str) -> Page:
    """The home page.

    Args:
        history: the verified record.
        pages: every generated page; those whose context holds a board as `teaser` are quoted, in path order.
        site_name: the site's title.
    """
    teasers: list[Board] = [
        page.context[TEASER] for page in sorted(pages, key=lambda page: page.path) if TEASER in page.context
    ]
    quoted = next((board.leaders[0].header.receipt_id for board in teasers if board.leaders), None)
    newest = next((header.receipt_id for header in reversed(history.headers) if header.ranked), None)
    example = quoted or newest
    return Page(
        path="",
        title=site_name,
        description="Benchmark results that anyone can verify: signed, in a public log, and recomputable.",
        template="site/home.html.j2",
        context={
            "teasers": teasers,
            "boards": list({board.about.track.name: board.about for board in teasers}.values()),
            "explained": list(filter(None, dict.fromkeys(board.explained for board in teasers))),
            "example": example,
            "quoted": example or (history.headers[-1].receipt_id if history.headers else None),
            "total": len(history),
        },
    )
