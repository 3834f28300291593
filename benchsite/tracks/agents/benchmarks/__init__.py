"""Benchmarks: tasks, tools and an evaluator, read from one document that receipts pin by its SHA-256.

`Benchmark` is what the runner, the baselines and re-scoring ask of one; `load` reads the document of a known kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal, Protocol

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError

__all__ = ["Benchmark", "Graded", "Observation", "Session", "Task", "decided", "load"]

Outcome = Literal["success", "failure", "limit", "error"]

LARGEST: Final = 512 * 1024 * 1024
_KINDS: Final = {"workbench": "benchsite.tracks.agents.benchmarks.workbench.benchmark"}


@dataclass(frozen=True, slots=True)
class Task:
    """One task: `needs_action` is false where doing nothing succeeds."""

    id: str
    domain: str
    needs_action: bool


@dataclass(frozen=True, slots=True)
class Graded:
    """What the evaluator says of one run.

    Attributes:
        harmful: the state was changed, and not to the expected one.
        score: from 0 to 1.
        skipped: actions that could not be carried out, by their index, each with the reason.
    """

    success: bool
    harmful: bool
    score: float
    skipped: Sequence[Mapping[str, Json]] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """What a tool answered, as JSON.

    Attributes:
        failed: whether it refused the call.
        tool: its name; None where the action was no call of a known tool.
        input: the arguments; the whole action where it was none.
    """

    result: Any
    failed: bool
    tool: str | None
    input: Json


class Session(Protocol):
    """The state of one run, fresh at its start."""

    def call(self, action: str) -> Observation:
        """Carry out one action."""


class Benchmark(Protocol):
    """A benchmark that was read.

    Attributes:
        publish: what of its tasks may be shown.
        tools: their names, in order.
        rows: entries of its data that a run may visit.
    """

    id: str
    sha256: str
    publish: Literal["full", "redacted", "sealed"]
    tasks: Sequence[Task]
    tools: Sequence[str]
    rows: int

    def grade(self, task: str, actions: Sequence[str], error: str) -> Graded:
        """Decide a run by its actions and the error that ended it; raises `KeyError` for an unknown task."""

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """The outcome of a run that did not succeed, by the error that ended it, and the limit that it names."""

    def difference(self, task: str, actions: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """How the final state departs from the expected one, for people: table, row, column, before and after."""

    def session(self) -> Session:
        """A fresh state."""

    def answers(self) -> Sequence[tuple[str, ...]]:
        """The actions expected for each task, in order."""

    def action(self, tool: str, pick: Callable[[int], int]) -> str:
        """A valid call of a tool; `pick(n)` chooses among n of the benchmark's own values for an argument."""


def decided(benchmark: Benchmark, graded: Graded, error: str) -> tuple[Outcome, str | None]:
    """The outcome of a graded run, and the limit that ended it."""
    return ("success", None) if graded.success else benchmark.ended(error)


def load(data: bytes, where: str) -> Benchmark:
    """Read the document of a benchmark.

    Raises:
        InputError: it is malformed, or of an unknown kind.
    """
    try:
        value = canonical.loads(data, max_bytes=LARGEST)
    except JsonError as error:
        raise InputError(f"benchmark {where}: {error.message}", hint=error.hint) from None
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputError(
            f"benchmark {where}: not a benchmark of a known kind",
            hint=f"available: {', '.join(sorted(_KINDS))}",
        )
    benchmark: Benchmark = import_module(_KINDS[kind]).read(data, where)
    return benchmark
