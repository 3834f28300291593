"""A pytest plugin: no test starts after a time, and one that runs too long after it is skipped. Neither is a failure.

`BENCHSITE_QUICK` is when, by the monotonic clock, which processes share. A test that is marked `stories` runs only if
the command line names it; one that is marked `browser` or `full` never does.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

VARIABLE = "BENCHSITE_QUICK"
LONGER = 4
"""Seconds that a test which has started gets in addition."""


class TimeLimit:
    """The end, and the counts that are shown at it."""

    def __init__(self, end: float) -> None:
        self._end = end
        self._collected = 0
        self._ran: set[str] = set()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        named = {*config.args}
        kept = [item for item in items if not _marks(item) - ({"stories"} if item.nodeid in named else set())]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected = len(session.items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        return True if time.monotonic() > self._end else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        with self._limited():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        with self._limited():
            return (yield)

    @contextmanager
    def _limited(self) -> Iterator[None]:
        def over(_signal: int, _frame: FrameType | None) -> None:
            pytest.skip("it takes longer than the time that is left")

        before = signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, max(0.01, self._end + LONGER - time.monotonic()))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ran.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        left = self._collected - len(self._ran)
        if left > 0 and time.monotonic() > self._end:
            terminalreporter.write_line(f"the time is over, tests left: {left}; make test runs them")


def _marks(item: pytest.Item) -> set[str]:
    return {mark.name for mark in item.iter_markers()} & {"browser", "stories", "full"}


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(TimeLimit(float(os.environ[VARIABLE])))
