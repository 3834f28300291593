"""Files of runs from a packed record, and the records of an experiment by its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchsite.errors import InputError
from benchsite.tracks.agents.run.experiment.artifacts import recorded, run_files
from benchsite.tracks.agents.run.experiment.record import Record
from benchsite.tracks.agents.run.experiment.rollup import kept_units

__all__ = ["export", "records"]


def export(folder: Path) -> int:
    """Write the files of every recorded run of an experiment, and return how many runs there are.

    Raises:
        InputError: the folder is no experiment, or a manifest is damaged.
        PrerequisiteError: a file cannot be written.
    """
    written = 0
    for record, manifest in records(folder):
        seed = manifest["configuration"]["config"]["seed"]
        for kept in kept_units(record, manifest):
            attempt = recorded(kept.result, kept.line())
            names = {"benchmark": kept.result["benchmark"], "system": kept.result["system"]}
            record.write_files(kept.unit, run_files(kept.unit, attempt, **names, seed=seed))
            written += 1
    return written


def records(folder: Path) -> list[tuple[Record, Mapping[str, Any]]]:
    """Return the records of an experiment with their manifests, in the order of benchmarks and systems.

    Raises:
        InputError: the folder is no experiment, or a manifest is damaged.
    """
    found = list(_records(folder))
    if not found:
        raise InputError(f"no experiment: {folder}", hint="name a folder below artifacts/full_experiment")
    for record, manifest in found:
        try:
            kept_units(record, manifest)
        except (KeyError, TypeError, ValueError):
            raise _damaged(record) from None
    return found


def _records(folder: Path) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    for path in sorted(folder.glob("*/*/configuration.json")):
        record = Record(folder, path.parent.parent.name, path.parent.name)
        manifest = record.manifest()
        if manifest is None:
            raise _damaged(record)
        yield record, manifest


def _damaged(record: Record) -> InputError:
    return InputError(
        f"{record.shown}/configuration.json is damaged",
        hint="re-run the command of the experiment: it keeps the recorded runs",
    )
