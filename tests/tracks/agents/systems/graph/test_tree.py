"""The tree: its shape by size, and a cycle step by step."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_systems import Asked, Harness, says

from benchsite.tracks.agents.systems.graph.tree import OrchestratorTreeStructure


@pytest.mark.parametrize(
    ("agents", "leaves"),
    [
        (3, {"manager-1": ["leaf-1"]}),
        (4, {"manager-1": ["leaf-1", "leaf-2"]}),
        (5, {"manager-1": ["leaf-1"], "manager-2": ["leaf-2"]}),
        (8, {"manager-1": ["leaf-1", "leaf-3", "leaf-5"], "manager-2": ["leaf-2", "leaf-4"]}),
    ],
)
def test_leaves_are_given_to_the_managers_in_turn(agents: int, leaves: dict[str, list[str]]) -> None:
    tree = OrchestratorTreeStructure(agents=agents)
    assert {name: tree.leaves(name) for name in tree.managers()} == leaves
    nodes, edges = tree.talk()
    assert len(nodes) == agents
    assert ("root", "manager-1") in edges
    assert ("root", "leaf-1") not in edges
    assert len(edges) == 2 * (agents - 1), "a tree, in both directions"


def run(answers: dict[str, list[str]], roots: list[str], **options: Any) -> tuple[Any, Harness]:
    counts: dict[tuple[str, str], int] = {}

    def script(asked: Asked) -> Any:
        key = (asked.role, asked.actor)
        counts[key] = number = counts.get(key, -1) + 1
        if asked.role == "planner":
            return says(
                json.dumps({name: f"part of {name}" for name in asked.settings["schema"]["required"]})
            )
        if asked.role == "critic":
            return says('{"critique": "wrong", "revision_request": ""}')
        if asked.role == "orchestrator":
            return says(json.dumps({"answer_artifact": roots[number]}))
        return says(answers[asked.actor][number])

    harness = Harness(script)
    chosen = {"dynamic_roles": False, "termination_consensus_mode": "lexical", **options}
    return harness.run(OrchestratorTreeStructure(**chosen))["answer"], harness


def test_two_cycles_step_by_step() -> None:
    answers = {"leaf-1": ["1", "4"], "leaf-2": ["2", "4"], "manager-1": ["10", "4"], "manager-2": ["20", "4"]}
    answer, harness = run(answers, ["30", "4"])
    assert answer == "4"
    assert [(one.role, one.actor, one.event) for one in harness.asked] == [
        ("planner", "root", "plan"),
        ("worker", "leaf-1", "act"),
        ("worker", "leaf-2", "act"),
        ("aggregator", "manager-1", "act"),
        ("aggregator", "manager-2", "act"),
        ("orchestrator", "root", "act"),
        ("critic", "root", "verify"),
        ("worker", "leaf-1", "revise"),
        ("worker", "leaf-2", "revise"),
        ("aggregator", "manager-1", "act"),
        ("aggregator", "manager-2", "act"),
        ("orchestrator", "root", "act"),
    ]
    sends = [(one["packet_kind"], one["sender"], one["recipients"][0]) for one in harness.notes("send")]
    down = [
        ("root_task_package", "root", "manager-1"),
        ("manager_task_package", "manager-1", "leaf-1"),
        ("root_task_package", "root", "manager-2"),
        ("manager_task_package", "manager-2", "leaf-2"),
    ]
    up = [
        ("child_report", "leaf-1", "manager-1"),
        ("child_report", "leaf-2", "manager-2"),
        ("manager_report", "manager-1", "root"),
        ("manager_report", "manager-2", "root"),
    ]
    again = [(kind.replace("root_task_package", "orchestrator_feedback"), *rest) for kind, *rest in down]
    assert sends == [*down, *up, *again, *up]
    assert "Your part: part of manager-1\n\nAnswer of leaf-1: 1" in harness.asked[3].last
    assert "Your part: part of manager-2" in harness.asked[2].last
    decisions = [(note["reason"], note["consensus_groups"]) for note in harness.notes("termination")]
    assert decisions == [
        ("continue", [["manager-1"], ["manager-2"]]),
        ("consensus_reached", [["manager-1", "manager-2"]]),
    ]


def test_one_manager_is_no_consensus() -> None:
    answers = {"leaf-1": ["4"], "leaf-2": ["4"], "manager-1": ["4"]}
    _, harness = run(answers, ["4"], agents=4, rounds=1)
    (decision,) = harness.notes("termination")
    assert (decision["reason"], decision["consensus_source"]) == ("max_rounds_reached", "lexical_singleton")


def test_a_branch_that_fails_does_not_report() -> None:
    answer, harness = run({"leaf-1": [""], "leaf-2": ["2"], "manager-2": ["2"]}, ["2"], rounds=1)
    assert answer == "2"
    assert {one.actor for one in harness.asked} == {"root", "leaf-1", "leaf-2", "manager-2"}
    answer, harness = run({"leaf-1": [""], "leaf-2": [""]}, [])
    assert answer is None
    assert harness.notes("termination")[0]["reason"] == "invalid_or_failed_branch"
