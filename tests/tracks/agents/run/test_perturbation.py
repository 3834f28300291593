"""Seeded faults of tools and rewordings of queries, and what a receipt says of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import agents_receipts
import pytest
from agents_receipts import document, measured
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import UsageError
from benchsite.history import Given
from benchsite.track import Work
from benchsite.tracks.agents.benchmarks import Task
from benchsite.tracks.agents.record import verification
from benchsite.tracks.agents.record.action_log import read
from benchsite.tracks.agents.record.columns import further_levels
from benchsite.tracks.agents.run import command
from benchsite.tracks.agents.run.perturbation import PATTERN, Perturbation, of_text

TASK = Task("t1", "d", 'Print "a  b".\n\n```\nx = 1\n```')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("prompts", {"kind": "prompts", "rate": None}),
        ("faults", {"kind": "faults", "rate": 0.1}),
        ("faults:0.25", {"kind": "faults", "rate": 0.25}),
        ("faults:0.9", {"kind": "faults", "rate": 0.9}),
    ],
)
def test_what_the_option_says(text, expected):
    assert re.fullmatch(PATTERN, text)
    assert of_text(text) == expected


@pytest.mark.parametrize(
    "text", ["prompts:0.1", "faults:1", "faults:0", "faults:0.0", "faults:0.95", "faults:nan", "x"]
)
def test_other_texts_are_refused(text):
    assert not re.fullmatch(PATTERN, text)


def test_the_command_line_refuses_another_perturbation():
    def works(text: str | None) -> Sequence[Work]:
        given = {"benchmarks": "", "config_file": None, "benchmark": ("b",), "system": ("null",), "model": ()}
        return command.works(**given, option=(), tool_policies=(), no_dynamic_roles=False, perturb=text)

    assert works("faults:0.3")[0].request["perturbation"] == {"kind": "faults", "rate": 0.3}
    assert works(None)[0].request["perturbation"] is None
    with pytest.raises(UsageError, match="--perturb: "):
        works("sometimes")


def test_faults_are_a_function_of_seed_task_and_run():
    def drawn(seed: int, task: str, run: int) -> list[bool]:
        fails = Perturbation(0.3, seed).fails(task, run)
        return [fails() for _ in range(200)]

    assert drawn(1, "a", 1) == drawn(1, "a", 1)
    others = [drawn(2, "a", 1), drawn(1, "b", 1), drawn(1, "a", 2)]
    assert drawn(1, "a", 1) not in others
    # 2,000 draws at 0.3: 600 ± 5 standard deviations of 20.5.
    failed = sum(sum(drawn(1, "a", run)) for run in range(10))
    assert abs(failed - 600) < 103


def test_prompts_perturbed_make_no_call_fail():
    fails = Perturbation(None, 1).fails("a", 1)
    assert not any(fails() for _ in range(100))


@given(st.integers(0, 2**53 - 1), st.integers(1, 300))
def test_a_reworded_query_keeps_the_query(seed, run):
    found = Perturbation(None, seed).reworded(TASK, run)
    assert TASK.query in found.query
    assert found.query != TASK.query
    assert len(found.query) < len(TASK.query) + 40
    assert found == Perturbation(None, seed).reworded(TASK, run)
    assert Perturbation(0.5, seed).reworded(TASK, run) == TASK


def test_runs_are_reworded_differently():
    assert len({Perturbation(None, 7).reworded(TASK, run).query for run in range(1, 30)}) > 5


def test_a_run_with_faults_is_recorded_graded_and_never_ranked():
    made = measured("spam-tools", perturbation={"kind": "faults", "rate": 0.5})
    found = document(made)
    actions = [run.actions for run in read(made.evidence[0].data)]
    failed = [one for run in actions for one in run if isinstance(one, str)]
    carried_out = [one for run in actions for one in run if not isinstance(one, str)]
    assert failed
    assert carried_out
    assert all(text.startswith("temporarily unavailable: ") for text in failed)
    assert sum(found["runs"]["toolFailures"]) >= len(failed)
    assert found["config"]["perturbation"] == {"kind": "faults", "rate": 0.5}
    # Trace and action record agree, and columns follow.
    held = {item.name: item.data for item in made.evidence}
    by_sha = {entry["sha256"]: held[entry["name"]] for entry in found["evidence"]}
    levels = further_levels(found | {"origin": "native"}, Given(None, by_sha.get))
    assert [(step.name, step.state) for step in levels.steps][:2] == [
        ("traces", "pass"),
        ("agreement", "pass"),
    ]
    summary = verification.summary(found, None)
    assert summary.unranked == ("perturbed runs: faults 0.5",)
    assert "perturbed: faults 0.5" in summary.subject.label
    assert verification.summary(document(measured("spam-tools")), None).unranked == ()


@pytest.mark.full
def test_the_same_seed_gives_the_same_runs():
    one, other = (measured("spam-tools", perturbation={"kind": "faults", "rate": 0.5}) for _ in range(2))
    assert one.evidence[0].data == other.evidence[0].data
    assert json.dumps(one.config) == json.dumps(other.config)


def test_unperturbed_runs_are_of_another_row():
    assert verification.row(
        {"name": "a", "version": "1"}, {"source": None, "perturbation": None}
    ) != verification.row(
        {"name": "a", "version": "1"}, {"source": None, "perturbation": {"kind": "prompts", "rate": None}}
    )


def test_the_work_of_a_receipt_has_its_perturbation():
    found = document(measured("null", perturbation={"kind": "prompts", "rate": None}))
    found |= {"receiptId": "r", "methodology": {"version": "1.0.0"}}
    work = command.work_of(found)
    assert work.request["perturbation"] == {"kind": "prompts", "rate": None}
    assert work.target == agents_receipts.work().target
