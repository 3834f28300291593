"""Adapters: hold one against the contract of its track, and write the beginning of a new one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from benchsite import plugins
from benchsite.errors import InputError, UsageError
from benchsite.pipeline.measure.run import context
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import silent
from benchsite.repo import write_atomically
from benchsite.track import COMMAND, NOTHING, Clause, Grant, Subjects, Track

__all__ = ["FOLDER", "PROGRAM", "Created", "Language", "create", "examined", "group", "track"]

ROLE: Final = "adapter"
"""The role of a plug-in that this is about, as its track names it."""
FOLDER: Final = "adapters"
PROGRAM: Final = "adapter"
"""The name of the program in `adapters/<name>/`, by which `check` finds it."""

Language = Literal["python", "any"]
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


def track() -> Track:
    """The track whose subjects are adapters.

    Raises:
        UsageError: none is installed.
    """
    for found in plugins.tracks().values():
        if ROLE in found.groups and found.subjects is not None:
            return found
    raise UsageError("no installed track measures adapters", hint="reinstall benchsite")


def group() -> str:
    """The entry points of adapters; raises as `track`."""
    return track().groups[ROLE]


def _subjects() -> Subjects:
    subjects = track().subjects
    assert subjects is not None  # noqa: S101 - `track` looked
    return subjects


@dataclass(frozen=True, slots=True)
class Created:
    """The files of a new adapter, and the commands that come next."""

    files: tuple[Path, ...]
    next_steps: tuple[str, ...]


def examined(
    subject: str,
    options: Mapping[str, Any] | None = None,
    *,
    workspace: Workspace | None = None,
    grant: Grant = NOTHING,
    timeout_s: float | None = None,
) -> tuple[Clause, ...]:
    """Hold an installed adapter, or `command:PROGRAM ARGS`, against the contract.

    Args:
        subject: which adapter.
        options: its options.
        workspace: the repository it must not write to.
        grant: what it may have. The configuration grants nothing here: a branch under review brings its own.
        timeout_s: deadline of each call; by default the track's own.

    Raises:
        IntegrityError: the repository changed meanwhile.
        UsageError: no adapter of this name is installed.
        InputError: the quotes of the command do not close.
    """
    reference = None if subject.startswith(COMMAND) else plugins.reference(group(), subject)
    subjects = _subjects()
    with context(silent, workspace, grants=lambda _subject: grant) as made:
        found = subjects.examined(subject, reference, options or {}, made, timeout_s or subjects.timeout_s)
        return tuple(found)


def create(root: Path, name: str, language: Language) -> Created:
    """Write an adapter that already keeps the contract, for its author to change.

    Args:
        root: where `adapters/<name>/` is made.
        name: what the adapter is to be called.
        language: `any` for a program that speaks over stdio, `python` for a package with a class.

    Raises:
        InputError: the name is malformed, the folder exists, or it cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f'{name[:80]!r} is not an adapter name: use 1 to 80 of a-z, 0-9 and "-", not starting with "-"',
            hint="choose a name, for example my-search",
        )
    folder = root / FOLDER / name
    files = _subjects().scaffold(name, language)
    try:
        folder.mkdir(parents=True)
        for path, text in files.items():
            write_atomically(folder / path, text.encode())
        if language == "any":
            (folder / PROGRAM).chmod(0o755)
    except FileExistsError:
        raise InputError(f"{folder} exists already", hint="choose another name, or remove it first") from None
    except OSError as error:
        raise InputError(
            f"cannot write {folder}: {error.strerror}", hint="check the folder's owner and permissions"
        ) from None
    where = f"{FOLDER}/{name}"
    subject = name if language == "python" else f"{COMMAND}{where}/{PROGRAM}"
    install = (f"pip install -e {where}",) if language == "python" else ()
    steps = (
        *install,
        f"benchsite adapter check {subject}",
        f"benchsite run {track().name} --adapter {subject} --fixture three-notebooks-v1",
    )
    return Created(tuple(folder / path for path in files), steps)
