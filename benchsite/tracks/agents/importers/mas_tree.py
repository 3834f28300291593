"""The folders of the repository MAS_Analyzer as systems with their runs, and the task list that each system ran.

Folders are `BENCHMARK/SYSTEM/TASK/run_N.*` at any depth; what the files state of benchmark, system and task counts before the names of
folders. A system has the same number of runs of every task, so runs beyond that number are skipped, and so are runs that
`mas_runs` refuses. Every run that is skipped is listed with the reason. Systems that ran the same tasks share one task list,
whose id has the digest of its content. Refuses folders without a run that can be read, and one system of one experiment twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.track import Imported
from benchsite.tracks.agents.analysis.summaries import NAME as SUMMARY
from benchsite.tracks.agents.analysis.summaries import TaskRow, read_summary
from benchsite.tracks.agents.benchmarks.task_list.document import convert
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.mas_events import HINT
from benchsite.tracks.agents.importers.mas_runs import (
    StatedRun,
    json_object,
    read_run,
    run_files,
    stated_name,
)
from benchsite.tracks.agents.record.config import MAX_REPEATS
from benchsite.tracks.agents.record.payload import MAX_RUNS
from benchsite.unseen import is_blank
from benchsite.words import amount

__all__ = ["Skipped", "SystemRuns", "TaskList", "Tree", "queries", "read_tree", "slug", "task_list"]

UNKNOWN: Final = "not stated"
SETTINGS: Final = "experiment_settings.json"
_EXPERIMENT: Final = re.compile(r"(?:^|/)(?P<id>[0-9]{8}T[0-9]{6}Z)(?:/|$)")
_SINGLE: Final = frozenset({"sas", "single_agent", "single-agent"})


@dataclass(frozen=True, slots=True)
class Skipped:
    """A run, or a file, that is not imported, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SystemRuns:
    """One system on one benchmark.

    Attributes:
        label: its name in the source.
        version: the experiment that it is from.
        agents: how many it has; None if that is not stated.
        models: model by role.
        runs: of each task, in order; every task has equally many.
    """

    benchmark: str
    label: str
    version: str
    kind: str
    agents: int | None
    models: Mapping[str, str]
    runs: Mapping[str, Sequence[StatedRun]]

    @property
    def every(self) -> list[StatedRun]:
        """All runs, task by task."""
        return [run for runs in self.runs.values() for run in runs]

    @property
    def repeats(self) -> int:
        """Runs of each task."""
        return len(next(iter(self.runs.values())))


@dataclass(frozen=True, slots=True)
class Tree:
    """Everything that was found; of each summary its folder and rows."""

    systems: Sequence[SystemRuns]
    skipped: Sequence[Skipped]
    summaries: Sequence[tuple[str, Sequence[TaskRow]]]


def read_tree(files: Mapping[str, bytes], where: str) -> Tree:
    """Read every run below a folder.

    Args:
        files: by their path below it.
        where: name of the folder.

    Raises:
        InputError: no run can be read, or a system occurs twice in one experiment.
    """
    skipped: list[Skipped] = []
    settings, summaries = _settings(files, skipped), _summaries(files, skipped)
    grouped: dict[tuple[tuple[str, ...], str, str], dict[str, dict[int, StatedRun]]] = {}
    for one in run_files(files):
        try:
            run = read_run(one, files)
        except InputError as error:
            skipped.append(Skipped(one.where, error.message))
            continue
        benchmark, label, task = _identity(run, settings, summaries, where)
        place = grouped.setdefault((one.folder[:-1], benchmark, label), {}).setdefault(task, {})
        if (earlier := place.get(one.number)) is not None:
            skipped.append(
                Skipped(one.where, f"run {one.number} of task {task} was read from {earlier.files.where}")
            )
            continue
        place[one.number] = run
    if not grouped:
        raise InputError(f"{where}: no run can be imported: {_why(skipped)}", hint=HINT)
    systems = [
        _system(folder, benchmark, label, tasks, (settings, summaries), skipped)
        for (folder, benchmark, label), tasks in grouped.items()
    ]
    _require_once(systems)
    if (most := max(len(one.every) for one in systems)) > MAX_RUNS:
        raise InputError(
            f"{where}: {most:,} runs of one system, more than {MAX_RUNS:,}", hint="import fewer tasks"
        )
    stated = [("/".join(folder), tuple(rows.values())) for folder, rows in sorted(summaries.items())]
    return Tree(sorted(systems, key=lambda one: (one.benchmark, one.label, one.version)), skipped, stated)


def _why(skipped: Sequence[Skipped]) -> str:
    if not skipped:
        return "it has no file run_N.trace.jsonl with run_N.eval.json, at any depth"
    return f"{amount(len(skipped), 'run')} skipped; first {skipped[0].path}: {skipped[0].reason}"


