"""Workers on other machines, or processes of a local cluster, by Dask: the sole importer of `distributed`.

Owns batches, what is in flight, and what becomes of units whose worker or scheduler is gone. Functions travel by name, so every
worker has the same package installed; who calls says what else must be the same. A unit is carried out again if its worker was
killed. Results come in any order.
"""

from __future__ import annotations

import asyncio
import logging
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from benchsite.errors import BenchsiteError, PrerequisiteError

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Cluster", "connected", "size"]

Unit = TypeVar("Unit")
Result = TypeVar("Result")
Work = Callable[[str, Any, Sequence[bytes], Sequence[Unit]], Sequence[Result]]
"""A module-level function of the worker's address, the shared order, the shared data and some units."""

MODEL: Final = "model"
"""The resource of a worker that may ask a live model."""
BATCH_S: Final = 0.1
"""Seconds of work that a batch of short units takes at least: a task of Dask costs 2 to 3 ms."""
LARGEST_BATCH: Final = 256
_CONNECT_S: Final = 10
_LOOK_S: Final = 5
_LOOKS: Final = 12
"""So many looks without a worker end the command: a new one may come meanwhile."""
_LOGGERS: Final = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
_LOST: Final = (CancelledError, asyncio.CancelledError, OSError)


class Cluster:
    """The workers of a scheduler.

    Args:
        client: connected.
        address: of the scheduler, for messages.
    """

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self.address = address

    @property
    def workers(self) -> Mapping[str, Mapping[str, float]]:
        """The resources of each worker, by its address."""
        with _told(self.address):
            found = self._client.scheduler_info(n_workers=-1)["workers"]
        return {address: worker["resources"] for address, worker in sorted(found.items())}

    def ask(self, function: Callable[..., Result], *arguments: Any) -> dict[str, Result]:
        """Return what a module-level function returns on each worker, by address.

        Raises:
            PrerequisiteError: a worker cannot import it or raises, or the scheduler is lost.
        """
        with _told(self.address):
            found = self._client.run(function, *arguments, on_error="return")
        for address, result in sorted(found.items()):
            if isinstance(result, BenchsiteError):
                raise result
            if isinstance(result, BaseException):
                raise PrerequisiteError(
                    f"worker {address} cannot run benchsite: {result}",
                    hint="install the same release of benchsite there, in the environment of the worker",
                )
        return dict(sorted(found.items()))

    def held(self, data: bytes, sha256: str) -> Future:
        """Return data that is sent to a worker once, when its first unit needs it; a worker that comes later gets it too."""
        with _told(self.address):
            return self._client.submit(bytes, data, key=f"benchsite-{sha256}", pure=False)

    def results(
        self,
        work: Work[Unit, Result],
        order: Any,
        data: Sequence[Future],
        units: Iterable[Unit],
        *,
        most: int,
        one_by_one: bool = False,
        live: bool = False,
    ) -> Iterator[tuple[Unit, Result]]:
        """Yield each unit with its result, as they come.

        Args:
            work: carries units out on a worker.
            order: what all units share; small, picklable.
            data: what `held` returned.
            units: taken only when a worker is free.
            most: units at work at the same time, or batches.
            one_by_one: whether short units go out alone, and none waits on a worker.
            live: whether units ask a live model: one by one too, and only on workers with the resource `model` if any has it.

        Raises:
            PrerequisiteError: the scheduler or every worker is lost, or a unit ended several workers.
        """
        resources = {MODEL: 1} if live and any(MODEL in found for found in self.workers.values()) else None
        from distributed.metrics import time  # noqa: PLC0415 - optional

        source, count = iter(units), 1
        pending: dict[Future, tuple[float, list[Unit]]] = {}
        alone = one_by_one or live
        ahead = most if alone else 2 * most
        try:
            while True:
                while len(pending) < ahead and (batch := list(islice(source, count))):
                    with _told(self.address):
                        future = self._client.submit(
                            _timed, work, order, list(data), batch, pure=False, resources=resources
                        )
                    pending[future] = time(), batch
                if not pending:
                    return
                for future in self._ended(list(pending)):
                    seconds, results = self._outcome(future)
                    submitted, batch = pending.pop(future)
                    count = 1 if alone else _count(len(batch), seconds, time() - submitted)
                    yield from zip(batch, results, strict=True)
        finally:
            with suppress(*_LOST):
                self._client.cancel(list(pending))

    def _outcome(self, future: Future) -> tuple[float, Sequence[Any]]:
        """Return what a batch gave; raise what its worker raised."""
        from distributed import KilledWorker  # noqa: PLC0415 - optional

        if future.status == "error" and not isinstance(error := future.exception(), KilledWorker):
            raise error
        with _told(self.address):
            found: tuple[float, Sequence[Any]] = future.result()
        return found

    def _ended(self, pending: list[Future]) -> list[Future]:
        """Wait for some of the futures; raise if no worker is left to carry them out."""
        from distributed import wait  # noqa: PLC0415 - optional

        for _ in range(_LOOKS):
            with _told(self.address), suppress(TimeoutError):
                return list(wait(pending, timeout=_LOOK_S, return_when="FIRST_COMPLETED").done)
            if self.workers:
                return []
        raise PrerequisiteError(
            f"no worker is left: {self.address}",
            hint="start workers, then re-run the command: it continues where it stopped",
        )


