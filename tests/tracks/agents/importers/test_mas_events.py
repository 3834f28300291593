"""Traces of MAS_Analyzer: totals as the source counts them, and events as benchsite does; both counted by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mas_tree_files import EVENTS, FIGURES, event, trace

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.mas_events import actions_of, counted, kept, read_trace
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.tools import Call
from benchsite.tracks.agents.trace.event import line, parse


def read(events: list[dict[str, Any]] = EVENTS) -> Any:
    return read_trace(trace(events).encode(), "t")


def test_totals_are_those_of_the_source() -> None:
    assert counted(read()).figures() == FIGURES


def test_a_key_on_the_cut_of_a_text_is_replaced_whole() -> None:
    """A text is cut at 10,000 characters, nine characters into the key."""
    long = event("e1", "act", {"text": "x" * 9_990 + " sk-proj-abcdefghijklmnopqrstuvwxyz and more"})
    (found,) = read([long])
    assert found.payload["text"] == "x" * 9_990 + " [redacte…"


def test_a_verdict_of_a_foreign_trace_is_no_verdict_of_a_judge() -> None:
    (found,) = read([event("e1", "finalize", {"final_answer": "x", "judged": True})])
    assert (found.payload["source_judged"], "judged" in found.payload) == (True, False)


def test_columns_are_in_our_conventions() -> None:
    events = kept(read(), model="m-1", error="", ending="failure")
    assert traced_columns(events) == {
        "completion": True,
        "steps": 10,
        "toolCalls": 1,
        "toolFailures": 0,
        "backtracks": 0,
        "loopNum": 0,
        "loopDen": 10,
        "verifies": 0,
        "agentToAgent": 1,
        "systemMediated": 0,
        "handoffs": 1,
        "latencyMs": 290.5,
        "latencyWallMs": None,
        "tokens": 57,
        "costUsd": None,
        "turns": 2,
        "redundancy": None,
        "confidence": None,
        "judged": None,
    }
    assert [one.payload.get("kind") for one in events if one.event_type == "act"] == [
        *("view", None, "termination", "note", "note"),
    ]
    assert events[3].parent == "e3"
    assert actions_of(read()) == (Call("shop.find", {"q": "tea"}),)
    assert all(parse(line(one)) == one for one in events)


def test_an_error_ends_the_run_and_no_other_event_looks_like_one() -> None:
    noise = event("system", "error", {"message": "slow"})
    early = kept(read([noise, *EVENTS]), model=None, error="stated: failure: boom", ending="failure")
    assert [one.event_type for one in early].count("error") == 1
    assert (early[0].event_type, early[0].payload["kind"]) == ("act", "error")
    assert early[-1].payload["text"] == "stated: failure: boom"
    late = kept(read([*EVENTS, noise]), model=None, error="stated: failure: slow", ending="failure")
    assert (len(late), late[-1].event_type) == (11, "error")
    assert kept(read([*EVENTS, noise]), model=None, error="", ending="")[-1].event_type == "act"


def test_foreign_members_never_pass_for_ours() -> None:
    payload = {"partial": True, "totals": {"tokens": 1}, "model_requested": "x", "artifact": "y" * 20_000}
    (one,) = kept(read([event("a" * 10_000, "act", payload)]), model=None, error="", ending="")
    assert len(one.actor) <= 200
    assert {"partial", "totals", "model_requested", "artifact"}.isdisjoint(one.payload)
    assert len(one.payload["source_artifact"]) == 10_000


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "t: no event"),
        ("[]\n", "t line 1: must be a JSON object"),
        (trace()[:-20], "t line 10: "),
        (trace([event("a", "sing", {})]), "t line 1: event_type: "),
        (trace([event("a", "act", {}, token_in=-1)]), "t line 1: "),
        (trace([event("a", "act", {}, latency_ms="1")]), "t line 1: "),
        (trace([{**EVENTS[0], "payload": []}]), "t line 1: payload: must be an object"),
        ('{"actor": "a", "event_type": "act", "token_in": NaN}\n', "t line 1: "),
    ],
)
def test_a_trace_that_cannot_be_read_names_its_line(data: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_trace(data.encode(), "t")
    assert refused.value.message.startswith(said)
    assert refused.value.hint


@given(st.integers(0, len(trace().encode())), st.binary(max_size=3))
def test_whatever_is_cut_or_added_is_read_or_refused(end: int, more: bytes) -> None:
    try:
        events = read_trace(trace().encode()[:end] + more, "t")
    except InputError:
        return
    assert counted(events).figures()["steps_total"] == len(events)
    traced_columns(kept(events, model=None, error="", ending=""))
