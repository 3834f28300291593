"""The Pythons of this machine, and the first one that meets the needs of a system.

A Python is asked by running it: its version, and whether its `sqlite3` loads extensions (pyenv builds it without).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchsite.errors import PrerequisiteError
from benchsite.track import System

__all__ = ["Python", "ask", "choose", "unmet"]

_TIMEOUT_S: Final = 20
_OLDEST: Final = (3, 11)
"""The worker is written for it."""
_NAMES: Final = ("python3", "python3.11", "python3.12", "python3.13", "python3.14")
_ASK: Final = (
    "import json, sqlite3, sys; print(json.dumps([sys.executable, list(sys.version_info[:3]), "
    "hasattr(sqlite3.Connection, 'enable_load_extension')]))"
)


@dataclass(frozen=True, slots=True)
class Python:
    """A Python of this machine.

    Attributes:
        path: its executable.
        version: major, minor and micro.
        sqlite_extensions: whether its `sqlite3` can load extensions.
    """

    path: str
    version: tuple[int, int, int]
    sqlite_extensions: bool

    @property
    def name(self) -> str:
        """`Python 3.11.2`."""
        return f"Python {'.'.join(map(str, self.version))}"


def unmet(system: System, python: Python) -> str:
    """Return which need of a system a Python does not meet, as the rest of `it needs ...`; empty if it meets all."""
    if python.version[:2] < max(system.python, _OLDEST):
        return f"Python {'.'.join(map(str, max(system.python, _OLDEST)))} or newer"
    if system.sqlite_extensions and not python.sqlite_extensions:
        return "a Python whose sqlite3 module loads extensions"
    return ""


def choose(systems: Iterable[System], named: str = "") -> Python:
    """Return the first Python that meets the needs of all systems: the named one, or benchsite's, then those on the PATH.

    Raises:
        PrerequisiteError: no Python meets them, or the named one does not, or cannot be run.
    """
    wanted = tuple(systems)
    if named:
        found = ask(shutil.which(named) or named)
        if found is None:
            raise PrerequisiteError(
                f"{named}: not a Python with the module sqlite3", hint="give the path of a Python executable"
            )
        candidates: Iterable[Python] = (found,)
    else:
        candidates = _found()
    seen: list[Python] = []
    for python in candidates:
        if not any(unmet(system, python) for system in wanted):
            return python
        seen.append(python)
    system, need = next((one, unmet(one, seen[0])) for one in wanted if unmet(one, seen[0]))
    raise PrerequisiteError(
        f"{system.name}: it needs {need}; found {', '.join(f'{one.name} ({one.path})' for one in seen)}",
        hint=f"install one, for example: apt install python3; then: benchsite adapter install {system.name} --python PATH",
    )


def ask(path: str) -> Python | None:
    """Return what a Python says of itself; None if it does not run or lacks the module sqlite3."""
    try:
        done = subprocess.run(
            [path, "-I", "-c", _ASK], capture_output=True, timeout=_TIMEOUT_S, check=False, cwd="/"
        )
        _, version, extensions = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError, TypeError):
        return None
    major, minor, micro = version
    return Python(path, (major, minor, micro), extensions is True)


def _found() -> Iterator[Python]:
    """Yield benchsite's own Python, then others: those on the PATH, and the system's behind them."""
    paths = [sys.executable]
    paths += [path for name in _NAMES if (path := shutil.which(name))]
    paths += [path for name in _NAMES if Path(path := f"/usr/bin/{name}").is_file()]
    seen: set[tuple[tuple[int, int, int], bool]] = set()
    for path in dict.fromkeys(paths):
        python = ask(path)
        if python is not None and (kind := (python.version, python.sqlite_extensions)) not in seen:
            seen.add(kind)
            yield python
