"""Coordination of a multi-agent system, compared with the single agent on the same tasks (arXiv 2512.08296; specs/agents.md).

Owns the five measures, computed from the run columns of two receipts: `turns`, `agentToAgent`, `systemMediated` and
`redundancy`. What these count in a trace is `trace.conduct`'s business. Values are means over runs within a task, then over the
tasks. None is a blank: a denominator of 0, or nothing to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchsite.stats import exact_mean
from benchsite.tracks.agents.record.runs import Run

ByTask = Mapping[str, Sequence[Run]]
"""Task id to the runs of one system."""


@dataclass(frozen=True, slots=True)
class Coordination:
    """What collaboration took and gave, over the tasks that both systems ran.

    Attributes:
        tasks: how many.
        counted: those of which every run of both systems states its turns.
        overhead: O% as a share: turns ÷ single-agent turns − 1, over the counted tasks; 0.5 for half as many more.
        message_density: messages ÷ turns, over the counted tasks.
        redundancy: mean similarity of the agents' artifacts, in [0, 1], over the tasks of which every run states one.
        efficiency: success rate ÷ (turns ÷ single-agent turns), over the counted tasks.
        error_amplification: (1 − success rate) ÷ (1 − single-agent success rate), over all tasks.
    """

    tasks: int
    counted: int
    overhead: float | None
    message_density: float | None
    redundancy: float | None
    efficiency: float | None
    error_amplification: float | None


def coordinate(multi: ByTask, single: ByTask) -> Coordination:
    """Compare a multi-agent system with the single agent, each given by task id as its runs."""
    shared = [task for task in multi if multi[task] and single.get(task)]
    counted = [task for task in shared if _are_counted(multi[task]) and _are_counted(single[task])]
    turns, alone = (_mean(system, counted, lambda run: run.turns or 0) for system in (multi, single))
    failed, failed_alone = (_mean(system, shared, lambda run: not run.success) for system in (multi, single))
    solved = _mean(multi, counted, lambda run: run.success)
    sent = _mean(multi, _with_messages(multi, counted), _messages)
    worked = _mean(multi, _with_messages(multi, counted), lambda run: run.turns or 0)
    return Coordination(
        tasks=len(shared),
        counted=len(counted),
        overhead=turns / alone - 1 if turns is not None and alone else None,
        message_density=sent / worked if sent is not None and worked else None,
        redundancy=_redundancy(multi, shared),
        efficiency=solved / (turns / alone) if solved is not None and turns and alone else None,
        error_amplification=failed / failed_alone if failed is not None and failed_alone else None,
    )


def _are_counted(runs: Sequence[Run]) -> bool:
    return all(run.turns is not None for run in runs)


def _with_messages(system: ByTask, tasks: Sequence[str]) -> list[str]:
    """The tasks of which every run states its messages."""
    return [
        task
        for task in tasks
        if all(run.agent_to_agent is not None and run.system_mediated is not None for run in system[task])
    ]


def _messages(run: Run) -> int:
    return (run.agent_to_agent or 0) + (run.system_mediated or 0)


def _mean(system: ByTask, tasks: Sequence[str], read: Callable[[Run], float]) -> float | None:
    """Mean over tasks of the mean over runs; None without tasks."""
    return exact_mean([exact_mean([read(run) for run in system[task]]) for task in tasks]) if tasks else None


def _redundancy(system: ByTask, tasks: Sequence[str]) -> float | None:
    """Over the tasks of which every run states one."""
    held = [[run.redundancy for run in system[task]] for task in tasks]
    stated = [[value for value in values if value is not None] for values in held]
    means = [exact_mean(some) for some, every in zip(stated, held, strict=True) if len(some) == len(every)]
    return exact_mean(means) if means else None
