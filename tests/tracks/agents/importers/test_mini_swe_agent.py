"""A folder of mini-swe-agent with a report of SWE-bench, made by hand: which run each instance becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchsite.errors import InputError
from benchsite.progress import silent
from benchsite.tracks.agents.benchmarks import load
from benchsite.tracks.agents.importers import mini_swe_agent
from benchsite.tracks.agents.importers.harness import Results, comparison, task_list
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished

USAGE = {"response": {"usage": {"prompt_tokens": 50, "completion_tokens": 5}}}
NEW = [
    {"role": "system", "content": "You fix bugs.", "extra": {"timestamp": 100.0}},
    {"role": "user", "content": "Fix it."},
    {
        "role": "assistant",
        "content": "Look.",
        "extra": {**USAGE, "actions": [{"command": "cat /home/ann/x"}]},
    },
    {"role": "user", "content": "<returncode>1</returncode>", "extra": {"returncode": 1, "timestamp": 102.5}},
    {"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": "diff"}},
]
OLD = [
    {"role": "user", "content": "Fix it."},
    {"role": "assistant", "content": "THOUGHT: look\n\n```bash\nls\n```"},
    {"role": "user", "content": "x.py"},
]


def trajectory(status: str = "Submitted", messages: Any = NEW, **info: Any) -> bytes:
    config = {"agent": {"step_limit": 3, "cost_limit": 2.0}, "model": {"model_name": "m-1"}}
    stats = {"instance_cost": 0.5, "api_calls": 1}
    told = {
        "exit_status": status,
        "submission": "diff",
        "mini_version": "2.1.0",
        "model_stats": stats,
        "config": config,
    }
    return json.dumps(
        {"info": {**told, **info}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    ).encode()


def report(**lists: Any) -> bytes:
    return json.dumps({"total_instances": 5, "schema_version": 2, **lists}).encode()


FILES = {
    "a__a-1/a__a-1.traj.json": trajectory(),
    "a__a-2/a__a-2.traj.json": trajectory(
        "LimitsExceeded", OLD, model_stats={"api_calls": 3, "instance_cost": 0.1}
    ),
    "a__a-3/a__a-3.traj.json": trajectory("APIError", [], submission="", traceback="x"),
    "a__a-4/a__a-4.traj.json": trajectory(),
    "preds.json": b"{}",
    "m.run.json": report(
        submitted_ids=["a__a-1", "a__a-2", "a__a-3", "a__a-4"],
        resolved_ids=["a__a-1"],
        unresolved_ids=["a__a-2", "a__a-4"],
        error_ids=[],
        incomplete_ids=["a__a-5"],
    ),
}


def made(files: dict[str, bytes], **more: Any) -> tuple[Results, list[Finished]]:
    found = mini_swe_agent.read(files)
    benchmark = load(task_list(found, "mine", found.evaluator), "mine")
    expected = Expected(found.repeats, "", **more)
    return found, finished(found.runs(), found.name, benchmark, silent, expected=expected)[0]


def test_every_instance_becomes_a_run() -> None:
    found, runs = made(FILES, allow_missing=True)
    assert [(run.task, run.graded and run.graded.success, run.error) for run in runs] == [
        ("a-a-1", True, ""),
        ("a-a-2", False, "stated: limit iterations: LimitsExceeded"),
        ("a-a-3", False, "stated: error: APIError"),
        ("a-a-4", False, ""),
        ("a-a-5", False, "stated: error: the file has no such run"),
    ]
    told = {
        name: runs[0].traced[name] for name in ("tokens", "costUsd", "latencyMs", "toolCalls", "toolFailures")
    }
    assert told == {"tokens": 55, "costUsd": 0.5, "latencyMs": 2500, "toolCalls": 1, "toolFailures": 1}
    assert runs[0].answer == "diff"
    assert b'"command":"cat [path]/x"' in runs[0].trace
    # Format 1 has the command in a block of the message; it states no tokens and no clock.
    assert [runs[1].traced[name] for name in ("toolCalls", "tokens", "latencyMs")] == [1, None, None]
    assert found.model == "m-1"
    assert list(comparison(found, runs)) == [
        "stated: resolved, of all instances 0.2; here success 0.2, equal"
    ]
    assert [one["name"] for one in found.files()][:2] == ["m.run.json", "preds.json"]


def test_a_key_on_the_cut_of_a_submission_is_replaced_whole() -> None:
    """A submission is cut at 100,000 characters, seven characters into the key."""
    submission = "x" * 99_992 + "\nsk-proj-abcdefghijklmnopqrstuvwxyz"
    _, runs = made(
        {**FILES, "a__a-4/a__a-4.traj.json": trajectory(submission=submission)}, allow_missing=True
    )
    assert runs[3].answer == "x" * 99_992 + "\n[redact"


def bash(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "bash", "arguments": '{"command": "x"}'}}


def test_failed_commands_count_in_the_form_of_tool_calls_too() -> None:
    """Version 2 has the results as role tool: one succeeds, one returns 1, one times out."""
    messages = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": None, "tool_calls": [bash("a"), bash("b"), bash("c")]},
        {"role": "tool", "tool_call_id": "a", "content": "ok", "extra": {"returncode": 0}},
        {"role": "tool", "tool_call_id": "b", "content": "no", "extra": {"returncode": 1}},
        {"role": "tool", "tool_call_id": "c", "content": "", "extra": {"exception_info": "timed out"}},
    ]
    decided = report(resolved_ids=[], unresolved_ids=["a"])
    (run,) = made({"a.traj.json": trajectory(messages=messages), "r.json": decided})[1]
    assert [run.traced[name] for name in ("toolCalls", "toolFailures")] == [3, 2]
    results = [(one.parent, one.payload["error"]) for one in run.steps if one.event_type == "tool_result"]
    assert results == [("e1", False), ("e2", True), ("e3", True)]


def responded(name: str, text: str) -> dict[str, Any]:
    return {
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
            {"type": "function_call", "call_id": name, "name": "bash", "arguments": '{"command": "x"}'},
        ],
        "usage": {"input_tokens": 20, "output_tokens": 3},
        "extra": {"timestamp": 2.0},
    }


def test_trajectories_of_the_responses_api_are_read() -> None:
    """Two responses of 23 tokens; the second command returns 1."""
    messages = [
        {"role": "user", "content": "Fix it.", "extra": {"timestamp": 1.0}},
        responded("a", "Look."),
        {"type": "function_call_output", "call_id": "a", "output": "ok", "extra": {"returncode": 0}},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]},
        responded("b", "Again."),
        {
            "type": "function_call_output",
            "call_id": "b",
            "output": "no",
            "extra": {"returncode": 1, "timestamp": 3.5},
        },
    ]
    decided = report(resolved_ids=["a"])
    (run,) = made({"a.traj.json": trajectory(messages=messages), "r.json": decided})[1]
    told = {name: run.traced[name] for name in ("toolCalls", "toolFailures", "tokens", "latencyMs")}
    assert told == {"toolCalls": 2, "toolFailures": 1, "tokens": 46, "latencyMs": 2500}
    assert [(one.event_type, one.parent) for one in run.steps[:6]] == [
        ("act", None),
        ("tool_call", None),
        ("tool_result", "e2"),
        ("act", None),
        ("tool_call", None),
        ("tool_result", "e5"),
    ]
    assert run.steps[1].payload["action"] == {"tool": "bash", "arguments": {"command": "x"}}
    assert run.steps[3].payload["given"] == [{"role": "user", "text": "Go on."}]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "m.run.json: 1 task of mine without a run: a-a-5"),
        (
            {"a__a-2/a__a-2.traj.json": trajectory(config={"model": {"model_name": "m-2"}})},
            "2 models in the folder: m-1; m-2",
        ),
        ({"m.run.json": b"{}"}, "0 reports with resolved_ids in the folder"),
        (
            {"other.json": report(resolved_ids=[])},
            "2 reports with resolved_ids in the folder: m.run.json, other.json",
        ),
        ({"m.run.json": report(resolved_ids=[1])}, "m.run.json: resolved_ids: must be a list of ids"),
        (
            {"b/a__a-1.traj.json": trajectory()},
            "b/a__a-1.traj.json: instance 'a__a-1' has another trajectory",
        ),
        ({"z/z.traj.json": trajectory()}, "z/z.traj.json: instance 'z' is not in the report m.run.json"),
        ({"a__a-1/a__a-1.traj.json": b'{"info"'}, "a__a-1/a__a-1.traj.json: no JSON"),
        (
            {"a__a-4/a__a-4.traj.json": trajectory(messages=[3])},
            "a__a-4/a__a-4.traj.json: messages: message 1",
        ),
    ],
)
def test_what_does_not_fit_is_refused(more: dict[str, bytes], said: str) -> None:
    with pytest.raises(InputError) as refused:
        made({**FILES, **more})
    assert refused.value.message.startswith(said)
    assert refused.value.hint is not None


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ({"resolved_ids": ["a__a-1", "a__a-1"]}, "'a__a-1' occurs twice"),
        ({"resolved_ids": ["a__a-1"], "unresolved_ids": ["a__a-1"]}, "in resolved_ids and in unresolved_ids"),
    ],
)
def test_a_report_that_contradicts_itself_is_refused(lists: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        mini_swe_agent.read({"report.json": report(**lists)})


def test_the_count_of_the_report_is_the_stated_score() -> None:
    """2 of 4 are stated and one id is listed: the difference is said, not hidden."""
    files = {
        "report.json": report(
            total_instances=4, resolved_instances=2, resolved_ids=["a__a-1"], unresolved_ids=["a__a-2"]
        )
    }
    results = mini_swe_agent.read(files)
    assert [(score.value, score.ours) for score in results.scores] == [(0.5, "success")]
    files["a__a-1.traj.json"] = trajectory()
    files["report.json"] = report(completed_ids=["a__a-1", "a__a-2"], resolved_ids=["a__a-1"])
    assert list(mini_swe_agent.read(files).notes) == [
        "1 completed instance without a trajectory, such as a__a-2"
    ]


def test_without_trajectories_the_report_alone_decides() -> None:
    files = {"r.json": report(resolved_ids=["x"], unresolved_ids=["y"], error_ids=["z"])}
    _, runs = made(files)
    assert [(run.task, run.error) for run in runs] == [
        ("x", ""),
        ("y", ""),
        ("z", "stated: error: the evaluation ended in an error"),
    ]
    assert runs[0].traced["steps"] is None
