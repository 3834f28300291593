"""Estimate of an experiment before it starts: model calls, tokens and US dollars (specs/agents.md, "Models").

The estimate follows from the sizes that a system describes and from the text of the tasks, and assumes that no discussion
stops early. It is for planning and enters no receipt. The progress line replaces it by the recorded cost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from benchsite.tracks.agents.benchmarks import Benchmark, Task
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.models.prices import Estimate, Expected, PriceTable
from benchsite.tracks.agents.run.measured import Described
from benchsite.words import amount

__all__ = ["Expectation"]

CALLS_OF_AN_ANSWER: Final = 2
"""Requests of one agent's answer: a tool call, then the answer."""
CHARACTERS_OF_A_TOKEN: Final = 4
"""Of English text, in the vocabularies of current models."""
CHARACTERS_OF_A_ROLE: Final = 800
"""The role's own part of a prompt, and what an agent hears from others."""
TOKENS_OUT: Final = 80
"""Of one completion of an agent that does not reason first."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the runs of a system are expected to take.

    Attributes:
        calls: model calls of all runs.
        tokens: input and output tokens of all runs.
        cost: in US dollars; None if every model is simulated.
    """

    calls: int
    tokens: int
    cost: Estimate | None

    @classmethod
    def of(
        cls,
        benchmark: Benchmark,
        tasks: Sequence[Task],
        repeats: int,
        told: Described,
        models: Mapping[str, Model],
        options: Mapping[str, Any],
        table: PriceTable | None,
        *,
        has_tools: bool = True,
    ) -> Self:
        """Return the expectation of `repeats` runs of each task; zeros for a system without a model."""
        runs = len(tasks) * repeats
        calls = _calls(told, CALLS_OF_AN_ANSWER if has_tools else 1) if models else {}
        characters = _characters(benchmark, tasks, has_tools=has_tools) + CHARACTERS_OF_A_ROLE
        tokens_in, tokens_out = characters / CHARACTERS_OF_A_TOKEN, float(TOKENS_OUT)
        budget = options.get("budget")
        if isinstance(budget, int) and calls:
            share = budget / (tokens_in + tokens_out)
            calls = {role: share / len(calls) for role in calls}
        expected = [
            Expected(role, models[role].requested, count * tokens_in, count * tokens_out)
            for role, count in calls.items()
        ]
        every = sum(calls.values()) * runs
        live = any(not model.simulated for model in models.values())
        cost = Estimate.of(expected, runs, table) if live else None
        return cls(round(every), round(every * (tokens_in + tokens_out)), cost)

    def words(self) -> str:
        """Return calls, tokens and dollars for the terminal; empty if no model is asked."""
        if not self.calls:
            return ""
        usage = f"about {amount(self.calls, 'model call')} and {amount(_rounded(self.tokens), 'token')}"
        if self.cost is None:
            return usage
        if self.cost.total is None:
            return f"{usage}, cost unknown: no price of {', '.join(self.cost.unpriced)}"
        judge = f", {_dollars(self.cost.judge)} of it for the judge" if self.cost.judge else ""
        return f"{usage}, {_dollars(self.cost.total)}{judge}"


def _dollars(usd: float) -> str:
    """Two significant digits: `0.0054 USD`, `1,300 USD`; 0 only if every price is 0."""
    if usd >= 10:
        return f"{_rounded(round(usd)):,} USD"
    digits = 1 - math.floor(math.log10(usd)) if usd else 0
    return f"{usd:.{max(0, digits)}f} USD"


def _calls(told: Described, of_an_answer: int) -> dict[str, float]:
    """Return the model calls of one run by role: agents answer in every round, other roles act once a round."""
    sizes = told.sizes
    rounds = max(1, sizes.get("rounds", 1)) * max(1, sizes.get("discussion_rounds", 1))
    agents = max(1, sizes.get("agents", 1))
    answering = "worker" if "worker" in told.roles else next(iter(told.roles), "default")
    others = {role: float(rounds) for role in told.roles if role != answering}
    return {answering: float(of_an_answer * agents * rounds), **others}


def _characters(benchmark: Benchmark, tasks: Sequence[Task], *, has_tools: bool) -> float:
    """Return the mean characters of what the benchmark adds to each request."""
    tools = sum(
        len(tool.name) + len(tool.description) + len(json.dumps(dict(tool.parameters)))
        for tool in (benchmark.tools if has_tools else ())
    )
    texts = [len(task.query) + len(task.instructions) + _examples(task) for task in tasks]
    return tools + sum(texts) / max(1, len(texts))


def _examples(task: Task) -> int:
    return sum(
        len(one.query)
        + len(one.answer)
        + sum(len(json.dumps(dict(step.arguments))) + len(step.result) for step in one.steps)
        for one in task.examples
    )


def _rounded(count: int) -> int:
    """Return a count with two significant digits: an estimate has no more."""
    return int(float(f"{count:.1e}"))
