"""The home page: a row per leaderboard with its leader or tie, then how to verify a result. No overall score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from benchsite.board import Boards
from benchsite.history import History
from benchsite.track import Page

QUOTED: Final = 3
"""Findings on the home page."""

LISTED: Final = 60
"""Rows: with more the page has over 3,000 elements."""


class Finding(NamedTuple):
    """A result in one sentence with its numbers, and the page that explains it."""

    title: str
    sentence: str
    path: str


def home(history: History, boards: Boards, *, site_name: str, findings: Sequence[Finding] = ()) -> Page:
    """The home page.

    Args:
        history: the verified record.
        boards: the site's leaderboards, each under its newest methodology version; those with a ranked system come first.
        site_name: the site's title.
        findings: in their order; the first `QUOTED` are shown.
    """
    quoted = sorted(boards.current, key=lambda board: not board.leaders)
    leading = next((board.leaders[0].header.receipt_id for board in quoted if board.leaders), None)
    newest = next((header.receipt_id for header in reversed(history.headers) if header.ranked), None)
    return Page(
        path="",
        title=site_name,
        description="Benchmark results that anyone can verify: signed, in a public log, and recomputable.",
        template="site/home.html.j2",
        context={
            "boards": quoted[:LISTED],
            "more": max(0, len(quoted) - LISTED),
            "explained": list(filter(None, dict.fromkeys(board.explained for board in quoted))),
            "example": leading or newest,
            "total": len(history),
            "findings": findings[:QUOTED],
            "further": max(0, len(findings) - QUOTED),
        },
    )
