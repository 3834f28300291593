"""Means, percentiles, Wilson intervals, McNemar's exact test and Holm's adjustment whose last bit is the same everywhere.

Owns the closed formulas behind signed numbers. Uses only + − × ÷ √ on doubles, exact integers and
``math.fsum`` (the correctly rounded sum, so the order of its terms is immaterial): any IEEE 754 double
implementation that follows the written order reproduces every bit. Refuses empty input; imports no numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

# The 97.5 % quantile of the standard normal distribution as commonly printed, one unit below the nearest double.
Z_95: Final = 1.959963984540054

# Keeps successes × failures below 2^53, where a double still counts exactly.
MAX_TRIALS: Final = 2**27


Number = TypeVar("Number", int, float)


class Interval(NamedTuple):
    """A two-sided 95 % interval, in the unit of what it brackets."""

    low: float
    high: float


def exact_mean(values: Sequence[float]) -> float:
    """Correctly rounded sum of ``values``, divided once by their number.

    Raises:
        ValueError: ``values`` is empty.
    """
    if not values:
        raise ValueError("the mean of no values is not defined")
    return math.fsum(values) / len(values)


def nearest_rank(values: Sequence[Number], percent: float) -> Number:
    """Smallest of ``values`` with at least ``percent`` % of them at or below it; never interpolated.

    The rank is ceil(percent × n / 100), evaluated in integers from the exact binary value of ``percent``.

    Raises:
        ValueError: ``values`` is empty, or ``percent`` is outside (0, 100].
    """
    if not values:
        raise ValueError("a percentile of no values is not defined")
    if not 0 < percent <= 100:
        raise ValueError(f"percent {percent} is outside (0, 100]")
    numerator, denominator = percent.as_integer_ratio()
    rank = -(-numerator * len(values) // (100 * denominator))
    return sorted(values)[rank - 1]


def wilson(successes: int, n: int) -> Interval:
    """95 % score interval of a share (Wilson 1927), without continuity correction.

    Order of operations, z being the literal ``Z_95``::

        square = z × z
        centre = successes + square ÷ 2
        spread = z × √(successes × (n − successes) ÷ n + square ÷ 4)
        low    = (centre − spread) ÷ (n + square)      0 when successes = 0
        high   = (centre + spread) ÷ (n + square)      1 when successes = n

    Raises:
        ValueError: ``n`` is outside 1 to 2^27, or ``successes`` outside 0 to ``n``.
    """
    if not 1 <= n <= MAX_TRIALS:
        raise ValueError(f"a share of {n} trials has no interval here: 1 to {MAX_TRIALS} are served")
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials are impossible")
    square = Z_95 * Z_95
    centre = successes + square / 2
    spread = Z_95 * math.sqrt(successes * (n - successes) / n + square / 4)
    low = (centre - spread) / (n + square) if successes else 0.0
    high = (centre + spread) / (n + square) if successes < n else 1.0
    return Interval(low, high)


def mcnemar(wins: int, losses: int) -> float:
    """Two-sided p-value of McNemar's exact test (1947) on pairs of binary results, from those that differ.

    With n = wins + losses and m the smaller of both: min(1, 2 × Σ C(n, i) ÷ 2^n) for i from 0 to m, the quotient of
    two integers rounded once; 1 where no pair differs.

    Raises:
        ValueError: a count is negative.
    """
    if min(wins, losses) < 0:
        raise ValueError(f"{wins} wins and {losses} losses are impossible")
    n = wins + losses
    term = below = 1
    for i in range(1, min(wins, losses) + 1):
        term = term * (n - i + 1) // i
        below += term
    return min(1.0, 2 * below / (1 << n))


def holm(pvalues: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values (1979), in the order given.

    The i-th smallest of m (from 0) is multiplied by m − i; no value falls below its predecessor or exceeds 1.

    Raises:
        ValueError: a p-value is outside [0, 1].
    """
    for p in pvalues:
        if not 0 <= p <= 1:
            raise ValueError(f"p-value {p} is outside [0, 1]")
    adjusted = [0.0] * len(pvalues)
    floor = 0.0
    for i, position in enumerate(sorted(range(len(pvalues)), key=pvalues.__getitem__)):
        floor = max(floor, min(1.0, (len(pvalues) - i) * pvalues[position]))
        adjusted[position] = floor
    return adjusted
