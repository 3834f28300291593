"""The part for results of runs made elsewhere: published transcripts and actions, graded here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import click

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.progress import Progress
from benchsite.track import Work
from benchsite.track.parts import Published, Readable
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.benchmarks.workbench import results as workbench
from benchsite.tracks.agents.benchmarks.workbench.actions import canonical_action
from benchsite.tracks.agents.benchmarks.workbench.benchmark import WorkBench
from benchsite.tracks.agents.benchmarks.workbench.endings import NO_ROW
from benchsite.tracks.agents.benchmarks.workbench.transcript import events, read_transcript
from benchsite.tracks.agents.benchmarks.workbench.transcript import notes as transcript_notes
from benchsite.tracks.agents.harness_results import FORMATS, require_name, require_printable, system_options
from benchsite.tracks.agents.import_request import (
    import_request,
    model_option,
    one_model,
    references,
    source_option,
)
from benchsite.tracks.agents.importers.run_lines import read_runs, repeats
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.record.verification import in_words, published_name
from benchsite.tracks.agents.results_of_browsecomp_plus import BROWSECOMP_PLUS
from benchsite.tracks.agents.results_of_trees import MAS_ANALYZER
from benchsite.tracks.agents.spool import Spool
from benchsite.tracks.agents.trace.event import Event
from benchsite.words import amount

_TOOLS: Final = ("all", "domains")
"""What a configuration's last word says of the tools that its agents had."""
SHOWN: Final = 10
"""Transcripts that are named, with file and row, of those that cannot be read as they are graded."""


def _work(
    files: Mapping[str, bytes],
    *,
    configuration: str,
    system: str | None,
    model: str | None,
    allow_missing: bool,
) -> Work:
    """The import of one published configuration of WorkBench."""
    chosen = workbench.choose(files, configuration)
    held = {name: files[name] for name in chosen.values()}
    named, _, tools = configuration.rpartition("_")
    dates = [day for name in held if (day := workbench.date(name)) is not None]
    slug = system or published_name(configuration)
    require_name("--system", slug)

    def read(
        benchmark: Benchmark,
        progress: Progress,
        secrets: Sequence[str],  # noqa: ARG001 - WorkBench's files are public
    ) -> tuple[list[Finished], Sequence[str]]:
        return _read(benchmark, held, configuration, progress, allow_missing=allow_missing)

    request = import_request(
        read,
        repeats=1,
        options={"tools": tools} if tools in _TOOLS else {},
        system={
            "name": slug,
            "version": max(dates, default="undated"),
            "kind": "single-agent",
            "models": one_model(model or (named if named and tools in _TOOLS else configuration)),
        },
        source={
            "kind": "workbench-results",
            "configuration": configuration,
            "files": [
                {"name": name, "sha256": canonical.sha256_hex(data), "size": len(data)}
                for name, data in held.items()
            ],
        },
    )
    label = ", ".join(in_words(request["options"]))
    return Work("agents", slug, "workbench", "", request, imported=True, label=label)


def _read(
    benchmark: Benchmark,
    files: Mapping[str, bytes],
    configuration: str,
    progress: Progress,
    *,
    allow_missing: bool,
) -> tuple[list[Finished], Sequence[str]]:
    """The runs in the order of the tasks, and what the person who imports them should know."""
    if not isinstance(benchmark, WorkBench):
        raise InputError(
            f"benchmark {benchmark.id} is not WorkBench",
            hint="run: benchsite benchmark import workbench PATH",
        )
    found = workbench.read(benchmark.dataset, files, configuration, allow_missing=allow_missing)
    rows = {row.task.id: row for row in found.rows}
    runs, unlike = [], list[str]()
    for place, task in enumerate(benchmark.dataset.tasks):
        progress(place, len(benchmark.dataset.tasks), f"{configuration}: {task.id}")
        row = rows.get(task.id)
        if row is None:
            runs.append(Finished(task.id, 1, (_unknown(),), (), error=NO_ROW))
            continue
        told = read_transcript(row.response)
        unlike += [
            f"{row.path} row {row.row}: {note}" for note in transcript_notes(row, told) if row.response
        ]
        traced = tuple(Event.model_validate(event) for event in events(row, told))
        actions = tuple(map(canonical_action, row.actions))
        runs.append(Finished(task.id, 1, traced, actions, error=row.error))
    progress(len(runs), len(runs), configuration)
    notes = (
        [f"{amount(len(found.missing), 'task')} without a row, recorded as errors"] if found.missing else []
    )
    if unlike:
        notes.append(f"{amount(len(unlike), 'transcript')} that cannot be read or tells other actions:")
        notes += [f"  {one}" for one in unlike[:SHOWN]]
        notes += [f"  and {len(unlike) - SHOWN} more"] if len(unlike) > SHOWN else []
    return runs, notes


