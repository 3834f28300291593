"""The executor `dask` with Dask: a local cluster, two hosts as processes with separate folders, and kills."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from commands import Run
from untimed_artifacts import descriptors

pytest.importorskip("distributed")
pytestmark = pytest.mark.stories

COMMAND = (
    "run",
    "agents",
    "--benchmark",
    "arithmetic-tools",
    "--system",
    "null",
    "--packed",
    "--workers",
    "2",
)
FEW = ("--task-limit", "3", "--runs-per-task", "2", "--experiment-id")
MANY = ("--runs-per-task", "20", "--experiment-id")
LONGEST = 300


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BENCHSITE_")}
    return {**kept, **more}


@contextmanager
def started(*arguments: str, cwd: Path, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program of Dask, with its own working and temporary folder."""
    cwd.mkdir(exist_ok=True)
    (cwd / "tmp").mkdir(exist_ok=True)
    with subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=cwd,
        env=environment(TMPDIR=str(cwd / "tmp"), **variables),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as child:
        try:
            yield child
        finally:
            child.kill()


def scheduler(cwd: Path, port: int) -> tuple[object, str]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", port))
        port = found.getsockname()[1]
    program = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--no-dashboard")
    return started(*program, "--port", str(port), cwd=cwd), f"tcp://127.0.0.1:{port}"


def worker(cwd: Path, address: str, **variables: str) -> object:
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(cwd))
    return started("distributed.cli.dask_worker", address, *options, cwd=cwd, **variables)


def wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, timeout=LONGEST) as client:
        client.wait_for_workers(count, timeout=LONGEST)


def recorded(root: Path, name: str) -> list[bytes]:
    """The lines of the record that are whole."""
    path = root / "artifacts/full_experiment" / name / "arithmetic-tools/null/runs.jsonl"
    found = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [line for line in found if line.endswith(b"\n")]


def lines(root: Path, name: str) -> int:
    return len(recorded(root, name))


def descendants(pid: int) -> list[Path]:
    """The processes that a process started, and those that they started, as folders of /proc."""
    found = list[Path]()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in path.read_text().split():
            found += [Path("/proc", child), *descendants(int(child))]
    return found


def wait_for_end(processes: list[Path]) -> None:
    deadline = time.monotonic() + LONGEST
    while any(is_running(one) for one in processes):
        assert time.monotonic() < deadline, "a process outlives the command that started it"
        time.sleep(0.05)


def is_running(process: Path) -> bool:
    """Whether a process works still; one that has ended may wait to be counted by its parent."""
    with suppress(OSError):
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def equal(root: Path, one: str, other: str) -> bool:
    found = [descriptors(root / "artifacts/full_experiment" / name) for name in (one, other)]
    for file in (*found[0].values(), *found[1].values()):
        file.pop("experiment", None)
    return found[0] == found[1]


@pytest.mark.full
def test_two_processes_of_a_local_cluster_give_the_descriptors_of_processes(
    benchsite: Run, new: Path
) -> None:
    assert benchsite(*COMMAND, *FEW, "here", cwd=new).code == 0
    ran = benchsite(*COMMAND, *FEW, "away", "--executor", "dask", cwd=new)
    assert ran.code == 0, ran.err
    assert "distributed" not in ran.err
    assert equal(new, "here", "away")


@pytest.mark.full
def test_two_hosts_with_separate_folders_and_a_third_that_is_refused(
    benchsite: Run, new: Path, tmp_path: Path
) -> None:
    assert benchsite(*COMMAND, *FEW, "here", cwd=new).code == 0
    other = tmp_path / "other/zz_extra-9.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: zz-extra\nVersion: 9.1\n")
    with ExitStack() as stack:
        enter = stack.enter_context
        program, address = scheduler(tmp_path / "s", 0)
        enter(program)
        first = enter(worker(tmp_path / "one", address))
        enter(worker(tmp_path / "two", address))
        wait_for_workers(address, 2)
        away = ("--executor", "dask", "--scheduler", address)
        ran = benchsite(*COMMAND, *FEW, "away", *away, cwd=new)
        assert ran.code == 0, ran.err
        assert equal(new, "here", "away")
        first.kill()
        enter(worker(tmp_path / "three", address, PYTHONPATH=str(other.parent)))
        wait_for_workers(address, 2)
        refused = benchsite(*COMMAND, *FEW, "mixed", *away, cwd=new)
        assert refused.code == 5, refused.err
        assert "runs on other packages: zz-extra 9.1 there, absent here" in refused.err
        assert lines(new, "mixed") == 0


def documented(root: Path) -> list[list[str]]:
    """The three commands of the docs for two hosts, split into words."""
    text = (root / "content/docs/run-an-experiment.md").read_text(encoding="utf-8")
    block = text.partition("<!-- not executed: needs two hosts -->")[2].split("```")[1]
    return [line.removeprefix("$ ").split() for line in block.splitlines() if line.startswith("$ ")]


