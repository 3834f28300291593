from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from agent_traces import ALONE, IMPORTED, TEAM
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite import canonical
from benchsite.errors import IntegrityError
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.record.runs import COLUMNS, OUTCOMES, Run, from_columns
from benchsite.tracks.agents.scores.descriptor import (
    ALIASES,
    FIELDS,
    Evaluation,
    describe,
    p95,
    pass_at_k,
    pass_hat_k,
    variance,
)


def run_of(events, outcome, *, completion, score, **stated: float):
    """A run as a receipt has it: the columns of its trace, and what its evaluator said."""
    traced = {name: [cell] for name, cell in traced_columns(events).items() if name in COLUMNS}
    said = {"taskId": ["t"], "outcome": [outcome], "completion": [completion], "score": [score]}
    return replace(from_columns({**traced, **said})["t"][0], **stated)


def to_columns(tasks):
    """The inverse of `from_columns`: one cell a run; a column that no run states is absent."""
    order = [(task, run) for task, runs in tasks.items() for run in runs]
    every = {column: [getattr(run, name) for _, run in order] for column, name in COLUMNS.items()}
    stated = {column: cells for column, cells in every.items() if any(cell is not None for cell in cells)}
    return {"taskId": [task for task, _ in order], **stated}


SOLVED = run_of(ALONE, "success", completion=True, score=1.0, redundancy=0.5, confidence=0.75)
MISSED = run_of(TEAM, "failure", completion=True, score=0.25, redundancy=0.25, confidence=0.5)
BROKEN = run_of(IMPORTED, "error", completion=False, score=0.0)

# By hand from the metrics of the three traces (test_trace_metrics.py): each trace as the only run of its task, then the
# first two as two runs of one task, then all three.
EXPECTED: dict[str, tuple[float | None, ...]] = {
    "runs": (1, 1, 1, 2, 3),
    "errors": (0, 0, 1, 0, 1),
    "limits": (0, 0, 0, 0, 0),
    "Q1_success_rate": (1, 0, 0, 1 / 2, 1 / 3),
    "Q2_completion_rate": (1, 1, 0, 1, 2 / 3),
    "C1_latency_p95": (1000, 5000, None, 4800, None),  # 1000 + 4000 × 19/20
    "C2_tokens_total": (300, 800, None, 550, None),
    "C3_cost_total": (0.75, 1.25, None, 1, None),
    "C4_tool_calls_total": (1, 1, 2, 1, 4 / 3),
    "D1_tool_error_rate": (0, 2, 1 / 2, 1, 3 / 4),  # over all runs: 3 failures of 4 calls
    "D2_communication_count": (0, 3, 0, 3 / 2, 1),
    "D2_agent_to_agent_communication_count": (0, 2, 0, 1, 2 / 3),
    "D2_system_mediated_communication_count": (0, 1, 0, 1 / 2, 1 / 3),
    "D3_handoff_count": (0, 3, 0, 3 / 2, 1),
    "R1_success_var": (0, 0, 0, 1 / 4, 2 / 9),  # p (1 − p)
    "R2_latency_var": (0, 0, None, 4_000_000, None),  # 2000²
    "R3_tokens_var": (0, 0, None, 62_500, None),  # 250²
    "P1_steps_total": (4, 10, 5, 7, 19 / 3),
    "P2_backtrack_rate": (0, 0.2, 0, 0.1, 0.2 / 3),
    "P3_loop_score": (1 / 2, 0, 1 / 4, 1 / 4, 1 / 4),
    "P4_verification_density": (0, 0.1, 0, 0.05, 0.1 / 3),
    "turns_total": (2, 5, None, 7 / 2, None),
    "redundancy": (0.5, 0.25, None, 0.375, None),
    "success_rate_valid": (1, 0, None, 1 / 2, 1 / 2),
    "pass_at_1": (1, 0, 0, 1 / 2, 1 / 3),
    "pass_at_3": (None, None, None, None, 1),
    "pass_at_5": (None,) * 5,
    "pass_at_8": (None,) * 5,
    "pass_hat_1": (1, 0, 0, 1 / 2, 1 / 3),
    "pass_hat_3": (None, None, None, None, 0),
    "pass_hat_5": (None,) * 5,
    "pass_hat_8": (None,) * 5,
    "pass_hat_1_valid": (1, 0, None, 1 / 2, 1 / 2),
    "pass_hat_3_valid": (None,) * 5,
    "pass_hat_5_valid": (None,) * 5,
    "pass_hat_8_valid": (None,) * 5,
    "stability": (None, None, None, 0, 1 / 9),  # (2p − 1)²
    "eval_avg_score": (1, 0.25, 0, 0.625, 1.25 / 3),
    "cost_per_success": (300, None, None, 1100, None),
    "tokens_cv": (None, None, None, 250 / 550, None),
    "latency_cv": (None, None, None, 2000 / 3000, None),
    "brier_score": (0.0625, 0.25, None, 0.15625, None),  # (0.75 − 1)², (0.5 − 0)²
    "success_rate": (1, 0, 0, 1 / 2, 1 / 3),
    "tokens_total": (300, 800, None, 550, None),
    "tool_calls_total": (1, 1, 2, 1, 4 / 3),
    "tool_error_rate": (0, 2, 1 / 2, 1, 3 / 4),
    "communication_count": (0, 3, 0, 3 / 2, 1),
    "handoff_count": (0, 3, 0, 3 / 2, 1),
    "eval_success_rate": (1, 0, 0, 1 / 2, 1 / 3),
    "eval_completion_rate": (1, 1, 0, 1, 2 / 3),
}
TASKS = ([SOLVED], [MISSED], [BROKEN], [SOLVED, MISSED], [SOLVED, MISSED, BROKEN])

