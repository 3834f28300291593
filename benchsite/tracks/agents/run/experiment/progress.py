"""How far an experiment is, in one line: rate, tokens, cost and failures so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchsite.words import amount

__all__ = ["Tally"]


@dataclass
class Tally:
    """Counts of the runs of one system on one benchmark.

    Attributes:
        total: runs that are asked for.
        kept: runs that an earlier command recorded.
        done: all recorded runs.
        cost: US dollars of the recorded runs whose cost is known.
        unpriced: runs that used tokens without a known cost.
    """

    total: int
    clock_ns: Callable[[], int]
    kept: int = 0
    done: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    errors: int = 0
    limits: int = 0
    _started: int = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock_ns()

    def add(self, result: Mapping[str, Any], *, is_kept: bool = False) -> None:
        """Count a run by its result."""
        tokens, cost = result["columns"].get("tokens"), result["columns"].get("costUsd")
        self.done += 1
        self.kept += is_kept
        self.tokens += tokens or 0
        self.cost += cost or 0.0
        self.unpriced += bool(tokens) and cost is None
        self.errors += result["outcome"] == "error"
        self.limits += result["outcome"] == "limit"

    def line(self, name: str) -> str:
        """The state in words."""
        seconds = (self.clock_ns() - self._started) / 1e9
        fresh = self.done - self.kept
        parts = [name]
        if fresh and seconds > 0:
            rate = fresh / seconds
            parts.append(f"{rate:.1f} runs/s" if rate >= 1 else f"{60 * rate:.1f} runs/min")
        if self.tokens:
            parts.append(f"{amount(self.tokens, 'token')}")
        if self.cost:
            whole = self.cost / self.done * self.total
            parts.append(f"{self.cost:.4f} of about {whole:.2f} USD")
        parts += [
            amount(count, noun) for count, noun in ((self.errors, "error"), (self.limits, "limit")) if count
        ]
        return ", ".join(parts)
