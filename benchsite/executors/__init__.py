"""Mapping work over units, in this process or over several; results stream back in order.

`processes` forks: what the function reaches through `shared` is inherited, not pickled, so a verified log or a set
of compiled templates costs a worker nothing. Only units and results travel. A worker holds one chunk at a time and few
results wait for their turn, so memory does not grow with the number of units.

Refuses, as PrerequisiteError, to go on where a worker was killed: its results would be missing.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from benchsite.errors import PrerequisiteError

Unit = TypeVar("Unit")
Result = TypeVar("Result")
Work = Callable[[Any, Sequence[Unit]], Sequence[Result]]

CHUNK: Final = 64
_WORTH_FORKING: Final = 512
"""Below this many units a fork costs more than it saves."""
_AHEAD: Final = 4
"""Chunks a worker that are given out before the oldest of them was taken."""
_KEPT: Final = 64
"""Answers that wait in `ahead`."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(work: Work[Unit, Result], shared: Any, units: Sequence[Unit]) -> Iterator[Result]:
    """Results of `work(shared, chunk)` over all units, in order; forks where that pays.

    Args:
        work: a module-level function from shared state and some units to as many results.
        shared: what every worker needs; forked, never pickled.
        units: picklable units of work.
    """
    workers = _workers(len(units))
    return processes(work, shared, units, workers=workers) if workers > 1 else inline(work, shared, units)


def _workers(units: int) -> int:
    """How many processes are worth their start for so many units."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return cores if units >= _WORTH_FORKING and "fork" in multiprocessing.get_all_start_methods() else 1


def inline(
    work: Work[Unit, Result], shared: Any, units: Iterable[Unit], *, chunk: int = CHUNK
) -> Iterator[Result]:
    """The same in this process."""
    for some in _chunks(units, chunk):
        yield from work(shared, some)


def processes(
    work: Work[Unit, Result], shared: Any, units: Iterable[Unit], *, workers: int, chunk: int = CHUNK
) -> Iterator[Result]:
    """The same over forked processes; an exception in one ends the map and is raised here, in its place.

    Args:
        work: as for `run`.
        shared: as for `run`.
        units: as for `run`; taken only when a worker is free.
        workers: how many processes.
        chunk: units that a worker gets at once; 1 for units of a second and more.

    Raises:
        PrerequisiteError: a worker was killed, as the kernel does where memory runs out.
    """
    team: dict[Connection, ForkProcess] = {}
    try:
        for _ in range(workers):
            _start(team, work, shared)
        for answer in _answers(list(team), _chunks(units, chunk)):
            yield from _results(answer)
    finally:
        _end(team)


@contextmanager
def ahead(work: Work[Unit, Result], shared: Any, units: Sequence[Unit]) -> Iterator[Iterator[Result]]:
    """As `run`, started at once where forking pays: the workers go on while the caller does other things."""
    workers = _workers(len(units))
    if workers == 1:
        yield inline(work, shared, units)
        return
    team: dict[Connection, ForkProcess] = {}
    relay = None
    try:
        for _ in range(workers):
            _start(team, work, shared)
        relay = _Relay(list(team), _chunks(units))  # after the forks: a thread does not survive one
        yield (result for answer in relay.taken() for result in _results(answer))
    finally:
        for worker in team.values():
            worker.terminate()
        if relay is not None:
            relay.end()
        _end(team)


class _Relay:
    """Hands out chunks and keeps the answers until their turn comes; when `_KEPT` of them wait, the workers wait too."""

    def __init__(self, free: list[Connection], chunks: Iterator[list[Any]]) -> None:
        self._answers = SimpleQueue[bytes | Exception | None]()
        self._room = threading.Semaphore(_KEPT)
        self._left = False
        self._thread = threading.Thread(target=self._pass_on, args=(free, chunks), daemon=True)
        self._thread.start()

    def _pass_on(self, free: list[Connection], chunks: Iterator[list[Any]]) -> None:
        try:
            for answer in _answers(free, chunks):
                self._answers.put(answer)
                self._room.acquire()
                if self._left:
                    return
        except Exception as error:  # noqa: BLE001 - it is raised where the answers are taken
            self._answers.put(error)
        self._answers.put(None)

    def taken(self) -> Iterator[bytes]:
        """The answers in order; raises what kept the next one from coming."""
        while (answer := self._answers.get()) is not None:
            if isinstance(answer, Exception):
                raise answer
            self._room.release()
            yield answer

    def end(self) -> None:
        """Wait for the thread, once the workers were ended; where it waits for room, it goes on and ends."""
        self._left = True
        self._room.release()
        self._thread.join()


@contextmanager
def beside(work: Callable[[Any], Result], shared: Any, *, units: int) -> Iterator[Callable[[], Result]]:
    """One piece of work while the caller does another; the function that is given waits for its result.

    Args:
        work: a module-level function; it is run here, when its result is asked for, where forking does not pay.
        shared: as for `processes`.
        units: how many things the work goes through.

    Raises:
        PrerequisiteError: as `processes`, from the function that is given.
    """
    team: dict[Connection, ForkProcess] = {}
    if _workers(units) == 1:
        yield partial(work, shared)
        return
    try:
        _start(team, _alone, (work, shared))
        (pipe,) = team
        _told(pipe, [None])
        yield lambda: _results(_heard(pipe))[0]
    finally:
        _end(team)


def _alone(shared: Any, _units: Sequence[None]) -> list[Any]:
    work, its = shared
    return [work(its)]


def _results(answer: bytes) -> Sequence[Any]:
    """What a worker found; raises what it raised."""
    found: tuple[Sequence[Any], None] | tuple[None, Exception] = pickle.loads(answer)  # noqa: S301 - a fork's
    results, error = found
    if error is not None or results is None:
        raise error or _killed()
    return results


def _start(team: dict[Connection, ForkProcess], work: Any, shared: Any) -> None:
    """Fork one more worker; whichever end of its pipe is closed first, the other learns of it."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    worker = context.Process(target=_serve, args=(theirs, [*team, ours], work, shared), daemon=True)
    # A signal waits until the worker has its own handlers. An exception that our handlers raise while the worker starts
    # is lost, and the worker would go on.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        with theirs:
            worker.start()
        team[ours] = worker
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(team: dict[Connection, ForkProcess]) -> None:
    """End every worker, whatever it does."""
    for worker in team.values():
        worker.terminate()
    for ours, worker in team.items():
        worker.join()
        worker.close()
        ours.close()


