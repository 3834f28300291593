"""Systems of one benchmark by the rows of their summaries: means and medians over tasks, and the features that are compared.

Two tables: every system over its own tasks (`over_tasks`, the columns of MAS_Analyzer's `system_level_metrics`), and the
means over the tasks that all systems have in common (`Compared`), because systems on different tasks cannot be compared.
For the same reason a column is averaged over the tasks for which every system with the column states it.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite.errors import InputError
from benchsite.stats import exact_mean
from benchsite.tracks.agents.analysis.summaries import TaskRow

__all__ = ["FEATURES", "OBJECTIVES", "Compared", "compared", "of_means", "over_tasks"]

FEATURES: Final = (
    *("Q1_success_rate", "Q2_completion_rate", "Q3_faithfulness", "Q4_context_relevancy"),
    *("C1_latency_p95", "C2_tokens_total", "C3_cost_total", "C4_tool_calls_total", "C5_tool_error_rate"),
    *("D1_tool_error_rate", "D2_communication_count", "D3_handoff_count"),
    *("R1_success_var", "R2_latency_var", "R3_tokens_var"),
    *("P1_steps_total", "P2_backtrack_rate", "P3_loop_score", "P4_verification_density"),
)
"""Columns of descriptors that are compared, as far as a summary has them."""
OBJECTIVES: Final = {
    "eval_avg_score": "max",
    "Q1_success_rate": "max",
    "C2_tokens_total": "min",
    "C1_latency_p95": "min",
    "P3_loop_score": "min",
}
_OVER: Final = {
    "avg_score": "eval_avg_score",
    "median_score": "eval_avg_score",
    "avg_success_rate": "Q1_success_rate",
    "avg_latency_ms": "C1_latency_p95",
    "median_latency_ms": "C1_latency_p95",
    "avg_tokens": "C2_tokens_total",
    "median_tokens": "C2_tokens_total",
    "avg_cost_usd": "C3_cost_total",
    "avg_tool_calls": "C4_tool_calls_total",
    "avg_communication": "D2_communication_count",
    "avg_handoffs": "D3_handoff_count",
    "avg_steps": "P1_steps_total",
    "avg_loop_score": "P3_loop_score",
    "avg_verification_density": "P4_verification_density",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """Systems by their means over common tasks.

    Attributes:
        tasks: those that every system has.
        means: by system and column; None is a blank.
        rows: of each system, task by task; empty if only means are known.
        partial: columns averaged over fewer of the tasks: how many, and the systems with blanks.
    """

    tasks: tuple[str, ...]
    means: Mapping[str, Mapping[str, float | None]]
    rows: Mapping[str, Sequence[Mapping[str, float | None]]]
    partial: Mapping[str, tuple[int, tuple[str, ...]]]

    @property
    def features(self) -> tuple[str, ...]:
        """The features that every system has a column of."""
        return tuple(name for name in FEATURES if all(name in found for found in self.means.values()))


def over_tasks(rows: Sequence[TaskRow]) -> dict[str, float | None]:
    """Return the number of tasks, and means and medians over those that state the value."""
    found: dict[str, float | None] = {"task_count": len(rows)}
    for name, column in _OVER.items():
        cells = [value for row in rows if (value := row.values.get(column)) is not None]
        mean = statistics.median if name.startswith("median_") else exact_mean
        found[name] = mean(cells) if cells else None
    return found


def compared(systems: Mapping[str, Sequence[TaskRow]]) -> Compared:
    """Return the means of systems over the tasks that all of them have.

    Raises:
        InputError: they have no task in common.
    """
    held = {system: {row.task: row for row in rows} for system, rows in systems.items()}
    shared = set.intersection(*(set(rows) for rows in held.values()))
    first = next(iter(held.values()))
    tasks = tuple(task for task in first if task in shared)
    if not tasks:
        raise InputError(
            f"no task is common to all of {len(held)} systems: {', '.join(held)[:200]}",
            hint="analyze systems that ran the same tasks",
        )
    rows = {system: [found[task].values for task in tasks] for system, found in held.items()}
    means, partial = _means(rows, len(tasks))
    return Compared(tasks, means, rows, partial)


def of_means(rows: Sequence[TaskRow]) -> Compared:
    """Return systems of which only means are known, one row per system."""
    return Compared((), {row.task: row.values for row in rows}, {}, {})


def _means(
    rows: Mapping[str, Sequence[Mapping[str, float | None]]], tasks: int
) -> tuple[dict[str, dict[str, float | None]], dict[str, tuple[int, tuple[str, ...]]]]:
    """The mean of each column by system, over tasks without a blank; and the columns for which these are not all tasks.

    A system that never states a column has no mean and doesn't decide which tasks the others are averaged over.
    """
    means: dict[str, dict[str, float | None]] = {
        system: dict.fromkeys(name for row in found for name in row) for system, found in rows.items()
    }
    partial: dict[str, tuple[int, tuple[str, ...]]] = {}
    for name in dict.fromkeys(name for found in means.values() for name in found):
        columns = {system: [row.get(name) for row in found] for system, found in rows.items()}
        stated = {
            system: cells for system, cells in columns.items() if any(value is not None for value in cells)
        }
        whole = [
            place for place in range(tasks) if all(cells[place] is not None for cells in stated.values())
        ]
        if stated and len(whole) < tasks:
            partial[name] = len(whole), tuple(system for system, cells in stated.items() if None in cells)
        for system, cells in stated.items():
            kept = [value for place in whole if (value := cells[place]) is not None]
            means[system][name] = exact_mean(kept) if kept else None
    return means, partial
