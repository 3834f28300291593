"""WorkBench as the runner, the baselines and re-scoring see it: its tasks, its evaluator, a state to act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from benchsite.canonical import Json
from benchsite.tracks.agents.benchmarks import Graded, Observation, Task
from benchsite.tracks.agents.benchmarks.workbench.actions import Unusable, exact_action, read_action
from benchsite.tracks.agents.benchmarks.workbench.dataset import Dataset, parse
from benchsite.tracks.agents.benchmarks.workbench.endings import ending
from benchsite.tracks.agents.benchmarks.workbench.grading import Grader
from benchsite.tracks.agents.benchmarks.workbench.literals import as_json
from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, ToolError
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG

__all__ = ["WorkBench", "read"]

_OF_GROUP: Final = {
    "calendar": "calendar_events",
    "email": "emails",
    "analytics": "analytics_data",
    "project_management": "project_tasks",
    "customer_relationship_manager": "customer_relationship_manager_data",
}
_COLUMN: Final = {
    "time_min": "event_start",
    "time_max": "event_start",
    "recipient": "sender/recipient",
    "date_min": "sent_datetime",
    "date_max": "sent_datetime",
    "last_contact_date_min": "last_contact_date",
    "last_contact_date_max": "last_contact_date",
    "follow_up_by_min": "follow_up_by",
    "follow_up_by_max": "follow_up_by",
}
"""The column whose values an argument takes, where it is not the one of the parameter's name."""
_QUERIES: Final = {"calendar": "event_name", "email": "subject"}
_CHOICES: Final = {
    "plot_type": ("bar", "line", "scatter", "histogram"),
    "value_to_plot": ("total_visits", "session_duration_seconds", "user_engaged"),
}


_STATES: Final[Mapping[str, tuple[str, str]]] = {
    "created": ("absent", "present"),
    "deleted": ("present", "absent"),
    "order": ("in order", "in another order"),
}
"""A row in the expected final state, and in the one that was reached."""


def read(data: bytes, where: str) -> WorkBench:
    """The benchmark of a `fixture.json`; raises `InputError` with everything that is wrong."""
    return WorkBench(parse(data, where=where))


class WorkBench:
    """The benchmark of one dataset."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.id: str = dataset.id
        self.sha256: str = dataset.sha256
        self.publish: Literal["full", "redacted", "sealed"] = dataset.publish
        self.tools: Sequence[str] = tuple(CATALOG)
        self.rows = sum(len(table.rows) for table in dataset.tables.values())
        self._grader = Grader(dataset)
        self._distinct: dict[tuple[str, str], Sequence[str]] = {}
        self.tasks: Sequence[Task] = tuple(
            Task(task.id, task.domain, not self._grader.grade(task, ()).success) for task in dataset.tasks
        )

    def grade(self, task: str, actions: Sequence[str], error: str) -> Graded:
        """Compare the final state with that of the task's own actions; raises `KeyError` for an unknown task."""
        found = self._grader.grade(self.dataset.by_id[task], actions, error)
        skipped: list[dict[str, Json]] = [
            {"action": item.index, "reason": item.reason} for item in found.skipped
        ]
        return Graded(found.success, found.harmful, 1.0 if found.success else 0.0, skipped)

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """By the table of `endings`; a run that ended by itself is a failure."""
        end = ending(error)
        return ("failure" if end.kind == "none" else end.kind), end.limit or None

    def difference(self, task: str, actions: Sequence[str]) -> Sequence[Mapping[str, Json]]:
        """One entry a changed cell; of a row that is missing or should not be there, one for the row."""
        found: list[Mapping[str, Json]] = []
        for change in self._grader.missed(self.dataset.by_id[task], actions).changes:
            row: dict[str, Json] = {"table": change.table, "row": change.row}
            if change.kind == "changed":
                found += [
                    {**row, "column": cell.column, "before": cell.before, "after": cell.after}
                    for cell in change.cells
                ]
            else:
                before, after = _STATES[change.kind]
                found.append({**row, "before": before, "after": after})
        return found

    def session(self) -> Session:
        """A fresh state."""
        return Session(self.dataset.sandbox())

    def answers(self) -> Sequence[tuple[str, ...]]:
        """The actions expected for each task."""
        return [task.actions for task in self.dataset.tasks]

    def action(self, tool: str, pick: Callable[[int], int]) -> str:
        """A call of a tool with values of the dataset's own; `field` and `new_value` go together."""
        group = tool.partition(".")[0]
        chosen: dict[str, str] = {}
        for name in CATALOG[tool].parameters:
            values = self._values(group, name, chosen)
            chosen[name] = values[pick(len(values))]
        return exact_action(tool, chosen)

    def _values(self, group: str, name: str, chosen: Mapping[str, str]) -> Sequence[str]:
        """The values that an argument may take, in the order of the data."""
        if name in _CHOICES:
            return _CHOICES[name]
        if group == "company_directory":
            return [address.partition(".")[0] for address in self.dataset.directory]
        place = _OF_GROUP[group]
        table = self.dataset.tables[place]
        if name == "field":
            return table.columns[1:]
        column = _QUERIES[group] if name == "query" else _COLUMN.get(name, name)
        column = chosen["field"] if name == "new_value" else column
        if group == "analytics" and name.startswith("time_"):
            column = "date_of_visit"
        if column not in table.columns:  # of another table: the addresses
            return self.dataset.directory
        if (place, column) not in self._distinct:
            at = table.columns.index(column)
            values = list(dict.fromkeys(row[at] for row in table.rows if row[at])) or [""]
            self._distinct[place, column] = values
        return self._distinct[place, column]


class Session:
    """The tables of one run; every tool can be called, those that only read too."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box

    def call(self, action: str) -> Observation:
        """Carry out one action; one that cannot be used changes nothing and says why."""
        call = read_action(action)
        if isinstance(call, Unusable):
            return Observation(call.reason, failed=True, tool=None, input=action)
        given = as_json(call.arguments)
        try:
            result = as_json(call.tool.call(self._box, call.arguments))
        except ToolError as error:
            return Observation(str(error), failed=True, tool=call.tool.name, input=given)
        return Observation(result, failed=False, tool=call.tool.name, input=given)
