from __future__ import annotations

import json
import math
from pathlib import Path

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from benchsite.stats import exact_mean, holm, mcnemar, nearest_rank, wilson

fractions = st.floats(0, 1)


def test_mean_is_the_correctly_rounded_sum_divided_once():
    # Added left to right, ten tenths are 0.9999999999999999.
    assert exact_mean([0.1] * 10) == 0.1
    assert exact_mean([1e16, 1.0, -1e16]) == 1 / 3


@given(st.lists(fractions, min_size=1), st.randoms(use_true_random=False))
def test_mean_ignores_order(values, random):
    shuffled = random.sample(values, len(values))
    assert exact_mean(shuffled) == exact_mean(values)


@pytest.mark.parametrize(
    ("percent", "expected"),
    # Five values, the textbook example of the nearest-rank method: ranks ceil(5 % of 5) = 1, 2, 2, 3, 5.
    [(5, 15), (30, 20), (40, 20), (50, 35), (100, 50)],
)
def test_nearest_rank_on_the_textbook_list(percent, expected):
    assert nearest_rank([50, 15, 40, 20, 35], percent) == expected


def test_nearest_rank_of_ten_thousand_takes_the_250th_and_the_9750th():
    values = list(range(10_000, 0, -1))
    assert nearest_rank(values, 2.5) == 250
    assert nearest_rank(values, 97.5) == 9_750


@given(st.lists(st.integers(), min_size=1, max_size=200), st.integers(1, 100))
def test_nearest_rank_is_the_least_value_covering_the_share(values, percent):
    found = nearest_rank(values, percent)
    assert sum(value <= found for value in values) * 100 >= percent * len(values)
    assert sum(value < found for value in values) * 100 < percent * len(values)


@settings(deadline=None)
@given(st.integers(1, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(case):
    successes, n = case
    oracle = binomtest(successes, n).proportion_ci(confidence_level=0.95, method="wilson")
    low, high = wilson(successes, n)
    assert low == pytest.approx(oracle.low, abs=1e-14)
    assert high == pytest.approx(oracle.high, abs=1e-14)


@given(st.integers(1, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_brackets_the_share_within_the_unit_interval(case):
    successes, n = case
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1


def test_wilson_vectors_hold_bit_by_bit_and_are_true(vectors: Path):
    document = json.loads((vectors / "stats" / "wilson.json").read_bytes())
    for case in document["cases"]:
        s, n = case["successes"], case["n"]
        assert wilson(s, n) == (case["low"], case["high"])
        with mpmath.workdps(50):
            z = mpmath.mpf(document["z"])
            centre, spread = s + z * z / 2, z * mpmath.sqrt(mpmath.mpf(s) * (n - s) / n + z * z / 4)
            low, high = float((centre - spread) / (n + z * z)), float((centre + spread) / (n + z * z))
        assert case["low"] == pytest.approx(low, rel=1e-13, abs=1e-17)
        assert case["high"] == pytest.approx(high, rel=1e-15)


def test_z_is_the_normal_quantile_to_sixteen_digits(vectors: Path):
    with mpmath.workdps(50):
        quantile = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.95"))
        z = json.loads((vectors / "stats" / "wilson.json").read_bytes())["z"]
        assert abs(quantile - z) < mpmath.mpf("3e-16")


def test_holm_by_hand():
    # Sorted .01 .02 .03 .04; times 4 3 2 1: .04 .06 .06 .04; never below a predecessor: .04 .06 .06 .06.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06], abs=1e-15)
    # .4 × 3 is capped at 1, and what follows stays there.
    assert holm([0.5, 0.4, 0.6]) == [1.0, 1.0, 1.0]
    assert holm([]) == []


@given(st.lists(fractions, min_size=1, max_size=30))
def test_holm_keeps_the_order_of_evidence_and_never_sharpens_it(pvalues):
    adjusted = holm(pvalues)
    assert all(p <= q <= 1 for p, q in zip(pvalues, adjusted, strict=True))
    ordered = sorted(zip(pvalues, adjusted, strict=True))
    assert [q for _, q in ordered] == sorted(adjusted)


@pytest.mark.parametrize(
    "call",
    [
        lambda: exact_mean([]),
        lambda: nearest_rank([], 50),
        lambda: nearest_rank([1], 0),
        lambda: nearest_rank([1], 100.5),
        lambda: wilson(0, 0),
        lambda: wilson(2, 1),
        lambda: wilson(-1, 1),
        lambda: wilson(1, 2**27 + 1),
        lambda: holm([1.5]),
        lambda: holm([math.nan]),
    ],
)
def test_what_has_no_value_is_refused(call):
    with pytest.raises(ValueError):
        call()


@given(st.integers(0, 600), st.integers(0, 600))
def test_mcnemar_is_the_two_sided_binomial_test_of_scipy(wins, losses):
    oracle = binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert mcnemar(wins, losses) == pytest.approx(oracle, rel=1e-9)
    assert mcnemar(wins, losses) == mcnemar(losses, wins)


def test_mcnemar_by_hand():
    # (1 + 6) of 2^6, twice.
    assert mcnemar(1, 5) == mcnemar(5, 1) == 14 / 64
    assert mcnemar(0, 0) == mcnemar(1, 1) == mcnemar(0, 1) == 1
    assert mcnemar(0, 5_000) == 0.0
    with pytest.raises(ValueError, match="impossible"):
        mcnemar(-1, 2)
