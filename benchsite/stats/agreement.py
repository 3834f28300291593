"""Agreement between raters on an ordered scale, as exact fractions: weighted kappa and Krippendorff's alpha.

Follows Cohen, "Weighted kappa" (1968), and Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). Both
are 1 minus the disagreement seen, divided by the disagreement that chance alone would give: 1 for perfect agreement,
0 for what chance gives, below 0 for less than that. Neither is defined where chance would give no disagreement, as
when all ratings are one value: None then, never 0 or 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal, TypeAlias

Distance: TypeAlias = Callable[[int, int], Fraction]


def weighted_kappa(
    pairs: Sequence[tuple[int, int]],
    *,
    low: int,
    high: int,
    weights: Literal["linear", "quadratic"] = "linear",
) -> Fraction | None:
    """Cohen's weighted kappa of two raters.

    With N pairs, the disagreement w of two ratings being their distance (linear) or its square (quadratic), and r and
    c the counts of each rating by the first and the second rater::

        kappa = 1 − N × Σ w(pair) ÷ Σ r(i) × c(j) × w(i, j)

    Args:
        pairs: one pair a unit: what the first and what the second rater gave.
        low: the lowest rating of the scale.
        high: the highest.
        weights: how disagreement grows with distance.

    Raises:
        ValueError: a rating is outside the scale.
    """
    for rating in (rating for pair in pairs for rating in pair):
        if not low <= rating <= high:
            raise ValueError(f"rating {rating} is outside {low} to {high}")
    power = 1 if weights == "linear" else 2
    seen = sum(abs(first - second) ** power for first, second in pairs)
    rows = Counter(first for first, _ in pairs)
    columns = Counter(second for _, second in pairs)
    expected = sum(
        rows[first] * columns[second] * abs(first - second) ** power for first in rows for second in columns
    )
    return 1 - Fraction(len(pairs) * seen, expected) if expected else None


def krippendorff_alpha(
    units: Sequence[Sequence[int]], *, metric: Literal["ordinal", "nominal", "interval"] = "ordinal"
) -> Fraction | None:
    """Krippendorff's alpha of any number of raters, some of whom may have skipped some units.

    Every ordered pair of ratings within a unit of m ratings counts 1 ÷ (m − 1) in the coincidences o; n(c) is how
    often value c stands in a pairable unit, n the sum of these, and delta the metric's squared distance::

        alpha = 1 − (n − 1) × Σ o(c, k) × delta(c, k) ÷ Σ n(c) × n(k) × delta(c, k)     over c < k

    Args:
        units: the ratings of each unit, in any order; a unit of fewer than two does not count.
        metric: `nominal`: values are equal or not; `interval`: their difference; `ordinal`: how many ratings lie
            between them, half of those at either end included.
    """
    pairable = [unit for unit in units if len(unit) > 1]
    counts = Counter(value for unit in pairable for value in unit)
    coincidences = _coincidences(pairable)
    delta = _distance(metric, counts)
    expected = sum(
        (counts[low] * counts[high] * delta(low, high) for low, high in combinations(sorted(counts), 2)),
        Fraction(),
    )
    if not expected:
        return None
    seen = sum((times * delta(low, high) for (low, high), times in coincidences.items()), Fraction())
    return 1 - (counts.total() - 1) * seen / expected


def _coincidences(units: Sequence[Sequence[int]]) -> Mapping[tuple[int, int], Fraction]:
    """o(c, k) for c < k."""
    found: dict[tuple[int, int], Fraction] = {}
    for unit in units:
        counted = Counter(unit)
        for low, high in combinations(sorted(counted), 2):
            times = Fraction(counted[low] * counted[high], len(unit) - 1)
            found[low, high] = found.get((low, high), Fraction()) + times
    return found


def _distance(metric: str, counts: Mapping[int, int]) -> Distance:
    """Squared distance of two values, the lower first."""

    def nominal(low: int, high: int) -> Fraction:
        return Fraction(low != high)

    def interval(low: int, high: int) -> Fraction:
        return Fraction((low - high) ** 2)

    def ordinal(low: int, high: int) -> Fraction:
        between = sum(count for value, count in counts.items() if low <= value <= high)
        return (between - Fraction(counts[low] + counts[high], 2)) ** 2

    return {"nominal": nominal, "interval": interval, "ordinal": ordinal}[metric]
