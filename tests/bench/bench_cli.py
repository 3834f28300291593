"""What a person waits for: processor time of `benchsite --help`, against a bare interpreter in the same rounds."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import ratio, spent

UNIT = "starts a round"
SIZE = 5
TINY = 1
ROUNDS = 3
GATES = {"help_cpu_s": Gate(0.3)}


def measure(size: int, rounds: int) -> Numbers:
    """Seconds of processor time of each."""
    ours, bare = [], []
    for _ in range(size * rounds):
        for found, arguments in ((ours, ("-m", "benchsite", "--help")), (bare, ("-c", "pass"))):
            found.append(spent([sys.executable, *arguments], cwd=Path.cwd())["cpu_s"])
    return {
        "help_cpu_s": statistics.median(ours),
        "bare_cpu_s": statistics.median(bare),
        "help_ratio": ratio(ours, bare),
    }
