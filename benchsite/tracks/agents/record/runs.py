"""A run as a receipt keeps it, and the runs of many tasks from the columns that hold them.

Owns the names of the run columns (specs/agents.md, "Three levels of re-scoring": scores follow from them). None is a
blank: the source does not tell. A column in which every run is blank is absent. Refuses columns of unequal length, columns
that it does not know, and outcomes that are none; the types of the cells are the payload's to check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from pydantic.alias_generators import to_camel

Outcome = Literal["success", "failure", "limit", "error"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)

TASK: Final = "taskId"
Columns: TypeAlias = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one task by one system.

    Attributes:
        outcome: `success` where the benchmark's evaluator says so, `failure`, `limit` (one was reached) or `error`
            (of the infrastructure, after its retries).
        completion: whether it ended with a final answer and without an explicit failure.
        score: the evaluator's score.
        latency_ms: sum of the latencies of its events.
        tokens: input and output tokens.
        cost_usd: US dollars.
        tool_calls, tool_failures, steps, backtracks, verifies, handoffs: counts of `metrics.RunMetrics`.
        loop_num, loop_den: the loop score as a ratio; 0/0 is a score of 0.
        agent_to_agent, system_mediated: edges of sends, by their sender.
        turns, redundancy, confidence: as `trace.conduct` defines them.
    """

    outcome: Outcome
    completion: bool | None = None
    score: float | None = None
    latency_ms: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
    tool_failures: int | None = None
    steps: int | None = None
    backtracks: int | None = None
    loop_num: int | None = None
    loop_den: int | None = None
    verifies: int | None = None
    agent_to_agent: int | None = None
    system_mediated: int | None = None
    handoffs: int | None = None
    turns: int | None = None
    redundancy: float | None = None
    confidence: float | None = None

    @property
    def success(self) -> bool:
        """Whether the task was solved."""
        return self.outcome == "success"


COLUMNS: Final[Mapping[str, str]] = {to_camel(field.name): field.name for field in fields(Run)}
"""Column of a receipt to attribute of a run."""


def from_columns(columns: Columns) -> dict[str, list[Run]]:
    """The runs of each task, tasks in the order of their first run.

    Raises:
        ValueError: `taskId` or `outcome` is missing, a column is unknown or of another length, or an outcome is none.
    """
    if missing := {TASK, "outcome"} - columns.keys():
        raise ValueError(f"run columns without {', '.join(sorted(missing))}")
    if unknown := columns.keys() - COLUMNS.keys() - {TASK}:
        raise ValueError(f"unknown run columns: {', '.join(sorted(unknown))}")
    if len({len(cells) for cells in columns.values()}) > 1:
        raise ValueError("run columns of unequal length")
    if not set(columns["outcome"]) <= set(OUTCOMES):
        raise ValueError(f"an outcome is none of {', '.join(OUTCOMES)}")
    names = [COLUMNS[column] for column in columns if column != TASK]
    cells = [columns[column] for column in columns if column != TASK]
    found: dict[str, list[Run]] = {}
    for task, *row in zip(columns[TASK], *cells, strict=True):
        found.setdefault(task, []).append(Run(**dict(zip(names, row, strict=True))))
    return found
