"""Traces as trajectories in ATIF: valid by Harbor's schema and by its model, and the same events when they are imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from exported_runs import DOCUMENT, RUNS, TRACES, assert_exported, imported

from benchsite.tracks.agents.exporters import atif as exporter
from benchsite.tracks.agents.importers import atif as importer

FILES = dict(exporter.files(DOCUMENT, TRACES))


def trajectories() -> dict[int, Any]:
    return {number: json.loads(FILES[f"t-1__{number}/agent/trajectory.json"]) for number in RUNS}


def plain(step: dict[str, Any]) -> dict[str, Any]:
    """A step without what is benchsite's own."""
    return {
        name: [plain(one) for one in value]
        if isinstance(value, list)
        else plain(value)
        if isinstance(value, dict)
        else value
        for name, value in step.items()
        if name not in ("extra", "timestamp", "step_id")
    }


def test_an_import_gives_the_same_events_and_the_stated_endings() -> None:
    runs = imported(importer.read(FILES))
    assert_exported(runs)
    assert [run.error for run in runs] == ["", "", "stated: error", "benchsite: limit tokens"]


def test_a_model_event_and_its_calls_are_one_step() -> None:
    given, step, check, end = trajectories()[4]["steps"]
    assert plain(given) == {"source": "user", "message": "Where is Ann?"}
    assert plain(step) == {
        "source": "agent",
        "message": "I look.",
        "model_name": "m-1",
        "llm_call_count": 1,
        "metrics": {"prompt_tokens": 10, "completion_tokens": 5, "cost_usd": 0.5},
        "tool_calls": [
            {"tool_call_id": "e2", "function_name": "find", "arguments": {"n": 1}},
            {"tool_call_id": "e3", "function_name": "find", "arguments": {"n": 2}},
        ],
        "observation": {
            "results": [
                {"source_call_id": "e2", "content": "in Rome"},
                {"source_call_id": "e3", "content": "no"},
            ]
        },
    }
    assert (plain(check), plain(end)) == (
        {"source": "agent", "message": ""},
        {"source": "system", "message": "benchsite: limit tokens"},
    )


def test_each_stretch_of_an_agent_among_several_is_a_subagent() -> None:
    made = trajectories()[2]
    assert [one["trajectory_id"] for one in made["subagent_trajectories"]] == [
        "1-planner",
        "2-worker",
        "3-critic",
        "4-worker",
    ]
    referred = [
        result["subagent_trajectory_ref"][0]["trajectory_id"]
        for step in made["steps"]
        for result in step.get("observation", {}).get("results", ())
        if "subagent_trajectory_ref" in result
    ]
    assert referred == ["1-planner", "2-worker", "3-critic", "4-worker"]
    assert made["final_metrics"] == {
        "total_prompt_tokens": 550,
        "total_completion_tokens": 250,
        "total_cost_usd": 1.25,
    }


@pytest.mark.parametrize(
    ("number", "reward", "exception"),
    [(1, 1.0, None), (2, 0.25, None), (3, None, "AgentError"), (4, 0.0, "AgentLimitError")],
)
def test_a_result_has_the_reward_and_the_exception(
    number: int, reward: float | None, exception: str | None
) -> None:
    result = json.loads(FILES[f"t-1__{number}/result.json"])
    assert (result["task_name"], result["agent_info"]["model_info"]["name"]) == ("t-1", "m-1")
    assert (result["verifier_result"] or {}).get("rewards") == (
        None if reward is None else {"reward": reward}
    )
    assert (result["exception_info"] or {}).get("exception_type") == exception


def test_every_trajectory_is_valid_by_the_schema_of_the_format(root: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((root / "tests/golden/atif/trajectory.schema.json").read_bytes())
    for made in trajectories().values():
        jsonschema.Draft202012Validator(schema).validate(made)


def test_harbor_accepts_every_trajectory() -> None:
    theirs = pytest.importorskip("harbor.models.trajectories", reason="pip install harbor")
    for made in trajectories().values():
        theirs.Trajectory.model_validate(made)
