"""What work costs: seconds of functions in turns, and seconds and memory of a whole command with its processes.

Two figures of memory, because a build forks. `peak_mb` is the largest sum over the processes of the tree at one moment,
sampled each tenth of a second; pages that several share are counted once (PSS), mapped files included. `largest_mb` is the
peak of the largest single process as the kernel kept it (RSS). Linux only: both come from there.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

INTERVAL_S: Final = 0.1
EVERY_CORE: Final = 0


def alternated(
    rounds: int, *, clock: Callable[[], float] = time.perf_counter, **work: Callable[[], Any]
) -> dict[str, list[float]]:
    """Seconds of each piece of work, by name, a round after the other, so that a busy machine slows all."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, call in work.items():
            start = clock()
            call()
            seconds[name].append(clock() - start)
    return seconds


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios within a round."""
    return statistics.median(one / other for one, other in zip(above, below, strict=True))


def medians(rounds: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The median of each number over rounds that have the same numbers."""
    found = list(rounds)
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def spent(command: Sequence[str], *, cwd: Path, cores: int = EVERY_CORE) -> dict[str, float]:
    """Run a command, its output dropped: `wall_s`, `cpu_s`, `peak_mb`, `largest_mb`. Raises where it fails.

    It starts from a small process: the kernel hands the peak of the one that starts a program on to it.
    """
    small = [sys.executable, "-IS", __file__, str(cores), *command]
    done = subprocess.run(small, cwd=cwd, stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _watched(command: Sequence[str]) -> dict[str, float]:
    """As `spent`, in this process."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    sums, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(INTERVAL_S):
            sums.append(sum(map(_pss, _tree(child.pid))))

    sampler = threading.Thread(target=watch)
    sampler.start()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    over.set()
    sampler.join()
    if status:
        sys.exit(f"failed with wait status {status}: {' '.join(command)}")
    largest = used.ru_maxrss / 1024
    return {
        "wall_s": wall,
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_mb": max(max(sums) / 1024, largest),
        "largest_mb": largest,
    }


def _tree(pid: int) -> Iterator[int]:
    """A process and its descendants; those that end meanwhile are left out."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = children.read_text().split()
        except OSError:
            continue
        for child in found:
            yield from _tree(int(child))


def _pss(pid: int) -> int:
    """Kilobytes of a process; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    if int(sys.argv[1]) != EVERY_CORE:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
    print(json.dumps(_watched(sys.argv[2:])))
