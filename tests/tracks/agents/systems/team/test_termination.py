"""The termination controller: each reason, their order, and every field of a decision (specs/agents.md, "Termination")."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_systems import artifact, says, session

from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.team.termination import Loop, decide

AT = Position("debate", 1)
PLAN = "I need to search first"


def answers(*texts: str) -> list[Artifact]:
    return [artifact(text, f"worker-{place}") for place, text in enumerate(texts, 1)]


def decided(
    *now: str,
    before: tuple[str, ...] = (),
    judgment: dict[str, Any] | str | None = None,
    mode: str = "lexical",
    **loop: Any,
) -> tuple[Any, Any]:
    text = judgment if isinstance(judgment, str) else json.dumps(judgment)
    run, harness = session([says(text)])
    made = answers(*now)
    previous = {one.agent: one for one in answers(*before)}
    chosen = {"expected": len(now), "done": 1, "most": 3, **loop}
    candidates = chosen.pop("candidates", made)
    decision = decide(run, Loop(candidates, previous, made, **chosen), mode, AT)
    return decision, harness


def reason(*now: str, **more: Any) -> str:
    return str(decided(*now, **more)[0].reason)


@pytest.mark.parametrize(
    ("now", "more", "expected"),
    [
        # 1: fewer than max(1, ceil(expected / 2)) are left
        (("4", "", "", ""), {}, "invalid_or_failed_branch"),
        (("4", "4", "", ""), {}, "consensus_reached"),
        (("4", "", ""), {}, "invalid_or_failed_branch"),
        (("", ""), {}, "invalid_or_failed_branch"),
        ((), {"expected": 0}, "invalid_or_failed_branch"),
        ((PLAN, PLAN, "", ""), {}, "continue"),  # plans are branches that are left
        # 2: below the minimum nothing else stops
        (("4", "4"), {"minimum": 2}, "continue"),
        (("4", "4"), {"minimum": 2, "before": ("4", "4")}, "continue"),
        (("4", "4"), {"minimum": 9, "most": 1}, "consensus_reached"),  # the most is less than the minimum
        # 3: three quarters agree, more than one, and the answer is one
        (("4", "4", "4", "5"), {}, "consensus_reached"),
        (("4", "4", "5", "5"), {}, "continue"),
        (("4", "4", "5"), {}, "continue"),
        (("4", "4."), {}, "consensus_reached"),
        (("-5", "5"), {}, "continue"),
        (("4", ""), {}, "continue"),  # one valid answer is no consensus
        ((PLAN, PLAN, PLAN, "4"), {}, "continue"),
        (("done", "Done.", "done"), {}, "continue"),
        (("error: no such table",) * 3, {}, "continue"),
        (("NULL",) * 4, {}, "continue"),
        # 4: no change against the round before
        (("4", "5"), {"before": ("4", "5")}, "no_meaningful_change"),
        (("4", "5"), {"before": ("4", "6")}, "continue"),
        (("4", "5"), {}, "continue"),  # round 0 has nothing before
        (("4", "4"), {"before": ("4", "4")}, "consensus_reached"),  # comes first
        ((PLAN, PLAN), {"before": (PLAN, PLAN)}, "no_meaningful_change"),
        # 5: the rounds are used up
        (("4", "5"), {"done": 3}, "max_rounds_reached"),
        (("4", "5"), {"done": 3, "before": ("4", "5")}, "no_meaningful_change"),  # comes first
        (("4", "4"), {"done": 3}, "consensus_reached"),  # comes first
        (("4", "5"), {"done": 2}, "continue"),
    ],
)
def test_the_reasons_and_their_order(now: tuple[str, ...], more: dict[str, Any], expected: str) -> None:
    assert reason(*now, **more) == expected


def test_a_small_change_is_none() -> None:
    """Signatures of 40 and 41 letters: ratio 80/81, so the delta is 1/81 = 0.012 ≤ 0.05."""
    decision, _ = decided("a" * 41, "b", before=("a" * 40, "c"), done=1)
    assert decision.mean_delta == pytest.approx((1 / 81 + 1) / 2)
    assert decision.reason == "continue"
    assert reason("a" * 41, "", before=("a" * 40, ""), expected=2) == "no_meaningful_change"


JUDGED: dict[str, Any] = {
    "groups": [[0, 1, 2], [3]],
    "invalid_indices": [],
    "is_substantive": True,
    "progress_status": "improving",
    "expected_improvement": "low",
    "should_stop_for_no_progress": False,
    "explanation": "three agree",
}


def judged(*now: str, **more: Any) -> Any:
    told = {**JUDGED, **more.pop("told", {})}
    return decided(*now, judgment=told, mode="llm_judge", **more)[0]


@pytest.mark.parametrize(
    ("now", "more", "expected"),
    [
        (("4", "four", "IV", "5"), {}, "consensus_reached"),
        (("4", "four", "IV", "5"), {"told": {"groups": [[0, 1]]}}, "continue"),
        (
            ("4", "four", "IV", "5"),
            {"told": {"groups": [[0, 1]], "invalid_indices": [2, 3]}},
            "consensus_reached",
        ),
        (("4", "four", "IV", "5"), {"told": {"is_substantive": False}}, "continue"),
        # a judge that takes plans for an answer does not stop the debate
        ((PLAN, PLAN, PLAN, "5"), {}, "continue"),
        (("4", "four", "IV", "5"), {"told": {"groups": [], "invalid_indices": [0, 1, 2, 3]}}, "continue"),
        (
            ("4", "6", "7", "5"),
            {"told": {"groups": [[0]], "should_stop_for_no_progress": True}, "before": ("1", "2", "3", "9")},
            "no_meaningful_change",
        ),
        # without answers of a round before, the judge's word on progress does not count
        (("4", "6", "7", "5"), {"told": {"groups": [[0]], "should_stop_for_no_progress": True}}, "continue"),
        # the delta is 0, but the judge expects more
        (("4", "6", "7", "5"), {"told": {"groups": [[0]]}, "before": ("4", "6", "7", "5")}, "continue"),
        (("4", "6", "7", "5"), {"told": {"groups": [[0]]}, "done": 3}, "max_rounds_reached"),
    ],
)
def test_the_judge_decides_on_meaning(now: tuple[str, ...], more: dict[str, Any], expected: str) -> None:
    assert judged(*now, **more).reason == expected


def test_a_decision_has_every_field_of_the_seed_and_the_place() -> None:
    run, harness = session([says(json.dumps(JUDGED))])
    made = answers("4", "four", "IV", "5")
    decide(run, Loop(made, {}, made, expected=4, done=1, most=2, minimum=1), "llm_judge", AT)
    ((actor, payload),) = harness.events
    assert actor == "system"
    assert payload == {
        "kind": "termination",
        "reason": "consensus_reached",
        "reason_detail": "3 of 4 answers agree",
        "consensus_mode": "llm_judge",
        "consensus_source": "llm_judge",
        "consensus_ratio": 0.75,
        "consensus_groups": [["worker-1", "worker-2", "worker-3"], ["worker-4"]],
        "consensus_explanation": "three agree",
        "progress_source": "none",
        "progress_status": "improving",
        "expected_improvement": "low",
        "progress_explanation": "three agree",
        "average_confidence": 0.5,
        "mean_delta": None,
        "valid_artifact_count": 4,
        "winner": "4",
        "token_in": 10,
        "token_out": 2,
        "latency_ms": 1.5,
        "cost_usd": 0.0,
        "phase": "debate",
        "round": 1,
        "discussion_index": 0,
    }


@pytest.mark.parametrize(
    ("text", "responded", "source"),
    [
        ("{", "m", "lexical_fallback_parse_error"),
        ('{"groups": []}', "m", "lexical_fallback_empty_judgment"),
        ('{"groups": [[0, 1]]}', "simulated", "lexical_fallback_mock"),
    ],
)
def test_without_a_usable_judgment_signatures_are_compared(text: str, responded: str, source: str) -> None:
    run, harness = session([says(text, responded=responded)])
    made = answers("4", "4.")
    decision = decide(run, Loop(made, {}, made, expected=2, done=1, most=2), "llm_judge", AT)
    assert (decision.reason, decision.consensus_source) == ("consensus_reached", source)
    assert decision.token_in == 10
    assert len(harness.asked) == 1


@pytest.mark.parametrize(
    ("now", "more", "source"),
    [
        (("4", ""), {}, "lexical_singleton"),
        (("", ""), {}, "lexical_singleton"),
        (("4", "5"), {"minimum": 2}, "lexical"),
        (("4", "5", "", "", ""), {}, "lexical"),
    ],
)
def test_the_judge_is_not_asked_for_nothing(now: tuple[str, ...], more: dict[str, Any], source: str) -> None:
    decision, harness = decided(*now, mode="llm_judge", **more)
    assert (decision.consensus_source, harness.asked) == (source, [])
    assert (decision.token_in, decision.cost_usd) == (None, None)


def test_consensus_of_specialists_and_change_of_the_merge() -> None:
    merged, before = artifact("6", "lead", confidence=0.9), artifact("6", "lead")
    run, _ = session()
    specialists = answers("4", "5", "6")
    loop = Loop([merged], {"lead": before}, specialists, expected=3, done=1, most=3)
    decision = decide(run, loop, "lexical", AT)
    assert (decision.reason, decision.mean_delta, decision.average_confidence) == (
        *("no_meaningful_change", 0.0, 0.9),
    )
    assert decision.valid_artifact_count == 3
    nothing = Loop([], {}, specialists, expected=3, done=1, most=3)
    assert decide(run, nothing, "lexical", AT).average_confidence == 0.5
