"""Stated runs on a benchmark that is installed, which grades them, and on a task list, which cannot."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
import tiny_workbench
from agent_traces import event
from readable import Held

from benchsite.errors import InputError
from benchsite.progress import silent
from benchsite.tracks.agents.benchmarks import Benchmark, load
from benchsite.tracks.agents.importers import runs
from benchsite.tracks.agents.importers.run_lines import read_runs, repeats
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record import action_log, payload_from_runs
from benchsite.tracks.agents.record.payload_from_runs import Finished, payload
from benchsite.tracks.agents.tools import Call

LISTED = {
    "track": "agents",
    "kind": "task-list",
    "id": "mine",
    "evaluator": "a person",
    "license": "CC0-1.0",
    "source": "here",
    "tasks": [{"id": "a"}, {"id": "b-1", "name": "B/1"}],
}
SYSTEM = {"name": "x", "version": "1", "kind": "single-agent", "models": {}, "sizes": {}, "prompts": None}


def task_list() -> Benchmark:
    return load(json.dumps(LISTED).encode(), "mine")


def workbench() -> Benchmark:
    return load(tiny_workbench.data(), "workbench")


def made(
    benchmark: Benchmark, *runs: dict[str, Any], secrets: tuple[str, ...] = ()
) -> tuple[list[Finished], Any]:
    data = b"".join(json.dumps(run).encode() + b"\n" for run in runs)
    stated = list(read_runs(Held("r.jsonl", data)))
    return finished(stated, "r.jsonl", benchmark, silent, secrets, expected=Expected(repeats(stated)))


def on_list(run: dict[str, Any], secrets: tuple[str, ...] = ()) -> Finished:
    return made(task_list(), {"task": "a", **run}, {"task": "b-1", "success": True}, secrets=secrets)[0][0]


def test_runs_are_in_the_order_of_tasks_and_numbers_under_either_name() -> None:
    runs, notes = made(
        task_list(),
        {"task": "B/1", "run": 2, "success": True},
        {"task": "a", "run": 2, "success": True},
        {"task": "b-1", "run": 1, "success": False},
        {"task": "a", "run": 1, "score": 0.25},
    )
    assert [(run.task, run.run) for run in runs] == [("a", 1), ("a", 2), ("b-1", 1), ("b-1", 2)]
    assert [run.graded and (run.graded.success, run.graded.score) for run in runs] == [
        (False, 0.25),
        (True, None),
        (False, None),
        (True, None),
    ]
    assert notes == (
        "outcomes are as the file states them, not evaluated here; declared evaluator: a person",
    )


@pytest.mark.parametrize(("imported", "outside"), [(True, [True, True]), (False, [False, True])])
def test_large_actions_of_imported_runs_are_kept_outside_git(
    monkeypatch: pytest.MonkeyPatch, *, imported: bool, outside: list[bool]
) -> None:
    monkeypatch.setattr(payload_from_runs, "IN_GIT", 100)
    benchmark = workbench()
    runs = [Finished(task.id, 1, (), (), "x") for task in benchmark.tasks]
    runs[0] = dataclasses.replace(runs[0], events=(event(1, "agent", "finalize", {"output": "x" * 100}),))
    _, evidence = payload(benchmark, benchmark.tasks, runs, system=SYSTEM, seed=7, imported=imported)
    assert [one.mirrored for one in evidence] == outside


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([{"task": "c", "success": True}], "r.jsonl line 1: task: mine has no task 'c'"),
        ([{"task": "a", "success": True}], "r.jsonl: 1 task of mine without a run: b-1"),
        (
            [
                {"task": "a", "success": True},
                {"task": "b-1", "success": True},
                {"task": "B/1", "success": True},
            ],
            "r.jsonl line 3: run 1 of task b-1 occurs twice, first in line 2",
        ),
        (
            [
                {"task": "a", "run": 1, "success": True},
                {"task": "a", "run": 3, "success": True},
                {"task": "b-1", "success": True},
            ],
            "r.jsonl: task a has 2 runs (1, 3), but every task needs the runs 1 to 3",
        ),
        (
            [{"task": "a", "tokens": 1}, {"task": "b-1", "success": True}],
            "r.jsonl line 1: no outcome, success or score",
        ),
        (
            [
                {"task": "a", "success": True, "toolCalls": 2, "messages": []},
                {"task": "b-1", "success": True},
            ],
            "r.jsonl line 1: toolCalls is 2, but its messages have 0 tool calls",
        ),
        (
            [{"task": "a", "success": True, "actions": ["x"]}, {"task": "b-1", "success": True}],
            "r.jsonl line 1: actions.0: must be an object of tool and arguments",
        ),
    ],
)
def test_runs_that_do_not_fit_the_tasks_are_refused(runs: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(InputError) as refused:
        made(task_list(), *runs)
    assert refused.value.message == said or refused.value.message.startswith(f"{said}:")
    assert refused.value.hint


def test_what_a_line_does_not_state_stays_blank() -> None:
    columns = on_list({"success": True}).traced
    assert columns["completion"] is True
    assert {name for name, value in columns.items() if value is not None} == {"completion"}
    stated = on_list(
        {"success": False, "tokens": 0, "costUsd": 0, "latencyMs": 0, "toolCalls": 0, "messages": 3}
    ).traced
    assert {name: value for name, value in stated.items() if value is not None} == {
        "completion": True,
        "tokens": 0,
        "costUsd": 0,
        "latencyMs": 0,
        "toolCalls": 0,
    }


@pytest.mark.parametrize(
    ("run", "error", "ending"),
    [
        ({"outcome": "error"}, "stated: error", "error"),
        ({"outcome": "error", "error": "boom"}, "stated: error: boom", "error"),
        ({"outcome": "limit", "limit": "seconds", "error": "late"}, "stated: limit seconds: late", "limit"),
        ({"success": False, "error": "boom"}, "stated: failure: boom", "failure"),
        ({"outcome": "error", "error": "x" * 20_000}, "stated: error: " + "x" * 20_000, "error"),
    ],
)
def test_the_end_that_a_line_states(run: dict[str, Any], error: str, ending: str) -> None:
    one = on_list(run)
    assert one.error == error
    assert (one.steps[-1].event_type, one.steps[-1].payload["ending"]) == ("error", ending)
    body, _ = payload(
        task_list(), task_list().tasks, [one, on_list({"success": True})], system=SYSTEM, seed=1
    )
    assert (body["runs"]["outcome"][0], body["runs"]["limit"][0] if "limit" in body["runs"] else None) == (
        ending,
        run.get("limit"),
    )
    assert body["runs"]["completion"][0] is False


def test_credentials_of_this_machine_are_replaced_too() -> None:
    one = on_list({"success": False, "answer": "it is hunter2!", "error": "hunter2"}, secrets=("hunter2",))
    assert one.answer == "it is [redacted]!"
    assert one.error == "stated: failure: [redacted]"
    assert "hunter2" not in one.trace.decode()


def test_an_answer_counts_before_the_last_text() -> None:
    messages = [{"role": "assistant", "content": "It is 4."}]
    assert on_list({"success": True, "messages": messages}).answer == "It is 4."
    one = on_list({"success": True, "messages": messages, "answer": "4"})
    assert [(event.event_type, event.payload.get("output")) for event in one.steps] == [
        ("act", None),
        ("finalize", "4"),
    ]
    assert one.answer == "4"


def test_an_installed_benchmark_grades_and_says_what_it_decides_otherwise() -> None:
    """Doing nothing succeeds on two of the seven tasks."""
    tasks = workbench().tasks
    runs: list[dict[str, Any]] = [{"task": task.id, "success": True, "actions": []} for task in tasks]
    found, notes = made(workbench(), *runs)
    assert sum(run.graded is not None and run.graded.success for run in found) == 2
    assert notes[0] == "5 runs graded other than the file states:"
    assert notes[1].endswith("success stated, no success here")
    assert len(notes) == 6
    body, evidence = payload(workbench(), tasks, found, system=SYSTEM, seed=1)
    assert body["scores"]["success"] == 2 / 7
    assert "evaluator" not in body["benchmark"]
    assert [run.error for run in action_log.read(evidence[0].data)] == [None] * 7
    del runs[2]["actions"]
    with pytest.raises(
        InputError, match=r"^r.jsonl line 3: nothing to grade: no answer, actions or transcript$"
    ):
        made(workbench(), *runs)
    runs[2] |= {"success": False, "outcome": "limit", "limit": "tokens"}
    (limited,) = (run for run in made(workbench(), *runs)[0] if run.task == tasks[2].id)
    assert limited.error == "stated: limit tokens"


def test_a_missing_run_is_decided_by_the_benchmark_that_decides_the_others() -> None:
    """As in a re-score: a run without an action leaves the state as it was, which harms nothing."""
    benchmark = workbench()
    data = [{"task": task.id, "actions": []} for task in benchmark.tasks[1:]]
    stated = list(read_runs(Held("r.jsonl", b"".join(json.dumps(run).encode() + b"\n" for run in data))))
    found, _ = finished(stated, "r.jsonl", benchmark, silent, expected=Expected(1, allow_missing=True))
    (lost,) = [run for run in found if run.task == benchmark.tasks[0].id]
    assert lost.graded is not None
    assert (lost.graded.success, lost.graded.harmful) == (False, False)
    assert lost.error == "stated: error: the file has no such run"


def test_more_runs_than_a_receipt_can_have_are_refused_before_missing_ones_are_made() -> None:
    with pytest.raises(InputError, match=r"^r.jsonl: 1,000,000,000,000 runs of 2 tasks are too many$"):
        finished([], "r.jsonl", task_list(), silent, expected=Expected(10**12, allow_missing=True))


def test_what_escapes_hide_in_the_text_of_arguments_is_replaced() -> None:
    key = "sk-" + "Ab12" * 5
    text = json.dumps({"command": f"cat /home/ann/x; use {key}"})
    text = text.replace("/home", "\\/home").replace("sk-", "\\u0073k-")
    call = {"id": "c", "function": {"name": "bash", "arguments": text}}
    one = on_list({"success": True, "messages": [{"role": "assistant", "tool_calls": [call]}]})
    assert one.record is not None
    (acted,) = action_log.read(one.record())
    assert [action.arguments for action in acted.actions if isinstance(action, Call)] == [
        {"command": "cat [path]/x; use [redacted]"}
    ]


def test_actions_beyond_what_a_receipt_holds_are_refused_at_the_run_that_goes_too_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call = {"tool": "t", "arguments": {}}  # 27 characters as canonical JSON
    lines = [{"task": task, "success": True, "actions": [call]} for task in ("a", "b-1")]
    monkeypatch.setattr(runs, "MAX_TEXT", 54)
    assert len(made(task_list(), *lines)[0]) == 2
    monkeypatch.setattr(runs, "MAX_TEXT", 53)
    with pytest.raises(
        InputError, match="the actions of a receipt have more than 53 characters: r.jsonl line 2"
    ):
        made(task_list(), *lines)
    monkeypatch.setattr(runs, "MAX_TEXT", 54)
    monkeypatch.setattr(runs, "LARGEST_EVIDENCE", 500)
    with pytest.raises(InputError, match="the traces of a receipt have more than 500 bytes: r.jsonl line 2"):
        made(task_list(), *lines)