COUNT = st.none() | st.integers(0, 50)
RUNS = st.builds(
    Run,
    outcome=st.sampled_from(OUTCOMES),
    completion=st.none() | st.booleans(),
    score=st.none() | st.floats(0, 1),
    latency_ms=st.none() | st.floats(0, 1e7),
    tokens=st.none() | st.integers(0, 10**7),
    cost_usd=st.none() | st.floats(0, 100),
    redundancy=st.none() | st.floats(0, 1),
    confidence=st.none() | st.floats(0, 1),
    **{
        name: COUNT
        for name in COLUMNS.values()
        if name
        not in (
            "outcome",
            "completion",
            "score",
            "latency_ms",
            "tokens",
            "cost_usd",
            "redundancy",
            "confidence",
        )
    },
)


@pytest.mark.parametrize("place", range(5))
def test_every_field_of_a_descriptor_is_the_one_computed_by_hand(place):
    found = describe(TASKS[place])
    assert tuple(found) == FIELDS == tuple(EXPECTED)
    assert found == {name: values[place] for name, values in EXPECTED.items()}


def test_the_vectors_shared_with_javascript_are_these_computed_by_hand(vectors: Path):
    document = json.loads((vectors / "agents" / "descriptors.json").read_bytes())
    names = ("alone", "team", "imported", "two", "three")
    assert document["columns"] == to_columns(dict(zip(names, TASKS, strict=True)))
    assert document["descriptors"] == {
        name: {field: values[place] for field, values in EXPECTED.items()} for place, name in enumerate(names)
    }
    assert {task: describe(runs) for task, runs in from_columns(document["columns"]).items()} == document[
        "descriptors"
    ]
    for n, c, k, at, hat in document["passes"]:
        assert (at, hat) == (brute(n, c, k, any), brute(n, c, k, all))
        assert (at, hat) == (pass_at_k(n, c, k), pass_hat_k(n, c, k))


def test_a_blank_is_null_in_json():
    assert json.loads(canonical.dumps(describe([BROKEN])))["C2_tokens_total"] is None


def brute(n: int, c: int, k: int, rule) -> float:
    """Over all k-subsets of n runs of which the first c succeed."""
    drawn = [rule(i < c for i in chosen) for chosen in combinations(range(n), k)]
    return sum(drawn) / len(drawn)


@pytest.mark.parametrize("n", range(1, 10))
def test_pass_at_k_and_pass_hat_k_are_those_of_every_subset(n):
    for c in range(n + 1):
        for k in range(1, n + 1):
            assert pass_at_k(n, c, k) == brute(n, c, k, any)
            assert pass_hat_k(n, c, k) == brute(n, c, k, all)


def test_fewer_runs_than_k_are_looked_at_first():
    # The usual shortcut "n − c < k: 1" would say 1 here.
    assert pass_at_k(2, 2, 3) is None
    assert pass_hat_k(2, 2, 3) is None
    assert pass_at_k(0, 0, 1) is None


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0), (0, 0, 0)])
def test_what_cannot_be_drawn_is_refused(n, c, k):
    for measure_of in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError):
            measure_of(n, c, k)


