"""A receipt with two runs on one task, of one agent and of three, as exporters are given it; and what an import of both gives."""

from __future__ import annotations

from typing import Any

from agent_traces import ALONE, IMPORTED, TEAM, event, timed

from benchsite.progress import silent
from benchsite.tracks.agents.benchmarks import load
from benchsite.tracks.agents.importers.harness import Results, task_list
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.archive import Traced

CALLING = [
    event(
        1,
        "agent",
        "act",
        {
            "given": [{"role": "user", "text": "Where is Ann?"}],
            "model_requested": "m",
            "model_responded": "m-1",
            "text": "I look.",
        },
        **timed(0, 1, 10, 5, usd=0.5),
    ),
    event(
        2,
        "agent",
        "tool_call",
        {"tool": "find", "input": {"n": 1}, "action": {"tool": "find", "arguments": {"n": 1}}},
    ),
    event(
        3,
        "agent",
        "tool_call",
        {"tool": "find", "input": {"n": 2}, "action": {"tool": "find", "arguments": {"n": 2}}},
    ),
    event(4, "agent", "tool_result", {"result": "in Rome", "error": False}, parent="e2"),
    event(5, "agent", "tool_result", {"observation": "no", "error": True}, parent="e3"),
    event(6, "agent", "verify", {"text": ""}),
    event(
        7,
        "system",
        "error",
        {"text": "benchsite: limit tokens", "source": "harness", "ending": "limit", "limit": "tokens"},
    ),
]
"""One model event with two parallel calls, their results, an empty text, and a limit that ended the run."""
RUNS = {1: ALONE, 2: TEAM, 3: IMPORTED, 4: CALLING}
OUTCOMES = ["success", "failure", "error", "limit"]
SCORES = [None, 0.25, None, 0.0]
TRACES = archive.packed(Traced("t-1", number, tuple(events)) for number, events in RUNS.items())
DOCUMENT: Any = {
    "receiptId": "0f1e2d3c-0000-4000-8000-000000000000",
    "benchVersion": "0.1.0",
    "ranAt": "2026-11-27T12:00:00Z",
    "system": {
        "name": "team",
        "version": "2",
        "models": {"default": {"requested": None, "responded": "m-1"}},
    },
    "benchmark": {"id": "house", "sha256": "ab" * 32},
    "runs": {
        "taskId": ["t-1"] * 4,
        "run": [1, 2, 3, 4],
        "outcome": OUTCOMES,
        "limit": [None, None, None, "tokens"],
        "score": SCORES,
    },
}


def imported(found: Results) -> list[Finished]:
    """The runs of an import on a task list of its own."""
    benchmark = load(task_list(found, "mine", found.evaluator), "mine")
    return finished(found.runs(), found.name, benchmark, silent, expected=Expected(found.repeats, ""))[0]


def assert_exported(runs: list[Finished]) -> None:
    """The runs have the events, the scores and the successes of what was exported."""
    for run in runs:
        error = [one for one in run.steps if one.payload.get("text") == "stated: error"]
        # The run without a clock ended in an error that its trace does not tell: the import adds that event.
        assert len(error) == (run.run == 3)
        assert [dict(one) for one in run.steps if one not in error] == [dict(one) for one in RUNS[run.run]]
    assert [run.graded and run.graded.score for run in runs] == SCORES
    assert [run.graded and run.graded.success for run in runs] == [
        outcome == "success" for outcome in OUTCOMES
    ]
    assert runs[1].traced == traced_columns(RUNS[2])
