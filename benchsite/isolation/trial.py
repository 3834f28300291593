"""Foreign source that is tried: a function called on arguments, in a process that can reach nothing.

    tried = call(source, "double", [[2], [0]], folder=context.temp_dir)
    tried.results  # {0: {"value": 4, "after": [2]}, 1: …}

The process has its own user, mount, process and network namespaces, an empty root with nothing but the standard library
(so that no fixture, key or file of another run exists there), no privileges and no way to start anything (`trial_child`).
CPU time, memory, output and wall-clock time are bounded. It gets arguments, never expected values: its caller compares
what comes back. Refuses to run anything where the system does not permit this.
"""

from __future__ import annotations

import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from benchsite.errors import PrerequisiteError
from benchsite.isolation.trial_child import UNAVAILABLE

__all__ = ["Ending", "Limits", "Tried", "call", "require_sandbox", "shut_in"]

MAX_SOURCE: Final = 100_000
"""Characters of a source."""
_CHILD: Final = Path(__file__).with_name("trial_child.py")
_LIBRARIES: Final = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
_MEGABYTE: Final = 2**20

Ending = Literal["itself", "cpu", "time"]
"""What ended a process: a limit, or the process itself."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one trial: seconds of CPU and of wall-clock time, bytes of memory and of output."""

    cpu_s: int = 1
    wall_s: float = 10.0
    memory: int = 512 * _MEGABYTE
    output: int = 64 * 1024


STANDARD: Final = Limits()


@dataclass(frozen=True, slots=True)
class Tried:
    """What came back.

    Attributes:
        results: of each call that ended, by its number: `value` and `after` (the arguments afterwards), or `raised` and
            `text`. A tuple is `{"tuple": […]}`, a dict `{"dict": {…}}`, a set `{"set": […]}`.
        fault: why there are no calls: the source could not be loaded (`raised` and `text`); None otherwise.
        ended: `cpu` or `time` if a limit ended the process; `early` if it ended itself before the last call.
    """

    results: Mapping[int, Mapping[str, Any]]
    fault: Mapping[str, str] | None
    ended: Literal["whole", "early", "cpu", "time"]


def call(
    source: str,
    function: str,
    calls: Sequence[Sequence[Any]],
    *,
    limits: Limits = STANDARD,
) -> Tried:
    """Run a source in the sandbox and call one of its functions, in one process, in order.

    Args:
        source: Python source of at most 100,000 characters; a longer one is a fault.
        function: the name of the function.
        calls: positional arguments of each call, as JSON.
        limits: of the whole trial.

    Raises:
        PrerequisiteError: this machine permits no sandbox.
    """
    require_sandbox()
    if len(source) > MAX_SOURCE:
        return Tried({}, {"raised": "SyntaxError", "text": f"more than {MAX_SOURCE:,} characters"}, "early")
    return _tried(source, function, calls, limits)


@functools.cache
def require_sandbox() -> None:
    """Raise `PrerequisiteError` if foreign source cannot be shut in on this machine; tried once."""
    try:
        found = _tried("def one():\n    return 1\n", "one", [[]], STANDARD, is_first=True)
    except OSError as error:
        raise _unavailable(error.strerror or "unknown error") from None
    if found.results.get(0, {}).get("value") != 1:
        raise _unavailable("a first trial gave no result")


def _tried(
    source: str, function: str, calls: Sequence[Sequence[Any]], limits: Limits, *, is_first: bool = False
) -> Tried:
    order = _order(source, function, calls)
    lines, ended_by = shut_in(order, limits, is_first=is_first)
    return _read(lines, len(calls), ended_by)


def _order(source: str, function: str, calls: Sequence[Sequence[Any]]) -> dict[str, Any]:
    return {"source": source, "function": function, "calls": calls}


