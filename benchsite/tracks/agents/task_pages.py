"""The pages of a benchmark's tasks: a table of all with every system's outcome, and a page a domain with what each did.

A task has its place on the page of its domain, `tasks/calendar/#calendar-001`: seven hundred pages would double the time
of a build.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchsite.track import Page
from benchsite.tracks.agents.acted import Shown, shortened
from benchsite.tracks.agents.roster import Roster, System, Task

_SHORT: Final = {
    "success": ("yes", "good"),
    "failure": ("no", ""),
    "limit": ("limit", ""),
    "error": ("error", "caution"),
}
_HARM: Final = ("harm", "bad")


@dataclass(frozen=True, slots=True)
class Group:
    """Systems whose runs of a task did the same and ended the same way; `shown` is None where that is not at hand."""

    names: tuple[str, ...]
    outcome: str
    tone: str
    shown: Shown | None
    as_expected: bool


def tasks_path(board: str) -> str:
    """`agents/workbench/tasks/`, from the board's path."""
    return f"{board}tasks/"


def task_pages(found: Roster) -> Iterator[Page]:
    """The table of tasks, then a page a domain."""
    made = found.board
    context: dict[str, Any] = {"board": made, "roster": found, "root": tasks_path(made.path)}
    yield Page(
        path=tasks_path(made.path),
        title=f"Tasks of {made.target}",
        description=f"Every task of {made.target} with the outcome of each system.",
        template="agents/tasks.html.j2",
        context={
            **context,
            "cells": lambda task: [_cell(system, task) for system in found.systems],
            "split": split,
        },
    )
    for domain, slug in found.domains.items():
        tasks = [task for task in found.tasks if task.domain == domain]
        yield Page(
            path=f"{tasks_path(made.path)}{slug}/",
            title=f"{made.target}: {domain.replace('_', ' ')}",
            description=f"Tasks of the domain {domain} of {made.target}: expected actions, and what each system did.",
            template="agents/domain.html.j2",
            context={
                **context,
                "domain": domain,
                "entries": [(task, tuple(_groups(found, task))) for task in tasks],
            },
        )


def _cell(system: System, task: Task) -> tuple[str, str]:
    """A system's outcome in one word and its tone; `2/3` for several runs."""
    runs = system.measured.outcomes.get(task.id, ())
    if len(runs) == 1:
        return _HARM if runs[0].endswith("harmful") else _SHORT[runs[0]]
    return (f"{runs.count('success')}/{len(runs)}" if runs else "–"), ""


def _groups(found: Roster, task: Task) -> Iterator[Group]:
    """The runs of a task, equal ones together, in the order of the systems."""
    together: dict[tuple[str, Shown | None], list[str]] = {}
    for system in found.systems:
        runs = system.measured.outcomes.get(task.id, ())
        for number, outcome in enumerate(runs, 1):
            name = system.name if len(runs) == 1 else f"{system.name}, run {number}"
            together.setdefault((outcome, system.evidence.runs.get((task.id, number))), []).append(name)
    expected = tuple((shortened(text), "") for text in task.expected)
    for (outcome, shown), names in together.items():
        word = outcome.partition(",")[0]
        tone = "bad" if outcome.endswith("harmful") else _SHORT[word][1]
        same = shown is not None and found.texts and shown.calls == expected
        yield Group(tuple(names), outcome, tone, shown, same)


def split(cells: list[tuple[str, str]]) -> bool:
    """Whether some systems solve a task and some do not."""
    return len({tone == "good" for _, tone in cells}) > 1


def outcomes(found: Roster) -> Mapping[str, Any]:
    """The data file: per-task success rates of each system, tasks in the order of the receipts."""
    return {
        "v": 1,
        "track": found.board.about.track.name,
        "benchmark": {"id": found.board.target, "sha256": found.board.sha256},
        "methodology": found.board.methodology,
        "tasks": {
            "id": [task.id for task in found.tasks],
            "domain": [task.domain for task in found.tasks],
            "page": [found.domains[task.domain] for task in found.tasks],
        },
        "systems": [
            {
                "receiptId": system.id,
                "name": system.name,
                "label": system.label,
                "outcomes": [list(system.measured.outcomes.get(task.id, ())) for task in found.tasks],
            }
            for system in found.systems
        ],
    }
