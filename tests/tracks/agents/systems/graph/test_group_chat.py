"""`group-chat-debate`: two halves, their representatives, and what each hears."""

from __future__ import annotations

from typing import Any

from agents_systems import Asked, Harness, says

from benchsite.tracks.agents.systems.graph.group_chat import GroupChatDebate


def run(answers: dict[str, list[str]], **options: Any) -> tuple[Any, Harness]:
    """Agents answer from lists, the n-th time with the n-th; nobody judges."""
    counts: dict[str, int] = {}

    def script(asked: Asked) -> Any:
        counts[asked.actor] = counts.get(asked.actor, 0) + 1
        return says(answers[asked.actor][counts[asked.actor] - 1])

    harness = Harness(script)
    chosen = {"agents": len(answers), "dynamic_roles": False, "final_vote_mode": "deterministic"}
    system = GroupChatDebate(**{**chosen, "termination_consensus_mode": "lexical", **options})
    return harness.run(system)["answer"], harness


def decisions(harness: Harness) -> list[tuple[str, int, int, str]]:
    return [
        (note["phase"], note["round"], note["discussion_index"], note["reason"])
        for note in harness.notes("termination")
    ]


def test_the_first_group_is_the_smaller_half() -> None:
    assert GroupChatDebate(agents=5).groups() == (
        ["worker-1", "worker-2"],
        ["worker-3", "worker-4", "worker-5"],
    )


def test_groups_debate_then_their_representatives() -> None:
    answer, harness = run(
        {
            "worker-1": ["1", "3"],
            "worker-2": ["2", "2", "4"],
            "worker-3": ["7", "4"],
            "worker-4": ["7"],
        },
    )
    assert answer == "4"
    assert decisions(harness) == [
        ("group-1", 0, 0, "continue"),
        ("group-2", 0, 0, "consensus_reached"),
        ("group-1", 0, 1, "max_rounds_reached"),
        ("representatives", 0, 1, "continue"),
        ("representatives", 1, 1, "consensus_reached"),
    ]
    assert harness.notes("representatives")[0]["representatives"] == ["worker-2", "worker-3"]
    assert [(one["packet_kind"], one["sender"], one["recipients"]) for one in harness.notes("send")] == [
        ("group_debate_round", "worker-1", ["worker-2"]),
        ("group_debate_round", "worker-2", ["worker-1"]),
        ("representative_debate_round", "worker-2", ["worker-3"]),
        ("representative_debate_round", "worker-3", ["worker-2"]),
    ]
    assert [one.actor for one in harness.asked] == [
        *("worker-1", "worker-2", "worker-3", "worker-4", "worker-1", "worker-2", "worker-2", "worker-3"),
    ]
    assert "Answer of worker-3: 7" in harness.asked[-2].last
    assert "Answer of worker-1" not in harness.asked[-2].last


def test_both_kinds_of_packets_use_one_budget() -> None:
    answers = {
        "worker-1": ["1", "1.1", "3"],
        "worker-2": ["2", "2.2"],
        "worker-3": ["3", "3.3", "5"],
        "worker-4": ["4", "4.4"],
    }
    _, harness = run(answers, messages_per_agent=1)
    assert [one["packet_kind"] for one in harness.notes("send")] == ["group_debate_round"] * 4
    assert [one["packet_kind"] for one in harness.notes("drop")] == ["representative_debate_round"] * 2


def test_representatives_without_an_answer_leave_the_choice_to_all() -> None:
    answer, harness = run(
        {"worker-1": [""], "worker-2": [""], "worker-3": ["done"] * 2, "worker-4": ["Done"] * 2}
    )
    assert answer == "done"
    assert decisions(harness) == [
        ("group-1", 0, 0, "invalid_or_failed_branch"),
        ("group-2", 0, 0, "continue"),
        ("group-2", 0, 1, "no_meaningful_change"),
        ("representatives", 0, 1, "max_rounds_reached"),
    ], "a representative alone does not go on"
    assert run({f"worker-{number}": [""] for number in range(1, 5)})[0] is None
