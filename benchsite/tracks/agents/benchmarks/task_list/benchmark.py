"""A task list as a benchmark: tasks without tools, whose runs were evaluated elsewhere.

Nothing is decided here: outcomes are those that the imported file states, and receipts name the declared evaluator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NoReturn

from benchsite.errors import UsageError
from benchsite.tracks.agents.benchmarks import Graded, Kind, Task
from benchsite.tracks.agents.benchmarks.task_list.document import Document, convert, parse
from benchsite.tracks.agents.tools import Action, Call, Tool, Workspace

__all__ = ["KIND", "TaskList"]


class TaskList:
    """The benchmark of one list.

    Attributes:
        by_name: the id of each task by each of its names.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.id: str = document.id
        self.sha256: str = document.sha256
        self.license: str = document.license
        self.source: str = document.source
        self.notes: str = document.notes
        self.publish: Literal["full", "redacted", "sealed"] = document.publish
        self.edition = ""
        self.evaluator: str = document.evaluator
        self.rows = 0
        self.tools: Sequence[Tool] = ()
        self.tasks: Sequence[Task] = tuple(Task(task.id, task.domain, task.query) for task in document.tasks)
        self.by_name: Mapping[str, str] = {
            name: task.id for task in document.tasks for name in (task.id, task.name) if name is not None
        }

    def open(self, task: str) -> Workspace:
        """Refuse: there is nothing to run a task in."""
        self._refuse(task)

    def grade(self, task: str, actions: Sequence[Action], answer: str | None, error: str) -> Graded:
        """Refuse: the evaluator is not here."""
        del actions, answer, error
        self._refuse(task)

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """Return a failure: every other ending of a stated run says so itself (`stated_ending`)."""
        del error
        return "failure", None

    def most_common_answer(self) -> tuple[Sequence[Call], str | None]:
        """Return nothing: no answer is known."""
        return (), None

    def example(self, tool: str, pick: Callable[[int], int]) -> Call:
        """Refuse: there is no tool."""
        del pick
        self._refuse(tool)

    def facts(self) -> Mapping[str, Any]:
        """Return the evaluator and the domains."""
        return {
            "publish": self.publish,
            "domains": dict(Counter(task.domain for task in self.tasks)),
            "evaluator": f"{self.evaluator} (declared, not run here)",
            "toolNames": [],
        }

    def _refuse(self, what: str) -> NoReturn:
        raise UsageError(
            f"benchmark {self.id} is a task list, so {what[:80]!r} can be neither run nor evaluated here",
            hint="import results instead: benchsite import runs",
        )


def read(data: bytes, where: str) -> TaskList:
    """The benchmark of a `fixture.json`; raises `InputError` with what is wrong."""
    return TaskList(parse(data, where))


KIND: Final = Kind(
    read,
    convert,
    help=(
        "Import a list of tasks with a declared evaluator.\n\n"
        "PATH is a JSON file with id, evaluator, license, source and tasks. Results of runs on these tasks can then be "
        "imported; no system can be run on them."
    ),
    suffixes=(),
)