def _count(units: int, seconds: float, turnaround: float) -> int:
    """Return how many units make the next batch.

    A worker has the next batch while it works on one: its work hides the way of the other, if it takes as long.

    Args:
        units: of the last batch.
        seconds: of its work.
        turnaround: seconds from its submission to its result; it waited for another batch's work.
    """
    wanted = max(BATCH_S, turnaround - 2 * seconds)
    return max(1, min(LARGEST_BATCH, math.ceil(units * wanted / max(seconds, 1e-6))))


def _timed(
    work: Work[Any, Any], order: Any, data: Sequence[bytes], units: Sequence[Any]
) -> tuple[float, Sequence[Any]]:
    """Carry out a batch, on a worker, and time it."""
    from distributed import get_worker  # noqa: PLC0415 - optional
    from distributed.metrics import time  # noqa: PLC0415

    start = time()
    results = work(get_worker().address, order, data, units)
    return time() - start, results


@contextmanager
def connected(address: str, workers: int) -> Iterator[Cluster]:
    """Yield the workers of a scheduler, or of a local cluster that ends with this context.

    Args:
        address: `tcp://HOST:PORT` or `tls://HOST:PORT`; empty for a local cluster.
        workers: processes of a local cluster.

    Raises:
        PrerequisiteError: Dask isn't installed, the scheduler doesn't answer, or it has no worker.
    """
    try:
        from distributed import Client, LocalCluster  # noqa: PLC0415 - optional
    except ImportError:
        raise PrerequisiteError(
            "the executor dask needs the package distributed", hint="run: pip install 'benchsite[dask]'"
        ) from None
    for name in _LOGGERS:  # the attempts to reach a lost scheduler, too; what matters is raised here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions, which are compared here, and of sizes
        try:
            scheduler = address or stack.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
            )
            client = stack.enter_context(Client(scheduler, timeout=_CONNECT_S))
        except (OSError, ValueError) as error:
            raise PrerequisiteError(
                f"no scheduler answers: {address or 'local cluster'}: {str(error) or type(error).__name__}",
                hint="start one with `dask scheduler`, and workers with `dask worker ADDRESS --nthreads 1`",
            ) from None
        cluster = Cluster(client, address or "local cluster")
        if not cluster.workers:
            raise PrerequisiteError(
                f"the scheduler has no worker: {address}",
                hint=f"start some: dask worker {address} --nthreads 1 --nworkers N",
            )
        yield cluster


def size(address: str) -> int:
    """Return how many workers a scheduler has; raises `PrerequisiteError` as `connected`."""
    with connected(address, 0) as cluster:
        return len(cluster.workers)


@contextmanager
def _told(address: str) -> Iterator[None]:
    """Say in our words that the scheduler is lost, or that a unit ended its workers."""
    from distributed import KilledWorker  # noqa: PLC0415 - optional

    try:
        yield
    except KilledWorker as error:
        raise PrerequisiteError(
            f"a unit ended {error.allowed_failures + 1} workers, last {error.last_worker.address}",
            hint="free memory on the workers, then re-run the command: it continues where it stopped",
        ) from None
    except _LOST:
        raise PrerequisiteError(
            f"scheduler lost: {address}",
            hint="start it and its workers, then re-run the command: it continues where it stopped",
        ) from None
