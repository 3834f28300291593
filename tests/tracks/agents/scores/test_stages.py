from __future__ import annotations

from dataclasses import astuple

import pytest
from agent_traces import IMPORTED, TEAM, event

from benchsite.tracks.agents.scores.stages import STAGES, by_stage, hints
from benchsite.tracks.agents.trace.event import EVENT_TYPES


def test_every_stage_of_the_team_is_the_one_computed_by_hand():
    # Of 10 events, 800 tokens, 5,000 ms and 2 tool errors; the error event is in finalize.
    assert {stage: astuple(spent) for stage, spent in by_stage(TEAM).items()} == {
        "plan": (1, 200, 1000, 0, 0.1, 0.25, 0.2, 0),
        "retrieve": (4, None, 2000, 1, 0.4, None, 0.4, 0.5),
        "act": (1, 250, 500, 0, 0.1, 0.3125, 0.1, 0),
        "verify": (1, 100, 250, 0, 0.1, 0.125, 0.05, 0),
        "revise": (1, 150, 500, 0, 0.1, 0.1875, 0.1, 0),
        "finalize": (2, 100, 750, 1, 0.2, 0.125, 0.15, 0.5),
    }


def test_what_a_transcript_does_not_tell_is_blank():
    found = by_stage(IMPORTED)
    assert tuple(found) == STAGES
    assert astuple(found["retrieve"]) == (4, None, None, 1, 0.8, None, None, 1)
    assert astuple(found["plan"]) == (0, None, None, 0, 0, None, None, 0)


def test_no_events_have_no_shares():
    assert astuple(by_stage([])["act"]) == (0, None, None, 0, None, None, None, None)
    assert hints(by_stage([])) == []


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_every_event_is_in_one_stage(event_type):
    assert sum(spent.events for spent in by_stage([event(1, "a", event_type)]).values()) == 1


def test_hints_name_peaks_and_failed_tools():
    found = hints(by_stage(TEAM))
    assert [(hint.code, hint.stage, hint.text) for hint in found] == [
        ("peak-latency", "retrieve", "retrieve takes most time: 40%"),
        ("peak-tokens", "act", "act takes most tokens: 31%"),
        ("retrieve-errors", "retrieve", "1 tool results are failures"),
    ]


def test_hints_of_a_transcript_are_of_what_it_tells():
    found = hints(by_stage(IMPORTED))
    assert [(hint.code, hint.text, hint.mast) for hint in found] == [
        ("low-verification", "0 of 5 steps verify", "FM-3.2"),
        ("retrieve-errors", "1 tool results are failures", None),
    ]


def test_verification_at_five_percent_is_enough():
    steps = [event(number, "a", "act") for number in range(19)]
    assert hints(by_stage([*steps, event(19, "a", "verify")])) == []
    assert [hint.code for hint in hints(by_stage([*steps, event(19, "a", "verify"), event(20, "a", "act")]))]


def test_more_tokens_for_revising_than_for_acting_is_a_hint():
    revised = [event(1, "a", "revise", token_in=5, token_out=6), event(2, "a", "verify")]
    assert "revise-above-act" in [hint.code for hint in hints(by_stage(revised))]
    acted = [*revised, event(3, "a", "act", token_in=11, token_out=0)]
    assert "revise-above-act" not in [hint.code for hint in hints(by_stage(acted))]
