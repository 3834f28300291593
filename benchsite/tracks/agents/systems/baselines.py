"""The baselines: systems that need no model, run on every benchmark for comparison (specs/agents.md, "Systems").

`null` does nothing; `constant`, `random-choice` and `spam-tools` carry out calls that the harness chose for the run
(`run.baselines`), because their values are the benchmark's. They run in a process of their own, as every system does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from benchsite.tracks.agents.benchmarks import Task
from benchsite.tracks.agents.systems import ModelHandle, Toolbox, Trace

__all__ = ["BASELINES", "Baseline", "constant", "null", "random_choice", "spam_tools"]


class Baseline:
    """A system that carries out the calls that it is given, and gives the answer that it is given."""

    version = "1.0.0"
    author = "benchsite"

    def __init__(self, name: str) -> None:
        self.name = name
        self._calls: Sequence[Mapping[str, Any]] = ()
        self._answer: str | None = None

    def prepare(self, given: Mapping[str, Any]) -> None:
        """Take the calls and the answer of the next run."""
        self._calls, self._answer = given["calls"], given["answer"]

    def solve(
        self,
        task: Task,
        tools: Toolbox,
        models: Mapping[str, ModelHandle],
        trace: Trace,
    ) -> str | None:
        """Carry out the calls in order."""
        del task, models, trace
        for call in self._calls:
            tools.call(call["tool"], call["arguments"])
        return self._answer

    def describe(self) -> Mapping[str, Any]:
        """Return that it is a baseline and asks no model."""
        return {"kind": "baseline", "roles": []}


null: Final = partial(Baseline, "null")
constant: Final = partial(Baseline, "constant")
random_choice: Final = partial(Baseline, "random-choice")
spam_tools: Final = partial(Baseline, "spam-tools")
BASELINES: Final = ("null", "constant", "random-choice", "spam-tools")
