"""Scores of an agents receipt from its columns, with values computed by hand."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.stats import bootstrap_mean, wilson
from benchsite.tracks.agents.scores.scoring import FIELDS, NAMES, score, score_name, successes

TASKS = {"id": ["a-1", "a-2", "b-1"], "domain": ["a", "a", "b"], "needsAction": [True, False, True]}
ONCE = {
    "taskId": ["a-1", "a-2", "b-1"],
    "run": [1, 1, 1],
    "outcome": ["success", "failure", "error"],
    "completion": [True, True, False],
    "harmful": [False, True, False],
    "score": [1.0, 0.25, 0.0],
    "steps": [4, 2, 0],
    "toolCalls": [2, 1, 0],
    "toolFailures": [1, 0, 0],
    "backtracks": [1, 0, 0],
    "loopNum": [1, 0, 0],
    "loopDen": [3, 1, 0],
    "verifies": [2, 0, 0],
    "latencyMs": [10.0, None, 4.0],
}


def test_every_score_of_tasks_that_were_run_once() -> None:
    found = score(TASKS, ONCE).sections(seed=None)
    assert found["scores"] == {
        "success": 1 / 3,
        "harmful": 1 / 3,
        "success_needs_action": 1 / 2,  # a-1 succeeded, b-1 did not; a-2 needs no action
        "completion": 2 / 3,
        "success_valid": 1 / 2,  # b-1 ended in an error
        "eval_avg_score": 1.25 / 3,
        "tool_calls_total": 1.0,
        "tool_error_rate": 0.5 / 3,  # 1 of 2, 0 of 1, none of none
        "steps_total": 2.0,
        "backtrack_rate": 0.25 / 3,
        "loop_score": (1 / 3) / 3,
        "verification_density": 0.5 / 3,
    }
    counts = found["denominators"]
    assert counts["success"] == {"num": 1, "den": 3, "excluded": 0}
    assert counts["harmful"] == {"num": 1, "den": 3, "excluded": 0}
    assert counts["success_needs_action"] == {"num": 1, "den": 2, "excluded": 1}
    assert counts["success_valid"] == {"num": 1, "den": 2, "excluded": 1}
    assert counts["tokens_total"] == {"den": 0, "excluded": 3}, "blank is counted, and never 0"
    assert counts["pass_at_3"] == {"den": 0, "excluded": 3}, "k is not lowered"
    assert counts["success_var"] == {"den": 0, "excluded": 3}, "one run has no spread"
    low, high = wilson(1, 3)
    assert found["intervals"]["success"] == {"low": low, "high": high, "method": "wilson"}
    assert set(found["intervals"]) == {
        "success",
        "harmful",
        "completion",
        "success_valid",
        "success_needs_action",
    }
    assert found["timing"]["latency_p95"] == 7.0  # (10 + 4) / 2: a-2 has no clock


def test_domains_hold_their_own_tasks_only() -> None:
    domains = score(TASKS, ONCE).sections(seed=7)["byDomain"]
    assert domains["a"]["scores"] == {
        "success": 0.5,
        "completion": 1.0,
        "harmful": 0.5,
        "success_needs_action": 1.0,
    }
    assert domains["b"]["denominators"]["success"] == {"num": 0, "den": 1, "excluded": 0}
    assert domains["b"]["scores"]["completion"] == 0.0


def test_several_runs_are_averaged_within_their_task_first() -> None:
    """a: 3 of 4 runs; b: 1 of 2. The mean of 3/4 and 1/2 is 5/8, where 4 of 6 runs pooled would be 2/3."""
    runs = {
        "taskId": ["a"] * 4 + ["b"] * 2,
        "run": [1, 2, 3, 4, 1, 2],
        "outcome": ["success", "success", "success", "error", "success", "failure"],
        "completion": [True, True, True, False, True, True],
        "tokens": [100, 300, 200, 200, 50, 150],
    }
    found = score({"id": ["a", "b"], "domain": ["x", "x"]}, runs).sections(seed=7)
    scores = found["scores"]
    assert scores["success"] == 5 / 8
    assert scores["success_valid"] == (1 + 1 / 2) / 2
    assert scores["pass_at_3"] == 1.0  # of 4 runs with 1 failure, any 3 hold a success
    assert scores["pass_hat_3"] == 1 / 4  # C(3,3) / C(4,3)
    assert scores["pass_hat_3_valid"] == 1.0  # 3 of 3 without the error
    assert found["denominators"]["pass_hat_3"] == {"den": 1, "excluded": 1}, "b has fewer than 3 runs"
    assert found["denominators"]["success"] == {"den": 2, "excluded": 0}, "no numerator: 3/4 is no task"
    assert found["intervals"]["success"]["method"] == "bootstrap"
    assert scores["stability"] == (4 / 16 + 0) / 2  # (4 - 6)² / 16 and (2 - 2)² / 4
    assert scores["success_var"] == (3 / 16 + 1 / 4) / 2
    assert scores["tokens_total"] == 150.0
    assert scores["tokens_var"] == (5000 + 2500) / 2
    assert scores["cost_per_success"] == (200 / 0.75 + 100 / 0.5) / 2
    assert "harmful" not in scores
    assert "success_needs_action" not in scores
    assert successes({"runs": runs}) == {"a": 0.75, "b": 0.5}


def test_tasks_that_never_succeed_have_the_interval_of_their_number() -> None:
    """No success in 3 runs of each of 47 tasks: resampling would say [0, 0]; Wilson's interval for 0 of 47 is [0, 0.0756]."""
    names = [f"t{number}" for number in range(47)]
    runs = {
        "taskId": [name for name in names for _ in range(3)],
        "run": [1, 2, 3] * 47,
        "outcome": ["failure"] * 141,
    }
    found = score({"id": names, "domain": ["x"] * 47}, runs).sections(seed=7)
    for name in ("success", "pass_at_3", "pass_hat_3"):
        assert found["denominators"][name] == {"num": 0, "den": 47, "excluded": 0}
        assert found["intervals"][name]["method"] == "wilson"
        assert found["intervals"][name]["low"] == 0.0
        assert found["intervals"][name]["high"] == pytest.approx(0.0755576, abs=1e-7)


