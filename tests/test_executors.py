from __future__ import annotations

import os
import signal
from collections.abc import Sequence

import pytest

from benchsite import executors
from benchsite.errors import InputError


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
