"""A job of Harbor with trajectories in ATIF, made by hand: which run each trial becomes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from benchsite.errors import InputError
from benchsite.progress import silent
from benchsite.tracks.agents.benchmarks import load
from benchsite.tracks.agents.importers import atif
from benchsite.tracks.agents.importers.harness import Results, comparison, task_list
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished

AGENT = {"name": "a", "version": "1", "model_info": {"name": "m-1", "provider": "p"}}


def result(task: str, started: str, reward: Any = None, error: str | None = None, **more: Any) -> bytes:
    told = {
        "task_name": task,
        "trial_name": f"{task}__x",
        "source": "tiny",
        "agent_info": AGENT,
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": None
        if error is None
        else {"exception_type": error, "exception_message": "in /home/ann"},
        "started_at": started,
        "agent_execution": {"started_at": "2026-11-27T12:00:00", "finished_at": "2026-11-27T12:00:01.500000"},
    }
    return json.dumps({**told, **more}).encode()


def step(number: int, source: str, message: Any, **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message, **more}


def call(name: str, tool: str) -> dict[str, Any]:
    return {"tool_call_id": name, "function_name": tool, "arguments": {"n": 1}}


def trajectory(*steps: Any, version: str = "ATIF-v1.8", **more: Any) -> bytes:
    return json.dumps({"schema_version": version, "agent": AGENT, "steps": list(steps), **more}).encode()


USED = {"metrics": {"prompt_tokens": 10, "completion_tokens": 2, "cost_usd": 0.25}}
DELEGATING = step(
    2,
    "agent",
    "",
    tool_calls=[call("c1", "delegate"), call("c2", "search")],
    observation={
        "results": [
            {"source_call_id": "c1", "subagent_trajectory_ref": [{"trajectory_id": "s1"}]},
            {"source_call_id": "c2", "content": [{"type": "text", "text": "found"}]},
            {
                "content": "beside",
                "subagent_trajectory_ref": [{"session_id": "s", "trajectory_path": "sub.json"}],
            },
        ]
    },
    **USED,
)
INNER = {
    "trajectory_id": "s1",
    "agent": AGENT,
    "steps": [step(1, "agent", "x", tool_calls=[call("i", "run")], **USED)],
}
FILES = {
    "t1/result.json": result("t/1", "2026-11-27T12:00:00", 1.0),
    "t1/agent/trajectory.json": trajectory(
        step(1, "user", "Do it."), DELEGATING, step(3, "agent", "Done."), subagent_trajectories=[INNER]
    ),
    "t1/agent/sub.json": trajectory(
        step(1, "agent", "y", tool_calls=[call("j", "run")]), version="ATIF-v1.0"
    ),
    "t1b/result.json": result("t/1", "2026-11-27T11:00:00", 0.5),
    "t2/result.json": result("u2", "1", None, "EnvironmentStartError"),
    "t2b/result.json": result("u2", "2", 0, "AgentTimeoutError"),
    "result.json": json.dumps({"stats": {"evals": {"a__m-1__tiny": {"metrics": [{"mean": 0.25}]}}}}).encode(),
}


def made(files: dict[str, bytes]) -> tuple[Results, list[Finished]]:
    found = atif.read(files)
    benchmark = load(task_list(found, "mine", found.evaluator), "mine")
    return found, finished(found.runs(), found.name, benchmark, silent, expected=Expected(found.repeats, ""))[
        0
    ]


def test_every_trial_becomes_a_run_with_its_subagents() -> None:
    found, runs = made(FILES)
    assert (found.benchmark, found.model, found.references) == (
        "harbor-tiny",
        "m-1",
        ["agent in Harbor: a 1"],
    )
    assert [(run.task, run.run, run.graded and run.graded.score, run.error) for run in runs] == [
        ("t-1", 1, 0.5, ""),
        ("t-1", 2, 1.0, ""),
        ("u2", 1, None, "stated: error: EnvironmentStartError"),
        ("u2", 2, 0.0, "stated: limit seconds: AgentTimeoutError"),
    ]
    whole = runs[1]
    # search, one call of the embedded subagent, one of that in a file; two steps state 12 tokens each.
    told = {name: whole.traced[name] for name in ("toolCalls", "tokens", "costUsd", "latencyMs")}
    assert told == {"toolCalls": 3, "tokens": 24, "costUsd": 0.5, "latencyMs": 1500}
    assert whole.answer == "Done."
    assert runs[0].traced["steps"] is None
    assert list(comparison(found, runs)) == [
        "stated: a__m-1__tiny, mean reward 0.25; no metric here is the same"
    ]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"t1/agent/trajectory.json": trajectory(version="ATIF-v2.0")},
            "t1/agent/trajectory.json: schema_version",
        ),
        ({"t1/agent/trajectory.json": b'{"schema'}, "t1/agent/trajectory.json: no JSON"),
        (
            {"t1/agent/trajectory.json": trajectory(7)},
            "t1/agent/trajectory.json: steps: must be a list of objects",
        ),
        (
            {"t1/agent/trajectory.json": trajectory(step(1, "robot", ""))},
            "t1/agent/trajectory.json: step 1: source must be system, user or agent",
        ),
        ({"t2/result.json": result("u2", "1", 7)}, "t2/result.json: reward 7 is outside 0 to 1"),
        ({"t3/result.json": result("t3", "1", 1)}, "job: task t3 has 1 run"),
        (
            {"t3/result.json": result("t3", "1", 1, agent_info={"name": "b"})},
            "2 agents or models in the folder",
        ),
    ],
)
def test_what_does_not_fit_is_refused(more: dict[str, bytes], said: str) -> None:
    with pytest.raises(InputError) as refused:
        made({**FILES, **more})
    assert refused.value.message.startswith(said)


def test_a_folder_without_trials_is_refused() -> None:
    with pytest.raises(InputError, match="no trial"):
        made({"result.json": b"{}", "x.json": b"[]"})


def test_a_key_on_the_cut_of_a_text_is_replaced_whole() -> None:
    """Texts are cut at 10,000 characters, a few characters into the key: given, said and observed."""
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz"
    text = "x" * 9_989 + " " + key + " end"
    told = {"results": [{"content": text}]}
    file = trajectory(step(1, "user", text), step(2, "agent", text, observation=told))
    (run,) = made({"t/result.json": result("t", "1", 1), "t/agent/trajectory.json": file})[1]
    assert run.trace.count(b"x [redacted]") == 3
    assert b"sk-proj" not in run.trace
    whole = text.replace(key, "[redacted]").encode()
    assert run.steps[1].payload["observation_sha256"] == hashlib.sha256(whole).hexdigest()


def test_subagents_that_refer_to_one_another_end() -> None:
    inner = {"source_call_id": None, "subagent_trajectory_ref": [{"trajectory_path": "trajectory.json"}]}
    looping = trajectory(step(1, "agent", "x", observation={"results": [inner]}))
    _, runs = made({"t/result.json": result("t", "1", 1), "t/agent/trajectory.json": looping})
    assert runs[0].traced["steps"] == 1


def test_subagents_are_actors_and_a_delegating_call_is_a_message() -> None:
    whole = made(FILES)[1][1]
    # Both have the name of the agent that they are part of: the id, or the file, tells them apart.
    assert [(event.actor, event.event_type) for event in whole.steps] == [
        ("agent", "act"),
        ("agent", "tool_call"),
        ("agent", "tool_call"),
        ("agent", "tool_result"),
        ("agent", "tool_result"),
        ("agent", "tool_result"),
        ("a s1", "act"),
        ("a s1", "tool_call"),
        ("a sub", "act"),
        ("a sub", "tool_call"),
        ("agent", "finalize"),
    ]
    # delegate reaches a s1; a sub is referred to by no call. Hand-offs: to a s1, to a sub, and back.
    assert {name: whole.traced[name] for name in ("agentToAgent", "systemMediated", "handoffs", "turns")} == {
        "agentToAgent": 1,
        "systemMediated": 0,
        "handoffs": 3,
        "turns": None,
    }
    assert whole.steps[1].payload["recipients"] == ["a s1"]


def test_a_subagent_with_a_name_of_its_own_keeps_it() -> None:
    step_of = {"results": [{"source_call_id": "c", "subagent_trajectory_ref": [{"trajectory_id": "s"}]}]}
    inner = {
        "trajectory_id": "s",
        "agent": {"name": "critic", "version": "1"},
        "steps": [step(1, "agent", "no")],
    }
    file = trajectory(
        step(1, "agent", "", tool_calls=[call("c", "ask")], observation=step_of),
        subagent_trajectories=[inner],
    )
    (run,) = made({"t/result.json": result("t", "1", 1), "t/agent/trajectory.json": file})[1]
    assert [event.actor for event in run.steps] == ["agent", "agent", "critic"]


@pytest.mark.parametrize(
    "own",
    [
        {"event": {"event_type": "dance"}},
        {"event": {"token_in": -1}},
        {"payload": {"tool": 1}, "event": {"parent": 3}},
        {"payload": {"action": {"tool": "x"}}, "event": {"event_type": "tool_call"}},
    ],
)
def test_a_forged_member_of_ours_is_checked_like_any_event(own: dict[str, Any]) -> None:
    forged = trajectory(step(1, "agent", "x", extra={"benchsite": own}))
    with pytest.raises(InputError, match=r"^t/result\.json: "):
        made({"t/result.json": result("t", "1", 1), "t/agent/trajectory.json": forged})


def test_a_trajectory_counts_once_however_often_it_is_referred_to() -> None:
    def level(number: int) -> bytes:
        below = {"subagent_trajectory_ref": [{"trajectory_path": f"{number + 1}.json"}] * 2}
        return trajectory(step(1, "agent", "x", observation={"results": [below]}, **USED))

    files = {f"t/agent/{number}.json": level(number) for number in range(6)}
    files = {"t/result.json": result("t", "1", 1), "t/agent/trajectory.json": level(-1), **files}
    _, runs = made(files)
    # Seven trajectories of one step, 12 tokens and 0.25 each.
    assert {name: runs[0].traced[name] for name in ("tokens", "costUsd")} == {"tokens": 84, "costUsd": 1.75}


def segment(number: int, *steps: Any, after: str | None) -> dict[str, bytes]:
    name = f"cont-{number}." if number else ""
    return {f"t/agent/trajectory.{name}json": trajectory(*steps, continued_trajectory_ref=after)}


def acting(number: int, message: str, **more: Any) -> dict[str, Any]:
    return step(number, "agent", message, tool_calls=[call(f"c{number}", "run")], **USED, **more)


def test_continuations_are_read_without_the_steps_that_they_copy() -> None:
    """Three steps of 12 tokens, 0.25 and one call each, in two continuations as Harbor's terminus-2 writes them."""
    files = {
        "t/result.json": result("t", "1", 1),
        **segment(0, acting(1, "one"), after="trajectory.cont-1.json"),
        **segment(
            1, acting(1, "one", is_copied_context=True), acting(2, "two"), after="trajectory.cont-2.json"
        ),
        **segment(
            2,
            step(1, "user", "Summary.", is_copied_context=True),
            acting(2, "three"),
            step(3, "agent", "Done."),
            after=None,
        ),
    }
    (run,) = made(files)[1]
    told = {name: run.traced[name] for name in ("toolCalls", "tokens", "costUsd")}
    assert told == {"toolCalls": 3, "tokens": 36, "costUsd": 0.75}
    assert [one.payload["text"] for one in run.steps if one.event_type == "act"] == ["one", "two", "three"]
    assert {one.actor for one in run.steps} == {"agent"}
    assert run.answer == "Done."


