"""A measured program: its start, its declaration and its restarts, for every track.

Owns what a program is given: nothing at its first start. If it declares that it needs the network or environment
variables and the maintainer grants them, it is restarted with exactly those (`grants`). One that cannot be started is no
measurement: `InputError`. One that changed the repository while it ran is none either: `IntegrityError`.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.isolation import change_detection, declaration, grants, hidden_paths, sandbox, source, stderr
from benchsite.isolation.declaration import Declaration
from benchsite.isolation.interpreter import Interpreter
from benchsite.isolation.process import ChildProcess, Fault, Reply
from benchsite.isolation.requests import Serve
from benchsite.isolation.source import Asset, Source
from benchsite.track import NOTHING

if TYPE_CHECKING:
    from benchsite.track import RunContext

__all__ = ["Description", "Program", "Scalar", "Subject", "describe"]

PROTOCOL_VERSION: Final = 1
START_TIMEOUT_S: Final = 60.0
INVALID_PARAMS: Final = -32602

_HOSTED: Final = Path(__file__).parent / "environments/hosted.py"
_NAMESPACES: Final = {"sealed": "all", "offline": "network", "open": "none"}

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Program:
    """Which program to run: a Python object by `reference` (`module:name`), or any program by `command`.

    Attributes:
        noun: what messages call it (`adapter`).
        worker: the module that hosts a `reference` in its own process.
        name: what the person asked for, used in messages.
        options: passed to the program's `initialize`, keyword arguments of a Python class.
        offered: options of which a Python class gets those that it takes.
        python: absolute path of the interpreter of a `reference`; empty for the one that runs benchsite.
        start_timeout_s: it has at least so many seconds to start.
    """

    noun: str
    worker: str
    name: str
    reference: str | None
    command: tuple[str, ...] | None
    options: Mapping[str, Scalar]
    offered: Mapping[str, Scalar] = field(default_factory=dict)
    python: str = ""
    start_timeout_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Description:
    """A started program: its declaration, and what the harness found out about it.

    Attributes:
        version: of the first distribution that it declares, as installed; else its own word.
        distributions: versions of those that it declares or imports.
        assets: the files that it declares, by hash.
        interpreter: what runs it; None for a program of its own.
        subject_sha256: what pins its code, distributions and assets; None if no file defines it.
        taken: the offered options that it takes.
    """

    declared: Declaration
    version: str
    distributions: Mapping[str, str]
    assets: tuple[Asset, ...]
    interpreter: Interpreter | None
    subject_sha256: str | None
    taken: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that it declares."""
        return self.declared.name


