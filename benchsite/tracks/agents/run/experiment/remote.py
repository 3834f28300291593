"""The executor `dask`: units are handed to workers, and what comes back is yielded to the writer of the record.

Owns what must hold before the first unit: every worker runs on the same Python and packages as the command. The record on disk
is the only truth: after a lost worker or scheduler, a re-run hands out what the record lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchsite import canonical
from benchsite.errors import PrerequisiteError, UsageError
from benchsite.executors import cluster
from benchsite.tracks.agents.run.experiment import inputs, worker
from benchsite.tracks.agents.run.experiment.attempt import unfinished
from benchsite.tracks.agents.run.experiment.carry import Carried
from benchsite.tracks.agents.run.experiment.place import asked
from benchsite.tracks.agents.run.experiment.unit import Unit
from benchsite.tracks.agents.run.started import Started

__all__ = ["Remote"]


@dataclass(frozen=True, slots=True)
class Remote:
    """Workers for the units of a started system.

    Attributes:
        document: the bytes of the benchmark.
        one_by_one: whether units go out one at a time, as those that cost money.
    """

    started: Started
    document: bytes
    is_packed: bool
    one_by_one: bool

    def results(
        self, units: Iterable[Unit], base: Callable[[Unit], Path], workers: int
    ) -> Iterator[tuple[Unit, Carried]]:
        """Yield what became of each unit, in any order.

        Args:
            units: taken only when a worker is free.
            base: path of a unit's files on this machine, up to the dot before their kind.
            workers: how many units, or batches of short ones, are at work at the same time.

        Raises:
            PrerequisiteError: no scheduler or worker is there, a worker runs on other packages, or the scheduler is lost.
        """
        order, data = self._order()
        with cluster.connected(asked(self.started.work).scheduler, workers) as found:
            for address, installed in found.ask(worker.runs_on, order.context).items():
                worker.require_same(address, order.installed, installed)
            held = [found.held(one, sha256) for one, sha256 in zip(data, order.data, strict=True)]
            sent = (worker.Sent(unit, _attempts(base(unit))) for unit in units)
            results = found.results(
                worker.carried,
                order,
                held,
                sent,
                most=workers,
                one_by_one=self.one_by_one,
                live=self._is_live,
            )
            for one, carried in results:
                yield one.unit, carried
            with suppress(PrerequisiteError):  # every unit is done
                found.ask(worker.leave)

    @property
    def _is_live(self) -> bool:
        return any(not model.simulated for model in self.started.models.values())

    def _order(self) -> tuple[worker.Order, list[bytes]]:
        context, work = self.started.context, self.started.work
        if context.elsewhere is None:
            raise UsageError("this command cannot use the executor dask", hint="use --executor processes")
        files = inputs.files(work)
        data = [self.document, *files.values()]
        order = worker.Order(
            work,
            self.started.reference,
            context.elsewhere,
            context.grants(work.subject),
            (*context.keys, *context.answers),
            context.sealed,
            context.installed(),
            self.started.pinned,
            tuple(map(canonical.sha256_hex, data)),
            tuple(files),
            self.started.label,
            self.is_packed,
        )
        return order, data


def _attempts(base: Path) -> tuple[bytes, ...]:
    """The events of a unit's unfinished attempts; one that cannot be read is not sent."""
    found = []
    for path in unfinished(base):
        with suppress(OSError):
            found.append(path.read_bytes())
    return tuple(found)
