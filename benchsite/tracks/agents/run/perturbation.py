"""Perturbed runs: tool calls that fail, and queries in other words, at places that a seed decides (specs/agents.md).

Owns which calls of a run fail and how a query is changed without its meaning. A receipt's `config.perturbation` records it, and
perturbed runs are never ranked. A call that fails changes no state: it is recorded as text, as a denied call is, since the
evaluator decides from the calls that were carried out. Draws are a pure function of seed, task and run: systems meet the same
perturbation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from benchsite import canonical
from benchsite.stats import below, word
from benchsite.tracks.agents.benchmarks import Task

__all__ = ["DEFAULT_RATE", "PATTERN", "UNAVAILABLE", "Perturbation", "of_text"]

DEFAULT_RATE: Final = 0.1
PATTERN: Final = r"^(|prompts|faults|faults:0\.([1-8][0-9]{0,3}|0[1-9][0-9]{0,2}|9))$"
"""A rate is from 0.01 to 0.9: a tool that never works is not a perturbation, and a system could retry without end."""
UNAVAILABLE: Final = "temporarily unavailable"

_GREETINGS: Final = (
    "Hello. ",
    "Please help me with this. ",
    "Here is your task. ",
    "Thank you for your help. ",
)
_SPACES: Final = ("", "\n", "  ")


def of_text(text: str) -> dict[str, Any] | None:
    """Return a receipt's `config.perturbation` of `prompts`, `faults` or `faults:RATE`; None of empty text."""
    kind, colon, rate = text.partition(":")
    if not kind:
        return None
    return {"kind": kind, "rate": None if kind == "prompts" else float(rate) if colon else DEFAULT_RATE}


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What is perturbed in the runs of a system.

    Attributes:
        rate: share of tool calls that fail; None if queries are perturbed.
        seed: of the draws.
    """

    rate: float | None
    seed: int

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Perturbation | None:
        """Read a receipt's `config`."""
        found = config.get("perturbation")
        return None if found is None else cls(found["rate"], config["seed"])

    def fails(self, task: str, run: int) -> Callable[[], bool]:
        """Return what tells of each tool call of a run, in order, whether it fails.

        Call i fails if word i of the run's stream is below rate × 2^64.
        """
        stream, most = self._stream(task, run), int((self.rate or 0) * 2**64)
        place = -1

        def fails() -> bool:
            nonlocal place
            place += 1
            return word(stream, place) < most

        return fails

    def reworded(self, task: Task, run: int) -> Task:
        """Return a task as a system gets it: if queries are perturbed, after a greeting and perhaps between spaces.

        Nothing inside the query changes: its letters, quotes and code may be what the task is about.
        """
        if self.rate is not None:
            return task
        stream = self._stream(task.id, run)
        greeting, before, after = (
            choices[below(word(stream, i), len(choices))]
            for i, choices in enumerate((_GREETINGS, _SPACES, _SPACES))
        )
        return replace(task, query=f"{before}{greeting}{task.query}{after}")

    def _stream(self, task: str, run: int) -> int:
        """The first 8 bytes of the SHA-256 of seed, task and run."""
        return int(canonical.digest([self.seed, task, run])[:16], 16)
