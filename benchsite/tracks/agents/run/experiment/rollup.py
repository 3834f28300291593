"""The files above the runs, computed from the record alone: descriptors of tasks, summaries of systems and of an experiment.

Owns `descriptor.json/.csv`, `analysis.json` and `task_summary.json` of a task, `summary.json/.csv` of a system and
`experiment_summary.json/.csv`, under the seed's names and with its fields. Equal records give equal bytes; the values that a
clock gave (`C1_latency_p95`, `R2_latency_var`, `latency_*`, `stage_*_latency_ms`) differ between two measurements. A unit
of another configuration is in none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import BenchsiteError
from benchsite.stats import exact_mean
from benchsite.tabular import csv_bytes
from benchsite.tracks.agents.benchmarks import Task
from benchsite.tracks.agents.record.config import perturbation_words
from benchsite.tracks.agents.record.payload_from_runs import consistencies
from benchsite.tracks.agents.run.experiment.artifacts import json_file, verify_density
from benchsite.tracks.agents.run.experiment.pieces import finished
from benchsite.tracks.agents.run.experiment.record import Kept, Record, read_json, write_file
from benchsite.tracks.agents.run.experiment.unit import units
from benchsite.tracks.agents.scores import experiment, experiment_text
from benchsite.tracks.agents.scores.descriptor import describe
from benchsite.tracks.agents.scores.experiment import Measured
from benchsite.tracks.agents.scores.scoring import runs_of, score
from benchsite.tracks.agents.scores.stages import STAGES, Spent, hints
from benchsite.tracks.agents.systems.names import at_budget

__all__ = ["kept_units", "roll_up", "roll_up_experiment"]

_STAGED: Final = ("events", "tokens", "latency_ms", "tool_errors")
_ALWAYS: Final = frozenset({"taskId", "run", "outcome", "completion"})
_SHOWN: Final = ("success", "completion", "tokens_total", "tool_calls_total", "cost_total")


def kept_units(record: Record, manifest: Mapping[str, Any]) -> list[Kept]:
    """Return the units of a manifest that are done, in the order of tasks and runs."""
    pinned, listed = manifest["configuration"], manifest["tasks"]
    tasks = [Task(task, domain, "") for task, domain in zip(listed["id"], listed["domain"], strict=True)]
    every = units(canonical.digest(pinned), tasks, pinned["config"]["runsPerTask"])
    return [kept for unit in every if (kept := record.kept(unit)) is not None]


def roll_up(record: Record, manifest: Mapping[str, Any], kept: Sequence[Kept]) -> dict[str, Any]:
    """Write the files of the tasks of a system and of the system, and return its summary.

    Args:
        record: of the system on the benchmark.
        manifest: what the record was started with.
        kept: the units that are done, in the order of tasks and runs.

    Raises:
        PrerequisiteError: a file cannot be read or written.
    """
    by_task: dict[str, list[Kept]] = {}
    for one in kept:
        by_task.setdefault(one.unit.task, []).append(one)
    repeats = manifest["configuration"]["config"]["runsPerTask"]
    pinned = manifest["configuration"]
    agents = pinned["system"]["sizes"].get("agents")
    tasks = [_task(record, task, runs, repeats, agents) for task, runs in by_task.items()]
    listed = {name: list(cells) for name, cells in manifest["tasks"].items()}
    places = [place for place, task in enumerate(listed["id"]) if task in by_task]
    listed = {name: [cells[place] for place in places] for name, cells in listed.items()}
    summary = {
        "benchmark": pinned["benchmark"],
        "system": {**pinned["system"], "models": pinned["models"]},
        "config": pinned["config"],
        "experiment": record.experiment.name,
        "complete": len(kept) == len(manifest["tasks"]["id"]) * repeats,
        "runs_done": len(kept),
        "runs_total": len(manifest["tasks"]["id"]) * repeats,
        "task_summaries": tasks,
        **(_scored(listed, kept, pinned["config"]["seed"]) if kept else {}),
    }
    record.write("summary.json", json_file(summary))
    record.write("summary.csv", _csv([_flat(task) for task in tasks]))
    return summary


def _scored(listed: dict[str, list[Any]], kept: Sequence[Kept], seed: int) -> dict[str, Any]:
    """Columns and scores as the receipt has them."""
    results = [one.result for one in kept]
    columns: dict[str, list[Any]] = {
        "taskId": [one.unit.task for one in kept],
        "run": [one.unit.run for one in kept],
        **{name: [one[name] for one in results] for name in ("outcome", "limit", "harmful", "score")},
        **{name: [one["columns"][name] for one in results] for name in results[0]["columns"]},
    }
    columns = {
        name: cells
        for name, cells in columns.items()
        if name in _ALWAYS or any(cell is not None for cell in cells)
    }
    runs = finished(kept)
    listed = {**listed, **consistencies(listed["id"], runs, columns["outcome"])}
    return {"tasks": listed, "runs": columns, **score(listed, columns).sections(seed=seed)}


def _task(
    record: Record, task: str, runs: Sequence[Kept], repeats: int, agents: int | None
) -> dict[str, Any]:
    """Write the files of a task, and return its summary."""
    results = [one.result for one in runs]
    columns = {
        "taskId": [task] * len(runs),
        "outcome": [one["outcome"] for one in results],
        "score": [one["score"] for one in results],
        **{name: [one["columns"][name] for one in results] for name in results[0]["columns"]},
    }
    (found,) = runs_of(columns).values()
    descriptor = describe(found, task=task)
    stages = _stages([one["stages"] for one in results])
    flat = {f"stage_{stage}_{name}": spent[name] for stage, spent in stages.items() for name in _STAGED}
    flat |= {
        f"stage_{stage}_verify_density": verify_density(stage, spent["events"] or 0)
        for stage, spent in stages.items()
    }
    names = {name: results[0][name] for name in ("benchmark", "system")}
    per_run = [
        {**one.result["metrics"], "run": one.unit.run, "outcome": one.result["outcome"]} for one in runs
    ]
    evaluation = {
        name: descriptor[name] for name in ("eval_avg_score", "eval_success_rate", "eval_completion_rate")
    }
    summary = {**names, "task_id": task, "runs": len(runs), "complete": len(runs) == repeats}
    tags = Counter(tag for one in results for tag in one["failure_tags"])
    analysis = {
        **summary,
        "evaluation": evaluation,
        "descriptor": descriptor,
        "stages": stages,
        "hints": _hints([one["stages"] for one in results]),
        "failure_tags": dict(sorted(tags.items())),
    }
    metrics = {**descriptor, **flat}
    for name, data in (
        ("descriptor.json", json_file({**summary, "metrics": metrics, "per_run": per_run})),
        ("descriptor.csv", _csv([{**summary, **metrics}])),
        ("analysis.json", json_file(analysis)),
        ("task_summary.json", json_file({**summary, **metrics, "per_run": per_run})),
    ):
        record.write_of_task(task, name, data)
    place = {
        "agents": agents,
        "topology": names["system"],
        "system_label": record.folder.name,
        "task_dir": "/".join((*record.folder.parts[-2:], task)),  # below the experiment's folder
    }
    return {**summary, **place, **metrics}


def _stages(found: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float | None]]:
    """The mean of each stage over the runs; None if a run does not state it."""
    means: dict[str, dict[str, float | None]] = {}
    for stage in found[0]:
        means[stage] = {}
        for name in _STAGED:
            values = [one[stage][name] for one in found]
            means[stage][name] = None if None in values else exact_mean(values)
    return means


def _hints(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What to look at first, and in how many runs."""
    counted: Counter[tuple[str, str]] = Counter()
    for one in found:
        stages = {stage: Spent(**one[stage]) for stage in STAGES}
        counted.update((hint.code, hint.stage) for hint in hints(stages))
    return [{"code": code, "stage": stage, "runs": runs} for (code, stage), runs in sorted(counted.items())]