def test_continuations_that_are_a_loop_are_read_once() -> None:
    files = {
        "t/result.json": result("t", "1", 1),
        **segment(0, acting(1, "one"), after="trajectory.cont-1.json"),
        **segment(1, acting(1, "two"), after="trajectory.json"),
    }
    assert made(files)[1][0].traced["toolCalls"] == 2


def test_a_subagent_may_be_continued_and_keeps_its_name() -> None:
    below = {"results": [{"subagent_trajectory_ref": [{"trajectory_path": "sub.json"}]}]}
    critic = {"agent": {"name": "critic", "version": "1"}}
    files = {
        "t/result.json": result("t", "1", 1),
        "t/agent/trajectory.json": trajectory(step(1, "agent", "ask", observation=below)),
        "t/agent/sub.json": trajectory(
            step(1, "agent", "no"), continued_trajectory_ref="sub.cont-1.json", **critic
        ),
        "t/agent/sub.cont-1.json": trajectory(step(1, "agent", "yes"), **critic),
    }
    assert [one.actor for one in made(files)[1][0].steps] == ["agent", "critic", "critic"]


@pytest.mark.parametrize("after", ["trajectory.cont-1.json", "../../u/agent/trajectory.json", 5])
def test_a_continuation_that_the_trial_lacks_is_refused(after: Any) -> None:
    """Counting the first part alone would state too few tokens and calls."""
    files = {
        "t/result.json": result("t", "1", 1),
        "u/result.json": result("u", "1", 1),
        "u/agent/trajectory.json": trajectory(acting(1, "x")),
        **segment(0, acting(1, "one"), after=after),
    }
    said = r"^t/agent/trajectory.json: continued_trajectory_ref: the trial has no file "
    with pytest.raises(InputError, match=said) as refused:
        made(files)
    assert refused.value.hint is not None


def test_costs_are_added_exactly_and_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    tenth = {"metrics": {"cost_usd": 0.1}}
    files = {
        "t/result.json": result("t", "1", 1),
        "t/agent/trajectory.json": trajectory(*[step(n, "agent", "x", **tenth) for n in range(10)]),
    }
    assert made(files)[1][0].traced["costUsd"] == 1.0
    monkeypatch.setattr(atif, "MAX_STEPS", 9)
    with pytest.raises(InputError, match=r"^t/agent/trajectory.json: more than 9 steps"):
        made(files)
