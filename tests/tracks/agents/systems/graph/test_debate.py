"""`fully-linked-debate`, round by round: packets, revisions, the budget, and what stops it."""

from __future__ import annotations

from typing import Any

import pytest
from agents_systems import Asked, Harness, calls, says

from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.graph.debate import FullyLinkedDebate

PLAN = "I need to search first"


def run(answers: dict[str, list[str]], **options: Any) -> tuple[Any, Harness]:
    """Agents answer from lists, by round; nobody judges."""

    def script(asked: Asked) -> Any:
        if len(asked.messages) == 2 and asked.event == "act":
            return calls(expression="2 + 2")
        return says(answers[asked.actor][int(asked.state_id[0])])

    harness = Harness(script, {"calculator": lambda **_: "4"})
    chosen = {"agents": len(answers), "dynamic_roles": False, "final_vote_mode": "deterministic"}
    system = FullyLinkedDebate(**{**chosen, "termination_consensus_mode": "lexical", **options})
    return harness.run(system)["answer"], harness


def reasons(harness: Harness) -> list[tuple[int, str]]:
    return [(note["round"], note["reason"]) for note in harness.notes("termination")]


def test_round_0_has_no_packets_and_round_1_reads_the_answers_of_all_others() -> None:
    answer, harness = run({"worker-1": ["5", "4"], "worker-2": ["4", "4"], "worker-3": ["6", "6"]})
    assert answer == "4"
    assert reasons(harness) == [(0, "continue"), (1, "max_rounds_reached")]
    sends = harness.notes("send")
    assert [(one["sender"], one["recipients"], one["round"], one["packet_kind"]) for one in sends] == [
        ("worker-1", ["worker-2", "worker-3"], 1, "debate_round"),
        ("worker-2", ["worker-1", "worker-3"], 1, "debate_round"),
        ("worker-3", ["worker-1", "worker-2"], 1, "debate_round"),
    ]
    assert [one["artifact_id"] for one in sends] == ["a1", "a2", "a3"]
    kinds = [event["kind"] for _, event in harness.events]
    assert kinds == [
        *("personas", *["artifact"] * 3, "termination", *["send"] * 3),
        *(*["artifact"] * 3, "termination", "vote", "monitor"),
    ]
    first = next(one for one in harness.asked if one.event == "revise")
    evidence = '4\nEvidence: calculator({"expression":"2 + 2"}) -> 4'
    assert first.last.split("\n\n") == [
        "You are: a careful solver who checks every step.",
        'Your results so far:\ncalculator({"expression":"2 + 2"}) -> 4',
        "Your answer so far: 5",
        f"Answer of worker-2: {evidence}",
        f"Answer of worker-3: {evidence.replace('4', '6', 1)}",
        prompts.COMPARE,
        "Task: What is 2 + 2?",
    ]
    assert [one.event for one in harness.asked] == ["act"] * 6 + ["revise"] * 3


def test_consensus_stops_before_a_packet_is_sent() -> None:
    answer, harness = run({"worker-1": ["4"], "worker-2": ["4."]})
    assert (answer, reasons(harness), harness.notes("send")) == ("4", [(0, "consensus_reached")], [])


def test_a_minimum_of_rounds_is_kept() -> None:
    _, harness = run({"worker-1": ["4", "4"], "worker-2": ["4", "4"]}, minimum_discussion_rounds=2)
    assert reasons(harness) == [(0, "continue"), (1, "consensus_reached")]


def test_a_majority_that_needs_to_search_first_does_not_stop_the_debate() -> None:
    """In a run of the seed's repository it did."""
    answers = {f"worker-{number}": [PLAN, "42"] for number in (1, 2, 3)}
    answer, harness = run({**answers, "worker-4": ["41", "41"]})
    assert reasons(harness) == [(0, "continue"), (1, "consensus_reached")]
    assert answer == "42"


def test_plans_to_the_end_lose_against_one_answer() -> None:
    answers = {f"worker-{number}": [PLAN, PLAN] for number in (1, 2, 3)}
    answer, harness = run({**answers, "worker-4": ["41", "41"]}, rounds=2)
    assert (answer, reasons(harness)[-1]) == ("41", (1, "no_meaningful_change"))


def test_no_change_stops() -> None:
    _, harness = run({"worker-1": ["4"] * 5, "worker-2": ["5"] * 5}, rounds=5)
    assert reasons(harness) == [(0, "continue"), (1, "no_meaningful_change")]


def test_packets_above_the_budget_are_dropped() -> None:
    answers = {"worker-1": ["1", "2", "3"], "worker-2": ["4", "5", "6"]}
    _, harness = run(answers, rounds=3, messages_per_agent=1)
    assert [(one["sender"], one["round"]) for one in harness.notes("send")] == [
        ("worker-1", 1),
        ("worker-2", 1),
    ]
    assert [(one["sender"], one["round"]) for one in harness.notes("drop")] == [
        ("worker-1", 2),
        ("worker-2", 2),
    ]
    assert harness.notes("monitor")[0]["dropped"] == 2
    last = harness.asked[-1].last
    assert "Answer of" not in last, "what is dropped is not read"
    assert prompts.COMPARE not in last


@pytest.mark.parametrize(("characters", "sent"), [(320, 320), (0, 1050), (2_000, 1050)])
def test_an_artifact_of_a_peer_is_cut_and_that_is_recorded(characters: int, sent: int) -> None:
    """1,000 characters, a line feed, 10 of a heading and 39 of evidence."""
    answers = {"worker-1": ["x" * 1_000, "1"], "worker-2": ["4", "5"]}
    _, harness = run(answers, peer_characters=characters)
    assert len(harness.notes("send")[0]["content"]) == sent
    notes = [note for note in harness.notes("truncation") if "packet" in note["what"]]
    assert len(notes) == (sent == 320)


def test_a_branch_that_fails_is_left_out_and_too_many_stop() -> None:
    answer, harness = run({"worker-1": ["4"], "worker-2": [""], "worker-3": [""], "worker-4": [""]})
    assert (answer, reasons(harness)) == ("4", [(0, "invalid_or_failed_branch")])


def test_the_judge_stops_and_chooses() -> None:
    def script(asked: Asked) -> Any:
        if asked.role == "judge":
            return says(
                '{"groups": [[0, 1]], "is_substantive": true, "winner_index": 1, "explanation": "same"}'
            )
        return says({"worker-1": "4", "worker-2": "four"}[asked.actor])

    harness = Harness(script)
    assert harness.run(FullyLinkedDebate(agents=2, dynamic_roles=False)) == {
        "answer": "four",
        "actor": "worker-2",
    }
    assert reasons(harness) == [(0, "consensus_reached")]
    assert harness.notes("termination")[0]["consensus_source"] == "llm_judge"
    assert harness.notes("vote")[0]["vote_source"] == "llm_judge"
