"""An experiment from its first unit to its summaries: what a stop, a planted file or a secret can do to it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agents_receipts import SYSTEMS, context, document, given, receipt, resolved, work
from click.testing import CliRunner
from examples import some
from untimed_artifacts import descriptors, untimed

from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.track import AlreadyMeasuredError, Measurement, RunContext
from benchsite.tracks.agents.commands.experiment import experiment
from benchsite.tracks.agents.record import verification
from benchsite.tracks.agents.run import runner
from benchsite.tracks.agents.run.experiment import carry, record
from benchsite.tracks.agents.run.experiment.artifacts import recorded, run_line, run_result
from benchsite.tracks.agents.run.experiment.measure import Cost
from benchsite.tracks.agents.run.experiment.record import Record
from benchsite.tracks.agents.run.experiment.rollup import kept_units, roll_up_experiment
from benchsite.tracks.agents.run.measured import Described
from benchsite.tracks.agents.run.role_models import role_models

PER_RUN = {
    *("answer.txt", "eval.json", "metadata.json", "result.json", "trace.jsonl"),
    *("trace_metrics.json", "trajectory.json", "trajectory.md"),
}
"""The files of one run (specs/agents.md, "Artifacts")."""
PER_TASK = {"descriptor.json", "descriptor.csv", "analysis.json", "task_summary.json"}


def measured(
    folder: Path, system: str = "random-choice", made: RunContext | None = None, **request: Any
) -> Measurement:
    experiment = {"root": str(folder), "name": "e", "executor": "inline", **request.pop("experiment", {})}
    asked = work(system, **{"runs_per_task": 2, "limit": 2, "experiment": experiment, **request})
    return runner.run(asked, resolved(system), made or replace(context(), new_id=lambda: "id"))


def test_the_tree_has_every_file_of_the_specification(tmp_path: Path) -> None:
    measured(tmp_path)
    system = tmp_path / "e/workbench/random-choice"
    tasks = {path.name for path in system.iterdir() if path.is_dir()}
    assert tasks == {"analytics-001", "calendar-001"}
    for task in tasks:
        names = {path.name for path in (system / task).iterdir()}
        assert names == {f"run_{run}.{kind}" for run in (1, 2) for kind in PER_RUN} | PER_TASK
    assert {"summary.json", "summary.csv", "runs.jsonl", "configuration.json"} <= {
        path.name for path in system.iterdir()
    }
    assert {"mas_graph.svg", "workflow_graph.svg"} & {path.name for path in system.iterdir()} == set(), (
        "a baseline states no graph"
    )
    assert (tmp_path / "e/experiment_summary.json").is_file()
    rows = (tmp_path / "e/experiment_summary.csv").read_text().splitlines()
    assert len(rows) == 2
    assert rows[1].startswith("workbench,random-choice,")
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or str(tmp_path).encode() not in path.read_bytes(), "no absolute path"


def test_packed_runs_have_the_same_files_once_they_are_exported(tmp_path: Path) -> None:
    measured(tmp_path, experiment={"packed": True})
    folder = tmp_path / "e"
    assert not list(folder.rglob("run_*"))
    command = experiment.commands["export"]
    told = CliRunner().invoke(command, [str(folder)], obj=SimpleNamespace(say=print), catch_exceptions=False)
    assert told.exit_code == 0
    exported = {path.name: path.read_bytes() for path in folder.glob("*/*/calendar-001/run_1.*")}
    assert {name.removeprefix("run_1.") for name in exported} == PER_RUN
    kept = Record(folder, "workbench", "random-choice")
    manifest = kept.manifest() or {}
    for path in folder.rglob("run_*"):
        path.unlink()
    for unit in kept_units(kept, manifest):
        attempt = recorded(unit.result, unit.line())
        assert run_result(unit.unit, attempt, benchmark="workbench", system="random-choice") == unit.result
        assert run_line(attempt).items() <= unit.line().items()


def test_summaries_say_what_the_receipt_says(tmp_path: Path) -> None:
    made = document(measured(tmp_path))
    summary = json.loads((tmp_path / "e/workbench/random-choice/summary.json").read_bytes())
    for name in ("tasks", "runs", "scores", "intervals", "denominators"):
        assert summary[name] == json.loads(json.dumps(made[name])), name


def test_evidence_from_the_record_is_rebuilt_on_every_level(tmp_path: Path) -> None:
    made = measured(tmp_path, "spam-tools")
    body = document(made)
    found = verification.rescore(receipt(body), given(made, resolved().target), deep=True)
    assert not found.differences
    assert not found.violations
    assert "actionConsistency" not in body["tasks"], "no run succeeded"


@pytest.mark.parametrize("stop", some(range(4), gate=1))
def test_a_stopped_experiment_goes_on_and_ends_in_the_same_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    """Four units; the command ends while the unit after `stop` of them is carried out."""
    undisturbed = document(measured(tmp_path / "one"))
    run, calls = carry.carried_out, list[Any]()

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == stop + 1:
            raise KeyboardInterrupt
        return run(*arguments)

    monkeypatch.setattr(carry, "carried_out", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path / "two")
    calls.clear()
    monkeypatch.setattr(carry, "carried_out", lambda *arguments: calls.append(arguments) or run(*arguments))
    resumed = document(measured(tmp_path / "two"))
    assert len(calls) == 4 - stop, "what was recorded is not measured again"
    assert descriptors(tmp_path / "two") == descriptors(tmp_path / "one")
    assert untimed(resumed["scores"]) == untimed(undisturbed["scores"])


@pytest.mark.full
def test_a_unit_whose_files_cannot_be_written_is_carried_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after some files of the second unit: the record does not have the unit, so none is missing."""
    undisturbed = _run_files(tmp_path / "one")
    write, written = record.write_file, list[Path]()

    def full(path: Path, data: bytes) -> None:
        written.append(path)
        if path.name == "run_2.eval.json":
            raise PrerequisiteError("cannot write the artifacts: no space left on device")
        write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(record, "write_file", full)
        with pytest.raises(PrerequisiteError):
            measured(tmp_path / "two")
    assert written
    assert _run_files(tmp_path / "two") == undisturbed


