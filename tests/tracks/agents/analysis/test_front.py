"""Dominance and the ideal point, by hand."""

from __future__ import annotations

import math

import pytest

from benchsite.tracks.agents.analysis.front import ideal_distances, pareto_front, ranks, stated_objectives

WAYS = {"score": "max", "tokens": "min"}


def test_a_dominated_system_is_not_on_the_front() -> None:
    systems = [{"score": s, "tokens": t} for s, t in ((1.0, 10.0), (0.5, 5.0), (0.5, 10.0), (0.5, 5.0))]
    assert pareto_front(systems, WAYS) == [True, True, False, True]
    # Lost in score and tokens, as shares of the range: (0, 1), (1, 0), (1, 1), (1, 0).
    distances = ideal_distances(systems, WAYS)
    assert distances == pytest.approx([1, 1, math.sqrt(2), 1])
    assert ranks(distances) == [1, 1, 2, 1]


def test_an_objective_without_a_difference_counts_half() -> None:
    assert ideal_distances(
        [{"score": 1.0, "tokens": 3.0}, {"score": 1.0, "tokens": 5.0}], WAYS
    ) == pytest.approx([0.5, math.sqrt(1.25)])


def test_objectives_that_a_system_does_not_state_decide_nothing() -> None:
    assert stated_objectives([{"score": 1.0, "tokens": None}, {"score": 0.0, "tokens": 2.0}], WAYS) == {
        "score": "max"
    }