def _settings(files: Mapping[str, bytes], skipped: list[Skipped]) -> dict[tuple[str, ...], Mapping[str, Any]]:
    """The settings of experiments, by their folder."""
    found: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for path in files:
        *folder, name = path.split("/")
        if name == SETTINGS:
            try:
                found[tuple(folder)] = json_object(files[path], path)
            except InputError as error:
                skipped.append(Skipped(path, error.message))
    return found


def _summaries(
    files: Mapping[str, bytes], skipped: list[Skipped]
) -> dict[tuple[str, ...], Mapping[str, TaskRow]]:
    """The rows of summaries by task, by their folder."""
    found: dict[tuple[str, ...], Mapping[str, TaskRow]] = {}
    for path in files:
        *folder, name = path.split("/")
        if name == SUMMARY:
            try:
                found[tuple(folder)] = {row.task: row for row in read_summary(files[path], path)}
            except InputError as error:
                skipped.append(Skipped(path, error.message))
    return found


def _nearest(
    folder: Sequence[str], settings: Mapping[tuple[str, ...], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The settings of the closest folder on the way up; empty without any."""
    return next(
        (found for depth in range(len(folder), -1, -1) if (found := settings.get(tuple(folder[:depth])))), {}
    )


def _identity(
    run: StatedRun,
    settings: Mapping[tuple[str, ...], Mapping[str, Any]],
    summaries: Mapping[tuple[str, ...], Mapping[str, TaskRow]],
    where: str,
) -> tuple[str, str, str]:
    """Benchmark, system and task of a run: as stated, else by the names of its folders."""
    folder = run.files.folder
    near = _nearest(folder, settings)
    task = run.task or stated_name(folder[-1] if folder else where)
    rows = [
        found[task] for depth in range(len(folder)) if task in (found := summaries.get(folder[:depth], {}))
    ]
    row = rows[-1] if rows else None
    above = [name for name in folder[:-1] if not _EXPERIMENT.fullmatch(name)]
    benchmark = (
        run.benchmark or _text(near, "benchmark", "name") or (stated_name(row.benchmark) if row else "")
    )
    benchmark = benchmark or (
        stated_name(above[-2]) if len(above) > 1 else stated_name(where) if above else UNKNOWN
    )
    stated = run.label or _text(near, "system", "system_label") or (stated_name(row.system) if row else "")
    named = stated_name(above[-1]) if above and above[-1] != benchmark else ""
    return benchmark, stated or named or run.topology or stated_name(where) or UNKNOWN, task


def _text(value: Mapping[str, Any], *names: str) -> str:
    """A text at a place of nested objects; empty if there is none."""
    found: Any = value
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return stated_name(found) if isinstance(found, str) else ""


def _system(
    folder: tuple[str, ...],
    benchmark: str,
    label: str,
    tasks: Mapping[str, Mapping[int, StatedRun]],
    stated: tuple[
        Mapping[tuple[str, ...], Mapping[str, Any]], Mapping[tuple[str, ...], Mapping[str, TaskRow]]
    ],
    skipped: list[Skipped],
) -> SystemRuns:
    settings, summaries = stated
    near = _nearest(folder, settings)
    wanted = _repeats(tasks.values())
    runs: dict[str, list[StatedRun]] = {}
    for task in sorted(tasks, key=_natural):
        held = [tasks[task][number] for number in sorted(tasks[task])]
        if len(held) >= wanted:
            runs[task] = held[:wanted]
            surplus, why = held[wanted:], f"{amount(wanted, 'run')} of every task are imported"
        else:
            surplus, why = held, f"its task has {amount(len(held), 'run')}, but {wanted} are imported"
        skipped += [Skipped(run.files.where, f"run {run.files.number} of {task}: {why}") for run in surplus]
    every = [run for held in runs.values() for run in held]
    agents = (
        _agents(near)
        or next((run.agents for run in every if run.agents is not None), None)
        or _agents_of(summaries.get(folder, {}).values())
    )
    topology = every[0].topology or label
    is_single = agents == 1 or (agents is None and topology.lower() in _SINGLE)
    experiment = _text(near, "experiment_id") or _experiment(every)
    return SystemRuns(
        benchmark,
        label,
        experiment or UNKNOWN,
        "single-agent" if is_single else "multi-agent",
        agents,
        _models(near, every),
        runs,
    )


def _repeats(tasks: Iterable[Mapping[int, StatedRun]]) -> int:
    """The number of runs per task that keeps the most runs; of equal ones the smaller."""
    counts = Counter(min(len(runs), MAX_REPEATS) for runs in tasks)
    return min(
        counts, key=lambda wanted: (-wanted * sum(n for size, n in counts.items() if size >= wanted), wanted)
    )


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts `task_10` after `task_9`."""
    return [
        (1, int(part), "") if part.isdecimal() else (0, 0, part) for part in re.split(r"([0-9]{1,18})", name)
    ]


def _agents(settings: Mapping[str, Any]) -> int | None:
    system = settings.get("system")
    mas = system.get("mas") if isinstance(system, dict) else None
    found = mas.get("number_of_agents") if isinstance(mas, dict) else None
    return found if type(found) is int and found > 0 else None


def _agents_of(rows: Iterable[TaskRow]) -> int | None:
    """The number of agents that every row of a summary states."""
    found = {row.values.get("agents") for row in rows}
    value = found.pop() if len(found) == 1 else None
    return int(value) if value is not None and value >= 1 and value == int(value) else None


def _experiment(runs: Iterable[StatedRun]) -> str:
    """The experiment in the paths of the runs; empty if there is none, or several."""
    found = {match["id"] for run in runs if (match := _EXPERIMENT.search("/".join(run.files.folder)))}
    found = found or {run.experiment for run in runs if run.experiment}
    return found.pop() if len(found) == 1 else ""


def _models(settings: Mapping[str, Any], runs: Iterable[StatedRun]) -> dict[str, str]:
    """Model by role: as the settings state them, else the ones that the runs name."""
    stated = settings.get("models")
    found = {
        slug(role): stated_name(name)
        for role, name in (stated.items() if isinstance(stated, dict) else ())
        if isinstance(name, str) and not is_blank(name)
    }
    if not found and (named := sorted({run.model for run in runs if run.model})):
        found = {"default": stated_name(", ".join(named))}
    return found


def _require_once(systems: Sequence[SystemRuns]) -> None:
    seen: dict[tuple[str, str, str], SystemRuns] = {}
    for one in systems:
        name = (slug(one.benchmark), slug(one.label), one.version)
        if (other := seen.get(name)) is not None:
            first, second = ("/".join(each.every[0].files.folder[:-1]) or "." for each in (other, one))
            raise InputError(
                f"system {one.label} of experiment {one.version} on {one.benchmark} is in two folders: {first}, {second}",
                hint="import the folder of one experiment at a time",
            )
        seen[name] = one


def slug(name: str) -> str:
    """Return a name of lower-case letters, digits and hyphens, of at most 80 characters."""
    found = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if found and len(found) <= 80:
        return found
    digest = canonical.sha256_hex(name.encode("utf-8", "replace"))[:8]
    return f"{found[:71].strip('-') or 'name'}-{digest}"


@dataclass(frozen=True, slots=True)
class TaskList:
    """A task list as a benchmark that can be installed.

    Attributes:
        ids: id of each task by its name in the source.
    """

    id: str
    imported: Imported
    ids: Mapping[str, str]


def task_list(benchmark: str, tasks: Mapping[str, str], *, license_text: str, source: str) -> TaskList:
    """Return the list of tasks that systems ran, whose outcomes the source states.

    Args:
        benchmark: its name in the source.
        tasks: queries by name, in order.
        license_text: under which others may pass the texts on; `not stated` keeps them outside git.
        source: where the runs are from.

    Raises:
        InputError: it cannot be a task list; the place is named.
    """
    ids = _ids(tasks)
    scrubber = Scrubber()
    body = {
        "evaluator": f"MAS_Analyzer's own evaluation of {benchmark}, as stated in run_N.eval.json",
        "license": license_text,
        "source": source,
        "publish": "redacted" if license_text == UNKNOWN else "full",
        "tasks": [
            {"id": made, "query": scrubber.scrubbed(tasks[name]), **({} if made == name else {"name": name})}
            for name, made in ids.items()
        ],
    }
    name = slug(f"mas-{slug(benchmark)[:40]}-{len(tasks)}-{canonical.digest(body)[:8]}")
    return TaskList(name, convert({"task list": canonical.dumps({"id": name, **body})}), ids)


def _ids(names: Iterable[str]) -> dict[str, str]:
    """An id for each name, in order; no id is another task's name."""
    listed = list(names)
    taken = {name for name in listed if slug(name) == name}
    found: dict[str, str] = {}
    for name in listed:
        made = slug(name)
        if made != name and made in taken:
            made = f"{made[:71].strip('-')}-{canonical.sha256_hex(name.encode('utf-8', 'replace'))[:8]}"
        taken.add(made)
        found[name] = made
    return found


def queries(systems: Iterable[SystemRuns]) -> Iterator[tuple[str, str]]:
    """Yield each task of the systems with the first query that a run of it states."""
    found: dict[str, str] = {}
    for one in systems:
        for task, runs in one.runs.items():
            found[task] = found.get(task) or next((run.query for run in runs if run.query), "")
    yield from sorted(found.items(), key=lambda item: _natural(item[0]))
