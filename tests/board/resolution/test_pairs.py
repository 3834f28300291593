"""Two systems: exact p-values by hand and by scipy, and a sign-flip test that no unit changes."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.board.resolution import Outcomes, System
from benchsite.board.resolution.pairs import Comparison, compared, decimals, flips
from benchsite.stats import paired_randomisation

TENTHS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=9)


def pair(a: dict[str, float], b: dict[str, float]) -> tuple[System, System]:
    outcomes = Outcomes()
    outcomes.add("a", a, "f line 1")
    outcomes.add("b", b, "f line 2")
    first, second = outcomes.systems()
    return first, second


def lists(a: list[float], b: list[float]) -> Comparison:
    return compared(*pair({f"q{i:03}": x for i, x in enumerate(a)}, {f"q{i:03}": x for i, x in enumerate(b)}))


def exact(differences: list[int]) -> float:
    """All sign assignments, in integers."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= observed for one in sums) / len(sums)


def test_zeros_and_ones_by_hand():
    # 8 wins, 1 loss: 2 × (1 + 9) ÷ 512. Connor: ψ = 9/20, d = 7/20: (1.95996 √.45 + .84162 √.3275)² ÷ .1225 = 26.32.
    found = lists([1] * 8 + [0] * 12, [0] * 8 + [1] + [0] * 11)
    assert found == Comparison(20, 7 / 20, 20 / 512, 27, is_binary=True)


def test_only_common_instances_count():
    found = compared(*pair({"x": 1, "q1": 1, "q2": 1, "y": 0}, {"q2": 0, "z": 1, "q1": 1}))
    assert (found.n, found.difference, found.p) == (2, 0.5, 1)


def test_no_common_instances_have_no_test():
    assert compared(*pair({"x": 1}, {"y": 1})) == Comparison(0)


def test_one_instance_decides_nothing():
    assert lists([1], [0]) == Comparison(1, 1, 1, None, is_binary=True)
    assert lists([0.7], [0.2]) == Comparison(1, 0.5, 1, None)


@settings(deadline=None)
@given(TENTHS)
def test_equal_sums_of_decimals_are_equal(values):
    """In doubles, 0.3 - 0.2 is not 0.2 - 0.1, and flips as extreme as the observed one would not count."""
    found = lists([a / 10 + 2 for a, _ in values], [b / 10 + 2 for _, b in values])
    assert found.p == pytest.approx(exact([a - b for a, b in values]), abs=0.008)
    assert found.difference == pytest.approx(sum(a - b for a, b in values) / 10 / len(values), abs=1e-15)


def test_the_test_is_that_of_stats():
    a, b = [0.9, 0.1, 0.75, 1.0, 0.3, 0.6], [0.2, 0.3, 0.5, 0.5, 0.1, 0.6]
    assert lists(a, b).p == paired_randomisation([70, -20, 25, 50, 20, 0], [0] * 6, seed=0, flips=100_000)


@given(st.integers(-300, 90))
def test_no_unit_changes_the_test(exponent):
    a, b = [0.913, 0.127, 0.75, 1.0, 0.31, 0.64], [0.25, 0.32, 0.5, 0.5, 0.1, 0.6]
    known, unit = lists(a, b), 2.0**exponent
    found = lists([x * unit for x in a], [x * unit for x in b])
    assert found.p == pytest.approx(known.p, abs=1e-9)
    assert found.needed == known.needed
    assert found.difference == pytest.approx(known.difference * unit)


def test_systems_that_differ_by_rounding_alone_need_no_number():
    found = lists([math.nextafter(1 / 3, 1)] * 30, [1 / 3] * 30)
    assert (found.p, found.needed) == (1, None)


def test_a_constant_difference_is_found():
    found = lists([0.5] * 30, [0.25] * 30)
    assert (found.difference, found.needed) == (0.25, 6)
    assert found.p == 1 / 100_001


def test_decimals():
    assert decimals(np.array([0.1, 0.25])) == 2
    assert decimals(np.array([3.0, -1e9])) == 0
    assert decimals(np.array([1 / 3])) is None
    assert decimals(np.array([1e13])) is None


def test_many_instances_have_fewer_flips():
    assert (flips(100_000), flips(100_001)) == (100_000, 10_000)