class Subject:
    """A started program, as a context manager, that survives its crashes: `restart` gives it a fresh process."""

    def __init__(
        self, program: Program, seed: int, context: RunContext, *, start_timeout_s: float = START_TIMEOUT_S
    ) -> None:
        """Start the program and give it what it needs, as far as that is granted.

        Raises:
            InputError: it cannot be started, its declaration is malformed, or an argument names a hidden file.
            PrerequisiteError: it asks for what it was not granted, or what this machine cannot limit.
        """
        self._program = program
        self._seed = seed
        self._context = context
        self._start_timeout_s = max(start_timeout_s, program.start_timeout_s)
        self._command, self._search_path = _command(program)
        _require_no_hidden_argument(program, context)
        self._source = _source(program, self._command, self._search_path)
        self._granted = context.grants(program.name)
        self._grant = replace(NOTHING, memory_mb=self._granted.memory_mb)
        self._watched = () if sandbox.level() == "sealed" else context.watched
        self._before = change_detection.look(self._watched)
        self._peak_memory: int | None = None
        self._process = self._open()
        try:
            self.description = self._negotiate()
        except BaseException:
            self._process.kill()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        if failed is None:
            self._process.shut_down()
            self._require_unchanged()
        else:
            self._process.kill()

    @property
    def network(self) -> str:
        """`allowed`, `off`, or `not blocked` where the system does not permit to cut it."""
        if self._grant.online:
            return "allowed"
        return "off" if sandbox.network_cut() else "not blocked"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that its network access is limited to; empty if there is no such limit."""
        return self._grant.hosts

    @property
    def confinement(self) -> dict[str, Any]:
        """What the system permitted: the namespaces, whether it ran as root, whether key folders were hidden."""
        level = sandbox.level()
        return {"namespaces": _NAMESPACES[level], "root": sandbox.is_root(), "keysHidden": level == "sealed"}

    @property
    def alive(self) -> bool:
        """Whether there is a process to ask."""
        return self._process.alive

    @property
    def peak_memory(self) -> int | None:
        """The most resident memory of the program and all it started, in bytes, over all starts; None if unknown."""
        return max(filter(None, (self._peak_memory, self._process.peak_memory())), default=None)

    def call(
        self, method: str, params: Mapping[str, Any], *, timeout_s: float, serve: Serve | None = None
    ) -> Reply:
        """Ask one method of the running process; `serve` answers what it requests meanwhile."""
        return self._process.call(method, params, timeout_s=timeout_s, serve=serve)

    @property
    def last_words(self) -> str:
        """The line of the running process's stderr that says most."""
        return self._process.last_words

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last ten relevant lines of the running process's stderr."""
        return self._process.stderr

    def pause(self) -> None:
        """End the process until `restart`: others run the program meanwhile."""
        self._process.shut_down()
        self._peak_memory = self.peak_memory

    def restart(self) -> Fault | None:
        """A fresh process after a fault; what goes wrong now is data."""
        self._process.kill()
        self._peak_memory = self.peak_memory
        self._process = self._open()
        return self._initialize().fault

    def _negotiate(self) -> Description:
        """Read what the adapter needs, and restart it when that is more than nothing and granted."""
        reply = self._initialize()
        asked = declaration.wanted(_declared(reply), self._grant)
        if declaration.refused_variable(asked.environment):
            return self._described(reply)
        grant = grants.negotiated(self._program.noun, self._program.name, asked, self._granted)
        if grant != self._grant:
            self._process.kill()
            self._grant = grant
            self._process = self._open()
            reply = self._initialize()
        return self._described(reply)

    def _open(self) -> ChildProcess:
        try:
            return ChildProcess(
                self._command,
                grant=self._grant,
                folder=Path(self._context.temp_dir),
                clock_ns=self._context.perf_counter_ns,
                search_path=self._search_path,
                sealed=self._context.sealed,
                private=self._private(),
                noun=self._program.noun,
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"{self._program.noun} {self._program.name}: {self._command[0]} cannot start: {reason}",
                hint="check that the program exists and is executable",
            ) from None

    def _private(self) -> hidden_paths.Private:
        """Return what is hidden from the program, its own environment excepted."""
        python = self._program.python
        shown = (str(Path(python).parents[1]),) if python else ()
        return hidden_paths.Private(self._context.keys, self._context.answers, shown)

    def _initialize(self) -> Reply:
        params = {
            "protocolVersion": PROTOCOL_VERSION,
            "options": dict(self._program.options),
            "seed": self._seed,
        }
        if self._program.offered:
            params["offered"] = dict(self._program.offered)
        return self._process.call("initialize", params, timeout_s=self._start_timeout_s)

    def _described(self, reply: Reply) -> Description:
        """Return the checked declaration of a program that started, with what the harness reads itself."""
        declared = _declared(reply)
        self._require_options(declared, known=reply.fault is None or reply.fault.code == INVALID_PARAMS)
        problem = reply.fault.detail if reply.fault else declaration.problem(declared)
        if reply.fault and reply.fault.code == INVALID_PARAMS and self._program.options:
            self._process.kill()
            raise UsageError(
                f"{self._program.noun} {self._program.name}: {problem}", hint="correct its options"
            )
        if problem:
            self._process.kill()
            lines = [line for line in self._process.stderr if line.strip() not in problem]
            said = f"; {stderr.shown(lines)}" if lines else ""
            raise InputError(
                f"{self._program.noun} {self._program.name}: failed to start: {problem}{said}",
                hint=f"run {_by_hand(self._program)} to see its messages",
            )
        found = declaration.read(declared)
        try:
            assets = source.assets(found.assets)
            versions = self._source.versions(found.distributions) if self._source else {}
            sha256 = self._source.sha256(found.distributions, assets) if self._source else None
        except InputError as error:
            raise InputError(
                f"{self._program.noun} {self._program.name}: {error.message}", hint=error.hint
            ) from None
        return Description(
            found,
            next(iter(versions.values()), found.version),
            {**(self._source.distributions if self._source else {}), **versions},
            assets,
            self._source.interpreter if self._source else None,
            sha256,
            self._taken(declared),
        )

    def _taken(self, declared: Mapping[str, Any]) -> dict[str, Scalar]:
        """Return the offered options that a Python class takes; a program of its own is offered none."""
        takes = declared.get("options")
        if self._program.reference is None:
            return {}
        names = takes if isinstance(takes, list) else ()
        return {
            name: value
            for name, value in self._program.offered.items()
            if (takes is True or name in names) and name not in self._program.options
        }

    def _require_options(self, declared: Mapping[str, Any], *, known: bool) -> None:
        """Raise if the program does not take an option: it would be recorded without an effect."""
        takes = declared.get("options")
        if not known or takes is True:
            return
        names = takes if isinstance(takes, list) else []
        wrong = next((name for name in self._program.options if name not in names), None)
        if wrong is None:
            return
        self._process.kill()
        available = ", ".join(sorted(map(str, names)))
        without = "it has none" + (
            ": a program takes its settings as arguments" if self._program.command else ""
        )
        raise UsageError(
            f"{self._program.noun} {self._program.name}: no option {wrong!r}",
            hint=f"available: {available}" if available else without,
        )

    def _require_unchanged(self) -> None:
        """Refuse what was measured while the repository changed: the adapter may have written to it."""
        changed = change_detection.differing(self._before, change_detection.look(self._watched))
        if changed:
            more = f" and {len(changed) - 1:,} more" if len(changed) > 1 else ""
            raise IntegrityError(
                f"{self._program.noun} {self._program.name}: the repository changed while it ran: {changed[0]}{more}",
                hint="the run is discarded: check git status, and run nothing else in the repository meanwhile",
            )


