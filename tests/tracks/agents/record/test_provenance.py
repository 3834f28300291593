"""A draft lists the tasks of its benchmark; a repeated run is compared by its outcomes."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
import tiny_workbench
from agents_receipts import context, document, measured, resolved, work
from examples import some

from benchsite import canonical
from benchsite.errors import IntegrityError
from benchsite.tracks.agents.record.provenance import differing, hold_against
from benchsite.tracks.agents.run import runner

MADE = document(measured("null"))


def test_a_draft_of_this_benchmark_holds() -> None:
    hold_against(MADE, resolved())
    hold_against(document(measured("null", limit=3)), resolved())


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            ("tasks", "needsAction", 1),
            False,
            "tasks.needsAction .*task 2",
        ),
        (
            ("tasks", "domain", 4),
            "calendar",
            "tasks.domain .*task 5",
        ),
        (("tasks", "id", 0), "calendar-009", "tasks.id differs"),
        (("benchmark", "tasks"), 690, "benchmark.tasks differs"),
        (("benchmark", "publish"), "sealed", "benchmark.publish differs"),
    ],
)
def test_what_is_not_the_benchmarks_is_named(path: tuple[Any, ...], value: Any, said: str) -> None:
    edited = copy.deepcopy(MADE)
    holder: Any = edited
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    with pytest.raises(IntegrityError, match=said):
        hold_against(edited, resolved())


@pytest.mark.parametrize("name", ["actions.jsonl", "traces.jsonl"])
def test_a_draft_pins_what_its_outcomes_and_columns_follow_from(name: str) -> None:
    bare = {**MADE, "evidence": [item for item in MADE["evidence"] if item["name"] != name]}
    with pytest.raises(IntegrityError, match=f"{name} is not pinned"):
        hold_against(bare, resolved())


@pytest.mark.parametrize("shown", some(["actions.jsonl", "traces.jsonl"], gate=1))
def test_evidence_of_a_sealed_benchmark_stays_outside_git(shown: str) -> None:
    data = canonical.dumps({**tiny_workbench.document(), "publish": "sealed"})
    sealed = replace(resolved(), target=data)
    made = runner.run(work(), sealed, context())
    assert [item.mirrored for item in made.evidence] == [True, True]
    draft = document(made)
    evidence = [{**item, "mirrored": True} for item in draft["evidence"]]
    hold_against({**draft, "evidence": evidence}, sealed)
    edited = [{**item, "mirrored": item["name"] != shown} for item in evidence]
    with pytest.raises(IntegrityError, match=f"{shown} of this benchmark is kept outside git"):
        hold_against({**draft, "evidence": edited}, sealed)


def test_repeated_runs_are_compared_run_by_run() -> None:
    assert list(differing(MADE, document(measured("null")))) == []
    other = copy.deepcopy(MADE)
    other["runs"]["outcome"][0] = "success"
    assert list(differing(MADE, other)) == [("analytics-001, run 1", "outcome failure became success")]
    short = document(measured("null", limit=6))
    assert list(differing(MADE, short)) == [("project-management-001, run 1", "missing from the second run")]
    assert list(differing(short, MADE)) == [("project-management-001, run 1", "missing from the first run")]