def _unknown() -> Event:
    """The one event of a run of which nothing is known."""
    payload = {"text": NO_ROW, "source": "none", "partial": True}
    return Event(id="e1", actor="system", event_type="error", payload=payload)


_WORKBENCH: Final = Published(
    help=(
        "Import a published configuration of WorkBench.\n\n"
        "PATH is the folder that holds DOMAIN/CONFIGURATION_DATE.csv. Transcripts, actions and errors become traces, run "
        "columns and one draft."
    ),
    parameters=(
        click.Option(
            ["--configuration"],
            required=True,
            help="File name up to the date, for example gpt-4_all.",
        ),
        click.Option(["--system"], help="Name of the system [default: from the configuration]."),
        click.Option(["--model"], help="Name of the model [default: from the configuration]."),
        click.Option(
            ["--allow-missing"],
            is_flag=True,
            help="Record tasks without a row as errors, instead of refusing.",
        ),
    ),
    work=_work,
)


def _runs(
    file: Readable,
    *,
    benchmark: str,
    system: str,
    version: str,
    kind: str,
    model: str | None,
    source: tuple[str, ...],
) -> Work:
    """The import of one file of runs. It is read twice: all lines are checked before a run is graded."""
    require_name("--system", system)
    given = [("--version", version), *(("--source", text) for text in source)]
    given += [("--model", model)] if model is not None else []
    for option, text in given:
        require_printable(option, text)
    count = repeats(read_runs(file))

    def read(
        found: Benchmark, progress: Progress, secrets: Sequence[str]
    ) -> tuple[list[Finished], Sequence[str]]:
        return finished(
            read_runs(file),
            file.name,
            found,
            progress,
            secrets,
            expected=Expected(count),
            keep=Spool().keep,
        )

    request = import_request(
        read,
        repeats=count,
        system={"name": system, "version": version, "kind": kind, "models": one_model(model)},
        source={
            "kind": "runs",
            "configuration": system,
            "files": [{"name": file.name, "sha256": file.sha256(), "size": file.size}],
            **references(source),
        },
    )
    return Work("agents", system, benchmark, "", request, imported=True)


_RUNS: Final = Published(
    help=(
        "Import runs that another harness made.\n\n"
        "PATH is a file with one JSON object per line: `task`, then `outcome`, `success` or `score`, and if known `run`, `tokens`, "
        "`costUsd`, `latencyMs`, `toolCalls`, `messages`, `answer`, `actions`, `error`. Runs of an installed benchmark are graded "
        "here. Those of a task list keep the outcome that the file states."
    ),
    parameters=(
        click.Option(["--benchmark"], required=True, help="Id of the benchmark or task list."),
        *system_options(),
        model_option(),
        source_option(),
    ),
    work=_runs,
    is_stream=True,
    suffixes=(),
)

formats: Final[Mapping[str, Published]] = {
    "browsecomp-plus-results": BROWSECOMP_PLUS,
    "mas-analyzer": MAS_ANALYZER,
    "runs": _RUNS,
    "workbench-results": _WORKBENCH,
    **FORMATS,
}
