"""Transcripts are read with `ast`; events hold what the source tells and null for what it does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from workbench_files import action, dataset, response

from benchsite import canonical
from benchsite.tracks.agents.benchmarks.workbench.actions import canonical_action
from benchsite.tracks.agents.benchmarks.workbench.results import ResultRow
from benchsite.tracks.agents.benchmarks.workbench.transcript import (
    Step,
    Transcript,
    events,
    graded,
    notes,
    read_transcript,
)
from benchsite.tracks.agents.tools import Call

TASK = dataset().by_id["calendar-001"]
SEED = ("timestamp_start", "timestamp_end", "token_in", "token_out", "latency_ms", "cost_usd", "state_id")


def row(*actions: str, response: str = "", error: str = "") -> ResultRow:
    return ResultRow(TASK, "calendar/x.csv", 2, actions, response, error)


def written(steps: str, output: str = "'Done.'") -> str:
    return f"{{'input': 'q', 'output': {output}, 'intermediate_steps': [{steps}]}}"


def step(observation: str, given: str = "{'event_id': '1'}", tool: str = "calendar.delete_event") -> str:
    return f"(AgentAction(tool={tool!r}, tool_input={given}, log='I try.'), {observation})"


@pytest.mark.parametrize(
    ("observation", "value"),
    [
        ("'Event not found.'", "Event not found."),
        ("[{'a': nan, 'b': 'x'}]", [{"a": None, "b": "x"}]),
        ("array(['a@b.c'], dtype=object)", ["a@b.c"]),
        ("{'sent_datetime': Timestamp('2023-11-30 00:00:00')}", {"sent_datetime": "2023-11-30 00:00:00"}),
        ("datetime.date(2023, 11, 30)", "date(2023, 11, 30)"),
        ("{'2023-11-01': 1.5, '2023-11-02': -2}", {"2023-11-01": 1.5, "2023-11-02": -2}),
        ("None", None),
        ("b'x'", "b'x'"),
        ("10 ** 3", "unread"),
    ],
)
def test_an_observation_is_json_or_the_transcript_is_unread(observation: str, value: Any) -> None:
    run = row(response=written(step(observation)))
    found = [event["payload"] for event in events(run) if event["event_type"] == "tool_result"]
    assert [one["observation"] for one in found] == ([] if value == "unread" else [value])


def test_the_events_of_a_run() -> None:
    text = written(f"{step(repr('Event not found.'))}, {step(repr('Fine.'), repr('all'), 'human')}")
    first = 'calendar.delete_event.func(event_id="1")'
    call = {"tool": "calendar.delete_event", "arguments": {"event_id": "1"}}
    run = row(first, response=text, error="'str' object has no attribute 'items'")
    found = list(events(run))
    assert [(one["id"], one["parent"], one["event_type"], one["actor"]) for one in found] == [
        ("e1", None, "tool_call", "agent"),
        ("e2", "e1", "tool_result", "agent"),
        ("e3", None, "tool_call", "agent"),
        ("e4", "e3", "tool_result", "agent"),
        ("e5", None, "error", "agent"),
    ]
    assert [one["payload"] for one in found] == [
        {"tool": "calendar.delete_event", "input": {"event_id": "1"}, "log": "I try.", "action": call},
        {"observation": "Event not found.", "error": True},
        {"tool": "human", "input": "all", "log": "I try.", "action": None},
        {"observation": "Fine.", "error": False},
        {"text": run.error, "source": "agent", "ending": "failure", "limit": None},
    ]
    assert all(one[name] is None for one in found for name in SEED)
    assert graded(found) == ((Call(**call),), run.error)
    assert notes(run, read_transcript(text)) == ()


def test_an_answer_is_the_last_event() -> None:
    run = row('calendar.delete_event.func(event_id="00000001")', response=response("calendar", 1))
    *_, last = events(run)
    assert (last["event_type"], last["payload"]) == ("finalize", {"output": "Done."})


@pytest.mark.parametrize(
    ("error", "source", "limit", "actor"),
    [
        ("Agent stopped due to iteration limit or time limit.", "harness", "iterations", "system"),
        ("Context window exceeded", "harness", "context", "system"),
        ("Error code: 504 - {}", "provider", None, "system"),
        ("unhashable type: 'list'", "tool", None, "agent"),
    ],
)
def test_a_run_that_was_ended_has_no_answer(error: str, source: str, limit: str | None, actor: str) -> None:
    [found] = events(row(response=written("", repr(error)), error=error))
    assert (found["event_type"], found["actor"]) == ("error", actor)
    assert (found["payload"]["source"], found["payload"]["limit"]) == (source, limit)


def test_actions_that_the_transcript_does_not_tell_are_calls_with_a_note() -> None:
    run = row(action("calendar", 1), action("calendar", 2), response=response("calendar", 1))
    found = list(events(run))
    assert graded(found) == (tuple(map(canonical_action, run.actions)), "")
    assert notes(run, read_transcript(run.response)) == (
        "the transcript tells 1 action, the graded column 2; the column is graded",
    )
    unread = row(action("calendar", 1), response="{'input': ")
    assert graded(events(unread)) == (tuple(map(canonical_action, unread.actions)), "")
    [note] = notes(unread, read_transcript(unread.response))
    assert note.endswith("1 action graded")


def test_long_texts_are_cut_and_pinned() -> None:
    long = "x" * 30_000
    [event] = events(row(response=written("", repr(long))))
    assert event["payload"] == {
        "output": "x" * 10_000,
        "output_sha256": canonical.sha256_hex(long.encode()),
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense(",
        "[]",
        "{'output': 'a'}",
        written("1"),
        written("(1, 2)"),
        written("(AgentAction(tool=1, tool_input={}, log=''), 'a')"),
        written("(AgentAction(), 'a')"),
        written("('a', AgentAction(tool='a', tool_input={}, log=''))"),
        written(step("open('/etc/passwd').read()")),
        written(step("().__class__")),
        written(step("[" * 60 + "]" * 60)),
        written(step("'a'"))[:-5],
        "x" * 1_000_001,
    ],
)
def test_what_is_no_transcript_has_a_reason_and_no_step(text: str) -> None:
    found = read_transcript(text)
    assert found.steps == () or found.steps[0].observation == "read()"
    assert found.reason or found.steps


PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@example("", {"amount": -0.0}, "", [-0.0, float("nan"), -float("inf"), 2**60])
@given(
    st.text(max_size=10), st.dictionaries(st.text(max_size=5), PLAIN, max_size=3), st.text(max_size=10), PLAIN
)
def test_what_python_writes_is_read_and_is_canonical_json(
    tool: str, given_input: dict[str, Any], log: str, observation: Any
) -> None:
    text = written(f"(AgentAction(tool={tool!r}, tool_input={given_input!r}, log={log!r}), {observation!r})")
    found = read_transcript(text)
    assert found.reason == ""
    [one] = found.steps
    assert (one.tool, repr(one.input), one.log, repr(one.observation)) == (
        tool,
        repr(given_input),
        log,
        repr(observation),
    )
    for event in events(row(response=text), found):
        canonical.dumps(event)


@given(st.one_of(st.text(max_size=60), st.text("AgentAction(tool_input={'[]\"\\,.*1 =", max_size=60)))
def test_any_text_is_a_transcript_or_a_reason(text: str) -> None:
    for whole in (text, written(text), written(step(text))):
        assert isinstance(read_transcript(whole), Transcript)
        for event in events(row(response=whole, error=text)):
            canonical.dumps(event)


def test_a_step_may_hold_lone_surrogates() -> None:
    one = Transcript((Step("a", {"b": "\ud800"}, "\udfff", "c"),), None, "")
    for event in events(row(), one):
        canonical.dumps(event)
