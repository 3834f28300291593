"""One line of a leaderboard: a system, version and configuration by its latest receipt, or a floor to beat.

A run that somebody sent to the inbox has a line of its own and is no floor, whatever it calls itself: everybody is
compared with the floors, so that only runs by the workflow or the maintainers may be one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchsite import words
from benchsite.history import Header
from benchsite.receipt import Document
from benchsite.tracks.retrieval.figures import Category, categories
from benchsite.tracks.retrieval.verification import HEADLINE_K, METRIC

FLOORS: Final = ("bm25", "recency", "random")
AUTHOR: Final = "benchsite"
"""Who wrote the floors."""


@dataclass(frozen=True, slots=True)
class Row:
    """One system on a board.

    Attributes:
        first, last: the range of ranks it may hold, from 1; None for floors and where no test could be made.
        tied: how it stands in its tie group: "", "first", "inner" or "last".
        found, asked: queries with a right item among the first k, and queries scored.
    """

    header: Header
    runs: int
    value: float | None
    low: float | None
    high: float | None
    success: float | None
    found: int | None
    asked: int | None
    categories: tuple[Category, ...]
    floor: bool
    first: int | None = None
    last: int | None = None
    tied: str = ""

    @property
    def name(self) -> str:
        """The system's name."""
        return self.header.summary.subject.name if self.header.summary else ""

    @property
    def version(self) -> str:
        """The system's version."""
        return self.header.summary.subject.version if self.header.summary else ""

    @property
    def label(self) -> str:
        """Its configuration in words, empty with an adapter's default options."""
        return self.header.summary.subject.label if self.header.summary else ""

    @property
    def sent_by(self) -> str:
        """Who ran it, where that was somebody else than this site; empty otherwise."""
        return self.header.sent_by

    @property
    def title(self) -> str:
        """The system's name, and who ran it where that was somebody else than this site."""
        return f"{self.name} (run by {self.sent_by}, not by us)" if self.sent_by else self.name

    @property
    def rank(self) -> str:
        """`1`, or `2–4` where a paired test cannot tell the systems apart."""
        return words.rank(self.first, self.last)

    @property
    def rank_words(self) -> str:
        """`2nd to 4th`."""
        return words.rank_words(self.first, self.last)


def row_of(header: Header, runs: int, document: Document) -> Row:
    """The line of a receipt whose numbers may be quoted; `runs` counts the receipts of the same line."""
    assert header.summary is not None  # noqa: S101 - History.rows gives quotable headers only
    headline, success = header.summary.headline, f"success_at_{HEADLINE_K}"
    counted = document["denominators"].get(success) or {}
    return Row(
        header=header,
        runs=runs,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        success=document["scores"].get(success),
        found=counted.get("num"),
        asked=counted.get("den"),
        categories=categories(document, METRIC, HEADLINE_K),
        floor=is_floor(header, document),
    )


def is_floor(header: Header, document: Document) -> bool:
    """Whether this site measured a built-in reference adapter.

    By name and author, so that a namesake is a system like others. Both are the word of whoever ran it, so that a
    receipt which somebody sent is never a floor.
    """
    adapter = document["adapter"]
    return not header.sent_by and adapter["name"] in FLOORS and adapter.get("author") == AUTHOR


def floors_in_order(row: Row) -> tuple[int, int]:
    """In the order of `FLOORS`, the newest of a name first."""
    return FLOORS.index(row.name), -(row.header.index or 0)


def best_first(row: Row) -> tuple[float, bool, str, str]:
    """By the headline measure; of equal ones those that somebody sent last, then by name, so that two builds agree.

    A copied receipt has the numbers of the one it was copied from, and is not to stand before it.
    """
    value = -1.0 if row.value is None else -row.value
    return value, row.sent_by != "", row.name, row.header.receipt_id
