"""`benchsite benchmark` and `benchsite trace`: the datasets that agents are run on, and what their runs recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchsite import plugins
from benchsite.cli import output
from benchsite.cli.data_import import DataImport
from benchsite.errors import PrerequisiteError
from benchsite.pipeline.measure import fixtures
from benchsite.pipeline.workspace import LARGEST_FIXTURE, Workspace, optional_workspace
from benchsite.pipeline.workspace.files import read_bounded


@click.group()
def benchmark() -> None:
    """List, describe or import benchmarks of agents."""


@benchmark.command(name="list")
@output.json_option
def list_benchmarks(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the benchmarks of this instance, imported ones included."""
    every = [item.fixture for item in fixtures.listed(Workspace(Path.cwd())) if item.fixture is not None]
    found = [item for item in every if "tasks" in item.counts]
    if as_json:
        output.emit({"benchmarks": [{"id": item.id, "sha256": item.sha256, **item.counts} for item in found]})
    elif found:
        rows = [(item.id, f"{item.counts['tasks']:,}", item.license, item.sha256[:12]) for item in found]
        output.table(("benchmark", "tasks", "license", "sha256"), rows)
    else:
        output.say("no benchmarks: run `benchsite benchmark import workbench PATH` to add one")


@benchmark.command()
@click.argument("name", metavar="BENCHMARK")
@output.json_option
def info(name: str, as_json: bool) -> None:  # noqa: FBT001
    """Describe a benchmark: tasks, tools, evaluator, license, and what doing nothing scores.

    BENCHMARK is an id or a path.
    """
    found = fixtures.read(fixtures.named(optional_workspace(Path.cwd()), name, "benchmark"))
    facts: dict[str, Any] = {
        "id": found.id,
        "sha256": found.sha256,
        "license": found.license,
        "source": found.source,
        "notes": found.notes,
        **found.counts,
        **found.facts,
    }
    if as_json:
        output.emit(facts)
        return
    for key, value in facts.items():
        output.say(f"{key}: {_text(value)}")


def _text(value: Any) -> str:
    """A fact on one line; a table as `name value`, a list by its members."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@output.json_option
def trace(file: Path, as_json: bool) -> None:  # noqa: FBT001
    """Show metrics, stages, hints and failure tags of a trace, without a receipt.

    FILE is the trace of one run, one event per line, or the traces.jsonl that a receipt pins. --json prints every run.
    """
    parts = [part for track in plugins.tracks().values() if (part := track.traces) is not None]
    if not parts:
        raise PrerequisiteError("no installed track records traces", hint="install the package of the track")
    data = read_bounded(file, LARGEST_FIXTURE)
    runs = list(parts[0].described(data, file.name))
    if as_json:
        output.emit({"runs": runs})
        return
    for line in parts[0].summary(runs):
        output.say(line)


benchmark.add_command(
    DataImport(
        "benchmark",
        "Import a benchmark.\n\nThe data stays on this machine, under .benchsite/fixtures/, unless --into-repo is given.",
    )
)
