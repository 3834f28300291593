"""The systems of a leaderboard side by side: what the pages of tasks and of comparisons are made from.

At most twelve rows, best first, baselines among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite.addresses import is_slug
from benchsite.board import Board, Row
from benchsite.track import Bodies, Library
from benchsite.tracks.agents.acted import Evidence, evidence
from benchsite.tracks.agents.figures import Measured
from benchsite.tracks.agents.leaderboard import by_value, name_of

MOST: Final = 12
"""Systems side by side: a table of pairs has 66 rows then."""


@dataclass(frozen=True, slots=True)
class System:
    """One row, and what its runs did where that is at hand."""

    row: Row
    evidence: Evidence

    @property
    def id(self) -> str:
        """Its receipt's."""
        return self.row.header.receipt_id

    @property
    def name(self) -> str:
        """What it is called."""
        return name_of(self.row)

    @property
    def label(self) -> str:
        """The small line below its name."""
        return "baseline" if self.row.baseline else self.row.subject.label or self.row.subject.version

    @property
    def measured(self) -> Measured:
        """Its outcomes."""
        measured: Measured = self.row.besides
        return measured


@dataclass(frozen=True, slots=True)
class Task:
    """One task: `query` and `expected` are empty where the benchmark is not at hand or must not be shown."""

    id: str
    domain: str
    needs_action: bool | None
    query: str
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Roster:
    """The systems of a leaderboard and the tasks of its newest receipt; `texts`: whether the tasks' texts are shown."""

    board: Board
    systems: tuple[System, ...]
    tasks: tuple[Task, ...]
    texts: bool

    @property
    def domains(self) -> Mapping[str, str]:
        """Each domain's name and its part of a path."""
        names = dict.fromkeys(task.domain for task in self.tasks)
        found: dict[str, str] = {}
        for place, name in enumerate(names, 1):
            slug = name.lower().replace("_", "-").replace(" ", "-")
            found[name] = slug if is_slug(slug) and slug not in found.values() else f"domain-{place}"
        return found


def roster(made: Board, bodies: Bodies, library: Library) -> Roster:
    """Read what stands beside each other under one methodology version, which has a receipt."""
    rows = by_value((*made.rows, *made.imported.ranked))[:MOST]
    systems = tuple(System(row, evidence(bodies(row.header.receipt_id), library)) for row in rows)
    texts = _texts(made)
    # Where every receipt was retracted, the pages of the tasks stay.
    recorded = (made.newest or bodies(made.headers[-1].receipt_id))["tasks"]
    needed = recorded.get("needsAction") or [None] * len(recorded["id"])
    tasks = tuple(
        Task(name, domain, needs, *texts.get(name, ("", ())))
        for name, domain, needs in zip(recorded["id"], recorded["domain"], needed, strict=True)
    )
    return Roster(made, systems, tasks, bool(texts))


def _texts(made: Board) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Query and expected actions of each task, where the benchmark is at hand and may be published in full."""
    fixture: Mapping[str, Any] = made.library.fixture(made.target, made.sha256) or {}
    if fixture.get("publish") != "full":
        return {}
    tasks: Sequence[Mapping[str, Any]] = fixture["tasks"]
    return {task["id"]: (task["query"], tuple(task["actions"])) for task in tasks}