def shut_in(
    order: Mapping[str, Any], limits: Limits, *, is_first: bool = False
) -> tuple[Sequence[bytes], Ending]:
    """Start the program of a trial in its own namespaces; the lines that it wrote, and what ended it.

    Args:
        order: what the program is told.
        limits: of the whole trial.
        is_first: every failure means that this machine permits no sandbox.

    Raises:
        PrerequisiteError: this machine permits no sandbox.
    """
    unshare, setpriv = shutil.which("unshare"), shutil.which("setpriv")
    if unshare is None or setpriv is None:
        raise _unavailable("the programs unshare and setpriv (util-linux) are needed")
    command = [
        # The signal ends the namespaces where the harness itself is killed.
        *(setpriv, "--pdeathsig", "KILL", "--"),
        *(unshare, "-r", "-m", "-n", "-i", "-u", "-p", "-f", "--kill-child", "--"),
        *(_python(), "-P", "-s", "-S", "-B", "-c", _program()),
    ]
    with (
        tempfile.TemporaryDirectory(prefix="benchsite-trial-") as root,
        tempfile.TemporaryFile() as told,
        tempfile.TemporaryFile() as results,
        tempfile.TemporaryFile() as printed,
    ):
        told.write(json.dumps({**_surroundings(root, limits), **order}).encode("ascii"))
        told.seek(0)
        process = subprocess.Popen(
            command,
            stdin=told,
            stdout=results,
            stderr=printed,
            start_new_session=True,
            cwd="/",
            env={"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PATH": os.defpath},
        )
        ended_by = _ended(process, limits)
        results.seek(0)
        lines = results.read(2 * limits.output).split(b"\n")
        if process.returncode == UNAVAILABLE or (is_first and process.returncode):
            printed.seek(0)
            raise _unavailable(printed.read(200).decode("utf-8", "replace"))
    return lines, ended_by


def _surroundings(root: str, limits: Limits) -> dict[str, Any]:
    folders, links, hidden = _visible()
    return {
        "root": root,
        "folders": folders,
        "links": links,
        "hidden": hidden,
        "limits": {"cpu_s": limits.cpu_s, "memory": limits.memory, "output": limits.output},
    }


@functools.cache
def _visible() -> tuple[list[str], dict[str, str], list[str]]:
    """Return the folders of the new root, its links, and the folders of installed packages, which are hidden in it."""
    links = {path: str(Path(path).readlink()) for path in _LIBRARIES if Path(path).is_symlink()}
    library = os.path.realpath(sysconfig.get_path("stdlib"))
    folders = [path for path in _LIBRARIES if path not in links and Path(path).is_dir()]
    if not any(library.startswith(f"{folder}/") for folder in folders):
        folders.append(library)
    packages = [Path(library), *Path("/usr/lib").glob("python3*")]
    hidden = [
        str(folder / name)
        for folder in dict.fromkeys(packages)
        for name in ("site-packages", "dist-packages")
        if (folder / name).is_dir() and not (folder / name).is_symlink()
    ]
    return folders, links, hidden


@functools.cache
def _program() -> str:
    return _CHILD.read_text("utf-8")


@functools.cache
def _python() -> str:
    """Return the interpreter itself, not the link of a virtual environment."""
    return os.path.realpath(sys.executable)


def _ended(process: subprocess.Popen[bytes], limits: Limits) -> Ending:
    """Wait for the end of a process, and return what ended it; after a while, end it with all it started."""
    poll = select.poll()
    watched = os.pidfd_open(process.pid)
    try:
        poll.register(watched, select.POLLIN)
        in_time = bool(poll.poll(limits.wall_s * 1000))
    finally:
        os.close(watched)
    if not in_time:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if not in_time:
        return "time"
    # The kernel and `wait4` count by different clocks, so that a process is ended a little early or late.
    is_cpu = process.returncode != 0 and used.ru_utime + used.ru_stime > limits.cpu_s / 2
    return "cpu" if is_cpu else "itself"


def _read(lines: Sequence[bytes], calls: int, ended_by: Ending) -> Tried:
    """Return the results by call; the first line of a call counts, and what is no result is left out."""
    results: dict[int, Mapping[str, Any]] = {}
    fault = None
    for line in lines:
        try:
            found = json.loads(line)
            number = found.pop("call")
        except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
            continue
        if number is None:
            fault = {name: str(found.get(name)) for name in ("raised", "text")}
        elif type(number) is int and 0 <= number < calls:
            results.setdefault(number, found)
    if fault is not None or len(results) == calls:
        return Tried(results, fault, "whole" if fault is None else "early")
    return Tried(results, None, "early" if ended_by == "itself" else ended_by)


def _unavailable(reason: str) -> PrerequisiteError:
    return PrerequisiteError(
        f"code cannot be run: no sandbox on this machine: {reason}",
        hint="use Linux 5.12 or later on x86_64 or aarch64 with user namespaces, and install util-linux",
    )
