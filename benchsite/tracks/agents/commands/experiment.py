"""`benchsite experiment`: what the artifacts of an experiment say, whatever command wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchsite.track import Console
from benchsite.tracks.agents.analysis.folder import Options, analyses, write
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


_ANALYZED = (
    *("system", "tasks", "success", "tokens", "Pareto", "to ideal", "rank", "L2 to reference"),
    *("Mahalanobis", "shrunk, to reference", "PCA 1", "PCA 2"),
)


@click.group()
def experiment() -> None:
    """Summarize experiments, and compare systems, from their artifacts."""


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


@experiment.command()
@click.argument("path", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--reference",
    metavar="SYSTEM",
    default="sas",
    show_default=True,
    help="System that distances are also measured from.",
)
@click.option("--umap", is_flag=True, help="Also embed by UMAP, seeded; needs the package umap-learn.")
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder for the tables (CSV) and the document (JSON).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.pass_obj
def analyze(
    console: Console,
    path: Path,
    reference: str,
    umap: bool,  # noqa: FBT001 - click passes options by keyword
    output: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Compare systems by their descriptors: scaling, distances, Pareto front, ideal point, PCA.

    DIR is a folder with a summary.csv per system at any depth, of benchsite or of MAS_Analyzer, or a CSV table with one row of
    means per system. Systems are compared over the tasks that all of them have.
    """
    documents = analyses(path, Options(reference, umap))
    written = write(output, documents) if output is not None else []
    if as_json:
        console.emit({"benchmarks": documents})
        return
    for document in documents:
        shares = " and ".join(percent(share) for share in document["pca_explained"])
        count = amount(len(document["systems"]), "system")
        console.say(f"{document['benchmark']}: {count}; PCA explains {shares} of the variance")
        is_constant = document["mahalanobis"]["is_constant"]
        console.table(_ANALYZED, [_analyzed(one, is_constant=is_constant) for one in document["systems"]])
        for note in document["notes"]:
            console.note(f"! {note}")
    for folder in written:
        console.say(f"wrote {folder}")


def _analyzed(one: Mapping[str, Any], *, is_constant: bool) -> list[str]:
    """The cells of a system; a distance that is the same whatever the data is a dash."""
    metrics, shrunk = one["metrics"], one["mahalanobis_shrunk"] or {}
    return [
        one["system"],
        _number(one["tasks"], 0),
        percent(metrics.get("Q1_success_rate")),
        _number(metrics.get("C2_tokens_total"), 0),
        "yes" if one["pareto_frontier"] else "no",
        f"{one['d_ideal']:.4f}",
        str(one["selection_rank"]),
        _number(one["distance_l2_to_reference"], 4),
        _number(None if is_constant else one["mahalanobis"]["to_centroid"], 4),
        _number(shrunk.get("to_reference"), 4),
        *(f"{value:.4f}" for value in one["pca"]),
    ]


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