def _answers(free: list[Connection], chunks: Iterator[list[Any]]) -> Iterator[bytes]:
    """What the workers answer to each chunk, in order; an answer that waits for its turn stays pickled."""
    most = _AHEAD * len(free)
    asked: deque[int] = deque()
    busy: dict[Connection, int] = {}
    answers: dict[int, bytes] = {}
    number = 0
    while True:
        # A worker is given work only while it waits for some, so that neither side can block the other.
        while free and len(asked) < most and (chunk := next(chunks, None)) is not None:
            worker = free.pop()
            _told(worker, chunk)
            busy[worker] = number
            asked.append(number)
            number += 1
        if not asked:
            return
        for ready in connection.wait(list(busy), timeout=0 if asked[0] in answers else None):
            worker = next(one for one in busy if one is ready)
            answers[busy.pop(worker)] = _heard(worker)
            free.append(worker)
        if asked[0] in answers:
            yield answers.pop(asked.popleft())


def _told(worker: Connection, chunk: Sequence[Any]) -> None:
    try:
        worker.send(chunk)
    except OSError:
        raise _killed() from None


def _heard(worker: Connection) -> bytes:
    try:
        return worker.recv_bytes()
    except (EOFError, OSError):
        raise _killed() from None


def _killed() -> PrerequisiteError:
    return PrerequisiteError(
        "a worker process was killed before it returned its results",
        hint="free memory, or use one core: taskset -c 0 benchsite ...",
    )


def _serve(pipe: Connection, inherited: Sequence[Connection], work: Any, shared: Any) -> None:
    """Answer each chunk with (results, None) or (None, error) until the parent is done, or gone."""
    _leave_signals_to_the_parent()
    for other in inherited:
        other.close()
    with suppress(EOFError, ConnectionError):
        while True:
            chunk = pipe.recv()
            try:
                answer = pickle.dumps((work(shared, chunk), None))
            except Exception as error:  # noqa: BLE001 - it is raised in the parent
                error.add_note(traceback.format_exc())
                answer = pickle.dumps((None, error))
            pipe.send_bytes(answer)


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C reaches every process of a terminal; one of them is enough to answer it.

    Workers are ended by SIGTERM. A handler inherited from the command line would run as Python code, and one
    that waits for a lock when the signal comes may never get to it: the default ends it wherever it is.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def _chunks(units: Iterable[Unit], size: int = CHUNK) -> Iterator[list[Unit]]:
    source = iter(units)
    while chunk := list(islice(source, size)):
        yield chunk
