"""Results of MAS_Analyzer as a format of the part `results`: one draft per system, on task lists made from its folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import click

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.progress import Progress
from benchsite.track import Work
from benchsite.track.parts import Collected, Published
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.harness_results import require_printable
from benchsite.tracks.agents.import_request import import_request, one_model, references, source_option
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.mas_events import short
from benchsite.tracks.agents.importers.mas_finished import finished, means, stated_means
from benchsite.tracks.agents.importers.mas_runs import SUFFIXES
from benchsite.tracks.agents.importers.mas_tree import (
    UNKNOWN,
    SystemRuns,
    TaskList,
    Tree,
    queries,
    read_tree,
    slug,
    task_list,
)
from benchsite.tracks.agents.record.config import MAX_FILES
from benchsite.tracks.agents.record.payload import MAX_ROLES
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.words import amount

__all__ = ["MAS_ANALYZER"]

SHOWN: Final = 20
"""Skipped runs that are listed for people; `--json` has all of them."""
METRICS: Final = "trace_metrics.json"
_OURS: Final = {
    "tokens": "tokens_total",
    "tool_calls_with_sends": None,
    "communication": "communication_count",
    "handoffs": None,
    "steps": "steps_total",
    "latency_ms": None,
    "loop_score": "loop_score",
    "verification_density": None,
}
"""Figures that a receipt states beside its scores, and the metric that is the same statistic."""
_Key = tuple[str, tuple[str, ...]]
"""Benchmark and tasks that systems have in common."""


def _works(
    files: Mapping[str, bytes],
    where: str,
    *,
    version: str | None,
    model: str | None,
    license_text: str,
    source: tuple[str, ...],
) -> Collected:
    """The imports of every system below a folder."""
    given = [("--version", version), ("--model", model), ("--license", license_text)]
    for option, text in (*given, *(("--source", text) for text in source)):
        if text is not None:
            require_printable(option, text)
    model, source = Scrubber().scrubbed(model), tuple(Scrubber().scrubbed(source))
    tree = read_tree(files, where)
    lists = _lists(tree, license_text, source)
    works = [
        _work(one, lists[_key(one)], files, version=version, model=model, source=source)
        for one in tree.systems
    ]
    return Collected(
        works,
        tuple(_lines(tree, lists)),
        _report(tree, lists),
    )


def _key(system: SystemRuns) -> _Key:
    return system.benchmark, tuple(sorted(system.runs))


def _lists(tree: Tree, license_text: str, source: Sequence[str]) -> dict[_Key, TaskList]:
    """One task list for each set of tasks that systems ran."""
    together: dict[_Key, list[SystemRuns]] = {}
    for one in tree.systems:
        together.setdefault(_key(one), []).append(one)
    where = source[0] if source else "folders of MAS_Analyzer, which name no address"
    return {
        key: task_list(key[0], dict(queries(systems)), license_text=license_text, source=where)
        for key, systems in together.items()
    }


def _work(
    system: SystemRuns,
    listed: TaskList,
    files: Mapping[str, bytes],
    *,
    version: str | None,
    model: str | None,
    source: Sequence[str],
) -> Work:
    name = slug(system.label)
    if model is not None:
        system = replace(system, models={"default": model})
    models = dict(list(system.models.items())[:MAX_ROLES])

    def read(
        found: Benchmark, progress: Progress, secrets: Sequence[str]
    ) -> tuple[list[Finished], Sequence[str]]:
        return finished(system, listed.ids, found, progress, secrets)

    request = import_request(
        read,
        repeats=system.repeats,
        system={
            "name": name,
            "version": version or system.version,
            "kind": system.kind,
            "models": {role: {"requested": models[role], "responded": None} for role in models}
            or one_model(None),
            "sizes": {} if system.agents is None else {"agents": system.agents},
        },
        source={
            "kind": "mas-analyzer",
            "configuration": system.label,
            "files": _files(system, files),
            **references(source),
            **({"stated": stated} if (stated := _stated(system)) else {}),
        },
    )
    offered = listed.imported.data
    return Work("agents", name, listed.id, "", request, imported=True, offered=offered)


def _stated(system: SystemRuns) -> list[dict[str, Any]]:
    """The means that the files state, as the source counts them; none if a run's files do not state them."""
    if any(run.unlike or METRICS not in run.files.parts for run in system.every):
        return []
    told = means(system)
    return [
        {"name": f"{name}, mean over tasks", "value": told[name], "ours": ours}
        for name, ours in _OURS.items()
    ]


