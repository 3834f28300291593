"""The runs of the baselines: the calls and the answer that the harness gives each of them (specs/agents.md, "Systems").

Computed where the benchmark is, so that no baseline sees it: `constant` gets the most common answer of the `seen` split,
`random-choice` and `spam-tools` calls with values of the benchmark's own, the former from one seeded stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from benchsite.stats import below, word
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.tools import Call

__all__ = ["draws", "given"]

_REFERENCE: Final = "benchsite.tracks.agents.systems.baselines:"
_DONE: Final = "Done."


def draws(seed: int, run: int) -> Callable[[int], int]:
    """Return the numbers of one run: word `run × 2^20 + i` of the seed's stream for the i-th number, from 0."""
    place = run << 20

    def pick(n: int) -> int:
        nonlocal place
        place += 1
        return below(word(seed, place - 1), n)

    return pick


def given(
    reference: str | None, benchmark: Benchmark, pick: Callable[[int], int]
) -> Mapping[str, Any] | None:
    """Return the calls and the answer of a baseline's run; None for every other system."""
    if reference is None or not reference.startswith(_REFERENCE):
        return None
    calls, answer = _GIVEN[reference.removeprefix(_REFERENCE)](benchmark, pick)
    listed = [{"tool": call.tool, "arguments": dict(call.arguments)} for call in calls]
    return {"calls": listed, "answer": answer}


_Given = tuple[Sequence[Call], str | None]


def _nothing(_benchmark: Benchmark, _pick: Callable[[int], int]) -> _Given:
    return (), None


def _most_common(benchmark: Benchmark, _pick: Callable[[int], int]) -> _Given:
    return benchmark.most_common_answer()


def _one_at_random(benchmark: Benchmark, pick: Callable[[int], int]) -> _Given:
    return (benchmark.example(benchmark.tools[pick(len(benchmark.tools))].name, pick),), _DONE


def _every_tool(benchmark: Benchmark, _pick: Callable[[int], int]) -> _Given:
    return [benchmark.example(tool.name, lambda _n: 0) for tool in benchmark.tools], _DONE


_GIVEN: Final[Mapping[str, Callable[[Benchmark, Callable[[int], int]], _Given]]] = {
    "null": _nothing,
    "constant": _most_common,
    "random_choice": _one_at_random,
    "spam_tools": _every_tool,
}