@given(st.integers(1, 300), st.data())
def test_all_succeeding_is_never_likelier_than_one_succeeding(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, min(n, 8)))
    assert 0 <= pass_hat_k(n, c, k) <= pass_at_k(n, c, k) <= 1
    assert pass_at_k(n, c, 1) == pass_hat_k(n, c, 1) == c / n


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50))
def test_percentile_and_variance_are_numpys(values):
    assert p95(values) == pytest.approx(np.percentile(values, 95, method="linear"), rel=1e-12)
    assert variance(values) == pytest.approx(np.var(values, ddof=0), rel=1e-9, abs=1e-9)


def test_the_percentile_of_the_textbook_list():
    # 19 × 4 = 76 = 20 × 3 + 16: x[3] + (x[4] − x[3]) × 16 ÷ 20.
    assert p95([15, 20, 35, 40, 50]) == 48
    # 19 × 20 = 380 = 20 × 19: a rank itself.
    assert p95(range(21)) == 19


def test_a_statistic_of_nothing_is_refused():
    for call in (p95, variance, describe):
        with pytest.raises(ValueError):
            call([])


@given(st.lists(RUNS, min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_the_order_of_runs_changes_no_field(runs, random):
    assert describe(random.sample(runs, len(runs))) == describe(runs)


@given(st.lists(RUNS, min_size=1, max_size=9))
def test_relations_that_hold_in_every_descriptor(runs):
    found = describe(runs)
    assert all(found[alias] == found[name] for alias, name in ALIASES.items())
    assert found["pass_at_1"] == found["success_rate"]
    variance_of = variance([float(run.success) for run in runs])
    assert found["R1_success_var"] == pytest.approx(variance_of, abs=1e-15)
    if len(runs) > 1:
        p = found["Q1_success_rate"]
        clipped = min(1.0, max(0.0, 1 - variance_of / 0.25))
        assert found["stability"] == pytest.approx(clipped, abs=1e-12) == pytest.approx((2 * p - 1) ** 2)
    for k in (1, 3, 5, 8):
        if found[f"pass_hat_{k}_valid"] is not None:
            assert found[f"pass_hat_{k}_valid"] >= found[f"pass_hat_{k}"]


@pytest.mark.parametrize("name", [name for name in COLUMNS.values() if name not in ("outcome", "completion")])
def test_one_blank_makes_what_depends_on_it_blank_and_never_zero(name):
    whole = describe([SOLVED, MISSED])
    found = describe([SOLVED, replace(MISSED, **{name: None})])
    changed = {field for field in FIELDS if found[field] != whole[field]}
    assert changed
    assert all(found[field] is None for field in changed)


def test_records_of_the_evaluator_that_disagree_are_an_integrity_error():
    agree = [Evaluation(success=True, completion=True), Evaluation(success=False, completion=True)]
    assert describe([SOLVED, MISSED], evaluations=agree) == describe([SOLVED, MISSED])
    both = [Evaluation(success=True, completion=True)] * 2
    with pytest.raises(IntegrityError, match=r"Q1_success_rate 0\.5 .*1\.0: task t7"):
        describe([SOLVED, MISSED], evaluations=both, task="task t7")
    cut = [Evaluation(success=True, completion=False), Evaluation(success=False, completion=True)]
    with pytest.raises(IntegrityError, match="Q2_completion_rate") as caught:
        describe([SOLVED, MISSED], evaluations=cut)
    assert caught.value.exit_code == 3
    with pytest.raises(ValueError, match="2 runs"):
        describe([SOLVED, MISSED], evaluations=both[:1])


@settings(max_examples=examples(40, full=500))
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), max_size=5), st.lists(RUNS, min_size=1, max_size=4), min_size=1
    )
)
def test_runs_are_read_from_the_columns_that_they_were_written_to(tasks):
    columns = to_columns(tasks)
    assert from_columns(columns) == tasks


def test_cells_of_columns_that_are_absent_are_blank():
    assert from_columns({"taskId": ["t"], "outcome": ["error"]}) == {"t": [Run(outcome="error")]}
    assert SOLVED.loop_den == 2


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"outcome": []}, "without taskId"),
        ({"taskId": []}, "without outcome"),
        ({"taskId": ["t"], "outcome": []}, "unequal length"),
        ({"taskId": ["t"], "outcome": ["success"], "luck": [1]}, "columns: luck"),
        ({"taskId": ["t"], "outcome": ["won"]}, "none of success"),
    ],
)
def test_columns_that_hold_no_runs_are_refused(columns, said):
    with pytest.raises(ValueError, match=said):
        from_columns(columns)
