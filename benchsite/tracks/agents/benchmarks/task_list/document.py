"""The document of a task list: who evaluates the runs, and the ids of the tasks.

Takes bytes, never a path. Two spellings: the `fixture.json` of a benchmark, and the file that a person writes, in which a task
may be an id alone, and an id may be any text (`convert` makes a short name of it and keeps the text as `name`). Refuses ids and
names that occur twice, and a list without an evaluator, a license or a source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field, PrivateAttr, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Seen, Slug, Text, first_fault
from benchsite.track import Imported
from benchsite.words import amount

__all__ = ["Document", "StoredTask", "convert", "parse", "short_id"]

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_TASKS: Final = 100_000
DOMAIN: Final = "all"
"""The domain of a task whose list states none."""
LONGEST_ID: Final = 80
_HINT: Final = "see content/docs/import-runs.md"


class StoredTask(Schema):
    """A task.

    Attributes:
        name: its id where it is published, if that is no short name.
        query: what systems are asked; empty if the list does not tell.
    """

    id: Slug
    name: Text | None = None
    domain: Text = DOMAIN
    query: Annotated[str, StringConstraints(max_length=20_000)] = ""


class Document(Schema):
    """A whole list.

    Attributes:
        evaluator: who decided the outcomes, and how.
        publish: what of its tasks may be shown.
    """

    track: Literal["agents"]
    id: Slug
    kind: Literal["task-list"]
    license: Text
    source: Text
    notes: Annotated[str, StringConstraints(max_length=20_000)] = ""
    publish: Literal["full", "redacted", "sealed"] = "full"
    evaluator: Seen
    tasks: Annotated[tuple[StoredTask, ...], Field(strict=False, min_length=1, max_length=MAX_TASKS)]

    _sha256: str = PrivateAttr(default="")

    @property
    def sha256(self) -> str:
        """SHA-256 hex of the JCS of the document, as receipts pin it."""
        return self._sha256


def parse(data: bytes, where: str) -> Document:
    """Read a `fixture.json`.

    Raises:
        InputError: it is malformed; the first faulty place is named.
    """
    value = _loaded(data, where)
    try:
        found = Document.model_validate(value)
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"task list {where}: {place or 'document'}: {fault}", hint=_HINT) from None
    names = [task.id for task in found.tasks]
    names += [task.name for task in found.tasks if task.name is not None and task.name != task.id]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise InputError(f"task list {where}: task {twice[0]!r} occurs twice", hint="list each task once")
    found._sha256 = canonical.digest(value)  # noqa: SLF001 - ours
    return found


def convert(files: Mapping[str, bytes]) -> Imported:
    """Return the `fixture.json` of a list that a person wrote.

    Args:
        files: the one file by its name.

    Raises:
        InputError: it is malformed.
    """
    ((where, data),) = files.items()
    value = _loaded(data.removeprefix(b"\xef\xbb\xbf"), where)
    if not isinstance(value, dict) or not isinstance(value.get("tasks"), list):
        raise InputError(f"task list {where}: must be an object whose `tasks` is a list", hint=_HINT)
    tasks = [_task(task) for task in value["tasks"]]
    whole = {"track": "agents", "kind": "task-list", **value, "tasks": tasks}
    made = canonical.dumps(whole)
    found = parse(made, where)
    renamed = [task for task in found.tasks if task.name is not None]
    lines = [f"{amount(len(found.tasks), 'task')}, evaluated by: {found.evaluator}"]
    if renamed:
        lines.append(
            f"{amount(len(renamed), 'task id')} shortened, first {renamed[0].name} to {renamed[0].id}; runs may use either"
        )
    report = {
        "id": found.id,
        "tasks": len(found.tasks),
        "evaluator": found.evaluator,
        "renamed": len(renamed),
    }
    return Imported(made, lines, report)


def _task(value: Any) -> Any:
    """A task as it is stored; what is no task is left to the schema."""
    task = {"id": value} if isinstance(value, str) else value
    if not isinstance(task, dict) or not isinstance(task.get("id"), str) or "name" in task:
        return task
    short = short_id(task["id"])
    return task if short == task["id"] else {**task, "id": short, "name": task["id"]}


def short_id(name: str) -> str:
    """A name of lower-case letters, digits and hyphens; a long one keeps its end apart by 8 digits of its SHA-256."""
    short = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if len(short) <= LONGEST_ID:
        return short
    return f"{short[: LONGEST_ID - 9]}-{canonical.sha256_hex(name.encode('utf-8', 'replace'))[:8]}"


def _loaded(data: bytes, where: str) -> Any:
    try:
        return canonical.loads(data, max_bytes=MAX_BYTES)
    except JsonError as error:
        raise InputError(f"task list {where}: {error.message}", hint=error.hint) from None
