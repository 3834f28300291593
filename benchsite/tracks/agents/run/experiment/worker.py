"""A worker process of the executor `dask`: an order becomes a bench once, which carries out units from then on.

An order is plain data. It has no key and no value of a variable: models take their keys from the worker's own environment.
Refuses data whose digest differs, another Python or package than the command runs on, and another configuration than the
command has, such as a plug-in of another version. Writes to its temporary folder only; the command is the one that records.
"""

from __future__ import annotations

import atexit
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchsite import canonical
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.track import Grant, RunContext, Work
from benchsite.tracks.agents.benchmarks import load
from benchsite.tracks.agents.run.experiment.attempt import Bench, unfinished
from benchsite.tracks.agents.run.experiment.carry import Carried, carry
from benchsite.tracks.agents.run.experiment.inputs import relocated
from benchsite.tracks.agents.run.experiment.unit import Unit, first_difference
from benchsite.tracks.agents.run.started import start
from benchsite.words import one_line

__all__ = ["Order", "Sent", "carried", "leave", "require_same", "runs_on"]


@dataclass(frozen=True, slots=True)
class Order:
    """What a worker needs besides data, to carry out units of a system on a benchmark.

    Attributes:
        reference: `module:attribute` of the system's class; None for a command.
        context: makes the worker's own context.
        grant: what the command's configuration grants the system.
        hidden: paths that the system must neither read nor write, as far as they exist on the worker.
        sealed: paths that it must not write.
        installed: what the command runs on.
        configuration: as the command pinned it.
        data: digests of the data, in order: the benchmark, then files.
        files: the paths that the request names, in the order of their digests.
    """

    work: Work
    reference: str | None
    context: Callable[[], AbstractContextManager[RunContext]]
    grant: Grant
    hidden: tuple[str, ...]
    sealed: tuple[str, ...]
    installed: tuple[str, ...]
    configuration: Mapping[str, Any]
    data: tuple[str, ...]
    files: tuple[str, ...]
    name: str
    is_packed: bool

    @property
    def sha256(self) -> str:
        """The digest of all that makes the bench."""
        made_of = (self.work, self.reference, self.grant, self.hidden, self.sealed)
        return canonical.digest([dict(self.configuration), list(self.data), list(self.files), repr(made_of)])


@dataclass(frozen=True, slots=True)
class Sent:
    """A unit as it travels, with the events of its unfinished attempts."""

    unit: Unit
    attempts: tuple[bytes, ...] = ()


class _Desk:
    """The bench of this process and the order that it was made for."""

    def __init__(self, place: str, order: Order, data: Sequence[bytes]) -> None:
        self.sha256 = order.sha256
        self._stack = ExitStack()
        try:
            context = self._stack.enter_context(order.context())
            require_same(place, order.installed, context.installed())
            self.folder = Path(context.temp_dir)
            self.bench = self._made(place, order, data, _within(context, order))
        except BaseException:
            self._stack.close()
            raise

    def _made(self, place: str, order: Order, data: Sequence[bytes], context: RunContext) -> Bench:
        for sha256, held in zip(order.data, data, strict=True):
            if canonical.sha256_hex(held) != sha256:
                raise IntegrityError(
                    f"worker {place}: data arrived with another digest than {sha256[:12]}",
                    hint="restart the workers, then re-run the command",
                )
        files = {}
        for number, (name, held) in enumerate(zip(order.files, data[1:], strict=True)):
            path = self.folder / f"file-{number}" / Path(name).name
            path.parent.mkdir()
            path.write_bytes(held)
            files[name] = str(path)
        work = relocated(order.work, files)
        benchmark = load(data[0], where=work.target)
        started = self._stack.enter_context(start(work, order.reference, benchmark, context))
        for name, old, new in first_difference(dict(order.configuration), started.pinned):
            was, now = (one_line(canonical.dumps(one).decode(), 80) for one in (old, new))
            raise PrerequisiteError(
                f"worker {place} has another configuration: {name} is {now}, and {was} where the command runs",
                hint="install the same release, plug-ins and files there",
            )
        return started.bench

    def close(self) -> None:
        """End the system and remove the temporary folder."""
        self._stack.close()


_LOCK = threading.Lock()
"""A worker with several threads carries out one batch at a time."""
_desks: list[_Desk] = []
"""The desk of this process; at most one."""


def carried(place: str, order: Order, data: Sequence[bytes], sent: Sequence[Sent]) -> list[Carried]:
    """Carry out units.

    Args:
        place: the worker's address, for messages.
        data: the bytes of `Order.data`.

    Raises:
        IntegrityError: data differs from its digest.
        PrerequisiteError: this process runs on other packages or has another configuration than the command.
    """
    with _LOCK:
        if not _desks or _desks[0].sha256 != order.sha256:
            _close()
            _desks.append(_Desk(place, order, data))
        return [_one(_desks[0], order, one) for one in sent]


def _one(desk: _Desk, order: Order, sent: Sent) -> Carried:
    folder = desk.folder / "unit"
    folder.mkdir(exist_ok=True)
    try:
        base = folder / f"run_{sent.unit.run}"
        for number, held in enumerate(sent.attempts, 1):
            base.with_name(f"{base.name}.attempt_{number}.jsonl").write_bytes(held)
        found = carry(desk.bench, order.name, sent.unit, base, is_packed=order.is_packed)
        if not found.result["provider_failed"]:
            return found
        return replace(found, attempts=tuple(path.read_bytes() for path in unfinished(base)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def leave() -> None:
    """End what the last order started in this process."""
    with _LOCK:
        _close()


def _close() -> None:
    while _desks:
        _desks.pop().close()


atexit.register(_close)


def _within(context: RunContext, order: Order) -> RunContext:
    """Return the worker's context, with what the command grants and hides."""
    hidden = tuple(path for path in order.hidden if Path(path).exists())
    sealed = tuple(path for path in order.sealed if Path(path).exists())
    return replace(
        context,
        grants=lambda _subject: order.grant,
        answers=(*context.answers, *hidden),
        sealed=(*context.sealed, *sealed),
    )


def runs_on(context: Callable[[], AbstractContextManager[RunContext]]) -> tuple[str, ...]:
    """Return what this process runs on: Python and packages, each with its version."""
    with context() as made:
        return made.installed()


def require_same(place: str, here: Sequence[str], there: Sequence[str]) -> None:
    """Raise `PrerequisiteError` if a worker runs on other packages than the command."""
    if found := _difference(here, there):
        raise PrerequisiteError(
            f"worker {place} runs on other packages: {found}",
            hint="install the same release and packages there, such as with `pip install -c constraints.txt`",
        )


def _difference(here: Sequence[str], there: Sequence[str]) -> str:
    """The first package that differs, in words; benchsite and Python first, and empty if none does."""
    one, other = (dict(_named(found)) for found in (here, there))
    for name in ("benchsite", "python", *sorted({*one, *other})):
        if one.get(name) != other.get(name):
            return f"{name} {other.get(name, 'is absent')} there, {one.get(name, 'absent')} here"
    return ""


def _named(found: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in found:
        name, _, version = text.partition("==")
        yield name, version
