"""Two systems compared: every pair of a leaderboard in one table, and the data for a pair that a reader chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from benchsite import canonical
from benchsite.board.data import stem
from benchsite.stats import mean_interval
from benchsite.track import Page
from benchsite.tracks.agents.pages.comparison import Roster, System
from benchsite.tracks.agents.pages.leaderboard import points
from benchsite.tracks.agents.pages.paths import compare_path, tasks_path
from benchsite.tracks.agents.pages.tasks import outcomes
from benchsite.words import p_value


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on the same tasks: difference of success, its 95% CI, wins, losses, ties and unadjusted p."""

    first: System
    second: System
    delta: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int
    p: float
    tied: bool

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """As the table shows them."""
        low, high = points(self.low), points(self.high)
        counted = f"{self.wins:,} / {self.losses:,} / {self.ties:,}"
        return (
            points(self.delta),
            f"[{low.removesuffix(' pt')}, {high.removesuffix(' pt')}]",
            f"{p_value(self.p)}{', n.s.' if self.tied else ''}",
            counted,
        )

    @property
    def reversed(self) -> Pair:
        """The same in the other order."""
        return Pair(
            self.second,
            self.first,
            *(0 - self.delta, 0 - self.high, 0 - self.low),  # never -0.0, which JSON refuses
            *(self.losses, self.wins, self.ties),
            self.p,
            self.tied,
        )

    @property
    def record(self) -> Mapping[str, Any]:
        """As the data file has it; `shown` is what a page writes, so that numbers are rounded in one place."""
        delta, interval, p, _ = self.cells
        return {
            "first": self.first.id,
            "second": self.second.id,
            "delta": self.delta,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "tied": self.tied,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "shown": {"delta": delta, "interval": interval, "p": p},
        }


def pairs(found: Roster) -> Iterator[Pair]:
    """Every pair that ran the same tasks, the better system first."""
    test = found.board.test
    for first, second in combinations(found.systems, 2):
        result = test.compared(first.row, second.row)
        if result is None:
            continue
        a, b = test.vectors[first.id], test.vectors[second.id]
        interval = mean_interval([a[task] - b[task] for task in sorted(a)]) if len(a) > 1 else None
        low, high = interval or (result.delta, result.delta)
        yield Pair(
            first, second, result.delta, low, high, *test.counts(first.id, second.id), result.p, result.tied
        )


def compare_pages(found: Roster) -> Iterator[Page]:
    """The page and its data file."""
    made = found.board
    data = f"{stem(made.path)}/outcomes.json"
    once = all(system.measured.once for system in found.systems)
    compared = tuple(pairs(found))
    yield Page(
        path=data,
        data=canonical.dumps(
            {**outcomes(found), "pairs": [one.record for pair in compared for one in (pair, pair.reversed)]}
        ),
    )
    yield Page(
        path=compare_path(made.target),
        title=f"Compare two systems on {made.target}",
        description=f"Paired differences of success between the systems of {made.target}, with 95% CI and p-value.",
        template="agents/compare.html.j2",
        context={
            "board": made,
            "pairs": compared,
            "systems": found.systems,
            "data": data,
            "tasks": tasks_path(made.target),
            "test": "McNemar's exact test"
            if once
            else "McNemar's exact test where each task was run once, else a paired randomization test",
        },
    )