def _run_files(folder: Path) -> set[str]:
    """Measure into a folder, and return the files of its runs."""
    measured(folder)
    return {str(path.relative_to(folder)) for path in folder.rglob("run_*")}


def test_stale_attempts_in_the_folder_change_no_number(tmp_path: Path) -> None:
    """Runs of another seed under the names of this experiment's, and files that no unit has."""
    undisturbed = document(measured(tmp_path / "one"))
    measured(tmp_path / "other", seed=8)
    stale = tmp_path / "other/e/workbench/random-choice"
    target = tmp_path / "two/e/workbench/random-choice"
    target.mkdir(parents=True)
    shutil.copy(stale / "runs.jsonl", target / "runs.jsonl")
    for task in ("analytics-001", "calendar-001"):
        shutil.copytree(stale / task, target / task)
        for path in (stale / task).glob("run_1.*"):
            shutil.copy(path, target / task / path.name.replace("run_1", "run_3"))
    shutil.copytree(stale / "analytics-001", target / "zzz-001")
    made = document(measured(tmp_path / "two"))
    assert untimed(made["scores"]) == untimed(undisturbed["scores"])
    assert untimed(made["runs"]) == untimed(undisturbed["runs"])


def test_another_configuration_in_the_same_experiment_is_refused(tmp_path: Path) -> None:
    measured(tmp_path)
    with pytest.raises(InputError, match=r"config\.seed was 7, is 8"):
        measured(tmp_path, seed=8)


def test_a_receipt_that_is_there_is_not_made_twice(tmp_path: Path) -> None:
    made = measured(tmp_path)
    assert made.receipt_id == "id"
    there = replace(context(), new_id=lambda: "new", receipt=lambda name: f"draft {name}")
    with pytest.raises(AlreadyMeasuredError, match="measured already: draft id"):
        measured(tmp_path, made=there)
    assert measured(tmp_path, made=replace(context(), new_id=lambda: "new")).receipt_id == "id"


def test_no_file_has_the_value_of_a_credential(tmp_path: Path) -> None:
    """The planted key is in an answer of the benchmark: every record says so without it."""
    key = "sk-planted-0123456789"
    (tmp_path / "script.json").write_text(
        json.dumps([{"text": f"the key is {key}", "tokensIn": 1, "tokensOut": 1}])
    )
    (tmp_path / "teller.py").write_text(
        "class Teller:\n"
        "    name, version, author = 'teller', '1.0.0', 'me'\n"
        "    def solve(self, task, tools, models, trace):\n"
        "        said = models['default'].complete([{'role': 'user', 'content': task.query}]).text\n"
        "        tools.call('calendar.delete_event', {'event_id': said})\n"
        "        trace.event('plan', {'note': said, said: 1}, actor=said)\n"
        "        return said\n"
        "    def describe(self):\n"
        "        return {'roles': ['default']}\n"
    )
    asked = work(
        "teller",
        limit=1,
        models={"default": f"simulated:{tmp_path / 'script.json'}"},
        experiment={"root": str(tmp_path / "out"), "name": "e", "executor": "inline"},
    )
    known = replace(resolved(), references={"system": "teller:Teller"})
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        made = runner.run(asked, known, replace(context(), secrets=(key,)))
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        assert key.encode() not in path.read_bytes(), path.name
    assert (
        b"the key is [redacted]"
        in (tmp_path / "out/e/workbench/teller/analytics-001/run_1.answer.txt").read_bytes()
    )
    assert all(key.encode() not in item.data for item in made.evidence)
    body = document(made)
    found = verification.rescore(receipt(body), given(made, known.target), deep=True)
    assert not found.differences, "actions and traces are redacted alike"


def test_units_go_over_processes_and_end_in_the_same_descriptors(tmp_path: Path) -> None:
    measured(tmp_path / "one")
    made = measured(tmp_path / "two", experiment={"executor": "processes", "workers": 2})
    assert made.config["concurrency"] == 2
    two = descriptors(tmp_path / "two")
    manifest = "e/workbench/random-choice/configuration.json"
    assert two[manifest].pop("concurrency") == 2
    one = descriptors(tmp_path / "one")
    one[manifest].pop("concurrency")
    assert two == one


