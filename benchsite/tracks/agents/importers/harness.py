"""The results of another harness, as every importer of one gives them: tasks, evaluator, stated scores, then runs.

Owns the task list that is made of them. Names are made fit to keep (`foreign_text`); two tasks never share an id. Refused: results
without a task, and lists that the task list's own parser refuses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.task_list.document import DOMAIN, parse, short_id
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.run_lines import FOREIGN, StatedRun

__all__ = ["Results", "Score", "task_list"]

LICENSE: Final = "not stated by the results"


class Score(NamedTuple):
    """A score that the results state of themselves.

    Attributes:
        name: as they call it, with how it is averaged.
        ours: the metric of a receipt that is the same statistic; None if none is.
    """

    name: str
    value: float
    ours: str | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """What is known of results before their runs are read. Texts are as the file has them.

    Attributes:
        name: of the file, for messages.
        benchmark: the id that a task list made of them has, unless another is given.
        evaluator: who decided the outcomes, and how.
        source: where the tasks are from.
        tasks: domain by name of the task, in order.
        repeats: how many runs each task should have.
        runs: reads the runs, one at a time.
        model: what the system's model is called; None if it is not stated.
        references: which harness made them, and how.
        scores: what the file states of itself.
        notes: what the person who imports them should know.
    """

    name: str
    benchmark: str
    evaluator: str
    source: str
    tasks: Mapping[str, str]
    repeats: int
    runs: Callable[[], Iterator[StatedRun]]
    model: str | None = None
    references: Sequence[str] = ()
    scores: Sequence[Score] = ()
    notes: Sequence[str] = field(default_factory=tuple)


def task_list(results: Results, identifier: str, evaluator: str) -> bytes:
    """Return the `fixture.json` of a task list with the tasks of some results.

    Raises:
        InputError: there is no task, or the list is malformed.
    """
    if not results.tasks:
        raise InputError(f"{results.name}: no task", hint=FOREIGN)
    scrubber = Scrubber()
    names = {scrubber.name(name): domain for name, domain in results.tasks.items()}
    short = {name: short_id(name) for name in names}
    taken = Counter(short.values())
    value: dict[str, Any] = {
        "track": "agents",
        "kind": "task-list",
        "id": identifier,
        "evaluator": evaluator,
        "license": LICENSE,
        "source": scrubber.name(results.source),
        "tasks": [
            _task(name, short[name], scrubber.name(domain or DOMAIN), taken) for name, domain in names.items()
        ],
    }
    data = canonical.dumps(value)
    parse(data, results.name)
    return data


def _task(name: str, short: str, domain: str, taken: Mapping[str, int]) -> dict[str, str]:
    """A task as it is stored; an id that others would have too gets 8 digits of the name's SHA-256."""
    if not short or taken[short] > 1:
        digits = canonical.sha256_hex(name.encode("utf-8"))[:8]
        short = f"{short[:71]}-{digits}" if short else digits
    return {"id": short, "domain": domain, **({} if name == short else {"name": name})}
