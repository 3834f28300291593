"""Mapping work over units, in this process or over several; results stream back in order.

`processes` forks: what the function reaches through `shared` is inherited, not pickled, so a verified log or a set
of compiled templates costs a worker nothing. Only units and results travel.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

Unit = TypeVar("Unit")
Result = TypeVar("Result")
Work = Callable[[Any, Sequence[Unit]], Sequence[Result]]

CHUNK: Final = 64
_WORTH_FORKING: Final = 512
"""Below this many units a fork costs more than it saves."""

_state: list[Any] = []


def run(work: Work[Unit, Result], shared: Any, units: Sequence[Unit]) -> Iterator[Result]:
    """Results of `work(shared, chunk)` over all units, in order; forks where that pays.

    Args:
        work: a module-level function from shared state and some units to as many results.
        shared: what every worker needs; forked, never pickled.
        units: picklable units of work.
    """
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if workers > 1 and len(units) >= _WORTH_FORKING and "fork" in multiprocessing.get_all_start_methods():
        return processes(work, shared, units, workers=workers)
    return inline(work, shared, units)


def inline(work: Work[Unit, Result], shared: Any, units: Iterable[Unit]) -> Iterator[Result]:
    """The same in this process."""
    for chunk in _chunks(units):
        yield from work(shared, chunk)


def processes(
    work: Work[Unit, Result], shared: Any, units: Iterable[Unit], *, workers: int
) -> Iterator[Result]:
    """The same over forked processes; an exception in one ends the map and is raised here."""
    _state[:] = [work, shared]
    try:
        with multiprocessing.get_context("fork").Pool(workers, _leave_signals_to_the_parent) as pool:
            for results in pool.imap(_call, _chunks(units)):
                yield from results
    finally:
        _state.clear()


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C reaches every process of a terminal; one of them is enough to answer it.

    The pool ends its workers by SIGTERM. A handler inherited from the command line would run as Python code, and one
    that waits for a lock when the signal comes may never get to it: the default ends it wherever it is.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _call(chunk: Sequence[Any]) -> Sequence[Any]:
    work, shared = _state
    found: Sequence[Any] = work(shared, chunk)
    return found


def _chunks(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    source = iter(units)
    while chunk := list(islice(source, CHUNK)):
        yield chunk
