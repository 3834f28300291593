"""What a runner is given and what it gives back: work, what was looked up for it, what it may do, a measurement."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from benchsite.errors import BenchsiteError, InputError
from benchsite.methodology import Methodology
from benchsite.progress import Progress
from benchsite.schema import first_fault

_Entry = TypeVar("_Entry", bound=BaseModel)

COMMAND: Final = "command:"
"""What the name of a subject begins with that is started by a command."""
PROGRAMS: Final = (COMMAND, "mcp:")
"""What the names of subjects begin with that are no plug-ins: commands, and servers by a mapping file."""

LARGEST_EVIDENCE: Final = 256_000_000
"""Bytes of evidence, uncompressed, that are read at all."""
IN_GIT: Final = 5_000_000
"""Bytes of evidence, uncompressed, that git holds at most; what is larger is at the mirrors (DESIGN.md, "Top level")."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a maintainer grants a measured program; a program grants itself nothing.

    Attributes:
        network: whether it may reach every host of the network.
        hosts: names of the hosts that it may reach; without `network`, no others.
        environment: names of the variables passed on where they exist; never one of `BENCHSITE_*`.
        memory_mb: how many megabytes it and what it starts may hold together.
    """

    network: bool = False
    hosts: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    memory_mb: int = 8192

    @property
    def online(self) -> bool:
        """Whether the program has network access, limited or not."""
        return self.network or self.limited

    @property
    def limited(self) -> bool:
        """Whether the program may reach some hosts and no others."""
        return bool(self.hosts) and not self.network

    def extended(self, other: Grant) -> Grant:
        """What either of two grants names, with this one's memory."""
        hosts = tuple(dict.fromkeys((*self.hosts, *other.hosts)))
        environment = tuple(dict.fromkeys((*self.environment, *other.environment)))
        return replace(self, network=self.network or other.network, hosts=hosts, environment=environment)


NOTHING: Final = Grant()


@dataclass(frozen=True, slots=True)
class RunContext:
    """All a runner may know of the outside: a clock, the load, where to report progress, a scratch folder.

    Attributes:
        grants: what the maintainer grants a subject, by the name the work gives it.
        sealed: folders that a measured program must not write to.
        keys: private key files, which a measured program must not read.
        answers: files and folders with expected answers, which a measured program must not read either.
        watched: files and folders whose change during a measurement spoils it, where writing cannot be prevented.
        traces: folder for what a run writes as it goes on, which outlives a killed process; empty for none.
        secrets: values of credential variables, which no file may have.
        is_registered: whether the run was announced before, so that nothing older may be part of it.
        command: names the command, the same for all of its work: when it started, a hyphen and four random digits.
        new_id: gives the id of a receipt that is begun.
        environments: folder with the interpreters of installed systems; empty for none.
        receipt: where the receipt of an id is, in words, as a draft or published; empty if it is nowhere.
        installed: what this process runs on: `python==VERSION`, and `NAME==VERSION` of every package.
        elsewhere: makes the context of a worker on any machine: a module-level function, which travels by its name.
    """

    now: Callable[[], str]
    perf_counter_ns: Callable[[], int]
    load_average: Callable[[], float | None]
    cores: int
    progress: Progress
    temp_dir: str
    grants: Callable[[str], Grant] = lambda _subject: NOTHING
    sealed: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    traces: str = ""
    secrets: tuple[str, ...] = ()
    is_registered: bool = False
    command: str = ""
    new_id: Callable[[], str] = lambda: ""
    receipt: Callable[[str], str] = lambda _id: ""
    environments: str = ""
    installed: Callable[[], tuple[str, ...]] = tuple
    elsewhere: Callable[[], AbstractContextManager[RunContext]] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to measure.

    Attributes:
        subject: the plug-in's name (`sqlite-fts5`) or `command:...`.
        target: the id of the fixture, benchmark or template.
        methodology: the version to score under; empty means the newest.
        request: the track's own settings, opaque to the pipeline.
        plugins: names of further plug-ins, by the role that the track gives them.
        grant: what the command line grants the subject, besides the configuration.
        stated: the file, line and key that name the methodology; empty where the command line does.
        imported: measured elsewhere: the subject is no installed program, and its results are in `request`.
        label: the options in words, where the track has better ones than their names and values.
        offered: a `fixture.json` of the target, kept if the instance has none of its id; empty for none.
    """

    track: str
    subject: str
    target: str
    methodology: str
    request: Mapping[str, Any]
    plugins: Mapping[str, str] = field(default_factory=dict)
    grant: Grant = NOTHING
    stated: str = ""
    imported: bool = False
    label: str = ""
    offered: bytes = b""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What the pipeline looked up for a piece of work.

    Attributes:
        rules: the methodology to score under.
        references: the `module:attribute` of each plug-in, by its role; a command has none.
        target: the bytes of the fixture or benchmark; empty in tracks whose methodology holds the tasks.
    """

    rules: Methodology
    references: Mapping[str, str] = field(default_factory=dict)
    target: bytes = b""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would measure, known before it starts.

    Attributes:
        identity: what its receipt's `Summary.identity` would be, so that `--changed` can compare.
        subject: (name, version) as the subject states them.
        config: its receipt's `config`, the digest of the subject's source included.
        target: (id, sha256) of the fixture or benchmark.
        cost: how much work it is, in words.
    """

    identity: str
    subject: tuple[str, str]
    config: Mapping[str, Any]
    target: tuple[str, str]
    cost: str


@dataclass(frozen=True)
class Evidence:
    """A document kept beside the receipt, by the sha256 of its bytes; a mirrored one is never in git.

    Attributes:
        held: its bytes, or what yields them in pieces, the same each time, if they are too many to be held.
        sealed: whether it must stay on this machine: no mirror may have it.
    """

    name: str
    media_type: str
    held: bytes | Callable[[], Iterator[bytes]]
    mirrored: bool = False
    sealed: bool = False

    def pieces(self) -> Iterator[bytes]:
        """Yield its bytes from the start."""
        if isinstance(self.held, bytes):
            yield self.held
        else:
            yield from self.held()

    @property
    def data(self) -> bytes:
        """All of its bytes."""
        return self.held if isinstance(self.held, bytes) else b"".join(self.held())

    @cached_property
    def pinned(self) -> tuple[str, int]:
        """Its SHA-256 and its size in bytes."""
        found, size = hashlib.sha256(), 0
        for piece in self.pieces():
            found.update(piece)
            size += len(piece)
        return found.hexdigest(), size


@dataclass(frozen=True, slots=True)
class Measurement:
    """A finished run.

    Attributes:
        config: the receipt's `config`.
        payload: the track's own keys.
        notes: for the person who runs it.
        evidence: the receipt's `evidence`, each entry with the bytes it pins.
        simulated: whether a simulated model produced it.
        origin: `native`, or where else it was measured.
        receipt_id: the id that its receipt was given when the run began; empty for a new one.
    """

    config: Mapping[str, Any]
    payload: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    simulated: bool = False
    origin: Literal["native", "external-run", "import"] = "native"
    receipt_id: str = ""


class AlreadyMeasuredError(BenchsiteError):
    """The work ended in a receipt before; a command that goes on with it says so and makes no second one."""

    next_step = "to repeat the measurement, start another experiment"


def suite_entry(model: type[_Entry], entry: Mapping[str, Any], *, hint: str) -> _Entry:
    """An entry of a suite as its track's model reads it; raises `InputError` naming the key at fault."""
    try:
        return model.model_validate(entry)
    except ValidationError as error:
        key, message = first_fault(error)
        raise InputError(f"{key}: {message}", hint=hint) from None
