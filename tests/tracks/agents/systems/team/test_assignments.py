"""Personas and plans: what a model assigns, and what is used if it cannot be."""

from __future__ import annotations

import pytest
from agents_systems import says, session

from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.team.assignments import ROUND, WHOLE, personas, plan

TEAM = ["worker-1", "worker-2", "worker-3", "worker-4", "worker-5"]


def test_a_model_assigns_a_persona_to_each_agent() -> None:
    run, harness = session([says('{"worker-1": "a cook", "worker-2": "a pilot"}')])
    assert personas(run, TEAM[:2], dynamic=True) == {"worker-1": "a cook", "worker-2": "a pilot"}
    (asked,) = harness.asked
    assert (asked.role, asked.actor, asked.event) == ("planner", "system", "plan")
    assert asked.settings["schema"]["required"] == TEAM[:2]
    assert asked.last == "Agents: worker-1, worker-2\n\nTask: What is 2 + 2?"
    assert harness.notes("personas")[0]["source"] == "model"


@pytest.mark.parametrize(
    "text",
    [
        *("", "worker-1 cooks", '{"worker-1": "a cook"}', '{"worker-1": "a", "worker-2": ""}', "[1]"),
        '{"worker-1": "worker-1", "worker-2": "a cook"}',  # what SmolLM2 assigned
    ],
)
def test_personas_go_round_if_the_model_fails(text: str) -> None:
    run, harness = session([says(text)])
    assert list(personas(run, TEAM[:2], dynamic=True).values()) == list(ROUND[:2])
    assert harness.notes("personas")[0]["source"] == "round_robin"


def test_without_dynamic_roles_no_model_is_asked() -> None:
    run, harness = session()
    assert list(personas(run, TEAM, dynamic=False).values()) == [*ROUND, ROUND[0]]
    assert harness.asked == []


def test_a_plan_gives_each_agent_its_part_or_the_whole_task() -> None:
    run, harness = session([says('{"a": "add 2", "b": "check"}'), says("{}")])
    agents = {"a": "a cook", "b": "a pilot"}
    at = Position("plan")
    assert plan(run, agents, actor="lead", at=at) == {"a": "add 2", "b": "check"}
    assert plan(run, agents, actor="lead", at=at) == {"a": WHOLE, "b": WHOLE}
    assert [note["source"] for note in harness.notes("plan")] == ["model", "whole_task"]
    assert harness.asked[0].last == "Agents:\n- a: a cook\n- b: a pilot\n\nTask: What is 2 + 2?"


def test_a_persona_of_a_thousand_characters_is_cut() -> None:
    run, harness = session([says('{"worker-1": "' + "x" * 1_000 + '"}')])
    assert len(personas(run, TEAM[:1], dynamic=True)["worker-1"]) == 120
    assert len(harness.notes("truncation")) == 1
