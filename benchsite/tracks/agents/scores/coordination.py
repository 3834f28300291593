"""Coordination of a multi-agent system, compared with the single agent on the same tasks (arXiv 2512.08296; specs/agents.md).

Owns what a turn, a message and an artifact are in a trace, and the five measures. They need traces: they are shown beside a
receipt, never signed. Values are means over runs within a task, then over the tasks that both systems ran. None is a blank: a
denominator of 0, or nothing to compare.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchsite.stats import exact_mean
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import is_agent, is_send, measure

TURNS = frozenset({"plan", "act", "verify", "revise", "finalize"})


@dataclass(frozen=True, slots=True)
class Worked:
    """How one run was worked on.

    Attributes:
        success: whether the task was solved.
        turns: `plan`, `act`, `verify`, `revise` and `finalize` events of agents, sends excluded.
        messages: edges of sends, as `metrics` counts them.
        redundancy: mean similarity over pairs of agents of their last artifacts; None with fewer than two.
    """

    success: bool
    turns: int
    messages: int
    redundancy: float | None


@dataclass(frozen=True, slots=True)
class Coordination:
    """What collaboration took and gave, over the tasks that both systems ran.

    Attributes:
        tasks: how many.
        overhead: turns ÷ single-agent turns − 1; 0.5 for half as many more.
        message_density: messages ÷ turns.
        redundancy: mean similarity of the agents' artifacts, in [0, 1], over the tasks that have one.
        efficiency: success rate ÷ (turns ÷ single-agent turns).
        error_amplification: (1 − success rate) ÷ (1 − single-agent success rate).
    """

    tasks: int
    overhead: float | None
    message_density: float | None
    redundancy: float | None
    efficiency: float | None
    error_amplification: float | None


def work(events: Sequence[Event], *, success: bool) -> Worked:
    """Count the turns and messages of one run, and compare what its agents made.

    An agent's artifact is the text `artifact` in the payload of the last of its events that has one.
    """
    turns = sum(
        event.event_type in TURNS and is_agent(event.actor) and not is_send(event) for event in events
    )
    artifacts: dict[str, str] = {}
    for event in events:
        text = event.payload.get("artifact")
        if isinstance(text, str) and is_agent(event.actor):
            artifacts[event.actor] = text
    pairs = [similarity(a, b) for a, b in combinations(artifacts.values(), 2)]
    return Worked(success, turns, measure(events).communication, exact_mean(pairs) if pairs else None)


def similarity(a: str, b: str) -> float:
    """Jaccard similarity of the words of two texts: those in both ÷ those in either; 1 where neither has words.

    Words are the runs of letters, digits and marks of the text in NFKC, case-folded.
    """
    one, other = words(a), words(b)
    return len(one & other) / len(one | other) if one or other else 1.0


def words(text: str) -> frozenset[str]:
    """The distinct words of a text, as `similarity` compares them."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = [char if unicodedata.category(char)[0] in "LNM" else " " for char in folded]
    return frozenset("".join(kept).split())


def coordinate(multi: Mapping[str, Sequence[Worked]], single: Mapping[str, Sequence[Worked]]) -> Coordination:
    """Compare a multi-agent system with the single agent, each given by task id as its runs."""
    shared = [task for task in multi if multi[task] and single.get(task)]
    if not shared:
        return Coordination(0, None, None, None, None, None)

    def mean(system: Mapping[str, Sequence[Worked]], read: Callable[[Worked], float]) -> float:
        return exact_mean([exact_mean([read(run) for run in system[task]]) for task in shared])

    turns, alone = (mean(system, lambda run: run.turns) for system in (multi, single))
    failed, failed_alone = (mean(system, lambda run: not run.success) for system in (multi, single))
    solved, sent = mean(multi, lambda run: run.success), mean(multi, lambda run: run.messages)
    alike = [
        exact_mean(values)
        for task in shared
        if (values := [run.redundancy for run in multi[task] if run.redundancy is not None])
    ]
    return Coordination(
        tasks=len(shared),
        overhead=turns / alone - 1 if alone else None,
        message_density=sent / turns if turns else None,
        redundancy=exact_mean(alike) if alike else None,
        efficiency=solved / (turns / alone) if alone and turns else None,
        error_amplification=failed / failed_alone if failed_alone else None,
    )