def roll_up_experiment(folder: Path, unperturbed: Path | None = None) -> dict[str, Any]:
    """Write `experiment_summary.json` and `.csv` from the summaries of the systems, and return the former.

    Args:
        folder: of the experiment.
        unperturbed: of the experiment with the same systems without perturbation, for the accuracy ratio.

    Raises:
        PrerequisiteError: a file cannot be written.
    """
    found = _summaries(folder)
    rows = [_row(one) for one in found]
    plain = _measured(_summaries(unperturbed)) if unperturbed is not None else {}
    summary = {"experiment": folder.name, "systems": rows, **_compared(found, plain)}
    write_file(folder / "experiment_summary.json", json_file(summary))
    table = experiment_text.csv(summary) if "benchmarks" in summary else _csv(rows)
    write_file(folder / "experiment_summary.csv", table)
    return summary


def _summaries(folder: Path) -> list[Mapping[str, Any]]:
    """The summaries of the systems of an experiment that have a run."""
    found = [read_json(path) for path in sorted(folder.glob("*/*/summary.json"))]
    return [one for one in found if one is not None and "scores" in one]


def _measured(found: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Measured]]:
    """The complete systems, by benchmark and name."""
    benchmarks: dict[str, dict[str, Measured]] = {}
    for one in found:
        if one["complete"]:
            held = Measured(
                one["system"]["kind"],
                one["tasks"],
                one["runs"],
                one["benchmark"]["sha256"],
                perturbation_words(one["config"]),
            )
            benchmarks.setdefault(one["benchmark"]["id"], {})[_name(one)] = held
    return benchmarks


def _name(summary: Mapping[str, Any]) -> str:
    return at_budget(summary["system"]["name"], summary["config"]["options"])


def _compared(
    found: Sequence[Mapping[str, Any]], plain: Mapping[str, Mapping[str, Measured]]
) -> dict[str, Any]:
    """Economics, coordination and verdicts of the complete systems; why not, if they cannot be compared."""
    benchmarks = _measured(found)
    if not benchmarks:
        return {"incomparable": "no system is complete"}
    try:
        return experiment.summary(benchmarks, unperturbed=plain)
    except BenchsiteError as error:
        return {"incomparable": error.message}


def _row(summary: Mapping[str, Any]) -> dict[str, Any]:
    """One system on one benchmark: its scores, each with its 95% CI."""
    outcomes = Counter(summary["runs"]["outcome"])
    row = {
        "benchmark": summary["benchmark"]["id"],
        "system": _name(summary),
        "tasks": len(summary["tasks"]["id"]),
        "runs": summary["runs_done"],
        "complete": summary["complete"],
        "errors": outcomes["error"],
        "limits": outcomes["limit"],
    }
    for name in _SHOWN:
        row[name] = summary["scores"].get(name)
        interval = summary["intervals"].get(name) or {}
        row[f"{name}_low"], row[f"{name}_high"] = interval.get("low"), interval.get("high")
    row["latency_p95"] = summary["timing"].get("latency_p95")
    return row


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not isinstance(value, dict | list)}


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """A CSV file: the columns of the first row, empty for a blank."""
    names = list(rows[0]) if rows else []
    return csv_bytes(names, [{name: row.get(name) for name in names} for row in rows])
