"""The systems of a leaderboard side by side: what the pages of tasks and of comparisons are made from.

At most twelve rows, best first, baselines among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from benchsite.board import Board, Row
from benchsite.receipt import Document
from benchsite.track import Bodies, Library
from benchsite.tracks.agents.pages.action_log import Evidence, evidence, text_of
from benchsite.tracks.agents.pages.leaderboard import name_of
from benchsite.tracks.agents.pages.metric_table import Measured
from benchsite.tracks.agents.pages.paths import run_path
from benchsite.tracks.agents.tools import Call


@dataclass(frozen=True, slots=True)
class System:
    """One row, and what its runs did where that is at hand."""

    row: Row
    evidence: Evidence
    benchmark: str

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

    def run_link(self, task: str, run: int) -> str:
        """The address of a run on the page of its receipt's runs."""
        return run_path(self.benchmark, self.id, task, run)


class Texts(NamedTuple):
    """What a benchmark's document says of a task: query, expected actions (None if others count too), expected answer."""

    query: str = ""
    actions: tuple[str, ...] | None = None
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One task: `texts` are empty if the benchmark is not in the repository or must not be shown."""

    id: str
    domain: str
    needs_action: bool | None
    texts: Texts

    @property
    def query(self) -> str:
        """The query."""
        return self.texts.query


@dataclass(frozen=True, slots=True)
class Roster:
    """The systems of a leaderboard and the tasks of its receipts.

    Attributes:
        more: whether the leaderboard has more systems than these.
        withheld: why queries and expected actions are not shown; empty if they are.
        importable: whether importing the benchmark into the repository would show them.
    """

    board: Board
    systems: tuple[System, ...]
    more: bool
    tasks: tuple[Task, ...]
    withheld: str
    importable: bool


def roster(made: Board, bodies: Bodies, library: Library) -> Roster:
    """Read the systems side by side of a leaderboard under its newest methodology version, which has a receipt."""
    compared = made.side_by_side
    rows = compared.rows if compared else ()
    systems = tuple(_system(row, made.target, bodies(row.header.receipt_id), library) for row in rows)
    # The pages of receipts link to those of their tasks, so every receipt's tasks have one, retracted or not.
    headers = [header for version in made.versions.values() for header in reversed(version)]
    newest = made.newest if made.newest is not None else bodies(headers[0].receipt_id)
    texts = _texts(made, newest)
    # One body at a time.
    documents = chain((newest,), (bodies(header.receipt_id) for header in headers))
    return Roster(
        board=made,
        systems=systems,
        more=compared is not None and compared.more,
        tasks=tuple(_tasks(documents, texts.by_task)),
        withheld=texts.withheld,
        importable=texts.importable,
    )


def _system(row: Row, benchmark: str, document: Document, library: Library) -> System:
    return System(row, evidence(document, library), benchmark)


def _tasks(documents: Iterable[Document], texts: Mapping[str, Texts]) -> Iterator[Task]:
    """The tasks of these receipts, each once, as the first that has it describes it."""
    seen: set[str] = set()
    for document in documents:
        recorded = document["tasks"]
        needed = recorded.get("needsAction") or [None] * len(recorded["id"])
        for name, domain, needs in zip(recorded["id"], recorded["domain"], needed, strict=True):
            if name not in seen:
                seen.add(name)
                yield Task(name, domain, needs, texts.get(name, Texts()))


class _Shown(NamedTuple):
    """The texts of each task, or why they are not shown."""

    by_task: Mapping[str, Texts] = {}
    withheld: str = ""
    importable: bool = False


def _texts(made: Board, document: Document) -> _Shown:
    said = "Queries and expected actions are not shown:"
    published = document["benchmark"]["publish"]
    if published != "full":
        return _Shown(withheld=f"{said} benchmark {made.target} is published as {published}.")
    fixture: Mapping[str, Any] | None = made.library.fixture(made.target, made.sha256)
    if fixture is None:
        missing = f"{said} the data of benchmark {made.target} is not in this repository."
        return _Shown(withheld=missing, importable=True)
    tasks: Sequence[Mapping[str, Any]] = fixture["tasks"]  # as `benchmarks.load` accepted it before a run
    return _Shown({task["id"]: _of_task(task) for task in tasks})


def _of_task(task: Mapping[str, Any]) -> Texts:
    """The texts of a task: WorkBench's has `actions`, one of a packaged benchmark what is `expected`; a task list may lack a query."""
    if "actions" in task:
        return Texts(task["query"], tuple(task["actions"]))
    expected = task.get("expected") or {}
    changes = expected.get("changes") or ()
    actions = tuple(text_of(Call(change["tool"], change["arguments"])) for change in changes)
    return Texts(task.get("query", ""), actions or None, expected.get("answer") or "")
