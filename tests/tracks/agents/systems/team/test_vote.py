"""The final vote: the judge, its fallbacks, and that an answer is never lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_systems import artifact, says, session

from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.team.vote import vote

AT = Position("judge")


def voted(*texts: str, told: Any = None, mode: str = "llm_judge", responded: str = "m") -> tuple[Any, Any]:
    text = told if isinstance(told, str) else json.dumps(told)
    run, harness = session([says(text, responded=responded)])
    made = [artifact(one, f"worker-{place}", id=f"a{place}") for place, one in enumerate(texts, 1)]
    winner = vote(run, made, mode, AT)
    (note,) = harness.notes("vote")
    return winner and winner.answer_artifact, {**note, "asked": len(harness.asked)}


def test_the_judge_chooses_among_the_direct_answers() -> None:
    told = {"groups": [[0, 1]], "winner_index": 2, "invalid_indices": [], "explanation": "why"}
    answer, note = voted("NULL", "4", "4.", "5", told=told)
    assert answer == "5", "the third of the direct answers"
    assert note == {
        "kind": "vote",
        "vote_source": "llm_judge",
        "groups": [["worker-2", "worker-3"], ["worker-4"]],
        "chosen": "worker-4",
        "artifact_id": "a4",
        "tie": False,
        "explanation": "why",
        "token_in": 10,
        "token_out": 2,
        "latency_ms": 1.5,
        "cost_usd": 0.0,
        "phase": "judge",
        "asked": 1,
    }


@pytest.mark.parametrize(
    ("told", "responded", "source"),
    [
        ("no", "m", "deterministic_fallback_parse_error"),
        ({"groups": [[0]], "winner_index": 9}, "m", "deterministic_fallback_parse_error"),
        ({"groups": []}, "m", "deterministic_fallback_empty_judgment"),
        ({"groups": [[0]], "winner_index": 0}, "simulated", "deterministic_fallback_mock"),
    ],
)
def test_a_judge_that_cannot_be_used_leaves_it_to_the_order(told: Any, responded: str, source: str) -> None:
    answer, note = voted("5", "4", "4", told=told, responded=responded)
    assert (answer, note["vote_source"], note["asked"]) == ("4", source, 1)


@pytest.mark.parametrize(
    ("texts", "answer", "source"),
    [
        (("4", "4.", "I need to search first"), "4", "unanimous"),
        (("4", "", ""), "4", "unanimous"),
        (("done", "error"), "done", "deterministic"),
        (("", ""), None, "deterministic"),
        ((), None, "deterministic"),
    ],
)
def test_the_judge_is_asked_only_if_answers_differ(
    texts: tuple[str, ...], answer: str | None, source: str
) -> None:
    found, note = voted(*texts)
    assert (found, note["vote_source"], note["asked"]) == (answer, source, 0)


def test_a_deterministic_vote_asks_nobody_and_says_if_it_was_a_tie() -> None:
    answer, note = voted("5", "4", mode="deterministic")
    assert (answer, note["tie"], note["vote_source"], note["asked"]) == ("4", True, "deterministic", 0)
    assert voted("5", "4", "4", mode="deterministic")[1]["tie"] is False
