"""McNemar's exact test of so many pairs that integers of a bit a pair take too long.

Follows Loader, "Fast and accurate computation of binomial probabilities" (2000): Stirling's series and the deviance in
place of factorials. Equal to `exact.mcnemar` to 1e-12, not to the last bit, because exp and log are the C library's.
Nothing signed may use it.
"""

from __future__ import annotations

import math
from typing import Final

from benchsite.stats.exact import mcnemar

FEW: Final = 2**14
"""Pairs that differ up to which the integers are as fast."""

_NOTHING: Final = 750.0
"""exp(−750) is 0 as a double."""


def mcnemar_large(wins: int, losses: int) -> float:
    """Return the two-sided p-value of McNemar's exact test for counts of any size.

    With n = wins + losses and m the smaller of both: 2 × P(m) × (1 + m ÷ (n − m + 1) + …), P the binomial probability.

    Raises:
        ValueError: a count is negative.
    """
    n, m = wins + losses, min(wins, losses)
    if n <= FEW or m < 0:
        return mcnemar(wins, losses)
    if wins == losses:
        return 1.0
    skew = (n - 2 * m) / n
    deviance = n / 2 * ((1 + skew) * math.log1p(skew) + (1 - skew) * math.log1p(-skew)) if m else math.inf
    if deviance > _NOTHING:
        return 0.0
    stirling = _remainder(n) - _remainder(m) - _remainder(n - m)
    probability = math.sqrt(n / (2 * math.pi * m * (n - m))) * math.exp(stirling - deviance)
    terms, term = [1.0], 1.0
    for i in range(m, 0, -1):
        term *= i / (n - i + 1)
        if term < 1e-18:
            break
        terms.append(term)
    return min(1.0, 2 * probability * math.fsum(terms))


def _remainder(n: int) -> float:
    """What Stirling's formula lacks of log n! for a large n."""
    return 1 / (12 * n) - 1 / (360 * n**3)
