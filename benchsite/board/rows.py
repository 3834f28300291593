"""One row of a leaderboard: a subject, version and configuration by its latest receipt, or a baseline.

A run submitted to the inbox has its own row and is no baseline, whatever its name: every subject is compared with the
baselines, so only runs by the workflow or the maintainers may be one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchsite import words
from benchsite.history import Header, Subject


class Comparison(NamedTuple):
    """A row with another one, by the paired test.

    Attributes:
        delta: difference of the headline numbers.
        p: of this pair alone.
        holm: p adjusted over every row that is compared with the same one.
        tied: whether the adjusted p is at least the level.
    """

    delta: float
    p: float
    holm: float
    tied: bool

    @property
    def cells(self) -> tuple[str, str]:
        """`+0.043` and `p = 0.058`, the adjusted one."""
        return words.difference(self.delta), words.p_value(self.holm)


class Estimate(NamedTuple):
    """A number with its 95% CI; None where it is blank."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One subject on a board.

    Attributes:
        runs: how many receipts of the same row are published.
        own: the track's own numbers, by their name in the data files.
        besides: whatever else the track's template shows of the receipt.
        estimates: further metrics with their CIs, by key.
        facts: what filters know of its receipt, by name.
        machine: where it was run; empty if unknown.
        cells: what the track's own columns say of it, each with the small line below.
        sent: who sent it, in words; empty where this site ran it.
        first, last: the ranks of its group of tied rows, from 1; None for baselines and where no rank could be given.
        tied: its place in a bracket of tied neighbors: "", "first", "inner", "last", or "alone" for a baseline that is
            tied with the first row and not its neighbor.
        to_leader, to_baseline: the paired test with the first row and with the reference baseline; None without one.
    """

    header: Header
    runs: int
    value: float | None
    low: float | None
    high: float | None
    own: Mapping[str, Any] = field(default_factory=dict)
    besides: Any = None
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    facts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    machine: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    sent: str = ""
    baseline: bool = False
    first: int | None = None
    last: int | None = None
    tied: str = ""
    to_leader: Comparison | None = None
    to_baseline: Comparison | None = None

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


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows in their order, each with its range of ranks, and the baselines; `tested`: whether the rows have ranks."""

    ranked: tuple[Row, ...] = ()
    baselines: tuple[Row, ...] = ()
    tested: bool = True


def best_first(row: Row) -> tuple[float, bool, str, str]:
    """By the headline number, blank ones last; among equals submitted ones last, then by name.

    A copied receipt has the numbers of the original, and is never listed before it. Two builds agree.
    """
    value = float("inf") if row.value is None else -row.value
    return value, row.header.sent_by != "", row.name, row.header.receipt_id
