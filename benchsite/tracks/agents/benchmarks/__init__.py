"""The contract of a benchmark: tasks, tools and an evaluator (specs/agents.md, "Interfaces").

A benchmark is read from one document, which receipts pin by its SHA-256; the document's `kind` names the reader, an entry
point of `benchsite.agents.benchmarks`. Systems see tasks and tools. Expected answers stay in the benchmark, which only
the harness holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError, PrerequisiteError
from benchsite.track import Imported
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.tools import Action, Call, Tool, Workspace

__all__ = [
    "Benchmark",
    "Example",
    "Graded",
    "Kind",
    "Outcome",
    "Step",
    "Task",
    "decided",
    "edition_of",
    "ending_of",
    "evaluator_of",
    "harness_ending",
    "load",
    "stated_ending",
    "suggested_options",
]

Outcome = Literal["success", "failure", "limit", "error"]

LARGEST: Final = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Step:
    """A call in a worked example, and the text of its result."""

    tool: str
    arguments: Mapping[str, Json]
    result: str


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example of a benchmark: a query that is no task, the calls that solve it, and the answer."""

    query: str
    steps: tuple[Step, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Task:
    """One task, without its expected answer.

    Attributes:
        query: what the system is asked.
        needs_action: false if doing nothing succeeds; None where it is not told. Systems are not told.
        split: `seen` may be used to tune systems and baselines, `reserved` may not.
        instructions: what the benchmark tells a system about its tasks, such as the form of an answer.
        examples: worked examples, the same for every task of a kind, so that model servers reuse the prefix.
    """

    id: str
    domain: str
    query: str
    needs_action: bool | None = None
    split: Literal["seen", "reserved"] = "seen"
    instructions: str = ""
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Graded:
    """The evaluator's decision on one run.

    Attributes:
        score: from 0 to 1; None if none is stated.
        harmful: whether the state changed, and not to the expected one; None if the benchmark cannot tell.
        skipped: actions that could not be carried out, by index, each with the reason.
        evidence_recall: share of the task's evidence documents that the run retrieved or opened; None if the benchmark has none.
        difference: of a failure: table, row, column, before and after of what departs from the expected state.
    """

    success: bool
    score: float | None
    harmful: bool | None = None
    skipped: Sequence[Mapping[str, Json]] = ()
    difference: Sequence[Mapping[str, Json]] = ()
    evidence_recall: float | None = None


class Benchmark(Protocol):
    """A benchmark that was read.

    Attributes:
        publish: what of its tasks may be shown.
        edition: of its data, if its publisher has several; optional, and empty for none.
        evaluator: who evaluates its runs, if that isn't done here; optional (`evaluator_of`).
        tools: in order, as every workspace of it has them.
        rows: entries of its data that a run may visit.
    """

    id: str
    sha256: str
    license: str
    source: str
    notes: str
    publish: Literal["full", "redacted", "sealed"]
    edition: str
    tasks: Sequence[Task]
    tools: Sequence[Tool]
    rows: int

    def open(self, task: str) -> Workspace:
        """Return the state of a new run of a task."""

    def grade(self, task: str, actions: Sequence[Action], answer: str | None, error: str) -> Graded:
        """Decide a run by its recorded actions, its answer and the error that ended it.

        Raises:
            KeyError: the task is unknown.
        """

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """Return the outcome and the limit of a published run that this text ended."""

    def most_common_answer(self) -> tuple[Sequence[Call], str | None]:
        """Return the calls and the answer that most tasks of the `seen` split expect: what `constant` gives."""

    def example(self, tool: str, pick: Callable[[int], int]) -> Call:
        """Return a valid call of a tool; `pick(n)` chooses among n of the benchmark's own values for an argument."""

    def facts(self) -> Mapping[str, Any]:
        """Return what `benchmark info` shows besides id, license, source and counts."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of benchmark: the value of an entry point of `benchsite.agents.benchmarks`.

    Attributes:
        read: the bytes of a `fixture.json` and its name in messages; raises `InputError`.
        convert: the files of a folder, as published by others, by relative path; None if nothing is imported.
        help: of its importer; empty for the words about folders.
        suffixes: endings of the files in the folder; empty if one file is imported.
        large: endings of files that are kept by hash in the user's cache folder; `convert` gets them as `large`, and lists the
            hashes of those it names as `large` in its report.
        choices: options of the import, each with its values, the default first, and its help.
    """

    read: Callable[[bytes, str], Benchmark]
    convert: Callable[..., Imported] | None = None
    help: str = ""
    suffixes: tuple[str, ...] = (".csv",)
    large: tuple[str, ...] = ()
    choices: Mapping[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)


_ENDING: Final = re.compile(
    r"\A(?:benchsite|stated): (?:limit (?P<limit>[a-z-]+)|(?P<outcome>error|failure))\b"
)


def harness_ending(outcome: Literal["limit", "error"], detail: str) -> str:
    """Return the text of an ending of a run made here: `detail` is the limit, or the kind of error in a few words."""
    return f"benchsite: limit {detail}" if outcome == "limit" else f"benchsite: error: {detail}"


def stated_ending(outcome: Literal["failure", "limit", "error"], limit: str | None, text: str) -> str:
    """Return the text of an ending that an imported file states: its outcome, the limit, and the file's own words."""
    how = f"stated: limit {limit}" if outcome == "limit" else f"stated: {outcome}"
    return f"{how}: {text}" if text else how


def evaluator_of(benchmark: Benchmark) -> str:
    """Return who evaluates the runs of a benchmark that has no evaluator here; empty if they are evaluated here."""
    return str(getattr(benchmark, "evaluator", ""))


def edition_of(benchmark: Benchmark) -> str:
    """Return the edition of a benchmark's data; empty for one that states none."""
    return str(getattr(benchmark, "edition", ""))


def suggested_options(benchmark: Benchmark) -> Mapping[str, int]:
    """Return the options that systems have on a benchmark unless others are given; most benchmarks state none."""
    found: Mapping[str, int] = getattr(benchmark, "options", {})
    return found


def decided(benchmark: Benchmark, graded: Graded, error: str) -> tuple[Outcome, str | None]:
    """Return the outcome of a graded run, and the limit that ended it."""
    if graded.success:
        return "success", None
    outcome, limit = ending_of(error)
    return benchmark.ended(error) if outcome is None else (outcome, limit)


def ending_of(error: str) -> tuple[Literal["failure", "limit", "error"] | None, str | None]:
    """Return the outcome and the limit that the text of an ending states, the inverse of both; None if it states neither."""
    ending = _ENDING.match(error)
    if ending is None:
        return None, None
    if ending["limit"]:
        return "limit", ending["limit"]
    return ("failure" if ending["outcome"] == "failure" else "error"), None


def load(data: bytes, where: str) -> Benchmark:
    """Read the document of a benchmark.

    Raises:
        InputError: it is malformed.
        PrerequisiteError: the package that registers its kind is not installed.
    """
    try:
        value = canonical.loads(data, max_bytes=LARGEST)
    except JsonError as error:
        raise InputError(f"benchmark {where}: {error.message}", hint=error.hint) from None
    kind = value.get("kind") if isinstance(value, dict) else None
    known = TRACK.plugins("benchmark")
    if not isinstance(kind, str):
        raise InputError(f"benchmark {where}: not a benchmark", hint="its document has no `kind`")
    if kind not in known:
        raise PrerequisiteError(
            f"benchmark {where}: no installed package registers its kind {kind[:80]!r}",
            hint=f"install it; available: {', '.join(known) or 'none'}",
        )
    found: Kind = TRACK.plugin("benchmark", kind)
    return found.read(data, where)
