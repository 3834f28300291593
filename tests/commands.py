"""The command line as a person meets it, without starting an interpreter for each command.

A command is run in a fork of the tests' process: a working folder, an environment, standard streams and signal handlers
of its own, and the modules that were imported already. What an interpreter reads when it starts (`PATH`, `PYTHONPATH`)
is given to a new one instead, and tests of signals, terminals and `/proc` start one themselves.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Never

LONGEST = 300
"""Seconds after which a command is ended."""
_FIRST = ("PATH", "PYTHON", "LC_", "LANG")
"""Beginnings of variables that an interpreter reads when it starts."""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def run_in(home: Path, folder: Path) -> Run:
    """`benchsite ARGS` in a folder with this HOME and no git identity."""
    home.mkdir(exist_ok=True)

    def call(
        *arguments: str | Path, cwd: Path | None = None, data: bytes | None = None, **variables: str
    ) -> Ran:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("BENCHSITE_", "GIT_"))
        }
        said = {name: str(value) for name, value in variables.items()}
        environment = {**kept, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", **said}
        run = _started if any(name.startswith(_FIRST) for name in said) else _forked
        found = run([*map(str, arguments)], cwd or folder, environment, data)
        assert "Traceback" not in found.err, found.err
        return found

    return call


def _started(arguments: list[str], cwd: Path, environment: Mapping[str, str], data: bytes | None) -> Ran:
    out = subprocess.run(
        [sys.executable, "-m", "benchsite", *arguments],
        cwd=cwd,
        env=environment,
        input=data or b"",
        capture_output=True,
        check=False,
        timeout=LONGEST,
    )
    return Ran(out.returncode, out.stdout.decode(), out.stderr.decode())


def _forked(arguments: list[str], cwd: Path, environment: Mapping[str, str], data: bytes | None) -> Ran:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(data or b"")
        given.seek(0)
        child = os.fork()
        if child == 0:
            _become(arguments, cwd, environment, (given, out, err))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return Ran(status, out.read().decode(), err.read().decode())


def _become(
    arguments: list[str], cwd: Path, environment: Mapping[str, str], streams: tuple[IO[bytes], ...]
) -> Never:
    """Be the command from here on; nothing of the tests' process is run any more, its clean-up least of all."""
    code = 1
    try:
        signal.alarm(LONGEST)
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, closefd=False) for number, mode in enumerate(("r", "w", "w"))
        )
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
        warnings.resetwarnings()
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)
        os.chdir(cwd)
        from benchsite.cli.main import main

        main(arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - a bug in the command, shown as the interpreter shows it
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
