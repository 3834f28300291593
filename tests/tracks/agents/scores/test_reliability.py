from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from agent_traces import ALONE, IMPORTED, TEAM, event
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import mannwhitneyu

from benchsite.tracks.agents.record.runs import Run
from benchsite.tracks.agents.scores.descriptor import describe
from benchsite.tracks.agents.scores.reliability import (
    Attempt,
    Calibration,
    actions,
    calibrate,
    confidence,
    distance,
    divergence,
    profile,
)

LETTERS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9)
STATED = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30)


def attempt(outcome: str, done: str, tokens: int | None = 100, sure: float | None = None) -> Attempt:
    return Attempt(Run(outcome=outcome, tokens=tokens, latency_ms=10.0), tuple(done), sure)


def test_what_a_run_did():
    assert actions(ALONE) == ("plan", "tool:search", "finalize")
    assert actions(IMPORTED) == ("tool:email.search", "tool:email.delete", "finalize")
    assert actions(TEAM) == (
        "plan",
        "send",
        "tool:calculator",
        "error",
        "act",
        "revise",
        "send",
        "verify",
        "finalize",
    )


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


def test_a_profile_by_hand():
    # p = 3/4. Successful pairs: (ab, ab) 0, (ab, aa) and (ab, aa): distance 1/2 each.
    runs = [
        attempt("success", "ab", 100, 0.75),
        attempt("success", "ab", 100, 1.0),
        attempt("success", "aa", 300, 0.25),
        attempt("failure", "cccc", 300, 0.25),
    ]
    found = profile(runs)
    assert found.runs == 4
    assert found.outcome_consistency == 0.25 == describe([one.run for one in runs])["stability"]
    assert found.sequence_consistency == pytest.approx(1 - (0 + 0.5 + 0.5) / 3)
    apart = divergence("ab", "aa")
    assert found.action_consistency == pytest.approx(1 - 2 * apart / 3)
    assert found.tokens_cv == 0.5 == describe([one.run for one in runs])["tokens_cv"]
    assert found.latency_cv == 0
    # Brier: (1/16 + 0 + 9/16 + 1/16) / 4. Bins: 0.75 and 1.0 alone; 0.25 twice with one success: gaps 1/4, 0, 1/2.
    # AUROC: the failure has 0.25: two successes above, one tied.
    assert found.calibration == Calibration(4, 11 / 64, (0.25 + 0 + 0.5) / 4, 2.5 / 3)


def test_one_run_or_one_success_has_no_consistency():
    one = profile([attempt("success", "ab")])
    assert (one.outcome_consistency, one.action_consistency, one.sequence_consistency) == (None, None, None)
    assert (one.tokens_cv, one.latency_cv, one.calibration) == (None, None, Calibration(0, None, None, None))
    two = profile([attempt("success", "ab"), attempt("failure", "ab"), attempt("success", "")])
    assert (two.action_consistency, two.sequence_consistency) == (None, None)
    assert two.outcome_consistency == 1 / 9


def test_a_blank_or_nothing_spent_has_no_variation():
    assert profile([attempt("success", "a"), attempt("success", "a", None)]).tokens_cv is None
    assert profile([attempt("success", "a", 0)] * 2).tokens_cv is None


def test_very_long_runs_are_compared_by_distribution_only():
    found = profile([attempt("success", "ab" * 1001)] * 2)
    assert (found.action_consistency, found.sequence_consistency) == (1, None)


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


@given(
    st.lists(st.builds(attempt, st.sampled_from(["success", "failure"]), st.text("ab", max_size=4))),
    st.randoms(),
)
def test_the_order_of_runs_changes_no_profile(runs, random):
    assert profile(random.sample(runs, len(runs))) == profile(runs)


@pytest.mark.parametrize(
    ("payloads", "expected"),
    [
        ([{"confidence": 0.5}, {"confidence": 1}], 1.0),
        ([{"confidence": 0.5}, {}], 0.5),
        ([{"confidence": 1.5}], None),
        ([{"confidence": True}], None),
        ([{"confidence": "0.5"}], None),
        ([], None),
    ],
)
def test_the_confidence_of_a_run_is_the_last_one_stated(payloads, expected):
    events = [event(number, "a", "finalize", payload) for number, payload in enumerate(payloads)]
    assert confidence([event(99, "a", "act", {"confidence": 0.1}), *events]) == expected
