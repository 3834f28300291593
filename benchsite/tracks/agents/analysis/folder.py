"""The summaries below a folder, by benchmark and system, and the files of an analysis.

Runs of MAS_Analyzer in folders without a summary are summarized from their traces, as the source counts. Links are not followed.
Refuses two folders of one system on one benchmark, and folders with neither.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from benchsite.errors import InputError
from benchsite.tracks.agents.analysis.report import analysis, tables
from benchsite.tracks.agents.analysis.summaries import NAME, TaskRow, read_summary
from benchsite.tracks.agents.analysis.systems import Compared, compared, of_means, over_tasks
from benchsite.tracks.agents.importers.mas_finished import task_rows
from benchsite.tracks.agents.importers.mas_runs import SUFFIXES, run_files
from benchsite.tracks.agents.importers.mas_tree import read_tree
from benchsite.tracks.agents.run.experiment.artifacts import json_file
from benchsite.tracks.agents.run.experiment.record import unwritable, write_file

__all__ = ["Options", "analyses", "write"]

LARGEST: Final = 64 * 1024 * 1024
MOST: Final = 100_000
_KEYS: Final = ("topology", "system", "system_label")
_HINT: Final = (
    "name the folder of an experiment, or write its summaries first: benchsite experiment summarize DIR"
)


class Options(NamedTuple):
    """What is asked of an analysis."""

    reference: str
    umap: bool = False


def analyses(path: Path, options: Options) -> list[dict[str, Any]]:
    """Return the document of each benchmark whose systems have summaries.

    Args:
        path: a folder with a `summary.csv` per system at any depth, or a CSV table with one row of means per system.
        options: what is asked.

    Raises:
        InputError: there is nothing to compare, or a file is malformed.
        PrerequisiteError: a package is not installed.
    """
    if path.is_file():
        found = of_means(read_summary(_read(path), path.name, keys=_KEYS))
        return [_one(path.stem, found, {}, options)]
    return [
        _one(benchmark, compared(systems), systems, options) for benchmark, systems in _systems(path).items()
    ]


def _one(
    benchmark: str, found: Compared, systems: Mapping[str, list[TaskRow]], options: Options
) -> dict[str, Any]:
    over = [{"system": name, **over_tasks(rows)} for name, rows in systems.items()]
    return analysis(benchmark, found, over, reference=options.reference, umap=options.umap)


def _systems(folder: Path) -> dict[str, dict[str, list[TaskRow]]]:
    """The rows of each system, by benchmark."""
    if not folder.is_dir():
        raise InputError(f"cannot read {folder}: not a folder", hint=_HINT)
    found: dict[str, dict[str, list[TaskRow]]] = {}
    places: dict[tuple[str, str], str] = {}
    for where, rows in _found(folder):
        above = [folder.resolve().name, *where.split("/")[:-1]]
        by_system: dict[tuple[str, str], list[TaskRow]] = {}
        for row in rows:
            benchmark = row.benchmark or (above[-2] if len(above) > 1 else "")
            by_system.setdefault((benchmark, row.system or above[-1]), []).append(row)
        for (benchmark, system), held in by_system.items():
            if (other := places.get((benchmark, system))) is not None:
                raise InputError(
                    f"system {system[:80]!r} has two summaries: {other}, {where}",
                    hint="analyze the folder of one experiment",
                )
            places[benchmark, system] = where
            found.setdefault(benchmark, {})[system] = held
    if not found:
        raise InputError(f"no {NAME} with a row below {folder}, and no run of MAS_Analyzer", hint=_HINT)
    return found


def _found(folder: Path) -> Iterator[tuple[str, list[TaskRow]]]:
    """Where rows were found, and the rows: of each summary, then of the runs that no summary covers."""
    files = _Files(folder)
    summaries = [path for path in files if path.rpartition("/")[2] == NAME]
    for path in summaries:
        yield path, read_summary(files[path], path)
    covered = {path.rpartition("/")[0] for path in summaries}
    rest = [path for path in files if path not in summaries and covered.isdisjoint(_above(path))]
    if not run_files(rest):
        return
    tree = read_tree(files.of(rest), folder.resolve().name)
    for skipped in tree.skipped:
        logging.getLogger("benchsite").warning("%s skipped: %s", skipped.path, skipped.reason)
    for system in tree.systems:
        yield f"{'/'.join(system.every[0].files.folder[:-1])}/", task_rows(system)


def _above(path: str) -> set[str]:
    """The folders that a file is in."""
    parts = path.split("/")[:-1]
    return {"/".join(parts[:depth]) for depth in range(len(parts) + 1)}


class _Files(Mapping[str, bytes]):
    """The files below a folder that are read here, by relative path; each is read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, None] = {}
        for place, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = Path(place, name)
                if name.endswith(SUFFIXES) and not path.is_symlink():
                    self._names[path.relative_to(folder).as_posix()] = None
            if len(self._names) > MOST:
                raise InputError(f"{folder} holds more than {MOST:,} files of runs and summaries", hint=_HINT)

    def of(self, names: Iterable[str]) -> Self:
        """Return some of the files."""
        part = copy(self)
        part._names = dict.fromkeys(names)  # noqa: SLF001 - ours
        return part

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return _read(self._folder / name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {(error.strerror or 'unreadable').lower()}",
            hint="check the path and its permissions",
        ) from None
    if len(data) > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST:,} bytes", hint="analyze fewer tasks at a time")
    return data


def write(folder: Path, documents: list[dict[str, Any]]) -> list[Path]:
    """Write the document and the tables of each benchmark below a folder, and return the folders.

    Raises:
        PrerequisiteError: a file cannot be written.
    """
    made = []
    for document in documents:
        place = folder / (_name(document["benchmark"]) if len(documents) > 1 else "")
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(place, error) from None
        for name, data in tables(document).items():
            write_file(place / name, data)
        write_file(place / "topology_analysis.json", json_file(document))
        made.append(place)
    return made


def _name(benchmark: str) -> str:
    """A name for a folder: the benchmark's, without what a path cannot have."""
    return (
        "".join(char if char.isalnum() or char in "-_." else "-" for char in benchmark)[:80].strip(".")
        or "benchmark"
    )
