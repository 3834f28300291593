"""Size of a paired experiment that would decide a difference: two-sided 5% level, 80% power, normal approximation.

Owns the sample-size formula of a mean of paired differences (Cohen 1988, chapter 2), that of McNemar's test (Connor 1987),
and the split into variance between tasks and between runs of one task (Miller 2024, arXiv 2411.00640). Estimates for
planning, never signed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from benchsite.stats.exact import Z_95, exact_mean

# The 80 % quantile of the standard normal distribution, to the nearest double.
Z_80: Final = 0.8416212335729143
FACTOR: Final = (Z_95 + Z_80) * (Z_95 + Z_80)

ROUNDING: Final = 2.0**-40
FEWEST: Final = 6
"""Pairs below which no exact two-sided test is below 5%: 2 ÷ 2^n is at least 1 ÷ 16 for n up to 5."""


def pairs_needed(differences: Sequence[float]) -> int | None:
    """Return how many pairs would decide the observed mean difference: ceil(7.849 × s² ÷ d²), at least 6.

    s² is the sample variance (divided by n − 1); None where there is one pair, or the mean difference is 0 or rounding: less than
    2^-40 of the largest difference.
    """
    if len(differences) < 2:
        return None
    mean = exact_mean(differences)
    if abs(mean) <= ROUNDING * max(map(abs, differences)):
        return None
    return max(FEWEST, math.ceil(FACTOR * sample_variance(differences) / (mean * mean)))


def binary_pairs_needed(wins: int, losses: int, pairs: int) -> int | None:
    """Return how many pairs of 0 or 1 McNemar's test needs to find the observed difference.

    With ψ = (wins + losses) ÷ pairs and d = (wins − losses) ÷ pairs: ceil((1.960 √ψ + 0.842 √(ψ − d²))² ÷ d²), at least 6.
    Source: Connor, "Sample size for testing differences in proportions for the paired-sample design", Biometrics 43 (1987).

    Args:
        wins: pairs in which only the first is 1.
        losses: pairs in which only the second is 1.
        pairs: all pairs.

    Returns:
        None where wins equal losses.

    Raises:
        ValueError: a count is negative, or there are more wins and losses than pairs.
    """
    if min(wins, losses) < 0 or wins + losses > pairs:
        raise ValueError(f"{wins} wins and {losses} losses in {pairs} pairs are impossible")
    if wins == losses:
        return None
    discordant, difference = (wins + losses) / pairs, (wins - losses) / pairs
    root = Z_95 * math.sqrt(discordant) + Z_80 * math.sqrt(max(0.0, discordant - difference * difference))
    return max(FEWEST, math.ceil(root * root / (difference * difference)))


def detectable(differences: Sequence[float]) -> float | None:
    """Return the smallest mean difference that as many pairs would decide: 2.802 × s ÷ √n; None for one pair."""
    if len(differences) < 2:
        return None
    return math.sqrt(FACTOR * sample_variance(differences) / len(differences))


def repeats_needed(differences: Sequence[float], within: float, repeats: int) -> int | None:
    """Return how many runs of each pair would decide the observed mean difference, with the pairs as they are.

    With R runs the variance of a difference is τ² + w ÷ R, τ² = max(0, s² − w ÷ r): R = ceil(w ÷ (n d² ÷ 7.849 − τ²)).

    Args:
        differences: one a pair, of means over `repeats` runs.
        within: w, the mean over pairs of the variance of the difference of two single runs.
        repeats: r, runs of each side.

    Returns:
        None where no number of runs suffices, or there is one pair.
    """
    if len(differences) < 2:
        return None
    mean = exact_mean(differences)
    between = max(0.0, sample_variance(differences) - within / repeats)
    room = len(differences) * mean * mean / FACTOR - between
    return max(1, math.ceil(within / room)) if room > 0 else None


def sample_variance(values: Sequence[float]) -> float:
    """Return the variance of at least two values, divided by n − 1."""
    mean = exact_mean(values)
    return math.fsum((value - mean) * (value - mean) for value in values) / (len(values) - 1)