def _files(system: SystemRuns, files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """The files that were read; of more than a receipt lists, one entry with the SHA-256 of {path: SHA-256} as canonical JSON."""
    paths = sorted(path for run in system.every for path in run.files.parts.values())
    found: list[dict[str, Any]] = [
        {"name": short(path), "sha256": canonical.sha256_hex(data), "size": len(data)}
        for path in paths
        for data in (files[path],)
    ]
    if len(found) <= MAX_FILES:
        return found
    digests: dict[str, Json] = {path: one["sha256"] for path, one in zip(paths, found, strict=True)}
    name = short(f"{system.label}: {amount(len(found), 'file')}")
    return [{"name": name, "sha256": canonical.digest(digests), "size": sum(one["size"] for one in found)}]


def _lines(tree: Tree, lists: Mapping[_Key, TaskList]) -> Iterator[str]:
    """What was found and what was skipped, for people."""
    for one in tree.systems:
        told = means(one)
        yield (
            f"found     {one.label} on {one.benchmark}: {amount(len(one.every), 'run')} of "
            f"{amount(len(one.runs), 'task')}, {told['success']} successful -> {lists[_key(one)].id}"
        )
        yield (
            f"          means as the source counts them: {told['tokens']:,.4f} tokens, "
            f"{told['tool_calls_with_sends']:,.4f} tool calls with sends, {told['communication']:,.4f} messages, "
            f"{told['handoffs']:,.4f} handoffs, {told['steps']:,.4f} steps, {told['latency_ms']:,.3f} ms"
        )
    for name, count, here in _summaries(tree):
        if here < count:
            yield f"summary   {name} states {amount(count, 'task')}, {here or 'none'} of them with a run here"
    for skipped in tree.skipped[:SHOWN]:
        yield f"skipped   {skipped.path}: {skipped.reason}"
    if len(tree.skipped) > SHOWN:
        yield f"skipped   {len(tree.skipped) - SHOWN} more; --json lists them"


def _summaries(tree: Tree) -> Iterator[tuple[str, int, int]]:
    """Of each summary its path, how many tasks it states, and how many of them have a run."""
    for folder, rows in tree.summaries:
        parts = tuple(folder.split("/")) if folder else ()
        below = {
            task
            for one in tree.systems
            for task, runs in one.runs.items()
            if runs[0].files.folder[: len(parts)] == parts
        }
        yield "/".join((*parts, "summary.csv")), len(rows), sum(row.task in below for row in rows)


def _report(tree: Tree, lists: Mapping[_Key, TaskList]) -> dict[str, Any]:
    return {
        "found": [
            {
                "benchmark": one.benchmark,
                "system": slug(one.label),
                "label": one.label,
                "version": one.version,
                "taskList": lists[_key(one)].id,
                "totals": means(one),
                "perTask": [
                    {
                        "task": task,
                        "success": [run.success for run in runs],
                        "totals": [run.totals.figures() for run in runs],
                    }
                    for task, runs in one.runs.items()
                ],
            }
            for one in tree.systems
        ],
        "summaries": [
            {
                "path": path,
                "tasks": count,
                "tasksWithRuns": here,
                "totals": stated_means(rows),
            }
            for (path, count, here), (_, rows) in zip(_summaries(tree), tree.summaries, strict=True)
        ],
        "skipped": [{"path": one.path, "reason": one.reason} for one in tree.skipped],
    }


MAS_ANALYZER: Final = Published(
    help=(
        "Import the runs of MAS_Analyzer experiments.\n\n"
        "PATH is a folder of BENCHMARK/SYSTEM/TASK/run_N files, at any depth and in part. Every system becomes one draft. "
        f"Runs without a readable trace and outcome are skipped and listed. Versions are {UNKNOWN!r} unless the files name an experiment."
    ),
    parameters=(
        click.Option(
            ["--version"], help="Version of the systems [default: their experiment, if files name one]."
        ),
        click.Option(["--model"], help="Name of their model [default: as the files state it]."),
        click.Option(
            ["--license", "license_text"],
            default=UNKNOWN,
            show_default=True,
            help="License of tasks and runs; unless it is given, their texts are kept outside git.",
        ),
        source_option(),
    ),
    work=_works,
    suffixes=SUFFIXES,
    has_where=True,
)
