"""Two systems on the same items: every metric with its paired test, and the headline metric by category.

The test of a metric is that of `resolution`: McNemar's exact test of 0 and 1, else the seeded sign-flip test. P-values are
Holm-adjusted over the metrics, and over the categories. The CI is Student's t over the differences of the items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchsite.board.ranks import Vector
from benchsite.board.resolution.outcomes import Outcomes
from benchsite.board.resolution.pairs import compared
from benchsite.stats import detectable, exact_mean, holm, mean_interval

__all__ = ["Line", "by_category", "by_metric"]

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Line:
    """A metric, or a category of items under the headline metric, of two systems.

    Attributes:
        name: of the metric or category.
        n: common items.
        first, second: means over these.
        low, high: 95% CI of the difference; None for one item.
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
    p: float
    needed: int | None
    detectable: float | None
    holm: float = 1.0

    @property
    def is_significant(self) -> bool:
        """Whether the adjusted p-value is below 5%."""
        return self.holm < LEVEL


def by_metric(first: Mapping[str, Vector], second: Mapping[str, Vector]) -> tuple[Line, ...]:
    """Return a line per metric that both have, in the order of the first."""
    return _adjusted([_line(name, first[name], second[name]) for name in first if name in second])


def by_category(first: Vector, second: Vector, categories: Mapping[str, str]) -> tuple[Line, ...]:
    """Return a line per category of items, by name.

    Args:
        first, second: item id to value.
        categories: item id to category; an item without one is in none.
    """
    names = sorted({categories[item] for item in first if item in categories})
    parts = [
        tuple({item: of[item] for item in of if categories.get(item) == name} for of in (first, second))
        for name in names
    ]
    return _adjusted([_line(name, *part) for name, part in zip(names, parts, strict=True)])


def _line(name: str, first: Vector, second: Vector) -> Line | None:
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
        found.p if found.p is not None else 1.0,
        found.needed,
        detectable(differences),
    )


def _adjusted(lines: Sequence[Line | None]) -> tuple[Line, ...]:
    known = [line for line in lines if line is not None]
    adjusted = holm([line.p for line in known]) if known else []
    return tuple(replace(line, holm=p) for line, p in zip(known, adjusted, strict=True))
