"""The pages of subjects: the current results of one system or agent over all tracks, and the list of all subjects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from benchsite.addresses import subject_path
from benchsite.board import Subject
from benchsite.track import Page
from benchsite.words import amount

LISTED: Final = 400
"""Rows of a list: with more a page has over 3,000 elements."""


def subjects(found: Sequence[Subject]) -> Iterator[Page]:
    """The list of all subjects, then a page for each."""
    yield Page(
        path=subject_path(""),
        title="Systems",
        description="Every system and agent with a receipt on this site, with its current results.",
        template="site/subjects.html.j2",
        context={"subjects": found[:LISTED], "more": max(0, len(found) - LISTED)},
    )
    for one in found:
        yield Page(
            path=subject_path(one.id),
            title=one.title,
            description=f"{one.title}: {summary(one)}",
            template="site/subject.html.j2",
            many=True,
            context={
                "subject": one,
                "summary": summary(one),
                "results": one.results[:LISTED],
                "unranked": one.unranked[:LISTED],
                "more": max(0, len(one.results) - LISTED) + max(0, len(one.unranked) - LISTED),
            },
        )


def summary(subject: Subject) -> str:
    """Say where it leads: `First or tied for first on 1 of 2 leaderboards; 3 current results from 5 receipts.`."""
    receipts = amount(subject.receipts, "receipt")
    if not subject.results:
        return f"No current result; {receipts}."
    boards = {result.board.path for result in subject.results}
    first = {result.board.path for result in subject.results if result.row.first == 1}
    counted = f"{amount(len(subject.results), 'current result')} from {receipts}."
    where = amount(len(boards), "leaderboard")
    if not first:
        return f"On {where}; {counted}"
    return f"First or tied for first on {len(first)} of {where}; {counted}"
