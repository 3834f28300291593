from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchsite.stats import krippendorff_alpha, weighted_kappa

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "rubric"
CASES = json.loads((VECTORS / "agreement.json").read_bytes())
METRICS = ("nominal", "ordinal", "interval")

scores = st.integers(1, 5)
pairs_of_scores = st.lists(st.tuples(scores, scores), max_size=30)
some_units = st.lists(st.lists(scores, max_size=5), max_size=15)
metrics = st.sampled_from(METRICS)
weightings = st.sampled_from(["linear", "quadratic"])


def named(case: dict[str, Any]) -> str:
    return f"{case['name']}, {case.get('metric') or case['weights']}"


def fraction(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def kappa(pairs: list[tuple[int, int]], weights: Any = "linear") -> Fraction | None:
    return weighted_kappa(pairs, low=1, high=5, weights=weights)


@pytest.mark.parametrize("case", CASES["alpha"], ids=named)
def test_alpha_of_the_shared_cases(case):
    found = krippendorff_alpha(case["units"], metric=case["metric"])
    assert found == fraction(case["expected"])
    if "published" in case:
        assert round(float(found), 3) == case["published"]


@pytest.mark.parametrize("case", CASES["kappa"], ids=named)
def test_kappa_of_the_shared_cases(case):
    found = weighted_kappa(case["pairs"], low=case["low"], high=case["high"], weights=case["weights"])
    assert found == fraction(case["expected"])
    if "published" in case:
        assert round(float(found), 4) == case["published"]


def test_unweighted_kappa_of_the_couples_is_the_nominal_case_of_two_categories_at_a_time():
    # On a scale of two values linear weights are Cohen's unweighted kappa. Agresti's table cut after the first category:
    # 7 and 12, 5 and 67 of 91; seen 74/91, expected (19 × 12 + 72 × 79) / 91² = 5916/8281,
    # kappa = (74 × 91 − 5916) / (8281 − 5916) = 818/2365.
    cut = [(1, 1)] * 7 + [(1, 2)] * 12 + [(2, 1)] * 5 + [(2, 2)] * 67
    assert weighted_kappa(cut, low=1, high=2) == Fraction(818, 2365)


def test_four_units_by_hand():
    # Kappa: seen 1 × 4; ratings 5, 4, 2, 3 against 5, 3, 2, 3 lie 7, 5, 5 and 3 apart in all: 1 − 4/20.
    # Alpha: n(2) = 2, n(3) = 3, n(4) = 1, n(5) = 2, n = 8; the pair (3, 4) is (3/2 + 1/2)² = 4 apart; expected is
    # 6 × (5/2)² + 2 × (9/2)² + 4 × 6² + 3 × 2² + 6 × (7/2)² + 2 × (3/2)² = 312: 1 − 7 × 4/312.
    pairs = [(5, 5), (4, 3), (2, 2), (3, 3)]
    assert kappa(pairs) == Fraction(4, 5)
    assert krippendorff_alpha(pairs) == Fraction(71, 78)


def test_ordinal_distance_counts_the_ratings_between():
    # Values 1 and 5 with nothing used between them are as near as any neighbours: spreading the scale changes nothing.
    near, far = [[1, 2], [2, 2], [1, 1], [1, 2]], [[1, 5], [5, 5], [1, 1], [1, 5]]
    assert krippendorff_alpha(near) == krippendorff_alpha(far)
    assert krippendorff_alpha([*near, [1, 3]], metric="interval") != krippendorff_alpha(
        [*far, [1, 3]], metric="interval"
    )


@pytest.mark.parametrize("pair", [(0, 3), (3, 6), (-1, -1)])
def test_kappa_refuses_a_rating_off_the_scale(pair):
    with pytest.raises(ValueError, match="1 to 5"):
        kappa([(3, 4), pair])


@given(pairs_of_scores, weightings)
def test_kappa_is_symmetric(pairs, weights):
    assert kappa(pairs, weights) == kappa([(second, first) for first, second in pairs], weights)


@given(pairs_of_scores, weightings, st.randoms(use_true_random=False))
def test_kappa_ignores_the_order_of_units(pairs, weights, random):
    assert kappa(random.sample(pairs, len(pairs)), weights) == kappa(pairs, weights)


@given(pairs_of_scores, weightings)
def test_kappa_lies_between_minus_one_and_one(pairs, weights):
    found = kappa(pairs, weights)
    assert found is None or -1 <= found <= 1


@given(st.lists(scores, min_size=1, max_size=20), weightings, metrics)
@example([4], "linear", "ordinal")
def test_perfect_agreement_is_one_where_ratings_vary_and_undefined_where_they_do_not(values, weights, metric):
    expected = 1 if len(set(values)) > 1 else None
    assert kappa([(value, value) for value in values], weights) == expected
    assert krippendorff_alpha([[value] * 3 for value in values], metric=metric) == expected


@given(some_units, metrics, st.randoms(use_true_random=False))
def test_alpha_ignores_the_order_of_units_and_of_raters(units, metric, random):
    shuffled = [random.sample(unit, len(unit)) for unit in random.sample(units, len(units))]
    assert krippendorff_alpha(shuffled, metric=metric) == krippendorff_alpha(units, metric=metric)


@given(some_units, metrics, st.lists(st.lists(scores, max_size=1), max_size=5))
def test_alpha_ignores_units_of_fewer_than_two_ratings(units, metric, lone):
    assert krippendorff_alpha([*units, *lone], metric=metric) == krippendorff_alpha(units, metric=metric)


@given(some_units, metrics)
def test_alpha_lies_between_minus_one_and_one(units, metric):
    found = krippendorff_alpha(units, metric=metric)
    assert found is None or -1 <= found <= 1


@given(st.lists(st.lists(scores, min_size=2, max_size=5), min_size=1, max_size=15), metrics)
def test_alpha_falls_below_one_with_the_first_disagreement(units, metric):
    found = krippendorff_alpha(units, metric=metric)
    assert (found is not None and found < 1) == any(len(set(unit)) > 1 for unit in units)


@given(some_units)
def test_a_reversed_scale_agrees_as_much(units):
    turned = [[6 - value for value in unit] for unit in units]
    for metric in METRICS:
        assert krippendorff_alpha(turned, metric=metric) == krippendorff_alpha(units, metric=metric)
