"""A foreign script that is run to its end, with test targets from an HDF5 file and packages for numerical work.

    ran = run(source, Targets(path, "10.1", tests=4), limits=Limits(cpu_s=60))
    ran.how  # "passed", or how it failed

The sandbox is that of `trial`: no files, network, processes or threads. It also has `PACKAGES` with what they require, and
nothing else that is installed. A script passes if its last line was reached: one that only ends its process does not pass.
A pass is no proof against malice. Script, targets and the function that reports the result share a process: a script that searches
its callers' frames finds both, and can report a pass that it did not earn.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError, PrerequisiteError
from benchsite.isolation.script_child import PACKAGES as PLACE
from benchsite.isolation.trial import Limits, require_sandbox, shut_in

__all__ = ["PACKAGES", "Ran", "Targets", "run", "tests_in"]

PACKAGES: Final = ("numpy", "scipy", "h5py", "sympy", "matplotlib")
"""Distributions that scripts may import; the first three are needed."""
_NEEDED: Final = 3
_CHILD: Final = Path(__file__).with_name("script_child.py")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MEGABYTE: Final = 2**20
STANDARD: Final = Limits(cpu_s=60, wall_s=120.0, memory=4096 * _MEGABYTE, output=_MEGABYTE)
MAX_SOURCE: Final = 2_000_000


class Targets(NamedTuple):
    """The targets of a step: the file, the step's group and the number of its tests."""

    file: Path
    step: str
    tests: int


class Ran(NamedTuple):
    """How a script ended: `passed`, or the exception or limit in words."""

    is_passed: bool
    how: str


def run(source: str, targets: Targets | None = None, *, limits: Limits = STANDARD) -> Ran:
    """Run a script in the sandbox; its targets are the list `targets`.

    Raises:
        InputError: the file of targets cannot be read.
        PrerequisiteError: this machine permits no sandbox, or a package is not installed.
    """
    if len(source) > MAX_SOURCE:
        return Ran(is_passed=False, how=f"has more than {MAX_SOURCE:,} characters")
    result, ended_by = _result(source, targets, limits)
    if "passed" in result:
        return Ran(is_passed=True, how="passed")
    if "raised" in result:
        return Ran(is_passed=False, how=f"raised {result['raised']}: {result['text']}".removesuffix(": "))
    return Ran(is_passed=False, how="ended the process" if ended_by == "itself" else "took too long")


def tests_in(file: Path) -> Mapping[str, int | None]:
    """Return the number of tests of each step in a file of targets; None if they are not numbered from 1 on.

    Raises:
        InputError: the file cannot be read.
        PrerequisiteError: this machine permits no sandbox, or a package is not installed.
    """
    found, _ = _result(None, Targets(file, "", 0), STANDARD)
    if "tests" not in found:
        raise _unread(file, "its reader gave no result")
    tests: Mapping[str, int | None] = found["tests"]
    return tests


def _result(source: str | None, targets: Targets | None, limits: Limits) -> tuple[dict[str, Any], str]:
    require_sandbox()
    token = secrets.token_hex(16)
    told = {
        "token": token,
        "program": _program(),
        "mounts": _packages(),
        "source": source,
        "targets": None if targets is None else str(targets.file.absolute()),
        "step": "" if targets is None else targets.step,
        "tests": 0 if targets is None else targets.tests,
    }
    lines, ended_by = shut_in(told, limits)
    found = next((line for line in map(_parsed, lines) if line.get("token") == token), {})
    if "unread" in found:
        raise _unread(targets.file if targets is not None else Path("targets"), str(found["unread"]))
    return found, ended_by


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@functools.cache
def _program() -> str:
    return _CHILD.read_text("utf-8")


@functools.cache
def _packages() -> Mapping[str, str]:
    """Return the folders and modules of the packages, by the place at which the sandbox has them.

    Raises:
        PrerequisiteError: a package is not installed.
    """
    mounts: dict[str, str] = {}
    names, seen = list(PACKAGES), set[str]()
    while names:
        name = names.pop(0)
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            if name in PACKAGES[:_NEEDED]:
                raise PrerequisiteError(
                    f"the package {name} is not installed", hint="run `pip install 'benchsite[scicode]'`"
                ) from None
            continue
        names += _required(distribution)
        for path in _top_level(distribution):
            mounts[str(path)] = f"{PLACE}/{path.name}"
    return mounts


def _required(distribution: importlib.metadata.Distribution) -> Iterator[str]:
    for line in distribution.requires or ():
        if "extra ==" not in line and (found := _NAME.match(line)) is not None:
            yield found[0]


def _top_level(distribution: importlib.metadata.Distribution) -> Iterator[Path]:
    """Yield the folders and modules that a distribution has beside its metadata."""
    parts = (file.parts[0] for file in distribution.files or ())
    for name in dict.fromkeys(parts):
        if name not in ("..", "__pycache__") and not name.endswith((".dist-info", ".pth")):
            yield Path(str(distribution.locate_file(name))).resolve()


def _unread(file: Path, why: str) -> InputError:
    return InputError(
        f"targets {file.name}: cannot be read: {why}", hint="it must be an HDF5 file: download it once more"
    )
