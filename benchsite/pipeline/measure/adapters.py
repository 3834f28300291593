"""Adapters: list, install and test them, and write the first files of a new one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from benchsite import plugins
from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.isolation.environments.install import install as install_environment
from benchsite.isolation.environments.install import lock
from benchsite.isolation.environments.installed import state as state_of
from benchsite.isolation.environments.pythons import Python, choose
from benchsite.layout import ENVIRONMENTS
from benchsite.pipeline.measure.surroundings import context
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.scratch import require_folder
from benchsite.progress import silent
from benchsite.repo import write_atomically
from benchsite.track import COMMAND, NOTHING, PROGRAMS, Clause, Grant, Subjects, System, Track

__all__ = [
    "FOLDER",
    "PROGRAM",
    "Created",
    "Installed",
    "Language",
    "Listed",
    "create",
    "examined",
    "group",
    "install",
    "listed",
    "track",
]

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


class Listed(NamedTuple):
    """An installed adapter: its implementation, and of a third-party system its group, back end and state.

    `state` is `built in` for benchsite's own and `installed` for one of another package.
    """

    name: str
    reference: str
    state: str
    group: str
    backend: str


class Installed(NamedTuple):
    """An environment that was made: its folder, its Python, and everything that is installed in it."""

    folder: Path
    python: str
    lock: tuple[str, ...]


def listed(workspace: Workspace | None) -> tuple[Listed, ...]:
    """Return every adapter, in name order; raises as `track`."""
    systems = {one.name: one for one in _subjects().systems}
    environments = _environments(workspace)
    found = []
    for name, reference in plugins.subjects(group()).items():
        one = systems.get(name)
        if one is None:
            state = "built in" if reference.startswith("benchsite.") else "installed"
            found.append(Listed(name, reference, state, "", ""))
        else:
            found.append(Listed(name, reference, state_of(one, environments), one.group, one.backend))
    return tuple(found)


def install(name: str, workspace: Workspace, python: str, say: Callable[[str], None]) -> Installed:
    """Make the environment of a system's group, in place of an earlier one.

    Args:
        name: of the system, or of its group.
        workspace: the repository whose `.benchsite/environments/` it is made in.
        python: the Python to use; empty for the first one that meets the needs of the group, else of the system.
        say: called with what is done next.

    Raises:
        UsageError: no system and no group has this name.
        InputError: a link or a file is in the place of the folder.
        PrerequisiteError: no Python meets its needs, or pip cannot install a requirement.
    """
    systems = _subjects().installed_with(name)
    chosen = _python(name, systems, python)
    require_folder(workspace.root, ENVIRONMENTS)
    folder = require_folder(workspace.root, f"{ENVIRONMENTS}/{systems[0].group}", make=False)
    say(f"installing {systems[0].group} under {chosen.name}: {', '.join(one.name for one in systems)}")
    made = install_environment(systems, folder, chosen)
    return Installed(folder, chosen.name, lock(made.folder))


def _python(name: str, systems: Sequence[System], python: str) -> Python:
    try:
        return choose(systems, python)
    except PrerequisiteError:
        named = [one for one in systems if one.name == name]
        if not named or len(named) == len(systems):
            raise
        return choose(named, python)


def _environments(workspace: Workspace | None) -> str:
    return str(workspace.root / ENVIRONMENTS) if workspace is not None else ""


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
    reference = None if subject.startswith(PROGRAMS) else plugins.reference(group(), subject)
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
