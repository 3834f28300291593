"""Results of tau2-bench in their official layout, made by hand: which run each simulation becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from readable import Held

from benchsite.errors import InputError
from benchsite.progress import silent
from benchsite.tracks.agents.benchmarks import Benchmark, load
from benchsite.tracks.agents.importers import tau2
from benchsite.tracks.agents.importers.harness import task_list
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished

INFO = {
    "git_commit": "a2c0247",
    "num_trials": 2,
    "agent_info": {"implementation": "llm_agent", "llm": "m-1"},
    "user_info": {"implementation": "user_simulator", "llm": "m-2"},
    "environment_info": {"domain_name": "telecom", "policy": "Be kind."},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "assistant", "content": "Hi!", "usage": None},
    {
        "role": "user",
        "content": None,
        "tool_calls": [{"id": "u1", "name": "toggle", "arguments": {}, "requestor": "user"}],
    },
    {"role": "tool", "id": "u1", "content": "on", "requestor": "user", "error": False},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "name": "get_line", "arguments": {"id": 7}, "requestor": "assistant"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
        "raw_data": {"id": "x"},
    },
    {
        "role": "tool",
        "tool_messages": [
            {"role": "tool", "id": "c1", "content": "no", "requestor": "assistant", "error": True}
        ],
    },
    {
        "role": "assistant",
        "content": "Sorry, see /home/ann/x.txt",
        "usage": {"prompt_tokens": 130, "completion_tokens": 9},
    },
]


def simulation(
    task: str, trial: int, reward: float | None = 1.0, reason: str = "user_stop", **more: Any
) -> dict[str, Any]:
    return {
        "id": f"{task}-{trial}",
        "task_id": task,
        "trial": trial,
        "duration": 1.5,
        "agent_cost": 0.25,
        "termination_reason": reason,
        "reward_info": None if reward is None else {"reward": reward},
        "messages": MESSAGES,
        **more,
    }


def results(*simulations: Any, tasks: Any = None, **more: Any) -> bytes:
    listed = [{"id": "[a]/b"}, {"id": "a-b"}] if tasks is None else tasks
    return json.dumps({"info": INFO, "tasks": listed, "simulations": list(simulations), **more}).encode()


ALL = (
    simulation("[a]/b", 0),
    simulation("[a]/b", 1, 0.0, "max_steps"),
    simulation("a-b", 1, None, "infrastructure_error", messages=[]),
    simulation("a-b", 0, 0.5, "agent_error"),
)


def made(data: bytes, **more: Any) -> tuple[Benchmark, list[Finished], Any]:
    found = tau2.read(Held("r.json", data))
    benchmark = load(task_list(found, found.benchmark, found.evaluator), found.benchmark)
    expected = Expected(found.repeats, "", **more)
    return benchmark, *finished(found.runs(), "r.json", benchmark, silent, expected=expected)


def test_every_trial_becomes_a_run() -> None:
    benchmark, runs, _ = made(results(*ALL))
    # Both ids would be a-b; each gets the first 8 digits of its SHA-256.
    assert [(task.id, task.domain) for task in benchmark.tasks] == [
        ("a-b-9ed0e35b", "telecom"),
        ("a-b-d44362d6", "telecom"),
    ]
    assert [(run.task, run.run) for run in runs] == [
        (task.id, number) for task in benchmark.tasks for number in (1, 2)
    ]
    assert [run.graded and (run.graded.success, run.graded.score) for run in runs] == [
        (True, 1.0),
        (False, 0.0),
        (False, 0.5),
        (False, None),
    ]
    assert [run.error for run in runs] == [
        "",
        "stated: limit iterations: max_steps",
        "stated: failure: agent_error",
        "stated: error: infrastructure_error, no reward",
    ]
    told = {
        name: runs[0].traced[name] for name in ("tokens", "costUsd", "latencyMs", "toolCalls", "toolFailures")
    }
    # 100 + 20 + 130 + 9 tokens; the user's call is not the agent's.
    assert told == {"tokens": 259, "costUsd": 0.25, "latencyMs": 1500, "toolCalls": 1, "toolFailures": 1}
    assert runs[0].answer == "Sorry, see [path]/x.txt"
    assert runs[3].traced["steps"] is None


def folder(*simulations: Any, **more: Any) -> dict[str, bytes]:
    index = [{"id": one["id"], "task_id": one["task_id"], "trial": one["trial"]} for one in simulations]
    whole = {"results.json": results(simulation_index=index, **more), "notes.json": b"{}"}
    return whole | {
        f"simulations/{one['trial']}-{place}.json": json.dumps(one).encode()
        for place, one in enumerate(simulations)
    }


def told(given: Any) -> Any:
    """The runs of a file or of a folder."""
    found = tau2.read(given)
    benchmark = load(task_list(found, found.benchmark, found.evaluator), found.benchmark)
    runs, _ = finished(found.runs(), "r", benchmark, silent, expected=Expected(found.repeats, ""))
    return [(run.task, run.run, run.trace, run.error, run.graded) for run in runs]


def test_a_folder_with_a_file_for_each_simulation_gives_the_same_runs() -> None:
    assert told(folder(*ALL)) == told(Held("r.json", results(*ALL)))
    assert told({"results.json": results(*ALL)}) == told(Held("r.json", results(*ALL)))
    named = [one["name"] for one in tau2.read(folder(*ALL)).files()]
    assert named == [
        "results.json",
        *sorted(f"simulations/{one['trial']}-{place}.json" for place, one in enumerate(ALL)),
        "1 more, SHA-256 of their hashes",
    ]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"simulations/a.json": b"{}"}, "no results.json in the folder"),
        ({**folder(*ALL), "simulations/x.json": b"{"}, "simulations/x.json: no JSON"),
        (
            {**folder(*ALL), "results.json": results(*ALL)},
            "results.json: simulations in the file and in simulations/",
        ),
        (folder(*ALL[:3]), "r: task a-b-d44362d6 has 1 run (2)"),
        (
            folder(*ALL, {**ALL[0], "task_id": "c"}),
            "simulations/0-4.json: task: tau2-telecom has no task 'c'",
        ),
    ],
)
def test_a_folder_that_does_not_fit_is_refused(files: dict[str, bytes], said: str) -> None:
    with pytest.raises(InputError) as refused:
        told(files)
    assert refused.value.message.startswith(said)


def test_what_the_file_says_of_the_system_is_kept() -> None:
    found = tau2.read(Held("r.json", results(*ALL)))
    assert (found.benchmark, found.model, found.repeats) == ("tau2-telecom", "m-1", 2)
    assert found.references == ["tau2-bench, commit a2c0247", "agent: llm_agent", "user simulator: m-2"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"samples": [1]}', "r.json: no results of tau2-bench: info, tasks or simulations are missing"),
        (results(), "r.json: no simulations: the list is empty"),
        (results(simulation_index=[]), "r.json: no simulations: each is in a file of its folder"),
        (results(*ALL)[:-40], "r.json: the file ends early"),
        (results(*ALL, ALL[0]), "r.json simulation 5: run 1 of task a-b-9ed0e35b occurs twice"),
        (results(*ALL[:3]), "r.json: task a-b-d44362d6 has 1 run (2), but every task needs the runs 1 to 2"),
        (results(*ALL, simulation("c", 0)), "r.json simulation 5: task: tau2-telecom has no task 'c'"),
        (results(simulation("a-b", 0, 7.0)), "r.json simulation 1: reward: must be a number from 0 to 1"),
        (results(simulation("a-b", 0, agent_cost="x")), "r.json simulation 1: costUsd:"),
        (results(simulation("a-b", -1)), "r.json simulation 1: trial: must be a whole number from 0"),
        (results({**ALL[0], "messages": [7]}), "r.json simulation 1: messages: message 1: must be an object"),
        (results("x"), "r.json simulation 1: must be an object"),
        (results(*ALL, tasks=[{"id": "a-b"}] * 2), "r.json: tasks: an id occurs twice"),
        (results(*ALL, tasks=[]), "r.json: no task"),
        (results(*ALL, info={**INFO, "num_trials": 10**12}), "r.json: info: num_trials: must be a whole"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        made(data)
    assert refused.value.message.startswith(said)


def test_missing_runs_can_be_recorded_as_errors() -> None:
    _, runs, notes = made(results(*ALL[:2]), allow_missing=True)
    assert [run.error for run in runs[2:]] == ["stated: error: the file has no such run"] * 2
    assert notes[0] == "2 runs not in the file, recorded as errors"


def test_long_names_and_numbers_that_canonical_json_lacks_are_kept_within_bounds() -> None:
    long = "x" * 10_000
    call = {
        "id": "c",
        "name": "f",
        "arguments": {"n": 10**400, "z": -0.0, "t": "\ud800"},
        "requestor": "assistant",
    }
    one = simulation(long, 0, messages=[{"role": "assistant", "content": None, "tool_calls": [call]}])
    benchmark, runs, _ = made(results(one, {**one, "trial": 1}, tasks=[{"id": long}]))
    (task,) = benchmark.tasks
    assert len(task.id) <= 80
    assert runs[0].steps[0].payload["input"] == {"n": str(10**400), "z": 0, "t": "?"}
