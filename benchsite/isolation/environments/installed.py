"""Whether a system is installed, and in which interpreter it runs: its group's environment, else benchsite's own."""

from __future__ import annotations

import importlib.metadata
import json
import sqlite3
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from benchsite.errors import PrerequisiteError
from benchsite.isolation.environments.pythons import Python, unmet
from benchsite.track import System

__all__ = [
    "LOCK",
    "RECORD",
    "Environment",
    "NotInstalledError",
    "State",
    "environment",
    "interpreter",
    "own_python",
    "program",
    "state",
]

RECORD: Final = "environment.json"
"""Written last: an environment without it is half made."""
LOCK: Final = "lock.txt"

State = Literal["installed", "other versions", "not installed"]


class NotInstalledError(PrerequisiteError):
    """A system, or something that it needs, isn't installed."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment as its record states it.

    Attributes:
        folder: where it is.
        python: its interpreter.
        requirements: what was asked for, in order.
    """

    folder: Path
    python: Python
    requirements: tuple[str, ...]


def environment(folder: Path) -> Environment | None:
    """Return the environment in a folder; None if there is none, or its making did not end."""
    python = folder / "bin/python"
    try:
        stated = json.loads((folder / RECORD).read_text("utf-8"))
        major, minor, micro = stated["python"]
        own = Python(str(python), (int(major), int(minor), int(micro)), stated["sqliteExtensions"] is True)
        found = Environment(folder, own, tuple(map(str, stated["requirements"])))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if python.exists() else None


def state(system: System, environments: str) -> State:
    """Return whether a system is installed here, and with the versions that its catalog entry pins."""
    made = environment(Path(environments, system.group)) if environments else None
    if made is not None:
        return "installed" if {*system.pins} <= {*made.requirements} else "other versions"
    found = {pin.partition("==")[0].partition("[")[0]: pin.partition("==")[2] for pin in system.pins}
    versions = {name: _version(name) for name in found}
    if not all(versions.values()):
        return "not installed"
    return "installed" if versions == found else "other versions"


def interpreter(system: System, environments: str) -> str:
    """Return the Python that a system runs in; empty for the one that runs benchsite, which has its packages.

    Raises:
        NotInstalledError: the system isn't installed, or lacks something that it needs.
    """
    again = f"benchsite adapter install {system.name}"
    made = environment(Path(environments, system.group)) if environments else None
    if made is None and state(system, environments) == "not installed":
        raise NotInstalledError(f"adapter {system.name}: not installed", hint=again)
    python = made.python if made else own_python()
    if need := unmet(system, python):
        raise NotInstalledError(f"adapter {system.name}: it needs {need}, not {python.name}", hint=again)
    for needed in system.programs:
        if not program(needed.places):
            raise NotInstalledError(f"adapter {system.name}: no program {needed.name}", hint=needed.install)
    return python.path if made else ""


def program(places: tuple[str, ...]) -> str:
    """Return the last file that one of some patterns names, as `/usr/lib/postgresql/*/bin/initdb`; empty if none."""
    for pattern in places:
        found = sorted(Path("/").glob(pattern.removeprefix("/")))
        if found:
            return str(found[-1])
    return ""


def own_python() -> Python:
    """Return the Python that runs benchsite."""
    major, minor, micro = sys.version_info[:3]
    return Python(sys.executable, (major, minor, micro), hasattr(sqlite3.Connection, "enable_load_extension"))


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
