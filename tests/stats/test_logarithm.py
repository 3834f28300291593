"""The binary logarithm against mpmath."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.stats import log2


@given(st.floats(min_value=5e-324, max_value=1.7e308))
def test_within_four_units_in_the_last_place(x: float) -> None:
    true = float(mpmath.log(mpmath.mpf(x), 2))
    assert abs(log2(x) - true) <= 4 * max(math.ulp(true), 2**-54)


@pytest.mark.parametrize("power", [-1074, -500, -1, 0, 1, 53, 1023])
def test_powers_of_two_are_exact(power: int) -> None:
    assert log2(math.ldexp(1.0, power)) == power


@pytest.mark.parametrize("x", [0.0, -1.0, math.inf, math.nan])
def test_what_has_no_logarithm_is_refused(x: float) -> None:
    with pytest.raises(ValueError, match="no logarithm"):
        log2(x)
