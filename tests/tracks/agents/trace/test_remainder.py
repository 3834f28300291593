"""The difference between an event and what a format tells of it, and its inverse."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.trace.remainder import remainder, restored

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 3), st.text(max_size=3), st.lists(st.booleans(), max_size=2)
)
PAYLOADS = st.dictionaries(st.sampled_from(["text", "tool", "error", "x"]), VALUES)
EVENTS = st.fixed_dictionaries(
    {"payload": PAYLOADS},
    optional=dict.fromkeys(("actor", "event_type", "parent", "token_in", "latency_ms"), VALUES),
)


@given(EVENTS, EVENTS)
def test_what_is_told_and_its_remainder_are_the_event(event: dict[str, Any], told: dict[str, Any]) -> None:
    found = restored(told, remainder(event, told))
    assert found["payload"] == event["payload"]
    assert {name: one for name, one in found.items() if one is not None and name != "payload"} == {
        name: one for name, one in event.items() if one is not None and name != "payload"
    }


def test_only_what_differs_is_stated() -> None:
    event = {"actor": "a", "event_type": "verify", "payload": {"text": "x", "error": True}}
    told = {"actor": "a", "event_type": "act", "payload": {"text": "x", "error": 1, "given": []}}
    assert remainder(event, told) == {
        "event": {"event_type": "verify"},
        "payload": {"error": True},
        "without": ["given"],
    }
    assert remainder(event, event) == {}


@pytest.mark.parametrize(
    "rest", [{"event": 7}, {"payload": [1]}, {"without": 3}, {"event": {"id": "e9", "x": 1}}, {"y": 1}]
)
def test_a_malformed_remainder_changes_nothing(rest: dict[str, Any]) -> None:
    told = {"actor": "a", "payload": {"text": "x"}}
    assert restored(told, rest) == told
