"""`only-voting`, step by step."""

from __future__ import annotations

import json
from typing import Any

from agents_systems import Asked, Harness, calls, says

from benchsite.tracks.agents.systems.graph.voting import OnlyVoting

ANSWERS = {"worker-1": "5", "worker-2": "4", "worker-3": "4", "worker-4": "I need to search first"}


def script(asked: Asked) -> Any:
    if asked.role == "planner":
        return says(json.dumps({name: f"expert {name[-1]}" for name in ANSWERS}))
    if asked.role == "judge":
        return says(json.dumps({"groups": [[0], [1, 2]], "winner_index": 0}))
    if len(asked.messages) == 2:
        return calls(expression="2 + 2")
    return says(ANSWERS[asked.actor])


def run(**options: Any) -> tuple[Any, Harness]:
    harness = Harness(script, {"calculator": lambda **_: "4"})
    return harness.run(OnlyVoting(**options)), harness


def test_workers_answer_without_hearing_of_one_another_and_the_judge_chooses() -> None:
    answer, harness = run()
    assert answer == {"answer": "5", "actor": "worker-1"}
    assert [(one.role, one.actor, one.event) for one in harness.asked] == [
        ("planner", "system", "plan"),
        *[("worker", f"worker-{number}", "act") for number in (1, 1, 2, 2, 3, 3, 4, 4)],
        ("judge", "system", "act"),
    ]
    firsts = [one for one in harness.asked if one.role == "worker" and len(one.messages) == 2]
    assert [one.last for one in firsts] == [
        f"You are: expert {number}.\n\nTask: What is 2 + 2?" for number in (1, 2, 3, 4)
    ]
    assert len({one.settings["seed"] for one in firsts}) == 4
    assert [event["kind"] for _, event in harness.events] == [
        *("personas", "artifact", "artifact", "artifact", "artifact", "vote", "monitor"),
    ]
    assert [actor for actor, event in harness.events if event["kind"] == "artifact"] == list(ANSWERS)
    assert harness.notes("monitor")[0]["packets"] == 0
    assert harness.notes("artifact")[3]["direct"] is False


def test_artifacts_of_bare_answers_carry_the_evidence_of_their_tools() -> None:
    _, harness = run()
    first = harness.notes("artifact")[0]
    assert (first["artifact"], first["status"], first["confidence"]) == ("5", "fallback", 0.5)
    assert first["evidence_summary"] == ['calculator({"expression":"2 + 2"}) -> 4']
    assert "0: 5 | evidence: calculator" in harness.asked[-1].last


def test_the_deterministic_vote_asks_no_judge() -> None:
    answer, harness = run(final_vote_mode="deterministic", dynamic_roles=False)
    assert answer == {"answer": "4", "actor": "worker-2"}
    assert {one.role for one in harness.asked} == {"worker"}


def test_json_answers_state_their_confidence() -> None:
    stated = says('{"answer_artifact": "4", "confidence": 0.8}')
    harness = Harness(lambda _asked: stated, {"calculator": lambda **_: "4"})
    system = OnlyVoting(json_answers=True, dynamic_roles=False, agents=2)
    assert harness.run(system) == {"answer": "4", "confidence": 0.8, "actor": "worker-1"}
    assert "answer_artifact" in harness.asked[0].messages[0]["content"]


def test_workers_without_tools_are_asked_for_the_artifact() -> None:
    harness = Harness(lambda _asked: says('{"answer_artifact": "4", "confidence": 1}'))
    harness.run(OnlyVoting(dynamic_roles=False, agents=2))
    assert all("answer_artifact" in one.settings["schema"]["properties"] for one in harness.asked)


def test_agents_that_all_say_nothing_have_no_answer() -> None:
    harness = Harness(lambda _asked: says(""))
    assert harness.run(OnlyVoting(dynamic_roles=False)) == {"answer": None}