def test_no_run_starts_once_the_cost_limit_is_reached(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(
        json.dumps([{"text": "yes", "tokensIn": 10, "tokensOut": 5, "costUsd": 0.25}])
    )
    asked = {"models": {"default": f"simulated:{tmp_path / 'script.json'}"}}
    (tmp_path / "asker.py").write_text(
        "class Asker:\n"
        "    name, version, author = 'asker', '1.0.0', 'me'\n"
        "    def solve(self, task, tools, models, trace):\n"
        "        return models['default'].complete([{'role': 'user', 'content': task.query}]).text\n"
        "    def describe(self):\n"
        "        return {'roles': ['default']}\n"
    )
    known = replace(resolved(), references={"system": "asker:Asker"})

    def run(most: float) -> Measurement:
        experiment = {"root": str(tmp_path / "out"), "name": "e", "executor": "inline", "max_cost": most}
        return runner.run(work("asker", limit=4, experiment=experiment, **asked), known, context())

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        with pytest.raises(
            PrerequisiteError, match=r"cost limit reached: 0\.5000 of 0\.5 USD, after 2 of 4 runs"
        ):
            run(0.5)
        with pytest.raises(
            PrerequisiteError, match=r"cost limit reached: 0\.5000 of 0\.5 USD, after 2 of 4 runs"
        ):
            run(0.5)
        body = document(run(5.0))
    assert body["runs"]["costUsd"] == [0.25] * 4


def test_a_cost_limit_needs_prices_and_ends_after_a_run_of_unknown_cost(tmp_path: Path) -> None:
    cost = Cost(0.0, 5.0)
    cost.add(None, is_asked=False)  # a baseline asks no model
    cost.add(0.25, is_asked=True)
    assert (cost.spent, cost.is_reached) == (0.25, False)
    cost.add(None, is_asked=True)
    assert (cost.spent, cost.is_reached, cost.is_unknown) == (0.25, True, True)
    without = Cost(0.0, None)
    without.add(None, is_asked=True)
    assert not without.is_reached
    told = Described.model_validate({"roles": ["default"]})
    asked = work(
        "sas",
        models={"default": {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}},
        experiment={"max_cost": 1.0},
    )
    with pytest.raises(UsageError, match="--max-cost needs the price of every model: m has none"):
        role_models(asked, told)
    prices = tmp_path / "prices.json"
    prices.write_text('{"date": "2026-11-01", "models": {"m": {"input": 1, "output": 2}}}')
    asked.request["experiment"]["prices"] = str(prices)
    assert role_models(asked, told)["default"].requested == "m"


def test_a_read_only_folder_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, data: bytes) -> None:
        raise record.unwritable(path, PermissionError(13, "Permission denied"))

    monkeypatch.setattr(record, "write_file", refused)
    with pytest.raises(PrerequisiteError, match="cannot write the artifacts: .*permission denied"):
        measured(tmp_path)


def test_a_system_cannot_read_what_an_evaluator_said_of_earlier_runs(tmp_path: Path) -> None:
    measured(tmp_path)
    (tmp_path / "peeker.py").write_text(
        "from pathlib import Path\n"
        "class Peeker:\n"
        "    name, version, author = 'peeker', '1.0.0', 'me'\n"
        "    def solve(self, task, tools, models, trace):\n"
        f"        return str(len(list(Path({str(tmp_path)!r}).rglob('*.eval.json'))))\n"
        "    def describe(self):\n"
        "        return {}\n"
    )
    asked = work("peeker", limit=1, experiment={"root": str(tmp_path), "name": "other", "executor": "inline"})
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        runner.run(asked, replace(resolved(), references={"system": "peeker:Peeker"}), context())
    assert (tmp_path / "other/workbench/peeker/analytics-001/run_1.answer.txt").read_bytes() == b"0"


def test_the_record_is_read_without_the_command_that_made_it(tmp_path: Path) -> None:
    measured(tmp_path)
    folder = Record(tmp_path / "e", "workbench", "random-choice")
    manifest = folder.manifest()
    assert manifest is not None
    assert manifest["configuration"]["config"]["seed"] == 7
    assert SYSTEMS not in json.dumps(manifest), "no reference to code, which a path may be in"


def test_the_accuracy_ratio_of_a_perturbed_experiment(tmp_path: Path) -> None:
    measured(tmp_path / "plain", "null", limit=None)
    measured(tmp_path / "faulty", "null", limit=None, perturbation={"kind": "faults", "rate": 0.5})
    found = roll_up_experiment(tmp_path / "faulty/e", tmp_path / "plain/e")
    held = found["benchmarks"]["workbench"]
    assert held["perturbation"] == "faults 0.5"
    # Doing nothing calls no tool that could fail.
    assert held["systems"]["null"]["accuracyRatio"] == 1
    assert "different perturbation" not in found.get("incomparable", "")
