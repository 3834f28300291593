"""One line of a leaderboard: a subject, version and configuration by its latest receipt, or a baseline.

A run submitted to the inbox has a line of its own and is no baseline, whatever it calls itself: every subject is
compared with the baselines, so only runs by the workflow or the maintainers may be one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchsite import words
from benchsite.history import Header, Subject


@dataclass(frozen=True, slots=True)
class Row:
    """One subject on a board.

    Attributes:
        runs: how many receipts of the same line are published.
        own: the track's own numbers, by their name in the data files.
        besides: whatever else the track's template shows of the receipt.
        cells: what the track's own columns say of it, each with the small line below.
        sent: who sent it, in words; empty where this site ran it.
        first, last: the range of ranks it may hold, from 1; None for floors and where no rank could be given.
        tied: how it stands among neighbors of the same range: "", "first", "inner" or "last".
    """

    header: Header
    runs: int
    value: float | None
    low: float | None
    high: float | None
    own: Mapping[str, Any] = field(default_factory=dict)
    besides: Any = None
    cells: tuple[tuple[str, str], ...] = ()
    sent: str = ""
    floor: bool = False
    first: int | None = None
    last: int | None = None
    tied: str = ""

    @property
    def subject(self) -> Subject:
        """What was measured."""
        assert self.header.summary is not None  # noqa: S101 - History.rows gives quotable headers only
        return self.header.summary.subject

    @property
    def name(self) -> str:
        """The subject's name."""
        return self.subject.name

    @property
    def title(self) -> str:
        """The subject's name, and the submitter where the receipt came through the inbox."""
        return f"{self.name} ({self.sent})" if self.sent else self.name

    @property
    def rank(self) -> str:
        """`1`, or `2–4` where the order of these rows could be chance."""
        return words.rank(self.first, self.last)

    @property
    def rank_words(self) -> str:
        """`2nd to 4th`."""
        return words.rank_words(self.first, self.last)


def best_first(row: Row) -> tuple[float, bool, str, str]:
    """By the headline number, blank ones last; among equals submitted ones last, then by name.

    A copied receipt has the numbers of the one it was copied from, and is not to stand before it. Two builds agree.
    """
    value = float("inf") if row.value is None else -row.value
    return value, row.header.sent_by != "", row.name, row.header.receipt_id
