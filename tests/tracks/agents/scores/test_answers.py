"""Judged answers and retrieved evidence of hand cases, as the official script of BrowseComp-Plus defines them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchsite.tracks.agents.scores.answers import answers, binned_error


def runs(**columns: Any) -> dict[str, Any]:
    size = len(columns["taskId"])
    return {"run": [1] * size, "outcome": ["failure"] * size, **columns}


def test_receipts_without_a_verdict_or_a_recall_have_no_such_member():
    assert answers(["a"], runs(taskId=["a"], confidence=[0.5])) is None
    assert answers(["a"], runs(taskId=["a"], judged=[None], evidenceRecall=[None])) is None


def test_means_over_tasks_and_a_run_without_a_verdict_is_wrong():
    found = answers(
        ["a", "b"],
        runs(
            taskId=["a", "a", "b"],
            run=[1, 2, 1],
            judged=[True, None, True],
            evidenceRecall=[0.25, 0.75, None],
        ),
    )
    assert found == {
        "judgeSuccess": 0.75,  # a: 1 of 2; b: 1 of 1
        "judgeVerdicts": 2,
        "judgeCalibrationError": None,
        "exactCalibrationError": None,
        "evidenceRecall": 0.5,  # a: (0.25 + 0.75) ÷ 2; b doesn't count
    }


def test_the_error_of_two_bins_counts_the_first_one_only():
    # 200 runs. First bin: 100 of 0.25, 75 correct: gap 0.5. √(100 ÷ 200 × 0.25) = √0.125.
    low = [(0.25, i < 75) for i in range(100)]
    high = [(1.0, False)] * 100
    assert binned_error(low + high) == math.sqrt(0.125)


def test_the_last_bin_has_the_remaining_runs_and_is_not_counted():
    # 350 runs make 3 bins: 100, 100, 150. Gaps 0.5 and 0.25: √(100 ÷ 350 × 0.25 + 100 ÷ 350 × 0.0625).
    stated = [(0.0, i < 50) for i in range(100)] + [(0.5, i < 75) for i in range(100)] + [(1.0, False)] * 150
    assert binned_error(stated) == pytest.approx(math.sqrt(0.3125 * 100 / 350), abs=1e-15)


@pytest.mark.parametrize("size", [0, 1, 99, 100, 199])
def test_below_two_bins_there_is_no_error(size: int):
    assert binned_error([(0.5, True)] * size) is None


def test_the_two_evaluations_have_errors_of_their_own():
    """100 runs of 0.25 and 100 of 1; the judge accepts 75 of the first, exact match none; one more run has no verdict."""
    size = 201
    found = answers(
        [f"t{i}" for i in range(size)],
        runs(
            taskId=[f"t{i}" for i in range(size)],
            confidence=[1.0] * 100 + [0.25] * 100 + [1.0],
            judged=[True] * 100 + [i < 75 for i in range(100)] + [None],
        ),
    )
    assert found is not None
    assert found["judgeCalibrationError"] == math.sqrt(0.125)  # of the 200 runs with a verdict
    assert found["exactCalibrationError"] == math.sqrt(0.03125)  # of the same runs: ½ × (0.25 - 0)²
    assert found["judgeSuccess"] == 175 / 201
