"""Two systems on their common instances: McNemar's exact test of 0 and 1, else the seeded sign-flip test.

The sign-flip test does not change with the unit of the values. They are therefore scaled to integers if they are decimals, so
that sums equal in decimals are equal, and by a power of two to the range of the fixed point numbers of `stats.resample`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchsite.board.resolution.outcomes import System, Values
from benchsite.stats import binary_pairs_needed, mcnemar_large, paired_randomisation, pairs_needed

SEED: Final = 0
FLIPS: Final = 100_000
FEWER_FLIPS: Final = 10_000
MANY: Final = 100_000
"""Instances above which the smaller number of flips is drawn."""

_DECIMALS: Final = 10
_SMALLEST: Final = 2.0**-40
"""A smaller mean difference, as a part of the largest value, is rounding."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems compared.

    Attributes:
        n: common instances.
        difference: mean of the first less mean of the second on these; None without any.
        p: two-sided, unadjusted; None without common instances.
        needed: instances that would separate them at the 5% level with 80% power; None if they do not differ.
        is_binary: whether the outcomes are 0 or 1.
    """

    n: int
    difference: float | None = None
    p: float | None = None
    needed: int | None = None
    is_binary: bool = False


def compared(first: System, second: System) -> Comparison:
    """Compare two systems on their common instances, in the order of the instances' ids."""
    a, b = common(first, second)
    n = len(a)
    if not n:
        return Comparison(0)
    if is_binary(a) and is_binary(b):
        wins, losses = int(np.count_nonzero(a > b)), int(np.count_nonzero(a < b))
        needed = binary_pairs_needed(wins, losses, n) if n > 1 else None
        return Comparison(n, (wins - losses) / n, mcnemar_large(wins, losses), needed, is_binary=True)
    differences, unit = _differences(a, b)
    values = differences.tolist()
    mean = math.fsum(values) / n
    return Comparison(
        n,
        mean / unit + 0.0,
        paired_randomisation(values, [0.0] * n, seed=SEED, flips=flips(n)),
        pairs_needed(values) if abs(mean) > _SMALLEST else None,
    )


def common(first: System, second: System) -> tuple[Values, Values]:
    """Return the outcomes of both on their common instances."""
    if np.array_equal(first.places, second.places):
        return first.values, second.values
    _, a, b = np.intersect1d(first.places, second.places, assume_unique=True, return_indices=True)
    return first.values[a], second.values[b]


def flips(n: int) -> int:
    """Return how many sign assignments are drawn for n pairs."""
    return FLIPS if n <= MANY else FEWER_FLIPS


def is_binary(values: Values) -> bool:
    """Whether all values are 0 or 1."""
    return bool(np.all((values == 0) | (values == 1)))


def decimals(values: Values) -> int | None:
    """Return the fewest decimals, up to 10, that write every value; None if more are needed."""
    for digits in range(_DECIMALS + 1):
        unit = 10.0**digits
        scaled = np.rint(values * unit)
        if np.array_equal(scaled / unit, values) and np.all(np.abs(scaled) < 2**40):
            return digits
    return None


def _differences(a: Values, b: Values) -> tuple[Values, float]:
    """The differences in a unit that leaves the largest value below 1, and this unit."""
    both = np.concatenate((a, b))
    digits = decimals(both)
    unit = 1.0
    if digits is not None:
        unit = 10.0**digits
        a, b, both = np.rint(a * unit), np.rint(b * unit), both * unit
    exponent = int(np.frexp(np.max(np.abs(both)))[1])
    return np.ldexp(a - b, -exponent), unit * 2.0**-exponent
