"""What a person waits for: `python -m tests.bench cli`. Not a test.

Processor time of `benchsite --help`, against a bare interpreter in the same rounds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

ROUNDS = 15


def processor_seconds(*command: str) -> float:
    """User and system time of one child."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{command} failed")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure, print, and end with one JSON line."""
    ours, bare = [], []
    for _ in range(ROUNDS):
        ours.append(processor_seconds(sys.executable, "-m", "benchsite", "--help"))
        bare.append(processor_seconds(sys.executable, "-c", "pass"))
    middle = statistics.median(ours)
    print(f"benchsite --help: {middle:.3f} s of processor time, median of {ROUNDS} (gate: 0.3)")
    print(f"a bare interpreter in the same rounds: {statistics.median(bare):.3f} s")
    print(
        json.dumps({"helpCpuSeconds": round(middle, 3), "bareCpuSeconds": round(statistics.median(bare), 3)})
    )


if __name__ == "__main__":
    main()
