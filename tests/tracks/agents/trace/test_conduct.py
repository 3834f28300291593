"""Turns, actions, artifacts and confidence of three traces and of hand cases."""

from __future__ import annotations

import pytest
from agent_traces import ALONE, IMPORTED, MODEL, TEAM, event
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.trace.conduct import (
    LONGEST_ARTIFACT,
    MOST_AGENTS,
    actions,
    confidence,
    redundancy,
    similarity,
    turns,
    words,
)


def test_a_turn_is_a_completion_of_a_model():
    assert (turns(ALONE), turns(TEAM)) == (2, 5)
    assert turns([event(1, "system", "verify", {"model_requested": "judge"}), event(2, "a", "act")]) == 1


def test_without_a_model_turns_are_blank():
    assert turns(IMPORTED) is None
    assert turns([]) is None


def test_what_a_run_did():
    assert actions(ALONE) == ("plan", "tool:search", "finalize")
    assert actions(IMPORTED) == ("tool:email.search", "tool:email.delete", "finalize")
    assert actions(TEAM) == (
        *("plan", "send", "tool:calculator", "error", "act", "revise", "send", "verify", "finalize"),
    )


@pytest.mark.parametrize(
    ("tool", "expected"), [(None, "tool:"), ({"a": 1}, "tool:"), ("x" * 300, "tool:" + "x" * 200)]
)
def test_a_tool_without_a_usable_name(tool, expected):
    assert actions([event(1, "a", "tool_call", {"tool": tool})]) == (expected,)


def test_redundancy_compares_the_last_artifacts_of_agents():
    # a: {paris, france}; b: {paris, rome}; c: {rome}: 1/3, 0 and 1/2.
    events = [
        event(1, "a", "act", {"artifact": "first draft"}),
        event(2, "a", "revise", {"artifact": "Paris, FRANCE"}),
        event(3, "b", "act", {"artifact": {"answer_artifact": "rome paris"}}),
        event(4, "c", "act", {"artifact": "Rome."}),
        event(5, "system", "finalize", {"artifact": "rome"}),
        event(6, "d", "act", {"artifact": 7}),
        event(7, "d", "act", {"artifact": {"answer": "rome"}}),
    ]
    assert redundancy(events) == pytest.approx((1 / 3 + 0 + 1 / 2) / 3)
    assert redundancy(events[:2]) is None
    assert redundancy(TEAM) is None


def test_agents_above_a_number_are_not_compared():
    events = [event(i, f"a{i}", "act", {"artifact": "same"}) for i in range(MOST_AGENTS + 1)]
    assert redundancy(events[:-1]) == 1
    assert redundancy(events) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop-me", {"don", "t", "stop", "me"}),
        ("x_1 2,5", {"x", "1", "2", "5"}),
        ("Straße ÉTÉ", {"straße", "ÉtÉ"}),
        ("नमस्ते", {"नमस्ते"}),
        (" \t\n\x00!~", set()),
        ("a" * LONGEST_ARTIFACT + " b", {"a" * LONGEST_ARTIFACT}),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@given(st.text(), st.text())
def test_similarity_is_a_share_and_symmetric(a, b):
    one, other = words(a), words(b)
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, other) == similarity(other, one)
    assert similarity(one, one) == 1


@pytest.mark.parametrize(
    ("payloads", "expected"),
    [
        ([{"confidence": 0.5}, {"confidence": 1}], 1.0),
        ([{"confidence": 0.5}, {}], 0.5),
        ([{"confidence": 1.5}], None),
        ([{"confidence": True}], None),
        ([{"confidence": "0.5"}], None),
        ([{"confidence": float("nan")}], None),
        ([], None),
    ],
)
def test_the_confidence_of_a_run_is_the_last_one_stated(payloads, expected):
    events = [event(number, "a", "finalize", payload) for number, payload in enumerate(payloads)]
    assert confidence([event(99, "a", "act", {"confidence": 0.1}), *events]) == expected


def test_models_are_named_in_either_way():
    assert turns([event(1, "a", "act", MODEL), event(2, "a", "act", {"model_responded": "m"})]) == 2
