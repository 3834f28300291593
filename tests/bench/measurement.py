"""One measurement, run in a process of its own: `python -m tests.bench.measurement NAME SIZE ROUNDS`.

Peak memory is why: what another measurement has imported or allocated would count. The process prints one JSON object, a
`Measured`; progress goes to standard error. SIZE is a number, `default` or `tiny`; ROUNDS is a number or `default`.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
ROOT: Final = FOLDER.parents[1]
DEFAULT: Final = "default"
TINY: Final = "tiny"

Numbers = Mapping[str, float | Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound that a specification puts on a number, at the default size."""

    bound: float
    least: bool = False

    def __str__(self) -> str:
        return f"at {'least' if self.least else 'most'} {self.bound:,g}"


@dataclass(frozen=True, slots=True)
class Measured:
    """The numbers of one measurement at one size, and in words the gates of some of them, by flat name, at the default size."""

    name: str
    unit: str
    size: int
    rounds: int
    numbers: Numbers
    gates: Mapping[str, str]
    gated_size: int


def known() -> list[str]:
    """The names of all measurements."""
    return sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def flat(numbers: Numbers) -> Iterator[tuple[str, float]]:
    """Each number with its name; the name of a nested one is `group.name`."""
    for name, value in numbers.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", number) for inner, number in value.items())
        else:
            yield name, value


def run(name: str, size: int | str = DEFAULT, rounds: int | str = DEFAULT) -> Measured | None:
    """Measure in a process of its own; None where that fails, after it has said why on standard error."""
    environment = {key: value for key, value in os.environ.items() if key != "CI"}  # where no cache is read
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "tests")])  # as pytest has it
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.measurement", name, str(size), str(rounds)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        check=False,
    )
    return Measured(**json.loads(done.stdout)) if done.returncode == 0 else None


def measured(name: str, size: str, rounds: str) -> Measured:
    """Measure in this process."""
    module: Any = importlib.import_module(f"tests.bench.bench_{name}")
    chosen = {DEFAULT: module.SIZE, TINY: module.TINY}.get(size) or int(size)
    times = module.ROUNDS if rounds == DEFAULT else int(rounds)
    numbers = {
        key: {inner: _rounded(number) for inner, number in value.items()}
        if isinstance(value, Mapping)
        else _rounded(value)
        for key, value in module.measure(chosen, times).items()
    }
    gates = {key: str(gate) for key, gate in module.GATES.items()}
    return Measured(name, module.UNIT, chosen, times, numbers, gates, module.SIZE)


def _rounded(number: float) -> float:
    """Four significant digits: more than a shared machine repeats. Counts stay as they are."""
    return number if isinstance(number, int) else float(f"{number:.4g}")


if __name__ == "__main__":
    print(json.dumps(asdict(measured(*sys.argv[1:]))))
