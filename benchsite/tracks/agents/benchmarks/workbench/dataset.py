"""The dataset as one document, `fixture.json`: five tables and the tasks, from its bytes to frozen models.

Pure: takes bytes, never a path. The document's digest is the SHA-256 of its JCS, so a table altered by one cell is
another dataset. WorkBench's tables and tasks may be shown in full (MIT); transcripts of runs are evidence outside git.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, PrivateAttr, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.schema import Schema, Slug, Text, first_fault
from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox
from benchsite.tracks.agents.benchmarks.workbench.tables import Table
from benchsite.tracks.agents.benchmarks.workbench.tools import analytics

__all__ = ["DOMAINS", "PUBLISHED", "TABLES", "Dataset", "StoredTable", "Task", "parse"]

DOMAINS: Final = (
    "analytics",
    "calendar",
    "customer_relationship_manager",
    "email",
    "multi_domain",
    "project_management",
)
VISITS: Final = "analytics_data"
TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    VISITS: (
        "date_of_visit",
        "visitor_id",
        "page_views",
        "session_duration_seconds",
        "traffic_source",
        "user_engaged",
    ),
    "calendar_events": ("event_id", "event_name", "participant_email", "event_start", "duration"),
    "customer_relationship_manager_data": (
        "customer_id",
        "assigned_to_email",
        "customer_name",
        "customer_email",
        "customer_phone",
        "last_contact_date",
        "product_interest",
        "status",
        "follow_up_by",
        "notes",
    ),
    "emails": ("email_id", "inbox/outbox", "sender/recipient", "subject", "sent_datetime", "body"),
    "project_tasks": ("task_id", "task_name", "assigned_to_email", "list_name", "due_date", "board"),
}
"""The tables and their columns, as the files have them."""

PUBLISHED: Final = "ab3197f4397edcd8c85a6392142d25f8be9476ff78fcc07dbadd8a538bf146d5"
"""The digest of the dataset of commit 42f1b6dc of July 2024, the one that the published results belong to."""

MAX_BYTES: Final = 64 * 1024 * 1024

Cell = Annotated[str, StringConstraints(max_length=100_000)]
Domain = Literal[
    "analytics", "calendar", "customer_relationship_manager", "email", "multi_domain", "project_management"
]


class StoredTable(Schema):
    """A table as its file has it: all cells are text, an empty one is missing."""

    columns: Annotated[tuple[Text, ...], Field(strict=False, max_length=100)]
    rows: Annotated[
        tuple[Annotated[tuple[Cell, ...], Field(strict=False)], ...],
        Field(strict=False, min_length=1, max_length=100_000),
    ]


class Task(Schema):
    """A task: what the agent is asked, and the actions whose final state it must reach.

    Attributes:
        domains: groups of tools that the task needs, in the words of the file.
    """

    id: Slug
    domain: Domain
    query: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    actions: Annotated[tuple[Cell, ...], Field(strict=False, max_length=1000)]
    base_template: Cell
    chosen_template: Cell
    domains: Annotated[tuple[Text, ...], Field(strict=False, max_length=20)]


class Dataset(Schema):
    """A whole dataset. Tasks keep the order of the files, domain by domain.

    Attributes:
        edition: the edition and the version of its tasks, if it isn't that of July 2024.
    """

    track: Literal["agents"]
    id: Literal["workbench"]
    kind: Literal["workbench"]
    edition: Text | None = None
    license: Text
    notice: Cell
    source: Text
    notes: Cell
    publish: Literal["full", "redacted", "sealed"]
    tables: dict[str, StoredTable]
    tasks: Annotated[tuple[Task, ...], Field(strict=False, min_length=1, max_length=100_000)]

    _sha256: str = PrivateAttr(default="")

    @property
    def sha256(self) -> str:
        """SHA-256 hex of the JCS of the document, as receipts and the log pin it."""
        return self._sha256

    @property
    def described(self) -> str:
        """Which edition the data are."""
        if self.edition is not None:
            return f"data in the layout of {self.edition}"
        return "the published data of July 2024" if self.sha256 == PUBLISHED else "altered data"

    @cached_property
    def by_query(self) -> Mapping[tuple[str, str], Task]:
        """Each task by its domain and query."""
        return {(task.domain, task.query): task for task in self.tasks}

    @cached_property
    def by_id(self) -> Mapping[str, Task]:
        """Each task by its id."""
        return {task.id: task for task in self.tasks}

    @cached_property
    def _tables(self) -> Mapping[str, Table]:
        return {name: Table.of(table.columns, table.rows) for name, table in self.tables.items()}

    @cached_property
    def directory(self) -> tuple[str, ...]:
        """E-mail addresses of the company: those of the calendar's participants and of the mailbox, in order."""
        cells = [row[2] for name in ("calendar_events", "emails") for row in self.tables[name].rows]
        return tuple(dict.fromkeys(cell for cell in cells if cell))

    def sandbox(self) -> Sandbox:
        """A fresh sandbox."""
        state = {name: table for name, table in self._tables.items() if name != VISITS}
        return Sandbox(
            {**state, analytics.TABLE: Table(("file_path",), ())}, self._tables[VISITS], self.directory
        )

    @classmethod
    def of(cls, document: Any) -> Self:
        """Validate a parsed document and remember its digest."""
        dataset = cls.model_validate(document)
        dataset._sha256 = canonical.digest(document)  # noqa: SLF001 - our own instance, before anyone else sees it
        return dataset


def parse(data: bytes, *, where: str) -> Dataset:
    """Read and check `fixture.json`.

    Args:
        data: the file's bytes, at most 64 MiB.
        where: the file's name, for messages.

    Raises:
        InputError: not strict JSON, of another shape, or with tasks or tables that the importer would have refused.
    """
    try:
        dataset = Dataset.of(canonical.loads(data, max_bytes=MAX_BYTES))
    except canonical.JsonError as error:
        raise InputError(f"dataset {where}: {error.message}", hint=error.hint) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise _refused(where, f"{place}: {fault}") from None
    columns = {name: table.columns for name, table in dataset.tables.items()}
    if columns != TABLES:
        wrong = sorted(name for name in {*columns, *TABLES} if columns.get(name) != TABLES.get(name))
        raise _refused(
            where, f"tables {', '.join(name[:40] for name in wrong[:10])}: unknown, missing, or other columns"
        )
    for name, table in dataset.tables.items():
        for number, row in enumerate(table.rows):
            if len(row) != len(table.columns):
                raise _refused(
                    where, f"tables.{name}.rows[{number}]: {len(row)} cells; expected {len(table.columns)}"
                )
    if len(dataset.by_query) != len(dataset.tasks) or len(dataset.by_id) != len(dataset.tasks):
        raise _refused(where, "tasks: an id or a query of a domain occurs twice")
    return dataset


def _refused(where: str, fault: str) -> InputError:
    return InputError(f"dataset {where}: {fault}", hint="run: benchsite benchmark import workbench PATH")
