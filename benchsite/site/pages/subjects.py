"""The pages of systems: results with rank ranges, history over the log, every receipt, badges; and the list of all systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from benchsite.addresses import subject_badge_path, subject_feed_path, subject_path
from benchsite.board import Past, Subject, Timeline
from benchsite.site.badge import subject_badge, subject_words
from benchsite.site.pages.subject_text import facts, lines, summary, ties
from benchsite.track import Page

LISTED: Final = 400
"""Rows of a list: with more a page has over 3,000 elements."""

RESULTS: Final = 30
CHARTS: Final = 8
RECEIPTS: Final = 50
BADGES: Final = 3
"""What a system's page shows of each; the rest is on the leaderboards and in the list of receipts."""


def subjects(found: Sequence[Subject], past: Past, *, notice: bool = False) -> Iterator[Page]:
    """The list of all systems, then for each a page and a badge per leaderboard.

    Args:
        found: in the order of the list.
        past: what became of their receipts.
        notice: whether every page of the site has a banner, so that no badge has a score.
    """
    yield Page(
        path=subject_path(""),
        title="Systems",
        description="Every system and agent with a receipt on this site, with its current results.",
        template="site/subjects.html.j2",
        context={"subjects": found[:LISTED], "more": max(0, len(found) - LISTED)},
    )
    for one in found:
        timelines = past.timelines(one.headers)
        yield _page(one, past, timelines, notice=notice)
        for timeline in timelines:
            path = subject_badge_path(one.id, timeline.board.about.track.name, timeline.board.target)
            yield Page(path=path, data=subject_badge(one, timeline, notice=notice))


def _page(one: Subject, past: Past, timelines: Sequence[Timeline], *, notice: bool) -> Page:
    listed = lines(one, past)
    return Page(
        path=subject_path(one.id),
        title=one.title,
        description=f"{one.title}: {summary(one)}",
        template="site/subject.html.j2",
        many=True,
        context={
            "subject": one,
            "summary": summary(one),
            "facts": facts(one, past),
            "results": one.results[:RESULTS],
            "more_results": max(0, len(one.results) - RESULTS),
            "timelines": timelines[:CHARTS],
            "more_timelines": timelines[CHARTS:],
            "lines": listed[:RECEIPTS],
            "total": len(listed),
            "ties": ties(one.results),
            "badges": [(timeline, subject_words(one, timeline)) for timeline in timelines[:BADGES]],
            "notice": notice,
            "feed": subject_feed_path(one.id),
        },
    )
