"""The orchestrators: plan, packages, reports, merge, check, critique, and the discussion between specialists."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_systems import Asked, Harness, says

from benchsite.tracks.agents.systems.graph.orchestrator import (
    OrchestratorNoDiscussion,
    OrchestratorWithDiscussion,
)

TEAM = ["specialist-1", "specialist-2", "specialist-3"]


def run(
    system: Any, answers: dict[str, list[str]], merges: list[str], critique: str = "{}", **options: Any
) -> tuple[Any, Harness]:
    """Agents answer from lists, the n-th time with the n-th; nobody judges."""
    counts: dict[tuple[str, str], int] = {}

    def script(asked: Asked) -> Any:
        key = (asked.role, asked.actor)
        counts[key] = number = counts.get(key, -1) + 1
        if asked.role == "planner":
            return says(json.dumps({name: f"part of {name}" for name in TEAM}))
        if asked.role == "critic":
            return says(critique)
        if asked.role == "orchestrator":
            return says(json.dumps({"answer_artifact": merges[number], "confidence": 0.8}))
        return says(answers[asked.actor][number])

    harness = Harness(script)
    chosen = {"dynamic_roles": False, "termination_consensus_mode": "lexical", **options}
    return harness.run(system(**chosen)), harness


def decisions(harness: Harness) -> list[tuple[str, int, int, str]]:
    return [
        (note["phase"], note["round"], note["discussion_index"], note["reason"])
        for note in harness.notes("termination")
    ]


def sends(harness: Harness) -> list[tuple[str, str, list[str]]]:
    return [(one["packet_kind"], one["sender"], one["recipients"]) for one in harness.notes("send")]


def test_two_cycles_step_by_step() -> None:
    answers = {name: [str(number), str(number + 3)] for number, name in enumerate(TEAM, 1)}
    critique = '{"critique": "2 is wrong", "revision_request": "add again"}'
    answer, harness = run(OrchestratorNoDiscussion, answers, ["2", "40"], critique)
    assert answer == {"answer": "40", "confidence": 0.8, "actor": "orchestrator"}
    assert [(one.role, one.actor, one.event) for one in harness.asked] == [
        ("planner", "orchestrator", "plan"),
        *[("worker", name, "act") for name in TEAM],
        ("orchestrator", "orchestrator", "act"),
        ("critic", "orchestrator", "verify"),
        *[("worker", name, "revise") for name in TEAM],
        ("orchestrator", "orchestrator", "act"),
    ]
    assert decisions(harness) == [("check", 0, 0, "continue"), ("check", 1, 0, "max_rounds_reached")]
    assert sends(harness) == [
        *[("task_package", "orchestrator", [name]) for name in TEAM],
        *[("specialist_report", name, ["orchestrator"]) for name in TEAM],
        *[("orchestrator_feedback", "orchestrator", [name]) for name in TEAM],
        *[("specialist_report", name, ["orchestrator"]) for name in TEAM],
    ]
    first, merge, revised = harness.asked[1], harness.asked[4], harness.asked[6]
    assert "Your part: part of specialist-1\n\nTask:" in first.last
    assert merge.last == (
        "Answer of specialist-1: 1\n\nAnswer of specialist-2: 2\n\nAnswer of specialist-3: 3\n\nTask: What is 2 + 2?"
    )
    assert "Your answer so far: 1" in revised.last
    assert "Your lead says: The team's answer is: 2\n2 is wrong\nadd again\n\nTask:" in revised.last
    assert harness.asked[-1].last.startswith("Your answer so far: 2\n\nAnswer of specialist-1: 4")
    assert harness.notes("critique")[0]["status"] == "ok"


def test_consensus_is_measured_on_the_specialists() -> None:
    answer, harness = run(OrchestratorNoDiscussion, {name: ["4"] for name in TEAM}, ["four"])
    assert decisions(harness) == [("check", 0, 0, "consensus_reached")]
    assert answer["answer"] == "four", "the merge is the answer"
    assert harness.notes("termination")[0]["consensus_groups"] == [TEAM]


def test_no_change_is_measured_on_the_merge() -> None:
    answers = {name: [str(number * n) for n in (1, 5, 7)] for number, name in enumerate(TEAM, 1)}
    _, harness = run(OrchestratorNoDiscussion, answers, ["6", "6", "6"], rounds=3)
    assert decisions(harness)[-1] == ("check", 1, 0, "no_meaningful_change")


@pytest.mark.parametrize("merge", ["I need to search first", "error", ""])
def test_a_merge_that_is_no_answer_leaves_it_to_a_vote(merge: str) -> None:
    answers = {TEAM[0]: ["5"], TEAM[1]: ["4"], TEAM[2]: ["4"]}
    answer, _ = run(OrchestratorNoDiscussion, answers, [merge], rounds=1)
    assert answer == {"answer": "4", "actor": "specialist-2"}


def test_specialists_that_report_nothing_stop_the_team() -> None:
    answer, harness = run(OrchestratorNoDiscussion, {name: [""] for name in TEAM}, [])
    assert answer == {"answer": None}
    assert decisions(harness) == [("check", 0, 0, "invalid_or_failed_branch")]
    assert {one.role for one in harness.asked} == {"planner", "worker"}, "there is nothing to merge"


@pytest.mark.parametrize(
    ("critique", "told", "status"),
    [
        ("It is wrong.", "The team's answer is: 2\nIt is wrong.", "fallback"),
        ('{"critique": "", "revision_request": null}', "The team's answer is: 2", "ok"),
        ("", "The team's answer is: 2", "fallback"),
    ],
)
def test_a_critique_in_prose_or_an_empty_one_is_passed_on_as_it_is(
    critique: str, told: str, status: str
) -> None:
    answers = {name: [str(number), str(number)] for number, name in enumerate(TEAM, 1)}
    _, harness = run(OrchestratorNoDiscussion, answers, ["2", "3"], critique)
    feedback = [one for one in harness.notes("send") if one["packet_kind"] == "orchestrator_feedback"]
    assert {one["content"] for one in feedback} == {told}
    assert harness.notes("critique")[0]["status"] == status


def test_specialists_discuss_before_they_report() -> None:
    answers = {TEAM[0]: ["1", "2"], TEAM[1]: ["2", "2"], TEAM[2]: ["3", "2"]}
    answer, harness = run(OrchestratorWithDiscussion, answers, ["2"], rounds=1)
    assert answer["answer"] == "2"
    assert decisions(harness) == [
        ("discussion", 0, 0, "continue"),
        ("discussion", 0, 1, "consensus_reached"),
        ("check", 0, 0, "consensus_reached"),
    ]
    assert sends(harness)[3:6] == [
        ("peer_summary", name, [other for other in TEAM if other != name]) for name in TEAM
    ]
    assert harness.notes("drop") == [], "peer summaries are control packets"
    assert [one.event for one in harness.asked] == ["plan", *["act"] * 3, *["revise"] * 3, "act"]
    assert [one["content"] for one in harness.notes("send")[-3:]] == ["2"] * 3


def test_a_new_cycle_begins_a_new_discussion() -> None:
    answers = {name: [f"{number}{n}" for n in range(4)] for number, name in enumerate(TEAM, 1)}
    _, harness = run(OrchestratorWithDiscussion, answers, ["7", "800"])
    assert [(place[1], place[2]) for place in decisions(harness)] == [
        (0, 0),
        (0, 1),
        (0, 0),
        (1, 0),
        (1, 1),
        (1, 0),
    ]
