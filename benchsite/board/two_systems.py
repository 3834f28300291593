"""Two systems on the same items: every metric with its paired test, and the headline metric by category.

The test of a metric is that of `resolution`: McNemar's exact test of 0 and 1, else the seeded sign-flip test. A leaderboard
gives its own seed and flips, so that its pages show one p-value. P-values are Holm-adjusted over the metrics, and over the
categories. The CI is Student's t over the differences of the items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchsite.board.ranks import Vector
from benchsite.board.resolution.outcomes import Outcomes
from benchsite.board.resolution.pairs import compared
from benchsite.stats import detectable, exact_mean, holm, mcnemar, mean_interval, paired_randomisation

__all__ = ["Line", "SignFlips", "by_category", "by_metric"]

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class SignFlips:
    """The paired test of a leaderboard.

    Attributes:
        seed, flips: of the sign-flip test.
        headline: the metric that is ranked by.
        once: whether both receipts have one run per item, so that the headline has McNemar's exact test. Any other metric
            has it if all values are 0 or 1.
    """

    seed: int
    flips: int
    headline: str
    once: bool

    def p_value(self, metric: str, a: Sequence[float], b: Sequence[float]) -> float:
        """Of two systems having the same mean; values in the order of the items' ids."""
        exact = self.once if metric == self.headline else {*a, *b} <= {0, 1}
        if exact:
            pairs = list(zip(a, b, strict=True))
            return mcnemar(sum(x > y for x, y in pairs), sum(x < y for x, y in pairs))
        return paired_randomisation(a, b, seed=self.seed, flips=self.flips)


@dataclass(frozen=True, slots=True)
class Line:
    """A metric, or a category of items under the headline metric, of two systems.

    Attributes:
        name: of the metric or category.
        n: common items.
        first, second: means over these.
        low, high: 95% CI of the difference; None for one item.
        wins, losses: items on which the first has the higher value, and the lower one.
        p, holm: of the paired test, unadjusted and adjusted.
        needed: items that would separate the two with 80% power; None if they do not differ.
        detectable: the smallest difference that n items find with 80% power; None for one item.
    """

    name: str
    n: int
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    wins: int
    losses: int
    p: float
    needed: int | None
    detectable: float | None
    holm: float = 1.0

    @property
    def ties(self) -> int:
        """Items on which both have the same value."""
        return self.n - self.wins - self.losses

    @property
    def is_significant(self) -> bool:
        """Whether the adjusted p-value is below 5%."""
        return self.holm < LEVEL


def by_metric(
    first: Mapping[str, Vector], second: Mapping[str, Vector], test: SignFlips | None = None
) -> tuple[Line, ...]:
    """Return a line per metric that both have, in the order of the first; `test` is a leaderboard's."""
    return _adjusted([_line(name, first[name], second[name], name, test) for name in first if name in second])


def by_category(
    first: Vector,
    second: Vector,
    categories: Mapping[str, str],
    test: SignFlips | None = None,
) -> tuple[Line, ...]:
    """Return a line per category of items, by name.

    Args:
        first, second: item id to value of the headline metric.
        categories: item id to category; an item without one is in none.
        test: a leaderboard's.
    """
    names = sorted({categories[item] for item in first if item in categories})
    parts = [
        tuple({item: of[item] for item in of if categories.get(item) == name} for of in (first, second))
        for name in names
    ]
    metric = test.headline if test else ""
    return _adjusted([_line(name, a, b, metric, test) for name, (a, b) in zip(names, parts, strict=True)])


def _line(name: str, first: Vector, second: Vector, metric: str, test: SignFlips | None) -> Line | None:
    common = sorted(first.keys() & second.keys())
    if not common:
        return None
    a, b = ([of[item] for item in common] for of in (first, second))
    both = Outcomes()
    both.add("first", dict(zip(common, a, strict=True)), name)
    both.add("second", dict(zip(common, b, strict=True)), name)
    found = compared(*both.systems())
    differences = [one - other for one, other in zip(a, b, strict=True)]
    interval = mean_interval(differences) if len(common) > 1 else None
    low, high = interval or (None, None)
    return Line(
        name,
        len(common),
        exact_mean(a),
        exact_mean(b),
        found.difference or 0.0,
        low,
        high,
        sum(difference > 0 for difference in differences),
        sum(difference < 0 for difference in differences),
        test.p_value(metric, a, b) if test else found.p if found.p is not None else 1.0,
        found.needed,
        detectable(differences),
    )


def _adjusted(lines: Sequence[Line | None]) -> tuple[Line, ...]:
    known = [line for line in lines if line is not None]
    adjusted = holm([line.p for line in known]) if known else []
    return tuple(replace(line, holm=p) for line, p in zip(known, adjusted, strict=True))
