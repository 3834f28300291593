from __future__ import annotations

import pytest
from agent_traces import ALONE, IMPORTED, TEAM, event
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.scores.coordination import (
    Coordination,
    Worked,
    coordinate,
    similarity,
    words,
    work,
)


def test_turns_and_messages_of_three_traces():
    # Turns: plan, finalize; plan, act, revise, verify, finalize; finalize.
    assert work(ALONE, success=True) == Worked(success=True, turns=2, messages=0, redundancy=None)
    assert work(TEAM, success=False) == Worked(success=False, turns=5, messages=3, redundancy=None)
    assert work(IMPORTED, success=False).turns == 1


def test_sends_and_the_system_take_no_turns():
    events = [
        event(1, "a", "act", {"kind": "send", "recipients": ["b"]}),
        event(2, "system", "plan"),
        event(3, "", "verify"),
        event(4, "a", "act"),
    ]
    assert work(events, success=True).turns == 1


def test_redundancy_compares_the_last_artifacts_of_agents():
    # a: {paris, france}; b: {paris, rome}; c: {rome}: 1/3, 0 and 1/2.
    events = [
        event(1, "a", "act", {"artifact": "first draft"}),
        event(2, "a", "revise", {"artifact": "Paris, FRANCE"}),
        event(3, "b", "act", {"artifact": "rome paris"}),
        event(4, "c", "act", {"artifact": "Rome."}),
        event(5, "system", "finalize", {"artifact": "rome"}),
        event(6, "d", "act", {"artifact": 7}),
    ]
    assert work(events, success=True).redundancy == pytest.approx((1 / 3 + 0 + 1 / 2) / 3)
    assert work(events[:2], success=True).redundancy is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop-me", {"don", "t", "stop", "me"}),
        ("ＡＢＣ １", {"abc", "1"}),
        ("Straße", {"strasse"}),
        ("नमस्ते", {"नमस्ते"}),
        (" \u202e!", set()),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@given(st.text(), st.text())
def test_similarity_is_a_share_and_symmetric(a, b):
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, b) == similarity(b, a)
    assert similarity(a, a) == 1


def worked(success: bool, turns: int, messages: int = 0, redundancy: float | None = None) -> Worked:  # noqa: FBT001
    return Worked(success, turns, messages, redundancy)


def test_coordination_by_hand():
    # Over t1 and t2: turns (6 + 10)/2 = 8 against (4 + 4)/2 = 4, messages (3 + 1)/2 = 2; successes 3/4 against 1/2.
    multi = {
        "t1": [worked(True, 4, 2, 0.5), worked(True, 8, 4, 0.25)],
        "t2": [worked(True, 10, 2), worked(False, 10, 0)],
        "only multi": [worked(False, 99)],
    }
    single = {"t1": [worked(True, 4)], "t2": [worked(False, 4)], "only single": [worked(False, 99)]}
    assert coordinate(multi, single) == Coordination(
        tasks=2,
        overhead=1.0,
        message_density=0.25,
        redundancy=0.375,
        efficiency=0.375,
        error_amplification=0.5,
    )


def test_what_cannot_be_divided_is_blank():
    nothing = coordinate({"t": [worked(True, 0)]}, {"t": [worked(True, 0)]})
    assert nothing == Coordination(1, None, None, None, None, None)
    assert (
        coordinate({}, {})
        == coordinate({"t": []}, {"t": []})
        == Coordination(0, None, None, None, None, None)
    )
