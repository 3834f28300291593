"""What a trace file shows without a receipt: of one run, and of many in one file."""

from __future__ import annotations

import pytest
from agents_receipts import imported, measured

from benchsite.errors import InputError
from benchsite.tracks.agents import traces
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.event import Event, line


def call(number: int, actor: str = "a", **payload: object) -> Event:
    return Event(id=f"c{number}", actor=actor, event_type="tool_call", payload=payload)


def failed(number: int) -> Event:
    return Event(id=f"r{number}", actor="a", event_type="tool_result", payload={"status": "Failed"})


def test_the_trace_of_one_run_and_a_half_line_that_a_crash_left() -> None:
    events = [step for n in range(3) for step in (call(n, tool="search", input="x"), failed(n))]
    data = b"".join(map(line, events)) + b'{"id":"half'
    (run,) = traces.described(data, "run_1.trace.jsonl")
    assert (run["task"], run["run"]) == (None, 1)
    assert run["columns"]["toolCalls"] == run["columns"]["toolFailures"] == 3
    assert run["stages"]["retrieve"]["events"] == 6
    assert [(tag["tag"], tag["mast"]) for tag in run["tags"]] == [
        ("tool_error_cascade", None),
        ("step_repetition", "FM-1.3"),
    ]
    assert [(problem["code"], problem["line"]) for problem in run["problems"]] == [("half-line", 7)]
    said = list(traces.summary([run]))
    assert said[:2] == ["runs: 1, 0 complete", "events: 6; tool calls: 3, 3 failed"]
    assert "tags: step_repetition 1, tool_error_cascade 1" in said
    assert "problems: half-line 1" in said


def test_the_packed_traces_of_a_receipt() -> None:
    made = measured("spam-tools", limit=2)
    data = next(item.data for item in made.evidence if item.name == archive.NAME)
    runs = list(traces.described(data, archive.NAME))
    assert [(run["task"], run["run"]) for run in runs] == [("analytics-001", 1), ("calendar-001", 1)]
    assert runs[0]["columns"]["steps"] == made.payload["runs"]["steps"][0]
    assert "step_repetition" not in [tag["tag"] for run in runs for tag in run["tags"]], (
        "every call is another tool"
    )


def test_partial_runs_are_counted_apart() -> None:
    """Proof A8: a published run that ended with an exception tells no steps."""
    made = imported({"Delete the stand-up": ([], "", "Error code: 500 - x")})
    data = next(item.data for item in made.evidence if item.name == archive.NAME)
    said = list(traces.summary(list(traces.described(data, archive.NAME))))
    assert said[0] == "runs: 7, 6 complete, 1 partial (steps and tool calls not counted)"
    assert said[1].startswith("events: ")


def test_a_hint_of_every_run_is_no_count() -> None:
    runs = [next(iter(traces.described(line(call(n)), "t.jsonl"))) for n in range(3)]
    assert "hints: low-verification in every run" in list(traces.summary(runs))


def test_an_empty_line_is_named() -> None:
    data = line(call(1)) + b"\n" + line(call(2))
    with pytest.raises(InputError) as caught:
        list(traces.described(data, "run.trace.jsonl"))
    assert caught.value.message == "empty line: run.trace.jsonl line 2"


def test_a_clock_that_runs_backwards_is_shown_of_packed_traces_too() -> None:
    late, early = "2026-11-23T12:00:01.000000Z", "2026-11-23T12:00:00.000000Z"
    event = Event(id="e", actor="a", event_type="act", timestamp_start=late, timestamp_end=early)
    (run,) = traces.described(archive.packed([archive.Traced("t", 1, (event,))]), archive.NAME)
    assert [(problem["code"], problem["line"]) for problem in run["problems"]] == [("clock-backwards", 1)]


def test_a_line_that_is_no_event_is_named() -> None:
    with pytest.raises(InputError, match=r"my\.jsonl line 1"):
        list(traces.described(b"[]\n", "my.jsonl"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no event in my.jsonl: the file is empty"),
        (b"\0" * 4096, "no event in my.jsonl: no whole line"),
        (b"half a line", "no event in my.jsonl: no whole line"),
    ],
)
def test_a_file_without_an_event_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        list(traces.described(data, "my.jsonl"))
    assert caught.value.message == said
    assert caught.value.exit_code == 4
