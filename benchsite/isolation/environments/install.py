"""The making of an environment: a virtual environment, filled by pip with pinned requirements, and its lock.

pip is the one of benchsite's own environment, so that the new one holds nothing but what was asked for. The record is written
last. If anything fails, the folder is removed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from benchsite.errors import PrerequisiteError
from benchsite.isolation.environments.installed import LOCK, RECORD, Environment, environment
from benchsite.isolation.environments.pythons import Python
from benchsite.isolation.interpreter import of_python
from benchsite.track import System

__all__ = ["install", "lock"]

_VENV_TIMEOUT_S: Final = 120
_PIP_TIMEOUT_S: Final = 3600
_MOST: Final = 300
"""Characters of pip's last error that a message repeats."""


def install(systems: Sequence[System], folder: Path, python: Python) -> Environment:
    """Make the environment of a group in place of an earlier one.

    Args:
        systems: all systems of the group.
        folder: where it is made; its parent exists.
        python: the Python that it is made of.

    Raises:
        PrerequisiteError: pip is missing, or cannot install a requirement.
    """
    if find_spec("pip") is None:
        raise PrerequisiteError(
            "benchsite's own environment has no pip", hint=f"install it: {sys.executable} -m ensurepip"
        )
    try:
        shutil.rmtree(folder, ignore_errors=True)
        _run([python.path, "-I", "-m", "venv", "--without-pip", str(folder)], _VENV_TIMEOUT_S, folder.name)
        _pip(folder, _unique(pin for system in systems for pin in system.requirements))
        _pip(folder, _unique(pin for system in systems for pin in system.without_dependencies), "--no-deps")
        _record(systems, folder, python)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    made = environment(folder)
    if made is None:
        raise PrerequisiteError(f"{folder} was changed while it was made", hint="run the command alone")
    return made


def lock(folder: Path) -> tuple[str, ...]:
    """Return `name==version` of everything that an environment holds, as receipts hash it."""
    packages = of_python(folder / "bin/python").packages
    return tuple(sorted(f"{name}=={version}" for name, version in packages.items()))


def _unique(pins: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pins))


def _record(systems: Sequence[System], folder: Path, python: Python) -> None:
    (folder / LOCK).write_text("".join(f"{line}\n" for line in lock(folder)), "utf-8")
    stated = {
        "python": list(python.version),
        "sqliteExtensions": python.sqlite_extensions,
        "requirements": _unique(pin for system in systems for pin in system.pins),
    }
    part = folder / f"{RECORD}.part"
    part.write_text(json.dumps(stated, indent=2) + "\n", "utf-8")
    part.replace(folder / RECORD)


def _pip(folder: Path, pins: Sequence[str], *options: str) -> None:
    if pins:
        quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
        command = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", *quiet]
        _run([*command, *options, *pins], _PIP_TIMEOUT_S, folder.name)


def _run(command: list[str], timeout_s: int, group: str) -> None:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            env={**os.environ, "PYTHONUTF8": "1"},
        )
    except subprocess.TimeoutExpired:
        raise PrerequisiteError(
            f"{group}: not installed after {timeout_s:,} s", hint="check the connection, then retry"
        ) from None
    except OSError as error:
        raise PrerequisiteError(
            f"{group}: cannot run {command[0]}: {error.strerror}",
            hint="name another Python: benchsite adapter install NAME --python PATH",
        ) from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").splitlines()
        reason = next(
            (line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else ""
        )
        raise PrerequisiteError(
            f"{group}: not installed: {reason.removeprefix('ERROR: ')[:_MOST] or 'no reason given'}",
            hint="check the package index and the disk, then retry",
        )
