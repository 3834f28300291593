from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import mannwhitneyu

from benchsite.tracks.agents.record.runs import Run
from benchsite.tracks.agents.scores.descriptor import describe
from benchsite.tracks.agents.scores.reliability import (
    BINS,
    MOST_ACTIONS,
    MOST_RUNS,
    Calibration,
    Consistency,
    brier,
    calibrate,
    consistency,
    distance,
    divergence,
    stated,
)

LETTERS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9)
STATED = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30)


def test_the_divergence_of_hand_cases():
    assert divergence("ab", "ba") == 0
    assert divergence("aa", "bb") == 1
    # p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4): (log2(4/3) + log2(2/3)/2 + log2(2)/2) / 2
    assert divergence("a", "ab") == pytest.approx((math.log2(4 / 3) + math.log2(2 / 3) / 2 + 0.5) / 2)
    with pytest.raises(ValueError, match="without actions"):
        divergence("", "a")


@given(LETTERS, LETTERS)
def test_the_divergence_is_scipys(a, b):
    p, q = ([done.count(letter) for letter in "abcd"] for done in (a, b))
    assert divergence(a, b) == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-7)
    assert divergence(a, b) == divergence(b, a)


@pytest.mark.parametrize(
    ("a", "b", "edits", "longer"),
    [
        ("kitten", "sitting", 3, 7),
        ("flaw", "lawn", 2, 4),
        ("", "abc", 3, 3),
        ("abc", "abc", 0, 3),
        ("ab", "cd", 2, 2),
    ],
)
def test_the_distance_of_textbook_words(a, b, edits, longer):
    assert distance(a, b) == distance(b, a) == edits / longer


def recursive(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(recursive(a[1:], b) + 1, recursive(a, b[1:]) + 1, recursive(a[1:], b[1:]) + (a[0] != b[0]))


def test_the_distance_is_its_definition():
    words = [word for length in range(1, 4) for word in product("ab", repeat=length)]
    for a in words:
        for b in words:
            assert distance(a, b) == recursive(a, b) / max(len(a), len(b))
    with pytest.raises(ValueError, match="two runs"):
        distance("", "")


def test_consistency_by_hand():
    # Pairs (ab, ab) 0, (ab, aa) and (ab, aa): distance 1/2 each.
    found = consistency([tuple("ab"), tuple("ab"), tuple("aa")])
    assert found.sequence == pytest.approx(1 - (0 + 0.5 + 0.5) / 3)
    assert found.actions == pytest.approx(1 - 2 * divergence("ab", "aa") / 3)
    assert consistency([tuple("ab")] * 4) == Consistency(1, 1)
    assert consistency([("a",), ("b",)]) == Consistency(0, 0)
    # The same actions in another order.
    assert consistency([tuple("ab"), tuple("ba")]) == Consistency(1, 0)


def test_fewer_than_two_trajectories_have_no_consistency():
    assert consistency([]) == consistency([("a",)]) == consistency([("a",), ()]) == Consistency(None, None)


def test_what_is_compared_is_bounded():
    assert consistency([("a",) * MOST_ACTIONS] * 2) == Consistency(1, 1)
    assert consistency([("a",) * (MOST_ACTIONS + 1), ("a",)]) == Consistency(None, None)
    assert consistency([("a",)] * MOST_RUNS + [("b",)]) == Consistency(1, 1)


def test_calibration_by_hand():
    # Brier: (1/16 + 0 + 9/16 + 1/16) / 4. Bins: 0.75 and 1.0 alone; 0.25 twice with one success: gaps 1/4, 0, 1/2.
    # AUROC: the failure has 0.25: two successes above, one tied.
    found = calibrate([(0.75, True), (1.0, True), (0.25, True), (0.25, False)])
    assert found == Calibration(4, 11 / 64, (0.25 + 0 + 0.5) / 4, 2.5 / 3)
    assert calibrate([]) == Calibration(0, None, None, None)
    assert calibrate([(0.5, True)]) == Calibration(1, 0.25, 0.5, None)
    assert brier(0.75, success=False) == 0.5625


def test_runs_without_confidence_are_not_counted():
    runs = [Run(outcome="success", confidence=0.5), Run(outcome="error")]
    assert stated(runs) == [(0.5, True)]
    # One that states none blanks the Brier score of its task.
    assert describe(runs)["brier_score"] is None
    assert describe(runs[:1])["brier_score"] == 0.25


@given(STATED)
def test_calibration_is_within_bounds_and_its_area_is_scipys(stated):
    found = calibrate(stated)
    assert 0 <= found.brier <= 1
    assert 0 <= found.calibration_error <= 1
    won, lost = ([value for value, success in stated if success is kind] for kind in (True, False))
    if won and lost:
        area = mannwhitneyu(won, lost).statistic / (len(won) * len(lost))
        assert found.auroc == pytest.approx(area)
    else:
        assert found.auroc is None
    assert found.brier == pytest.approx(np.mean([(value - won) ** 2 for value, won in stated]))


@given(st.lists(st.text("ab", min_size=1, max_size=4).map(tuple), max_size=MOST_RUNS), st.randoms())
def test_the_order_of_runs_changes_no_consistency(runs, random):
    assert consistency(random.sample(runs, len(runs))) == consistency(runs)


@given(st.integers(0, BINS - 1))
def test_a_bin_is_closed_below(number):
    # Two confidences of one bin with one success: their gap is that of the bin.
    low = number / BINS
    assert calibrate([(low, True), (low, False)]).calibration_error == pytest.approx(abs(low - 0.5))