def test_no_number_has_two_names() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert score_name("Q1_success_rate") == "success"
    assert score_name("C2_tokens_total") == "tokens_total"
    assert not {"pass_at_1", "pass_hat_1", "pass_hat_1_valid"} & set(FIELDS)


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 4))
def test_the_order_of_tasks_and_runs_changes_no_score(seed: int, tasks: int, repeats: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - test data
    rows = [
        (
            f"t-{task}",
            run,
            draw.choice(["success", "failure", "error", "limit"]),
            draw.random() < 0.5,
            draw.randrange(9),
        )
        for task in range(tasks)
        for run in range(1, repeats + 1)
    ]
    listed = {"id": [f"t-{task}" for task in range(tasks)], "domain": ["d"] * tasks}

    def scored(order: list[tuple[str, int, str, bool, int]], names: dict[str, list[str]]) -> object:
        columns = dict(
            zip(
                ("taskId", "run", "outcome", "completion", "steps"),
                map(list, zip(*order, strict=True)),
                strict=True,
            )
        )
        found = score(names, columns).sections(seed=None)
        return found["scores"], found["denominators"]

    shuffled = rows.copy()
    draw.shuffle(shuffled)
    names = {"id": listed["id"][::-1], "domain": listed["domain"]}
    assert scored(rows, listed) == scored(shuffled, names)


@pytest.mark.parametrize("outcome", ["success", "failure", "limit", "error"])
def test_only_a_success_is_one(outcome: str) -> None:
    runs = {"taskId": ["a"], "run": [1], "outcome": [outcome], "completion": [True]}
    found = score({"id": ["a"], "domain": ["d"]}, runs).sections(seed=None)["scores"]
    assert found["success"] == float(outcome == "success")
    assert ("success_valid" in found) == (outcome != "error")


def test_intervals_resample_tasks_not_runs() -> None:
    outcomes = ["success"] * 4 + ["failure"] * 4 + ["success", "failure"] * 2
    runs = {
        "taskId": ["a"] * 4 + ["b"] * 4 + ["c"] * 4,
        "run": [1, 2, 3, 4] * 3,
        "outcome": outcomes,
        "completion": [True] * 12,
    }
    found = score({"id": ["a", "b", "c"], "domain": ["d"] * 3}, runs).sections(seed=1)["intervals"]["success"]
    low, high = bootstrap_mean([1.0, 0.0, 0.5], 1)
    assert found == {"low": low, "high": high, "method": "bootstrap"}
    assert (low, high) == (0.0, 1.0), "12 runs pooled would give a narrower one"
