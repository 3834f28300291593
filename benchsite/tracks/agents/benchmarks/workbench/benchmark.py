"""WorkBench as a benchmark: its tasks, its tools, its evaluator, and the state of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.track import Imported
from benchsite.tracks.agents.benchmarks import Graded, Kind, Task
from benchsite.tracks.agents.benchmarks.workbench.actions import Unusable, calls_of, usable
from benchsite.tracks.agents.benchmarks.workbench.dataset import PUBLISHED, Dataset, parse
from benchsite.tracks.agents.benchmarks.workbench.edition import EARLIER
from benchsite.tracks.agents.benchmarks.workbench.endings import ending
from benchsite.tracks.agents.benchmarks.workbench.grading import Grader
from benchsite.tracks.agents.benchmarks.workbench.importer import convert
from benchsite.tracks.agents.benchmarks.workbench.instructions import INSTRUCTIONS, examples
from benchsite.tracks.agents.benchmarks.workbench.literals import as_json
from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, ToolError
from benchsite.tracks.agents.benchmarks.workbench.tool_schemas import TOOLS
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG
from benchsite.tracks.agents.tools import Action, Call, Observation, Tool

__all__ = ["KIND", "WorkBench", "read"]

_DIRECTORY: Final = "company_directory."

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
        self.license: str = dataset.license
        self.source: str = dataset.source
        self.notes: str = dataset.notes
        self.publish: Literal["full", "redacted", "sealed"] = dataset.publish
        self.edition: str = dataset.edition or (EARLIER if dataset.sha256 == PUBLISHED else "")
        self.options: Mapping[str, int] = {"tool_iterations": 20}
        self.tools: Sequence[Tool] = TOOLS
        self.rows = sum(len(table.rows) for table in dataset.tables.values())
        self._grader = Grader(dataset)
        self._distinct: dict[tuple[str, str], Sequence[str]] = {}
        shown = examples(dataset, Workspace(dataset.sandbox()))
        self.tasks: Sequence[Task] = tuple(
            Task(
                task.id,
                task.domain,
                task.query,
                not self._grader.grade(task, ()).success,
                instructions=INSTRUCTIONS,
                examples=shown,
            )
            for task in dataset.tasks
        )

    def open(self, task: str) -> Workspace:
        """Return fresh tables; raises `KeyError` for an unknown task."""
        del task  # every task starts from the same tables
        return Workspace(self.dataset.sandbox())

    def grade(self, task: str, actions: Sequence[Action], answer: str | None, error: str) -> Graded:
        """Compare the final state with that of the task's own actions; the answer does not count."""
        del answer
        found = self._grader.grade(self.dataset.by_id[task], actions, error)
        skipped: list[dict[str, Json]] = [
            {"action": item.index, "reason": item.reason} for item in found.skipped
        ]
        difference = () if found.success else self._difference(task, actions)
        return Graded(found.success, 1.0 if found.success else 0.0, found.harmful, skipped, difference)

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """By the table of `endings`; a run that ended by itself is a failure."""
        end = ending(error)
        return ("failure" if end.kind == "none" else end.kind), end.limit or None

    def _difference(self, task: str, actions: Sequence[Action]) -> Sequence[Mapping[str, Json]]:
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

    def most_common_answer(self) -> tuple[Sequence[Call], str | None]:
        """Return the actions that most tasks expect, the first of several; every task is of the `seen` split."""
        (actions, _), *_ = Counter(task.actions for task in self.dataset.tasks).most_common(1)
        return calls_of(actions), "Done."

    def example(self, tool: str, pick: Callable[[int], int]) -> Call:
        """Return a call with values of the dataset's own; `field` and `new_value` go together."""
        group = tool.partition(".")[0]
        chosen: dict[str, str] = {}
        for name in CATALOG[tool].parameters:
            values = self._values(group, name, chosen)
            chosen[name] = values[pick(len(values))]
        return Call(tool, chosen)

    def facts(self) -> Mapping[str, Any]:
        """Return edition, domains, evaluator and tools; as published, the company directory is none of the 26 tools."""
        domains = Counter(task.domain for task in self.tasks)
        passive = Counter(task.domain for task in self.tasks if not task.needs_action)
        names = [tool.name for tool in self.tools]
        return {
            "publish": self.publish,
            "data": self.dataset.described,
            "domains": dict(domains),
            "doingNothing": {"num": passive.total(), "den": len(self.tasks)},
            "doingNothingByDomain": {name: f"{passive[name]}/{count}" for name, count in domains.items()},
            "evaluator": "final state of the tables, and no error",
            "toolNames": [name for name in names if not name.startswith(_DIRECTORY)],
            "companyDirectory": [name for name in names if name.startswith(_DIRECTORY)],
        }

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


class Workspace:
    """The tables of one run; every tool can be called, those that only read too."""

    tools: Sequence[Tool]

    def __init__(self, box: Sandbox) -> None:
        self.tools = TOOLS
        self._box = box

    def call(self, name: str, arguments: Mapping[str, Json]) -> Observation:
        """Carry out one call; a tool's refusal changes nothing."""
        call = usable(Call(name, arguments))
        if isinstance(call, Unusable):
            return Observation(call.reason, failed=True)
        try:
            return Observation(as_json(call.tool.call(self._box, call.arguments)))
        except ToolError as error:
            return Observation(str(error), failed=True)


def _converted(files: Mapping[str, bytes]) -> Imported:
    """WorkBench as published; the files may be below a folder of any name that holds `processed/`."""
    document = convert(files)
    data = canonical.dumps(document)
    found = read(data, "workbench")
    tools = len(found.facts()["toolNames"])
    counts = {"tasks": len(found.tasks), "tools": tools}
    edition = found.dataset.described
    report = {"id": found.id, "sha256": found.sha256, "data": edition, **counts}
    lines = [f"{len(found.tasks):,} tasks, {tools} tools and the company directory: {edition}"]
    return Imported(data, lines, report)


KIND: Final = Kind(read, _converted)
