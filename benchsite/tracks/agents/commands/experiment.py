"""`benchsite experiment`: what the artifacts of an experiment say, whatever command wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchsite.track import Console
from benchsite.tracks.agents.run.experiment.export import export as write_files
from benchsite.tracks.agents.run.experiment.export import records
from benchsite.tracks.agents.run.experiment.rollup import kept_units, roll_up, roll_up_experiment
from benchsite.tracks.agents.scores.experiment_text import markdown
from benchsite.words import amount, percent

__all__ = ["experiment"]

_COLUMNS = (
    "benchmark",
    "system",
    "tasks",
    "runs",
    "success",
    "95% CI",
    "tokens",
    "tool calls",
    "USD",
    "errors",
)


@click.group()
def experiment() -> None:
    """Summarize experiments from their artifacts."""


@experiment.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--unperturbed",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Experiment without --perturb, for the accuracy ratio.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.pass_obj
def summarize(console: Console, folder: Path, unperturbed: Path | None, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Compute descriptors and summaries of an experiment from its recorded runs, and show them.

    DIR is the folder of an experiment, as artifacts/full_experiment/ID. Files that belong to no run of the experiment are
    not read. What runs meanwhile is included as far as it is recorded.
    """
    for one in (folder, unperturbed) if unperturbed is not None else (folder,):
        for record, manifest in records(one):
            roll_up(record, manifest, kept_units(record, manifest))
    summary = roll_up_experiment(folder, unperturbed)
    if as_json:
        console.emit(summary)
        return
    console.table(_COLUMNS, [_cells(row) for row in summary["systems"]])
    if "benchmarks" in summary:
        console.say("")
        console.say(markdown(summary))
    elif summary["systems"]:
        console.note(f"! no economics: {summary['incomparable']}")
    for row in summary["systems"]:
        if not row["complete"]:
            console.note(f"! {row['system']} on {row['benchmark']} is not complete: {row['runs']:,} runs")


@experiment.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.pass_obj
def export(console: Console, folder: Path) -> None:
    """Write the files of every recorded run: traces, answers, metrics, trajectories.

    DIR is the folder of an experiment whose runs were packed (`run agents --packed`).
    """
    console.say(f"wrote the files of {amount(write_files(folder), 'run')}")


def _cells(row: Mapping[str, Any]) -> list[str]:
    success = row["success"]
    return [
        row["benchmark"],
        row["system"],
        f"{row['tasks']:,}",
        f"{row['runs']:,}",
        percent(success),
        "–" if success is None else f"[{percent(row['success_low'])}, {percent(row['success_high'])}]",
        _number(row["tokens_total"], 0),
        _number(row["tool_calls_total"], 2),
        _number(row["cost_total"], 4),
        f"{row['errors']:,}",
    ]


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
