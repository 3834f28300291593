"""The baselines: systems that need no model, run on every benchmark for comparison (specs/agents.md, "Systems").

Owns what each of them does, as the methodology states it. A baseline sees the benchmark and the number of its task, and
draws from one seeded stream, so that a run is repeatable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite.stats import below, word
from benchsite.tracks.agents.benchmarks import Benchmark

__all__ = ["BASELINES", "Baseline", "constant", "null", "random_choice", "spam_tools"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A system without a model.

    Attributes:
        actions: of one run: the benchmark, and the numbers that it draws: `pick(n)` is below n.
        answer: its final answer; None for none.
    """

    name: str
    actions: Callable[[Benchmark, Callable[[int], int]], Sequence[str]]
    answer: str | None = "Done."
    version: str = "1.0.0"


def draws(seed: int, run: int) -> Callable[[int], int]:
    """The numbers of one run: word `run × 2^20 + i` of the seed's stream for the i-th number, from 0."""
    place = run << 20

    def pick(n: int) -> int:
        nonlocal place
        place += 1
        return below(word(seed, place - 1), n)

    return pick


def _nothing(_benchmark: Benchmark, _pick: Callable[[int], int]) -> Sequence[str]:
    return ()


def _most_common(benchmark: Benchmark, _pick: Callable[[int], int]) -> Sequence[str]:
    """The answer that most tasks expect; of several the first."""
    return Counter(benchmark.answers()).most_common(1)[0][0]


def _one_at_random(benchmark: Benchmark, pick: Callable[[int], int]) -> Sequence[str]:
    return (benchmark.action(benchmark.tools[pick(len(benchmark.tools))], pick),)


def _every_tool(benchmark: Benchmark, _pick: Callable[[int], int]) -> Sequence[str]:
    return [benchmark.action(tool, lambda _n: 0) for tool in benchmark.tools]


null: Final = Baseline("null", _nothing, answer=None)
constant: Final = Baseline("constant", _most_common)
random_choice: Final = Baseline("random-choice", _one_at_random)
spam_tools: Final = Baseline("spam-tools", _every_tool)
BASELINES: Final = (null, constant, random_choice, spam_tools)
