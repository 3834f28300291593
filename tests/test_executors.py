from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchsite import executors
from benchsite.errors import InputError, PrerequisiteError


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many this machine has: a worker is killed here, and how much is made ahead depends on their number."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


def scaled(shared: int, units: Sequence[int]) -> list[tuple[int, int]]:
    return [(unit * shared, os.getpid()) for unit in units]


def failing(_shared: None, units: Sequence[int]) -> list[int]:
    if 700 in units:
        raise InputError("unit 700 is at fault", hint="look at it")
    return list(units)


def test_processes_give_what_inline_gives_in_the_same_order() -> None:
    units = list(range(1_000))
    forked = list(executors.processes(scaled, 3, units, workers=2))
    assert [value for value, _ in forked] == [value for value, _ in executors.inline(scaled, 3, units)]
    assert os.getpid() not in {process for _, process in forked}


def test_few_units_stay_in_this_process() -> None:
    assert {process for _, process in executors.run(scaled, 3, list(range(10)))} == {os.getpid()}
    assert list(executors.run(scaled, 3, [])) == []


def test_an_error_of_a_worker_is_raised_here_with_its_hint() -> None:
    with pytest.raises(InputError, match="unit 700 is at fault"):
        list(executors.processes(failing, None, list(range(1_000)), workers=2))


def test_ahead_works_before_anything_is_taken_and_gives_the_same(tmp_path: Path) -> None:
    units, before = list(range(1_000)), set(threading.enumerate())
    with executors.ahead(_noted, tmp_path, units) as found:
        _await(tmp_path, 100)
        assert len(list(tmp_path.iterdir())) >= 100
        assert list(found) == units
    assert set(threading.enumerate()) <= before


def _noted(folder: Path, units: Sequence[int]) -> list[int]:
    for unit in units:
        (folder / str(unit)).touch()
    return list(units)


def test_ahead_waits_where_nobody_takes_and_ends_with_its_caller(tmp_path: Path) -> None:
    """At most `_KEPT` answers, and what is on its way, are made ahead of a caller that takes none."""
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        _left_early(tmp_path)
    assert set(threading.enumerate()) <= before
    for process in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(process.name), 0)


def _left_early(folder: Path) -> None:
    with executors.ahead(_counted, folder, range(200 * executors.CHUNK)) as found:
        next(found)
        made, ends = [-1, 0], time.monotonic() + 30
        while made[-1] > made[-2] and time.monotonic() < ends:
            time.sleep(0.3)
            made.append(sum(file.stat().st_size for file in folder.iterdir()))
        # The one taken, those kept, and four for each worker.
        assert made[-1] <= (1 + 64 + 2 * 4) * executors.CHUNK
        raise KeyboardInterrupt


