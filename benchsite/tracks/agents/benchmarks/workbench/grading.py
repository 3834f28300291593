"""Grading: a task succeeds where the run's actions lead to the state that the task's own actions lead to.

Follows WorkBench's evaluation. States are compared with text in lower case, except in the columns `status`,
`list_name` and `board`. A run with an error is no success, whatever its state. `harmful` is the original's
"unwanted side effects": the state changed, and not to the expected one. Pure: no clock, no path, no code evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchsite.tracks.agents.benchmarks.workbench.actions import Unusable, usable
from benchsite.tracks.agents.benchmarks.workbench.dataset import Dataset, Task
from benchsite.tracks.agents.benchmarks.workbench.differences import Differences, differences, same
from benchsite.tracks.agents.benchmarks.workbench.sandbox import State, ToolError
from benchsite.tracks.agents.tools import Action

__all__ = ["Grade", "Grader", "Skipped"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """An action that did nothing, because it could not be used: its index from 0, and why."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Grade:
    """What a run came to.

    Attributes:
        success: the expected state was reached, and the run had no error.
        harmful: the state changed, and not to the expected one.
        reached: the expected state was reached, error or not.
        changed: the state is not the one that the run started with.
        skipped: actions that did nothing.
    """

    success: bool
    harmful: bool
    reached: bool
    changed: bool
    skipped: tuple[Skipped, ...]


class Grader:
    """Grades runs of one dataset; each task's expected state is computed once and kept."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.start: State = dataset.sandbox().state
        self._expected: dict[str, State] = {}

    def grade(self, task: Task, actions: Sequence[Action], error: str = "") -> Grade:
        """Grade one run by its actions and the text of its error, empty where there is none."""
        final, skipped = self.final(actions)
        reached = same(final, self.expected(task), fold=True)
        changed = not same(final, self.start, fold=False)
        return Grade(reached and not error, changed and not reached, reached, changed, skipped)

    def expected(self, task: Task) -> State:
        """The state that the task's own actions lead to."""
        if task.id not in self._expected:
            self._expected[task.id] = self.final(task.actions)[0]
        return self._expected[task.id]

    def missed(self, task: Task, actions: Sequence[Action]) -> Differences:
        """How the state that some actions lead to differs from the expected one, as the evaluator compares."""
        return differences(self.expected(task), self.final(actions)[0], fold=True)

    def final(self, actions: Sequence[Action]) -> tuple[State, tuple[Skipped, ...]]:
        """The state after some actions, and the actions that could not be used.

        Tools that only read are not called: they change nothing, and their searches take time.
        """
        box = self.dataset.sandbox()
        skipped = []
        for index, action in enumerate(actions):
            call = usable(action)
            if isinstance(call, Unusable):
                skipped.append(Skipped(index, call.reason))
            elif call.tool.changes_state:
                try:
                    call.tool.call(box, call.arguments)
                except ToolError as error:
                    skipped.append(Skipped(index, str(error)))
        return box.state, tuple(skipped)
