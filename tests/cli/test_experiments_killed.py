"""`kill -9` of the controller or a worker at any time: the experiment goes on, and ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import tiny_workbench
from commands import Run
from untimed_artifacts import descriptors

SYSTEMS = ("null", "random-choice")
"""The first one has its draft early, so that most kills come after a draft exists."""
COMMAND = (
    *("run", "agents", "--benchmark", "workbench", *(f"--system={name}" for name in SYSTEMS)),
    *("--runs-per-task", "40", "--packed", "--workers", "2", "--experiment-id"),
)


def begun(experiment: str, cwd: Path) -> subprocess.Popen[bytes]:
    """The command, in a process of its own."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("BENCHSITE_")}
    return subprocess.Popen(
        [sys.executable, "-m", "benchsite", *COMMAND, experiment],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def children(parent: int) -> Iterator[int]:
    """The processes that a process started."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            pid, _, rest = path.read_text().partition(" ")
            if int(rest.rpartition(")")[2].split()[1]) == parent:
                yield int(pid)


def drafts(root: Path) -> list[Path]:
    return sorted((root / ".benchsite/drafts").glob("*.json"))


def killed_until_done(root: Path, kills: int, seed: int) -> tuple[int, int]:
    """Kill `kills` times, then let the command end: how many kills met a process, and how many after a draft."""
    choose, met, late = random.Random(seed), 0, 0  # noqa: S311 - moments of kills
    for _ in range(kills):
        child = begun("disturbed", root)
        if choose.random() < 0.8:  # not before the first draft
            deadline = time.monotonic() + 60
            while not drafts(root) and child.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
        time.sleep(choose.random() * 1.5)
        late += bool(drafts(root))
        workers = list(children(child.pid))
        target = choose.choice(workers) if workers and choose.random() < 0.5 else child.pid
        with suppress(ProcessLookupError):
            os.kill(target, signal.SIGKILL)
            met += 1
        child.communicate()
        assert len(drafts(root)) <= len(SYSTEMS)
    deadline = time.monotonic() + 240
    while True:
        child = begun("disturbed", root)
        told = child.communicate()[0].decode()
        if child.returncode == 0:
            return met, late
        assert "another command works on this experiment" in told, told  # runs of a killed command end first
        assert time.monotonic() < deadline
        time.sleep(0.5)


def check(benchsite: Run, root: Path, tmp_path: Path, kills: int) -> None:
    for name, data in tiny_workbench.published().items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(data)
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=root).code == 0
    ran = benchsite(*COMMAND, "undisturbed", cwd=root)
    assert ran.code == 0, ran.err
    for path in drafts(root):
        path.unlink()
    met, late = killed_until_done(root, kills, seed=kills)
    assert met >= kills / 2
    assert late >= kills / 2, "at least half of them after a draft exists"
    assert len(drafts(root)) == len(SYSTEMS), "one draft for each system"
    kept = root / "artifacts/full_experiment"
    one, two = descriptors(kept / "undisturbed"), descriptors(kept / "disturbed")
    for found in (*one.values(), *two.values()):
        found.pop("experiment", None)
    assert two == one
    for path in drafts(root):
        scored = benchsite("rescore", "--evaluate", path, cwd=root)
        assert scored.code == 0, scored.out
        assert "MATCHES" in scored.out


@pytest.mark.stories
def test_an_experiment_outlives_a_few_kills(benchsite: Run, new: Path, tmp_path: Path) -> None:
    check(benchsite, new, tmp_path, 4)


@pytest.mark.full
def test_an_experiment_outlives_fifty_kills(benchsite: Run, new: Path, tmp_path: Path) -> None:
    check(benchsite, new, tmp_path, 50)