def test_ahead_ends_where_more_answers_wait_than_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first chunk comes last, so that seven answers wait behind it; met with seventeen cores and the usual `_KEPT`."""
    monkeypatch.setattr(executors, "_KEPT", 2)

    def left() -> None:
        with executors.ahead(_first_is_last, tmp_path, range(_CHUNKS * executors.CHUNK)):
            _await(tmp_path, _CHUNKS)
            time.sleep(0.2)

    caller = threading.Thread(target=left, daemon=True)
    caller.start()
    caller.join(40)
    assert not caller.is_alive()


_CHUNKS = 8


def _first_is_last(folder: Path, units: Sequence[int]) -> list[int]:
    if 0 in units:
        _await(folder, _CHUNKS - 1)
    (folder / str(units[0])).touch()
    return list(units)


def _await(folder: Path, files: int) -> None:
    ends = time.monotonic() + 30
    while len(list(folder.iterdir())) < files and time.monotonic() < ends:
        time.sleep(0.01)


@pytest.mark.parametrize("times", [10, pytest.param(500, marks=pytest.mark.full)])
def test_ahead_ends_however_soon_its_caller_fails(times: int) -> None:
    """With the handlers of a command: a worker that is ended while it starts must not keep them, and wait for ever."""

    def handler(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(143)

    before = signal.signal(signal.SIGTERM, handler)
    try:
        for _ in range(times):
            with pytest.raises(KeyError), executors.ahead(owners, None, range(1_000)):
                raise KeyError
    finally:
        signal.signal(signal.SIGTERM, before)


def _counted(folder: Path, units: Sequence[int]) -> list[int]:
    with (folder / str(os.getpid())).open("ab") as out:
        out.write(bytes(len(units)))
    return list(units)


def test_what_ends_a_worker_ahead_is_raised_where_its_results_are_taken() -> None:
    with (
        pytest.raises(InputError, match="unit 700 is at fault"),
        executors.ahead(failing, None, range(1_000)) as found,
    ):
        list(found)
    with (
        pytest.raises(PrerequisiteError, match="killed"),
        executors.ahead(dying, None, range(5_000)) as found,
    ):
        list(found)


def test_few_units_wait_for_their_reader() -> None:
    with executors.ahead(owners, None, range(10)) as found:
        assert set(found) == {os.getpid()}


def dispositions(_shared: None, units: Sequence[int]) -> list[tuple[object, object, object]]:
    found = tuple(signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT))
    return [found for _ in units]


def test_workers_end_at_once_when_the_pool_ends_them() -> None:
    """A handler of the command line, inherited, could wait for ever behind a lock (met in `make bench`)."""

    def handler(*_: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGTERM, handler)
    try:
        seen = set(executors.processes(dispositions, None, list(range(200)), workers=2))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == {(signal.SIG_DFL, signal.SIG_DFL, signal.SIG_IGN)}


def test_shared_state_is_inherited_and_need_not_be_picklable() -> None:
    shared = lambda value: value + 1  # noqa: E731 - a lambda cannot be pickled: that is the point
    found = list(executors.processes(_apply, shared, list(range(200)), workers=2))
    assert found == list(range(1, 201))


def _apply(shared, units):  # noqa: ANN202
    return [shared(unit) for unit in units]


def dying(_shared: None, units: Sequence[int]) -> list[int]:
    if 700 in units:
        os.kill(os.getpid(), signal.SIGKILL)
    return list(units)


def test_a_killed_worker_is_an_error_and_not_a_wait_without_end() -> None:
    found: list[int] = []
    with pytest.raises(PrerequisiteError, match="killed"):
        found.extend(executors.processes(dying, None, range(5_000), workers=2))
    assert found == list(range(len(found)))


def owners(_shared: None, units: Sequence[int]) -> list[int]:
    return [os.getpid()] * len(units)


def test_workers_end_with_the_reader_that_stops_early() -> None:
    found = executors.processes(owners, None, range(10_000), workers=2)
    worker = next(found)
    found.close()  # type: ignore[attr-defined]  # a generator
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_a_slow_reader_does_not_let_results_pile_up() -> None:
    given: list[int] = []

    def units() -> Iterator[int]:
        for unit in range(100_000):
            given.append(unit)
            yield unit

    found = executors.processes(owners, None, units(), workers=2)
    next(found)
    assert len(given) <= 2 * 4 * executors.CHUNK
    found.close()  # type: ignore[attr-defined]  # a generator


def test_answers_larger_than_a_pipe_holds_arrive_whole() -> None:
    sizes = executors.processes(_large, None, range(256), workers=2)
    assert [len(data) for data in sizes] == [100_000] * 256


def _large(_shared: None, units: Sequence[int]) -> list[bytes]:
    return [bytes(100_000) for _ in units]


PARENT = """
import os, time
from benchsite import executors

def work(shared, units):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(60 if 0 in units else 0)
    return units

list(executors.processes(work, None, range(128), workers=2))
"""


def test_workers_end_when_their_parent_is_killed() -> None:
    """The one that waits for work ends at once: no other worker keeps its pipe open."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = {int(parent.stdout.readline()) for _ in range(2)}
        parent.kill()
        parent.wait()
        ends = time.monotonic() + 30
        while len(left := {worker for worker in workers if _runs(worker)}) > 1 and time.monotonic() < ends:
            time.sleep(0.01)
        for worker in left:
            os.kill(worker, signal.SIGKILL)
    assert len(left) == 1


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stat:  # noqa: PTH123
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
