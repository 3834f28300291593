"""Experiments on the command line: the seed's words, systems listed and drawn, models recorded and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

ANSWER = {"text": json.dumps({"answer_artifact": "42", "confidence": 0.9}), "tokensIn": 90, "tokensOut": 12}
FILE = """
[models]
default = "simulated:script.json"

[run]
benchmarks = ["arithmetic-tools"]
systems = ["sas"]
task_limit = 2
executor = "inline"
"""


@pytest.fixture
def lab(new: Path) -> Path:
    (new / "script.json").write_text(json.dumps([ANSWER]))
    (new / "experiment.toml").write_text(FILE)
    return new


def test_a_file_alone_is_an_experiment_that_goes_on_and_is_summarized(benchsite: Run, lab: Path) -> None:
    command = ("run", "agents", "--config", "experiment.toml", "--experiment-id", "trial")
    ran = benchsite(*command, cwd=lab)
    assert ran.code == 0, ran.err
    assert "measured  sas on arithmetic-tools" in ran.out
    folder = lab / "artifacts/full_experiment/trial/arithmetic-tools/sas"
    for name in ("mas_graph.svg", "mas_graph.mmd", "workflow_graph.svg", "workflow_graph.mmd"):
        assert (folder / name).stat().st_size > 20, name
    told = benchsite(*command, cwd=lab)
    assert told.code == 0
    assert "skipped   sas on arithmetic-tools: measured already: draft .benchsite/drafts/" in told.out
    assert "skipped" in benchsite("run", "agents", "--config", "experiment.toml", "--resume", cwd=lab).out
    assert len(list((lab / ".benchsite/drafts").iterdir())) == 1
    shown = benchsite("experiment", "summarize", "artifacts/full_experiment/trial", cwd=lab)
    assert shown.code == 0, shown.err
    assert "arithmetic-tools  sas" in shown.out
    found = json.loads(
        benchsite("experiment", "summarize", "artifacts/full_experiment/trial", "--json", cwd=lab).out
    )
    assert found["systems"][0]["tokens_total"] % 102 == 0, "of one or more completions"
    refused = benchsite("experiment", "summarize", "artifacts", cwd=lab)
    assert (refused.code, "no experiment: artifacts" in refused.err) == (4, True)


@pytest.mark.full
def test_systems_are_listed_and_drawn(benchsite: Run, lab: Path) -> None:
    listed = json.loads(benchsite("system", "list", "--json", cwd=lab).out)["systems"]
    names = {one["name"]: one["aliases"] for one in listed}
    assert {"null", "sas", "only-voting"} <= names.keys()
    assert "majority-voting" in names["only-voting"]
    drawn = benchsite("system", "draw", "single_agent", "--graph", "control-flow", cwd=lab)
    assert drawn.code == 0, drawn.err
    assert drawn.out.startswith("flowchart")
    assert benchsite("system", "draw", "sas", "--svg", "sas.svg", cwd=lab).code == 0
    assert "<svg" in (lab / "sas.svg").read_text()
    assert "attempt" in benchsite("system", "draw", "sas-retry", "--graph", "control-flow", cwd=lab).out
    assert benchsite("system", "draw", "absent", cwd=lab).code == 2
    assert benchsite("system", "draw", "null", cwd=lab).code == 2, "it states no graph"


def test_a_recorded_experiment_repeats_without_its_model(benchsite: Run, lab: Path) -> None:
    command = ("run", "agents", "--config", "experiment.toml", "--experiment-id")
    assert benchsite(*command, "live", "--record", "answers.jsonl", cwd=lab).code == 0
    (lab / "script.json").write_text(json.dumps([{**ANSWER, "text": "another answer"}]))
    ran = benchsite(*command, "again", "--replay", "answers.jsonl", cwd=lab)
    assert ran.code == 0, ran.err
    answers = [
        sorted(
            path.read_bytes()
            for path in (lab / f"artifacts/full_experiment/{name}").rglob("run_*.answer.txt")
        )
        for name in ("live", "again")
    ]
    assert answers[0] == answers[1] != []


def test_a_simulated_model_is_refused_where_a_live_one_is_required(benchsite: Run, lab: Path) -> None:
    ran = benchsite("run", "agents", "--config", "experiment.toml", "--require-live", cwd=lab)
    assert ran.code == 2
    assert "is simulated, and --require-live is given" in ran.err


def test_without_a_system_or_a_benchmark_nothing_runs(benchsite: Run, lab: Path) -> None:
    (lab / "experiment.toml").write_text("[run]\n")
    for missing, given in (
        ("system", ("--benchmark", "arithmetic-tools")),
        ("benchmark", ("--system", "sas")),
    ):
        ran = benchsite("run", "agents", "--config", "experiment.toml", *given, cwd=lab)
        assert (ran.code, f"no {missing} given" in ran.err) == (2, True)


def test_two_commands_without_an_id_are_two_experiments(benchsite: Run, lab: Path) -> None:
    command = ("run", "agents", "--benchmark", "arithmetic-tools", "--system", "null", "--task-limit", "1")
    for _ in range(2):
        assert "measured" in benchsite(*command, cwd=lab).out
    assert len(list((lab / "artifacts/full_experiment").iterdir())) == 2
