"""The results of another harness, as every importer of one gives them: tasks, evaluator, stated scores, then runs.

Owns the task list that is made of them. Names are made fit to keep (`foreign_text`); two tasks never share an id. Refused: results
without a task, and lists that the task list's own parser refuses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.stats import exact_mean
from benchsite.track.parts import Readable
from benchsite.tracks.agents.benchmarks.task_list.document import DOMAIN, parse, short_id
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.run_lines import FOREIGN, StatedRun
from benchsite.tracks.agents.record.payload_from_runs import Finished

__all__ = ["Results", "Score", "comparison", "listed", "listed_files", "task_list"]

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
        files: lists the imported files as a receipt names them: name, sha256, size.
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
    files: Callable[[], Sequence[Mapping[str, Any]]]
    model: str | None = None
    references: Sequence[str] = ()
    scores: Sequence[Score] = ()
    notes: Sequence[str] = field(default_factory=tuple)


def listed(file: Readable) -> list[Mapping[str, Any]]:
    """Return the one file of some results as a receipt names it."""
    return [{"name": Scrubber().name(file.name), "sha256": file.sha256(), "size": file.size}]


def listed_files(files: Mapping[str, bytes], first: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the files of a folder as a receipt names them: up to 900 by name, of the others one entry over their hashes."""
    named = list(first[:900])
    found: list[Mapping[str, Any]] = [
        {"name": path, "sha256": canonical.sha256_hex(data), "size": len(data)}
        for path in named
        for data in [files[path]]
    ]
    digests, size, whole = dict[str, str](), 0, set(named)
    for path in files:
        if path not in whole:
            data = files[path]
            digests[path], size = canonical.sha256_hex(data), size + len(data)
    if digests:
        name = f"{len(digests)} more, SHA-256 of their hashes"
        found.append({"name": name, "sha256": canonical.digest(dict(digests)), "size": size})
    return found


def comparison(results: Results, runs: Sequence[Finished]) -> Iterator[str]:
    """Yield each stated score beside the same statistic of the imported runs, which is compared exactly."""
    for score in results.scores:
        ours = _mean(runs, score.ours) if score.ours is not None else None
        name = Scrubber().name(score.name)
        if ours is None:
            yield f"stated: {name} {score.value!r}; no metric here is the same"
        elif ours == score.value:
            yield f"stated: {name} {score.value!r}; here {score.ours} {ours!r}, equal"
        else:
            off = abs(ours - score.value)
            yield f"stated: {name} {score.value!r}; here {score.ours} {ours!r}, which differs by {off:.2g}"


def _mean(runs: Sequence[Finished], metric: str | None) -> float | None:
    """The mean over tasks of the mean over runs: of the scores that are stated, or of successes."""
    values: dict[str, list[float]] = {}
    for run in runs:
        if run.graded is not None and metric == "eval_avg_score" and run.graded.score is not None:
            values.setdefault(run.task, []).append(run.graded.score)
        elif run.graded is not None and metric == "success":
            values.setdefault(run.task, []).append(float(run.graded.success))
    return exact_mean([exact_mean(one) for one in values.values()]) if values else None


def task_list(results: Results, identifier: str, evaluator: str) -> bytes:
    """Return the `fixture.json` of a task list with the tasks of some results, in the order of their names.

    Raises:
        InputError: there is no task, or the list is malformed.
    """
    if not results.tasks:
        raise InputError(f"{results.name}: no task", hint=FOREIGN)
    scrubber = Scrubber()
    found = {scrubber.name(name): domain for name, domain in results.tasks.items()}
    names = {name: found[name] for name in sorted(found, key=_natural)}
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


def _natural(name: str) -> list[tuple[int, str]]:
    """The order of names, in which numbers count as numbers: results of two systems make the same list."""
    return [
        (int(part), "") if part.isascii() and part.isdigit() else (-1, part)
        for part in re.split(r"([0-9]+)", name)
    ]


def _task(name: str, short: str, domain: str, taken: Mapping[str, int]) -> dict[str, str]:
    """A task as it is stored; an id that others would have too gets 8 digits of the name's SHA-256."""
    if not short or taken[short] > 1:
        digits = canonical.sha256_hex(name.encode("utf-8"))[:8]
        short = f"{short[:71]}-{digits}" if short else digits
    return {"id": short, "domain": domain, **({} if name == short else {"name": name})}
