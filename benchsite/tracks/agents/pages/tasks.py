"""The pages of a benchmark's tasks: the picture of all with every system's outcome, and a page for each with what they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.board.items import Listed, items_page
from benchsite.track import Page
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.pages.action_log import Shown, shortened
from benchsite.tracks.agents.pages.comparison import Roster, System, Task
from benchsite.tracks.agents.pages.metric_table import tone
from benchsite.tracks.agents.pages.paths import task_path, tasks_path, texts_path
from benchsite.tracks.agents.pages.runs import outcomes_path
from benchsite.words import shortened as shortened_words

TITLE: Final = 160
"""Characters of a query that are the title of its page."""
STATES: Final = 20
"""Cells of the final state that a page compares."""
EXPECTED: Final = 50
"""Expected actions of a task that its page shows."""


@dataclass(frozen=True, slots=True)
class Group:
    """Systems whose runs of a task did the same and ended the same way.

    Attributes:
        names: of each run its system, with the number of the run where there are several, and where its actions are.
        shown: what they did; None where that is not at hand.
    """

    names: tuple[tuple[str, str], ...]
    outcome: str
    tone: str
    shown: Shown | None
    as_expected: bool


def task_pages(found: Roster) -> Iterator[Page]:
    """The picture of tasks by systems, then a page for each task."""
    made = found.board
    shared: dict[str, Any] = {"board": made, "roster": found, "root": tasks_path(made.target)}
    drawn = frozenset(made.picture.items if made.picture else ())
    yield items_page(
        made,
        Listed(
            path=tasks_path(made.target),
            texts="" if found.withheld else texts_path(made.target),
            root=tasks_path(made.target),
            withheld=found.withheld,
            importable=found.importable,
            others=tuple(task.id for task in found.tasks if task.id not in drawn),
        ),
    )
    for before, task, after in zip((None, *found.tasks), found.tasks, (*found.tasks[1:], None), strict=False):
        yield Page(
            path=task_path(made.target, task.id),
            title=_title(task),
            description=f"Task {task.id} of {made.target}: the outcome, actions and final state of each system.",
            template="agents/task.html.j2",
            many=True,
            context={**shared, "task": task, "before": before, "after": after, **_outcomes(found, task)},
        )


def _title(task: Task) -> str:
    """The query, or the id if it is not shown."""
    return shortened_words(" ".join(task.query.split()), TITLE) or task.id


def _outcomes(found: Roster, task: Task) -> Mapping[str, Any]:
    """What the page of a task says of the systems that ran it."""
    ran = [system for system in found.systems if system.measured.outcomes.get(task.id)]
    actions = task.texts.actions
    expected = None if actions is None else tuple((shortened(text), "") for text in actions)
    groups = tuple(_groups(ran, task, expected))
    states = _states(groups)
    return {
        "states": states[:STATES],
        "more_states": max(0, len(states) - STATES),
        "ran": len(ran),
        "solved": sum("success" in system.measured.outcomes[task.id] for system in ran),
        "repeated": any(len(system.measured.outcomes[task.id]) > 1 for system in ran),
        "missing": [system for system in ran if system.evidence.missing],
        "answer": task.texts.answer,
        "expected": None if expected is None else expected[:EXPECTED],
        "more_expected": max(0, len(expected or ()) - EXPECTED),
        "groups": groups,
    }


class State(NamedTuple):
    """A cell of the final state that some run left otherwise than expected.

    Attributes:
        found: for each group of runs what it left there; empty if that is as expected, None if it is not at hand.
    """

    place: str
    expected: str
    found: tuple[str | None, ...]


def _states(groups: Sequence[Group]) -> list[State]:
    """The cells in which the final state of any run is not as expected, in the order of the groups."""
    left = [
        None
        if group.shown is None
        else {(place, before): after for place, before, after in group.shown.changes}
        for group in groups
    ]
    places = dict.fromkeys(place for changes in left if changes is not None for place in changes)
    return [
        State(*place, tuple(None if changes is None else changes.get(place, "") for changes in left))
        for place in places
    ]


def _groups(
    ran: Sequence[System], task: Task, expected: tuple[tuple[str, str], ...] | None
) -> Iterator[Group]:
    """The runs of a task, equal ones together, in the order of the systems."""
    together: dict[tuple[str, Shown | None], list[tuple[str, str]]] = {}
    for system in ran:
        runs = system.measured.outcomes[task.id]
        for number, outcome in enumerate(runs, 1):
            name = system.name if len(runs) == 1 else f"{system.name}, run {number}"
            key = (outcome, system.evidence.runs.get((task.id, number)))
            together.setdefault(key, []).append((name, system.run_link(task.id, number)))
    for (outcome, shown), names in together.items():
        same = shown is not None and shown.calls == expected
        yield Group(tuple(names), outcome, tone(outcome), shown, same)


def outcomes(found: Roster) -> Page:
    """The data file: how each run of each task ended, tasks in the order of the receipts, and every pair."""
    made = found.board
    value: dict[str, Any] = {
        "v": 1,
        "track": TRACK.name,
        "benchmark": {"id": made.target, "sha256": made.sha256},
        "methodology": made.methodology,
        "tasks": {
            "id": [task.id for task in found.tasks],
            "domain": [task.domain for task in found.tasks],
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
        "pairs": made.side_by_side.records if made.side_by_side else [],
    }
    return Page(path=outcomes_path(made.path), data=canonical.dumps(value))


def texts(found: Roster) -> Page:
    """The data file with the query and the expected actions of every task; null where other actions count too."""
    made = found.board
    value: dict[str, Any] = {
        "v": 1,
        "benchmark": {"id": made.target, "sha256": made.sha256},
        "tasks": {
            "id": [task.id for task in found.tasks],
            "query": [shortened(task.query) for task in found.tasks],
            "actions": [
                None if task.texts.actions is None else list(task.texts.actions[:EXPECTED])
                for task in found.tasks
            ],
        },
    }
    return Page(path=texts_path(made.target), data=canonical.dumps(value))
