"""McNemar's test of many pairs, compared with exact fractions and with scipy."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.stats import binomtest

from benchsite.stats import mcnemar, mcnemar_large
from benchsite.stats.large_counts import FEW


def fraction(wins: int, losses: int) -> float:
    """Twice the lower tail of the binomial distribution, from binomial coefficients."""
    n, m = wins + losses, min(wins, losses)
    return float(min(Fraction(1), Fraction(2 * sum(math.comb(n, i) for i in range(m + 1)), 2**n)))


@pytest.mark.parametrize(
    ("wins", "losses"), [(0, 0), (1, 0), (5, 1), (8, 1), (29, 28), (44, 26), (102, 57), (88, 44), (400, 300)]
)
def test_few_pairs_equal_the_fraction_and_scipy(wins: int, losses: int) -> None:
    assert mcnemar_large(wins, losses) == mcnemar(wins, losses) == fraction(wins, losses)
    oracle = binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert abs(mcnemar(wins, losses) - oracle) <= 1e-12


@pytest.mark.parametrize("apart", [0, 1, 2, 17, 100, 301, 600, 2_000])
@pytest.mark.parametrize("n", [FEW, FEW + 1, FEW + 2, 4 * FEW, 1_000_000])
def test_many_pairs_equal_scipy(n: int, apart: int) -> None:
    wins, losses = (n + apart) // 2, n - (n + apart) // 2
    found = mcnemar_large(wins, losses)
    assert abs(found - binomtest(wins, n, 0.5).pvalue) <= 1e-12
    assert found == mcnemar_large(losses, wins)


@pytest.mark.parametrize("apart", [2, 200, 500, 900])
def test_many_pairs_equal_the_integers(apart: int) -> None:
    wins, losses = (FEW + 2 + apart) // 2, (FEW + 2 - apart) // 2
    assert mcnemar_large(wins, losses) == pytest.approx(mcnemar(wins, losses), rel=1e-11)


def test_no_chance_is_zero() -> None:
    assert mcnemar_large(1_000_000, 0) == mcnemar_large(900_000, 100_000) == 0.0
    with pytest.raises(ValueError, match="impossible"):
        mcnemar_large(-1, 10**6)
