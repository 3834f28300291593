"""An experiment carried out: units that are not done yet, over processes or machines.

Owns the order: what the record has is kept, what is missing is handed out one by one, and a cost limit stops the handing
out. A worker starts its own process of the system. A fork records what it ran; for workers of Dask the command does. Whatever ends the command, the record has every unit that ended before.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from benchsite import executors
from benchsite.errors import PrerequisiteError
from benchsite.isolation.subject import Subject
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.run.experiment.attempt import Bench, unfinished
from benchsite.tracks.agents.run.experiment.carry import Carried, carry
from benchsite.tracks.agents.run.experiment.progress import Tally
from benchsite.tracks.agents.run.experiment.record import Kept, Record
from benchsite.tracks.agents.run.experiment.remote import Remote
from benchsite.tracks.agents.run.experiment.unit import Unit

__all__ = ["Cost", "Crew", "Done", "carry_out"]


class Done(NamedTuple):
    """A unit that is done; `detail` says for the terminal why its run did not end by itself."""

    kept: Kept
    detail: str = ""


class Cost:
    """US dollars that the runs of this command cost so far, counted over all processes.

    Args:
        before: what the record had before.
        most: the limit; None for none.
    """

    def __init__(self, before: float = 0.0, most: float | None = None) -> None:
        context = multiprocessing.get_context("fork")
        self._spent, self._unknown = context.Value("d", before), context.Value("b", 0)
        self.most = most

    def add(self, usd: float | None, *, is_asked: bool) -> None:
        """Count the cost of a run; `is_asked` says whether it asked a model, so that a cost of None is unknown."""
        with self._spent.get_lock():
            self._spent.value += usd or 0.0
            if usd is None and is_asked:
                self._unknown.value = 1

    @property
    def is_unknown(self) -> bool:
        """Whether a run asked a model and its cost isn't known, so that no limit can be kept."""
        return self.most is not None and bool(self._unknown.value)

    @property
    def spent(self) -> float:
        """US dollars."""
        return float(self._spent.value)

    @property
    def is_reached(self) -> bool:
        """Whether no further run may start."""
        return self.most is not None and (self.spent >= self.most or self.is_unknown)


@dataclass
class Crew:
    """What the workers of one system on one benchmark share; each makes its own process and its own models.

    Attributes:
        bench: of this process: its subject is running.
        start: starts the system again, in a worker.
        models: makes the models again, in a worker.
        workers: how many processes; 1 is this one.
        is_packed: whether the files of runs are left to `experiment export`.
        expected: what all runs are expected to take, in words; empty if no model is asked.
        remote: workers of the executor `dask`; None for processes of this command.
    """

    bench: Bench
    record: Record
    name: str
    start: Callable[[], Subject]
    models: Callable[[], Mapping[str, Model]]
    cost: Cost
    workers: int = 1
    is_packed: bool = False
    expected: str = ""
    remote: Remote | None = None
    _own: Bench | None = field(default=None, init=False)

    def at_work(self) -> Bench:
        """The bench of this process."""
        if self.workers == 1:
            return self.bench
        if self._own is None:
            self._own = replace(self.bench, subject=self.start(), models=self.models())
        return self._own


def carry_out(crew: Crew, units: Sequence[Unit], progress: Callable[[int, int, str], None]) -> list[Done]:
    """Return every unit of an experiment, in order, those that the record has and those that are run now.

    Raises:
        PrerequisiteError: the cost limit is reached, a worker was killed, or the record cannot be written.
    """
    found: dict[str, Done] = {}
    tally = Tally(len(units), crew.bench.clock.counter)
    for unit in units:
        if (kept := crew.record.kept(unit)) is not None and not kept.result["provider_failed"]:
            found[unit.sha256] = Done(kept)
            tally.add(kept.result, is_kept=True)
            crew.cost.add(kept.result["columns"]["costUsd"], is_asked=bool(kept.result["responded"]))
    missing = [unit for unit in units if unit.sha256 not in found]
    label = f"{crew.name} on {crew.bench.benchmark.id}"
    starts = tally.line(label) if tally.done or not crew.expected else f"{label}: {crew.expected}"
    progress(tally.done, tally.total, starts)
    for unit, done in _results(crew, missing):
        found[unit.sha256] = done
        tally.add(done.kept.result)
        progress(tally.done, tally.total, tally.line(label))
    if len(found) < len(units) and crew.cost.is_unknown:
        raise PrerequisiteError(
            f"a run of {label} has no known cost, so that --max-cost can't be kept: after {tally.done:,} of "
            f"{tally.total:,} runs",
            hint="the server must state the tokens of each completion, or go on without --max-cost",
        )
    if len(found) < len(units):
        raise PrerequisiteError(
            f"cost limit reached: {crew.cost.spent:.4f} of {crew.cost.most:g} USD, after {tally.done:,} of "
            f"{tally.total:,} runs of {label}",
            hint=f"to go on: a larger --max-cost, and --experiment-id {crew.record.experiment.name}",
        )
    return [found[unit.sha256] for unit in units]


def _results(crew: Crew, missing: Sequence[Unit]) -> Iterator[tuple[Unit, Done]]:
    """The results of the units that are run now, in any order; fewer if the cost limit is reached."""

    def handed_out() -> Iterator[Unit]:
        for unit in missing:
            if crew.cost.is_reached:
                return
            yield unit

    if crew.remote is not None and missing:
        crew.bench.subject.pause()
        for unit, carried in crew.remote.results(handed_out(), crew.record.base, crew.workers):
            yield unit, _recorded(crew, unit, carried)
        return
    crew.workers = max(1, min(crew.workers, len(missing)))
    if crew.workers == 1:
        results = executors.inline(_work, crew, handed_out(), chunk=1)
    else:
        crew.bench.subject.pause()
        results = executors.processes(_work, crew, handed_out(), workers=crew.workers, chunk=1)
    yield from zip(missing, results, strict=False)


def _work(crew: Crew, units: Sequence[Unit]) -> list[Done]:
    return [_one(crew, unit) for unit in units]


def _one(crew: Crew, unit: Unit) -> Done:
    carried = carry(crew.at_work(), crew.name, unit, crew.record.base(unit), is_packed=crew.is_packed)
    return _recorded(crew, unit, carried)


def _recorded(crew: Crew, unit: Unit, carried: Carried) -> Done:
    """Write what became of a unit, its files first: a unit that the record has is not carried out again."""
    record, base = crew.record, crew.record.base(unit)
    record.write_files(unit, carried.files)
    kept = record.commit(unit, carried.result, carried.line)
    # What a provider answered before it failed is not asked for again: the next command repeats the unit.
    for path in () if carried.result["provider_failed"] else unfinished(base):
        with suppress(OSError):
            path.unlink()
    for number, events in enumerate(carried.attempts, 1):
        record.write_of_task(unit.task, f"{base.name}.attempt_{number}.jsonl", events)
    crew.cost.add(carried.result["columns"]["costUsd"], is_asked=bool(carried.result["responded"]))
    return Done(kept, carried.detail)