@pytest.mark.full
def test_the_documented_commands_for_two_hosts_run(
    benchsite: Run, new: Path, root: Path, tmp_path: Path
) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    here = [
        [one.replace("8786", port).replace("10.0.0.1", "127.0.0.1") for one in words]
        for words in documented(root)
    ]
    (dask, first, *scheduling), (_, second, *working), (program, *running) = here
    working[working.index("--nworkers") + 1] = "1"  # four on each host would only be slower here
    assert (dask, first, second, program) == ("dask", "scheduler", "worker", "benchsite")
    (new / "experiment.toml").write_text(
        '[run]\nbenchmarks = ["arithmetic-tools"]\nsystems = ["null"]\ntask_limit = 3\nruns_per_task = 2\n'
    )
    assert benchsite(*running[:4], *("--workers", "2", "--experiment-id", "here"), cwd=new).code == 0
    with ExitStack() as stack:
        # The default port is in the command that follows; a dashboard is no part of the experiment.
        ports = ("--port", port, "--no-dashboard")
        stack.enter_context(
            started("distributed.cli.dask_scheduler", *scheduling, *ports, cwd=tmp_path / "s")
        )
        for name in ("one", "two"):
            folder = ("--local-directory", str(tmp_path / name), "--no-dashboard")
            stack.enter_context(
                started("distributed.cli.dask_worker", *working, *folder, cwd=tmp_path / name)
            )
        wait_for_workers(f"tcp://127.0.0.1:{port}", 2)
        ran = benchsite(*running, "--experiment-id", "away", cwd=new)
    assert ran.code == 0, ran.err
    assert equal(new, "here", "away")


@pytest.mark.full
def test_a_scheduler_that_is_absent_or_misspelt_is_an_error(benchsite: Run, new: Path) -> None:
    given = ("--executor", "dask", "--scheduler")
    absent = benchsite(*COMMAND, *FEW, "x", *given, "tcp://127.0.0.1:9", cwd=new)
    assert (absent.code, "no scheduler answers: tcp://127.0.0.1:9" in absent.err) == (5, True), absent.err
    misspelt = benchsite(*COMMAND, *FEW, "x", *given, "127.0.0.1", cwd=new)
    assert (misspelt.code, "--scheduler" in misspelt.err) == (2, True), misspelt.err
    alone = benchsite(*COMMAND, *FEW, "x", "--scheduler", "tcp://127.0.0.1:9", cwd=new)
    assert (alone.code, "--scheduler: it needs the executor" in alone.err) == (2, True), alone.err


def begun(root: Path, *away: str) -> subprocess.Popen[bytes]:
    """The command, after its first results were recorded."""
    child = subprocess.Popen(
        [sys.executable, "-m", "benchsite", *COMMAND, *MANY, "away", *away],
        cwd=root,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + LONGEST
    while lines(root, "away") < 5 and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return child


@pytest.mark.full
@pytest.mark.parametrize("is_local", [False, True])
def test_a_killed_controller_loses_no_recorded_unit_and_none_counts_twice(
    benchsite: Run, new: Path, tmp_path: Path, *, is_local: bool
) -> None:
    assert benchsite(*COMMAND, *MANY, "here", cwd=new).code == 0
    with ExitStack() as stack:
        away: tuple[str, ...] = ("--executor", "dask")
        if not is_local:
            program, address = scheduler(tmp_path / "s", 0)
            stack.enter_context(program)
            for name in ("one", "two"):
                stack.enter_context(worker(tmp_path / name, address))
            wait_for_workers(address, 2)
            away = (*away, "--scheduler", address)
        with begun(new, *away) as child:
            started_by_it = descendants(child.pid)
            assert child.poll() is None, child.stderr and child.stderr.read()
            child.kill()
        before = recorded(new, "away")
        assert 5 <= len(before) < 940
        wait_for_end(started_by_it)
        # The scheduler and the workers of the killed command, if it did not start them, carry out the rest.
        ran = benchsite(*COMMAND, *MANY, "away", *away, cwd=new)
        assert ran.code == 0, ran.err
    found = recorded(new, "away")
    assert set(before) <= set(found)
    units = Counter(json.loads(line)["unit"] for line in found)
    assert (len(units), max(units.values())) == (940, 1), "47 tasks, 20 runs, each once"
    assert equal(new, "here", "away")


@pytest.mark.full
def test_a_killed_worker_costs_nothing_and_a_killed_scheduler_a_second_command(
    benchsite: Run, new: Path, tmp_path: Path
) -> None:
    assert benchsite(*COMMAND, *MANY, "here", cwd=new).code == 0
    with ExitStack() as stack:
        program, address = scheduler(tmp_path / "s", 0)
        first = stack.enter_context(program)
        killed = stack.enter_context(worker(tmp_path / "one", address))
        stack.enter_context(worker(tmp_path / "two", address))
        wait_for_workers(address, 2)
        with begun(new, "--executor", "dask", "--scheduler", address) as child:
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            before = lines(new, "away")
            while lines(new, "away") < before + 20 and child.poll() is None:
                time.sleep(0.01)
            assert child.poll() is None, child.stderr and child.stderr.read()
            first.kill()
            said = child.communicate(timeout=LONGEST)[1].decode()
        assert child.returncode == 5, said
        assert f"scheduler lost: {address}" in said
        assert "re-run the command" in said
        assert "Traceback" not in said, said
    assert 0 < lines(new, "away") < 940
    with ExitStack() as stack:
        program, address = scheduler(tmp_path / "s", 0)
        stack.enter_context(program)
        stack.enter_context(worker(tmp_path / "one", address))
        wait_for_workers(address, 1)
        away = ("--executor", "dask", "--scheduler", address)
        ran = benchsite(*COMMAND, *MANY, "away", *away, cwd=new)
        assert ran.code == 0, ran.err
    assert lines(new, "away") == 940, "47 tasks, 20 runs: none was repeated"
    assert equal(new, "here", "away")
