"""Sample sizes, computed by hand with (1.95996 + 0.84162)² = 7.84888."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.stats import binary_pairs_needed, detectable, mcnemar, pairs_needed, repeats_needed
from benchsite.stats.power import FACTOR, FEWEST


def test_the_factor_is_that_of_the_field() -> None:
    assert pytest.approx(7.84888, abs=5e-6) == FACTOR


def test_pairs_needed() -> None:
    # 1, 1, 0, 0: mean 1/2, s² = 4 × 1/4 ÷ 3 = 1/3; 7.849 × (1/3) ÷ (1/4) = 10.47.
    assert pairs_needed([1, 1, 0, 0]) == 11
    # 1, 0, 0, 0: mean 1/4, s² = (9 + 3) ÷ 16 ÷ 3 = 1/4; 7.849 × (1/4) ÷ (1/16) = 31.4.
    assert pairs_needed([1, 0, 0, 0]) == 32
    assert pairs_needed([-1, 0, 0, 0]) == 32


def test_no_number_of_pairs_decides_no_difference() -> None:
    assert pairs_needed([1, -1, 0]) is None
    assert pairs_needed([0, 0, 0]) is None
    assert pairs_needed([1]) is None
    assert pairs_needed([]) is None


def test_pairs_without_spread_need_as_many_as_an_exact_test() -> None:
    assert pairs_needed([1, 1]) == FEWEST
    assert mcnemar(FEWEST, 0) < 0.05 < mcnemar(FEWEST - 1, 0)


def test_detectable_difference() -> None:
    # s² = 1/3 over 4 pairs: √(7.849 ÷ 12).
    assert detectable([1, 1, 0, 0]) == pytest.approx(math.sqrt(7.84888 / 12), abs=1e-5)
    assert detectable([1, 1]) == 0
    assert detectable([1]) is None


def test_repeats_needed() -> None:
    # n = 100, d = 1/2, s² = 25/99, w = 1/2, r = 2: τ² = 25/99 − 1/4 = 1/396; 100/4 ÷ 7.849 − 1/396 = 3.183; 1/2 ÷ 3.183 < 1.
    assert repeats_needed([0, 1] * 50, 0.5, 2) == 1
    # n = 4, d = 1/4, s² = 1/4, w = 1/2, r = 2: τ² = 0; 4/16 ÷ 7.849 = 0.03185; 0.5 ÷ 0.03185 = 15.7.
    assert repeats_needed([1, 0, 0, 0], 0.5, 2) == 16
    # The same with w = 0: all variance is between tasks.
    assert repeats_needed([1, 0, 0, 0], 0.0, 2) is None
    assert repeats_needed([1], 0.5, 2) is None


@given(st.lists(st.integers(-3, 3).map(lambda x: x / 3), min_size=2, max_size=30))
def test_as_many_pairs_as_needed_make_the_difference_detectable(values: list[float]) -> None:
    needed = pairs_needed(values)
    if needed is not None:
        smallest = detectable(values)
        assert smallest is not None
        # The smallest difference shrinks with √n.
        assert smallest * math.sqrt(len(values) / needed) <= abs(math.fsum(values) / len(values)) * (1 + 1e-9)


def test_pairs_of_zeros_and_ones_by_hand() -> None:
    # ψ = 1/2, d = 1/4: (1.95996 × √0.5 + 0.84162 × √0.4375)² ÷ 0.0625 = (1.38591 + 0.55668)² × 16 = 60.38.
    assert binary_pairs_needed(75, 25, 200) == 61
    assert binary_pairs_needed(25, 75, 200) == 61
    # ψ = 57/500, d = 1/500: (1.95996 × √0.114 + 0.84162 × √0.113996)² × 250,000 = 223,690.7.
    assert binary_pairs_needed(29, 28, 500) == 223_691


def test_pairs_of_zeros_and_ones_at_the_ends() -> None:
    assert binary_pairs_needed(3, 3, 10) is None
    assert binary_pairs_needed(0, 0, 10) is None
    assert binary_pairs_needed(10, 0, 10) == FEWEST  # 1.95996² = 3.84 by the formula
    for wins, losses, pairs in ((-1, 0, 3), (2, 2, 3)):
        with pytest.raises(ValueError, match="impossible"):
            binary_pairs_needed(wins, losses, pairs)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(121, 400))
def test_both_formulas_agree_where_the_difference_is_small(wins: int, losses: int, pairs: int) -> None:
    values = [1.0] * wins + [-1.0] * losses + [0.0] * (pairs - wins - losses)
    ours, general = binary_pairs_needed(wins, losses, pairs), pairs_needed(values)
    assert (ours is None) == (general is None)
    if ours is not None and general is not None and abs(wins - losses) * 20 < pairs:
        assert ours == pytest.approx(general, rel=0.05, abs=2)