def describe(program: Program, seed: int, context: RunContext) -> Description:
    """Start a program only to hear what it declares.

    Raises:
        InputError: it cannot be started or its declaration is malformed.
    """
    with Subject(program, seed, context) as subject:
        return subject.description


def _command(program: Program) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The program with its arguments, and the module search path of a Python child.

    The child's working folder is an empty one, so arguments that name existing files become absolute.
    """
    if program.reference is not None and program.python:
        return (program.python, "-P", str(_HOSTED), program.worker, program.reference), ()
    if program.reference is not None:
        worker = ("-P", "-m", program.worker, program.reference)
        paths = tuple(path for path in sys.path if path and Path(path).is_absolute())
        return (sys.executable, *worker), paths
    if not program.command:
        raise InputError(
            f"{program.noun} {program.name}: not an installed {program.noun} and not a command",
            hint=f"command:./my-{program.noun}",
        )
    executable = shutil.which(program.command[0])
    if executable is None:
        raise InputError(
            f"{program.noun} {program.name}: no executable {shlex.quote(program.command[0])}",
            hint="give its path and make it executable: chmod +x",
        )
    rest = map(_absolute, program.command[1:])
    return (str(Path(executable).absolute()), *rest), ()


def _require_no_hidden_argument(program: Program, context: RunContext) -> None:
    """Raise if a command names a file that is hidden from it: nobody can make a key readable by asking for it."""
    parts = program.command or ()
    named = {str(path): part for part in parts[1:] if (path := source.file_argument(part)[1]) is not None}
    if parts and (executable := shutil.which(parts[0])) is not None:
        named[executable] = parts[0]
    private = hidden_paths.Private(context.keys, context.answers)
    needed = sandbox.needed(context.sealed, private, Path(context.temp_dir))
    found = hidden_paths.hidden_argument(tuple(named), private, needed)
    if found is not None:
        raise InputError(
            f"{program.noun} {program.name}: argument {named[found]} is hidden from measured programs: "
            "it is a key, in a folder of keys, or has expected answers",
            hint="remove the argument, or copy what the program needs to another place",
        )


def _absolute(part: str) -> str:
    """Return an argument with its path absolute, if it names a file or folder."""
    name, path = source.file_argument(part)
    return part if path is None else f"{name}{path.resolve()}"


def _by_hand(program: Program) -> str:
    """What a person can type to see the program's own messages."""
    if program.reference is not None:
        start = shlex.join((program.python, "-P", str(_HOSTED))) if program.python else "python -P -m"
        return f"{start} {program.worker} {shlex.quote(program.reference)}"
    return shlex.join(program.command or ())


def _source(program: Program, command: tuple[str, ...], search_path: tuple[str, ...]) -> Source | None:
    """Read what pins the program, before it runs."""
    try:
        if program.reference is not None:
            return source.of_reference(program.reference, search_path, program.python)
        return source.of_program(command)
    except InputError as error:
        raise InputError(f"{program.noun} {program.name}: {error.message}", hint=error.hint) from None


def _declared(reply: Reply) -> dict[str, Any]:
    """What `initialize` answered; a program that fails for want of its grant says so in the error's data."""
    return declaration.declared_by(reply.fault.data if reply.fault else reply.result)
