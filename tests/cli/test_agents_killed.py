"""A native run that is killed: the traces of the runs before it stay readable, and the next command is not in their way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest
import tiny_workbench
from commands import Run
from snapshots import opened

from benchsite import plugins
from benchsite.errors import InputError
from benchsite.pipeline.measure import compose
from benchsite.pipeline.measure import run as runs
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import Receipt
from benchsite.tracks.agents.trace.event import Trace

EVENTS: Final = 2 * 27 + 1
"""27 calls with their results, and the answer."""


def traces(instance: Path) -> list[bytes]:
    """The runs that are recorded outside of artifacts, a line each."""
    records = (instance / ".benchsite").glob("traces/**/runs.jsonl")
    return [line for path in records for line in path.read_bytes().splitlines()]


def kept(instance: Path) -> set[Path]:
    return set((instance / "artifacts/full_experiment").glob("*/workbench/spam-tools/*/run_*.trace.jsonl"))


@pytest.mark.full
def test_a_killed_run_loses_at_most_the_one_in_flight(benchsite: Run, new: Path, tmp_path: Path) -> None:
    for name, data in tiny_workbench.published().items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(data)
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=new).code == 0
    options = ["run", "agents", "--benchmark", "workbench", "--system", "spam-tools", "--runs-per-task"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("BENCHSITE_")}
    child = subprocess.Popen(
        [sys.executable, "-m", "benchsite", *options, "300"],
        cwd=new,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while len(kept(new)) < 25:
        assert child.poll() is None, "it ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()

    written = kept(new)
    assert len(written) >= 25
    for path in written:
        events = list(Trace([path.read_bytes()]))
        assert (len(events), events[-1].event_type) == (EVENTS, "finalize")
    shown = benchsite("trace", min(written))
    assert f"events: {EVENTS}; tool calls: 27" in shown.out

    ran = benchsite(*options, "1", "--experiment-id", "second", cwd=new)
    assert ran.code == 0, ran.err
    assert written <= kept(new), "the killed experiment stays"
    assert len([path for path in kept(new) if "second" in path.parts]) == 7


@pytest.mark.full
@pytest.mark.stories
@pytest.mark.parametrize("failing", [0, 1], ids=["the first fails", "the second fails"])
def test_the_traces_of_a_failed_run_outlive_the_success_of_another(
    benchsite: Run, new: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """Both runs have one system and benchmark, and one command: a success removes its own traces only."""
    for name, data in tiny_workbench.published().items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(data)
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=new).code == 0
    instance, finish, calls = Workspace(new), compose.finish, []

    def finished(*recorded: Any, **links: Any) -> Receipt:
        calls.append(len(traces(new)))
        if len(calls) == failing + 1:
            raise InputError("receipt too large", hint="measure less")
        return finish(*recorded, **links)

    monkeypatch.setattr(compose, "finish", finished)
    entry = {"track": "agents", "benchmark": "workbench", "system": "constant"}
    works = [plugins.track("agents").command.suite(entry, str(new)) for _ in range(2)]
    states = [result.state for result in runs.run(instance, opened(instance), works)]
    assert states == (["failed", "measured"] if failing == 0 else ["measured", "failed"])
    tasks = calls[0]
    assert tasks > 0
    assert len(traces(new)) == tasks, "every trace of the failed run, and none of the other"
