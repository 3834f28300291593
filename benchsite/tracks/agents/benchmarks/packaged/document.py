"""The document of a packaged benchmark: prompts with worked examples, and tasks with their expected answers.

Takes bytes, never a path. Refuses ids and queries that occur twice, tasks of an unknown prompt, expected answers that are
empty after normalization, and worked examples whose query is a task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, PrivateAttr, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.errors import InputError
from benchsite.schema import Schema, Slug, Text, first_fault
from benchsite.tracks.agents.benchmarks import Example, Step, Task
from benchsite.tracks.agents.benchmarks.packaged.answers import Form, is_empty
from benchsite.tracks.agents.tools import Call

__all__ = ["Document", "Expected", "StoredCall", "StoredTask", "parse"]

MAX_BYTES: Final = 16 * 1024 * 1024
MAX_TASKS: Final = 10_000

Paragraph = Annotated[str, StringConstraints(max_length=20_000)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
Object = Annotated[dict[str, Any], Field(max_length=1000)]


class StoredCall(Schema):
    """A call of a tool, its arguments by name."""

    tool: Text
    arguments: Object

    @property
    def call(self) -> Call:
        """The call as tools take it."""
        return Call(self.tool, self.arguments)


class StoredStep(StoredCall):
    """A call in a worked example, and its result."""

    result: Paragraph


class StoredExample(Schema):
    """A worked example; its query is no task."""

    query: Words
    steps: Annotated[tuple[StoredStep, ...], Field(strict=False, max_length=20)]
    answer: Words


class Prompt(Schema):
    """The instructions and the worked examples of the tasks of one kind."""

    instructions: Words
    examples: Annotated[tuple[StoredExample, ...], Field(strict=False, max_length=20)]


class Expected(Schema):
    """What a run must end with.

    Attributes:
        form: how the answer is compared.
        answer: the expected answer; None if any answer, or none, is right.
        changes: the calls that change the state, in any order; all others are wrong.
    """

    form: Form = "text"
    answer: Words | None = None
    changes: Annotated[tuple[StoredCall, ...], Field(strict=False, max_length=20)] = ()


class StoredTask(Schema):
    """A task with its expected answer.

    Attributes:
        prompt: the kind of task, a member of `prompts`.
        wording: the sentence that the query was made from; tasks of one wording differ in values only.
        parameters: what the query and the answer follow from.
    """

    id: Slug
    domain: Slug
    split: Literal["seen", "reserved"]
    prompt: Slug
    wording: Slug
    query: Words
    parameters: Object
    expected: Expected


class Document(Schema):
    """A whole benchmark.

    Attributes:
        notes: how it was made and measured.
        data: what its tools work on, by the kind.
    """

    track: Literal["agents"]
    id: Slug
    kind: Slug
    license: Text
    source: Text
    notes: Paragraph
    publish: Literal["full", "redacted", "sealed"]
    prompts: Annotated[dict[Slug, Prompt], Field(min_length=1, max_length=20)]
    data: Object
    tasks: Annotated[tuple[StoredTask, ...], Field(strict=False, min_length=1, max_length=MAX_TASKS)]

    _sha256: str = PrivateAttr(default="")

    @property
    def sha256(self) -> str:
        """SHA-256 hex of the JCS of the document, as receipts pin it."""
        return self._sha256

    @cached_property
    def examples(self) -> dict[str, tuple[Example, ...]]:
        """The worked examples of each prompt."""
        return {
            name: tuple(
                Example(
                    one.query,
                    tuple(Step(step.tool, step.arguments, step.result) for step in one.steps),
                    one.answer,
                )
                for one in prompt.examples
            )
            for name, prompt in self.prompts.items()
        }

    def told(self) -> Iterator[Task]:
        """Yield the tasks as systems see them, without expected answers."""
        for task in self.tasks:
            prompt = self.prompts[task.prompt]
            needed = task.expected.answer is not None or bool(task.expected.changes)
            yield Task(
                task.id,
                task.domain,
                task.query,
                needed,
                task.split,
                prompt.instructions,
                self.examples[task.prompt],
            )

    @classmethod
    def of(cls, value: Json) -> Self:
        """Validate a parsed document and remember its digest."""
        document = cls.model_validate(value)
        document._sha256 = canonical.digest(value)  # noqa: SLF001 - our own instance, before anyone else sees it
        return document


def parse(data: bytes, where: str) -> Document:
    """Read and check the document of a benchmark.

    Raises:
        InputError: not strict JSON, of another shape, or inconsistent.
    """
    try:
        document = Document.of(canonical.loads(data, max_bytes=MAX_BYTES))
    except canonical.JsonError as error:
        raise InputError(f"benchmark {where}: {error.message}", hint=error.hint) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise _refused(where, f"{place}: {fault}") from None
    for fault in _faults(document):
        raise _refused(where, fault)
    return document


def _refused(where: str, fault: str) -> InputError:
    return InputError(f"benchmark {where}: {fault}", hint="see content/docs/write-a-benchmark.md")


def _faults(document: Document) -> Iterator[str]:
    """Yield what is inconsistent."""
    for name, values in (
        ("id", [task.id for task in document.tasks]),
        ("query", [task.query for task in document.tasks]),
    ):
        for twice in _twice(values):
            yield f"tasks: the {name} {twice[:80]!r} occurs twice"
    shown = {one.query for prompt in document.prompts.values() for one in prompt.examples}
    for task in document.tasks:
        if task.prompt not in document.prompts:
            yield f"task {task.id}: no prompt {task.prompt!r}"
        if task.query in shown:
            yield f"task {task.id}: its query is a worked example"
        if task.expected.answer is not None and is_empty(task.expected.answer, task.expected.form):
            yield f"task {task.id}: its expected answer isn't a {task.expected.form}"


def _twice(values: Iterable[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]
