"""The deterministic vote: the order of groups, each tie-break, and the representative (specs/agents.md, "Termination")."""

from __future__ import annotations

from typing import Any

import pytest
from agents_systems import artifact

from benchsite.tracks.agents.systems.team.groups import vote_artifacts


def elected(*votes: tuple[str, dict[str, Any]]) -> str | None:
    made = [artifact(answer, f"worker-{place}", **fields) for place, (answer, fields) in enumerate(votes)]
    winner = vote_artifacts(made)
    return winner.answer_artifact if winner else None


EVIDENCE: dict[str, Any] = {"evidence_summary": ("e",)}
TOOLS: dict[str, Any] = {"used_tools": True}
SURE: dict[str, Any] = {"confidence": 0.9}


@pytest.mark.parametrize(
    ("votes", "winner"),
    [
        ([("b", {}), ("B.", {}), ("a", {**EVIDENCE, **TOOLS, **SURE})], "b"),  # votes first
        ([("a", {**TOOLS, **SURE}), ("b", EVIDENCE)], "b"),  # then evidence items
        ([("a", {"evidence_summary": ("e",) * 2}), ("b", {"evidence_summary": ("e",) * 3})], "b"),
        ([("a", SURE), ("b", TOOLS)], "b"),  # then members that used tools
        ([("a", {}), ("b", SURE)], "b"),  # then mean confidence
        ([("b", {}), ("a", {})], "a"),  # then the signature
        ([("10", {}), ("9", {})], "10"),  # as text
    ],
)
def test_the_order_of_groups(votes: list[tuple[str, dict[str, Any]]], winner: str) -> None:
    assert elected(*votes) == winner
    assert elected(*reversed(votes)) in (winner, "B.")


def test_the_representative_has_the_highest_confidence_then_the_first_name() -> None:
    made = [artifact("4", "worker-2"), artifact("4.", "worker-1"), artifact("4 ", "worker-3", confidence=0.4)]
    assert vote_artifacts(made).agent == "worker-1"  # type: ignore[union-attr]
    sure = artifact("4!", "worker-9", confidence=0.6)
    assert vote_artifacts([*made, sure]).agent == "worker-9"  # type: ignore[union-attr]


@pytest.mark.parametrize("noise", ["I need to search first", "error: no such table", "NULL", "done", ""])
def test_what_is_no_answer_has_no_vote(noise: str) -> None:
    assert elected(*[(noise, SURE)] * 3, ("42", {})) == "42"


def test_an_answer_that_is_none_is_better_than_nothing() -> None:
    assert elected(("done", {}), ("", {})) == "done"
    assert elected(("", {}), ("", {})) is None
    assert elected() is None
