"""Evaluators' sheets in `fixtures/`: each set is read and scored as `run rubric` would, and nothing is kept.

A set is the sheets of one folder that name one version, template and agent. A sheet says at its top which methodology
and template it was filled in for; other YAML files, such as a list of prompts, are left alone. One that cannot be read is
refused: it may be a sheet. Which files are looked at is decided by HEAD (`pipeline.measure.sheets`), what they say by the
working tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchsite import plugins, yaml_document
from benchsite.errors import BenchsiteError
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.measure import run
from benchsite.pipeline.measure.sheets import FOLDER, committed
from benchsite.pipeline.report import (
    Item,
    Step,
    failure,
    judged,
    malformed,
    shown_path,
)
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.track import Sheets, Track, Work
from benchsite.words import counted

__all__ = ["any_in", "check"]

NAME: Final = "sheets"
_UNREADABLE: Final = "fix it: an unreadable file may be a sheet; if it is not one, change its extension"
_MISSING: Final = "restore it, or commit its removal"


def check(case: Case, workspace: Workspace) -> Step:
    """Every set of sheets in `fixtures/`."""
    read = {path: _read(path) for path in _files(case.snapshot, FOLDER)}
    found = [path for path, value in read.items() if _is_sheet(value)]
    items = [
        malformed(
            _where(workspace, path),
            value.message,
            _MISSING if _is_missing(path) else _UNREADABLE,
        )
        for path, value in read.items()
        if isinstance(value, BenchsiteError)
    ]
    sets: dict[tuple[Path, str, str, str], list[Path]] = {}
    for path in found:
        try:
            (work,) = _works(path)
            sets.setdefault((path.parent, work.methodology, work.target, work.subject), []).append(path)
        except BenchsiteError as error:
            items.append(failure(_where(workspace, path), error))
    for (folder, *_), paths in sets.items():
        items.extend(_problems(case, workspace, folder, paths))
    count = f"{counted(len(found), 'sheet')} in {counted(len(sets), 'set')}, all scorable"
    return judged(NAME, items, count if found else "none in fixtures/")


def any_in(snapshot: Snapshot, folder: str) -> bool:
    """Whether a folder holds a YAML file that is meant as a sheet, whatever else is wrong with it, or may be one."""
    return any(
        _is_sheet(value) or isinstance(value, BenchsiteError)
        for value in map(_read, _files(snapshot, folder))
    )


def _files(snapshot: Snapshot, folder: str) -> list[Path]:
    return [snapshot.repository.root / item.path for item in committed(snapshot, folder)]


def _where(workspace: Workspace, path: Path) -> str:
    return shown_path(path.relative_to(workspace.root).as_posix())


def _is_sheet(value: object) -> bool:
    return any(sheets.is_sheet(value) for _, sheets in _tracks_with_sheets())


def _read(path: Path) -> object:
    """What a YAML file holds, or why it can be read as none."""
    try:
        return yaml_document.load(read_bounded(path, yaml_document.MAX_BYTES), shown_path(path.name)).value
    except BenchsiteError as error:
        return error


def _is_missing(path: Path) -> bool:
    """Whether the working tree lacks a file of HEAD."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _tracks_with_sheets() -> list[tuple[Track, Sheets]]:
    """The tracks that people score."""
    found = ((track, track.sheets) for track in plugins.tracks().values())
    return [(track, sheets) for track, sheets in found if sheets is not None]


def _works(*paths: Path) -> list[Work]:
    value = _read(paths[0])
    track = next(track for track, sheets in _tracks_with_sheets() if sheets.is_sheet(value))
    return list(track.command.works(sheets=paths))


def _problems(case: Case, workspace: Workspace, folder: Path, paths: list[Path]) -> Iterator[Item]:
    for result in run.run(workspace, case.snapshot, _works(*paths), dry_run=True):
        if result.error is not None:
            yield failure(_where(workspace, folder), result.error)
