from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchsite.stats import T_975, mean_interval, t_interval

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "rubric"
CASES = json.loads((VECTORS / "student.json").read_bytes())

values = st.lists(st.fractions(20, 100, max_denominator=900), min_size=2, max_size=30)


def above(t, df):
    """The share of Student's distribution above t, at the precision in force."""
    return mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, df / (df + t * t), regularized=True) / 2


def test_every_quantile_is_the_nearest_double():
    with mpmath.workdps(40):
        wanted = mpmath.mpf("0.025")
        for df, literal in enumerate(T_975, start=1):
            half = mpmath.mpf(2) ** (mpmath.frexp(literal)[1] - 54)
            assert above(literal - half, df) > wanted > above(literal + half, df), df


# Two-sided 95 %, as printed in any table of Student's t.
@pytest.mark.parametrize(
    ("df", "printed"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042), (60, 2.000), (120, 1.980)],
)
def test_printed_tables(df, printed):
    assert round(T_975[df - 1], 3) == printed


def test_the_table_is_the_shared_one_and_falls():
    assert list(T_975) == CASES["quantiles"]
    assert len(T_975) == 200
    assert sorted(T_975, reverse=True) == list(T_975)


@pytest.mark.parametrize("case", CASES["intervals"])
def test_shared_intervals_to_the_last_bit(case):
    assert t_interval([Fraction(value) for value in case["values"]]) == (case["low"], case["high"])


def test_three_sessions_by_hand():
    # Mean 81; squares 9 + 1 + 16 = 26, over 2, over 3: 13/3; √(13/3) = 2.0816660, times 4.3026527 = 8.9566859.
    low, high = t_interval([Fraction(78), Fraction(80), Fraction(85)])
    assert low == pytest.approx(81 - 8.9566859, abs=1e-7)
    assert high == pytest.approx(81 + 8.9566859, abs=1e-7)


def test_values_without_spread_have_an_interval_without_width():
    assert t_interval([Fraction(220, 3)] * 4) == (220 / 3, 220 / 3)


@pytest.mark.full
@given(values)
def test_agrees_with_scipy(values):
    found = t_interval(values)
    spread = oracle.sem([float(value) for value in values])
    expected = oracle.t.interval(
        0.95, len(values) - 1, loc=float(sum(values) / len(values)), scale=max(spread, 1e-300)
    )
    # scipy loses digits of the variance where values hardly differ.
    assert found == pytest.approx(expected, abs=1e-9 + 1e-6 * float(spread))


@given(values, st.randoms(use_true_random=False))
@pytest.mark.stories
def test_ignores_order(values, random):
    assert t_interval(random.sample(values, len(values))) == t_interval(values)


@pytest.mark.parametrize("count", [0, 1, 202])
def test_refuses_what_has_no_quantile(count):
    with pytest.raises(ValueError, match="2 to 201"):
        t_interval([Fraction(1)] * count)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=300))
def test_the_interval_of_a_mean_is_students_up_to_201_values_and_normal_above(floats):
    n = len(floats)
    low, high = mean_interval(floats)
    quantile = oracle.t.ppf(0.975, n - 1) if n <= 201 else oracle.norm.ppf(0.975)
    sem = oracle.sem(floats)
    mean = sum(floats) / n
    assert (low, high) == (
        pytest.approx(mean - quantile * sem, abs=1e-9),
        pytest.approx(mean + quantile * sem, abs=1e-9),
    )


def test_one_value_has_no_interval_of_its_mean():
    with pytest.raises(ValueError, match="no spread"):
        mean_interval([0.5])
