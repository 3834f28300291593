"""From finished runs to the agents part of a receipt: columns, scores and evidence. The same for native and imported runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchsite.track import IN_GIT, Evidence
from benchsite.tracks.agents.benchmarks import Benchmark, Graded, Task, decided, edition_of, evaluator_of
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.action_log import Acted
from benchsite.tracks.agents.record.columns import Acts, Trajectories, traced_columns
from benchsite.tracks.agents.scores.descriptor import Evaluation, describe
from benchsite.tracks.agents.scores.scoring import runs_of, score
from benchsite.tracks.agents.tools import Action
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.event import Event, Trace, lines

_ALWAYS = frozenset({"taskId", "run", "outcome", "completion"})


@dataclass(frozen=True, slots=True)
class Finished:
    """One run that ended.

    Attributes:
        events: its trace; empty if `columns` and `lines` tell what follows from it.
        actions, answer: what the evaluator decides by.
        error: the text that ended it; empty if it ended by itself.
        columns: the run columns that follow from its trace.
        lines: reads its trace, an event a line, when it is packed.
        acts: what it did; None to read its trace for it.
        graded: what the evaluator decided when the run ended; None to ask it now.
        record: reads its line of the action record, when it is written; `actions` are then not needed.
    """

    task: str
    run: int
    events: tuple[Event, ...] = ()
    actions: tuple[Action, ...] = ()
    answer: str | None = None
    error: str = ""
    columns: Mapping[str, Any] | None = None
    lines: Callable[[], bytes] | None = None
    acts: Acts | None = None
    graded: Graded | None = None
    record: Callable[[], bytes] | None = None

    @property
    def traced(self) -> Mapping[str, Any]:
        """The run columns that follow from its trace."""
        return traced_columns(self.events) if self.columns is None else self.columns

    @property
    def steps(self) -> Sequence[Event]:
        """Its events, read if they are not held."""
        return self.events if self.lines is None else tuple(Trace((self.lines(),), name="trace"))

    @property
    def trace(self) -> bytes:
        """Its events, one a line."""
        return lines(self.events) if self.lines is None else self.lines()


def payload(
    benchmark: Benchmark,
    tasks: Sequence[Task],
    runs: Sequence[Finished],
    *,
    system: Mapping[str, Any],
    seed: int,
    imported: bool = False,
) -> tuple[dict[str, Any], tuple[Evidence, ...]]:
    """The track's keys of a receipt, and the evidence that they pin.

    Args:
        benchmark: the whole benchmark.
        tasks: those that were run.
        runs: in the order of `tasks`.
        system: the receipt's `system`.
        seed: of the bootstrap.
        imported: whether others made the runs: their transcripts stay outside git, and are packed only when
            they are written.
    """
    graded = [run.graded or benchmark.grade(run.task, run.actions, run.answer, run.error) for run in runs]
    columns = _columns(benchmark, runs, graded)
    known = listed(tasks)
    known |= consistencies(known["id"], runs, columns["outcome"])
    _check(columns, graded)
    body = {
        "system": dict(system),
        "benchmark": {
            "id": benchmark.id,
            "sha256": benchmark.sha256,
            "tasks": len(benchmark.tasks),
            "publish": benchmark.publish,
            **({"edition": edition} if (edition := edition_of(benchmark)) else {}),
            **({"evaluator": evaluator} if (evaluator := evaluator_of(benchmark)) else {}),
        },
        **score(known, columns).sections(seed=seed),
        "tasks": known,
        "runs": columns,
    }
    return body, _evidence(benchmark, runs, graded, imported=imported)


def listed(tasks: Sequence[Task]) -> dict[str, list[Any]]:
    """Return the columns of `tasks` that the benchmark tells."""
    found: dict[str, list[Any]] = {
        "id": [task.id for task in tasks],
        "domain": [task.domain for task in tasks],
    }
    if (needed := needs_action(tasks)) is not None:
        found["needsAction"] = needed
    return found


def needs_action(tasks: Sequence[Task]) -> list[bool] | None:
    """Return whether each task needs an action; None if the benchmark does not tell of every task."""
    told = [task.needs_action for task in tasks if task.needs_action is not None]
    return told if len(told) == len(tasks) else None


def _check(columns: Mapping[str, Any], graded: Sequence[Graded]) -> None:
    """Compare every task's descriptor with the evaluator's own word; raises `IntegrityError` where they differ."""
    said: dict[str, list[Evaluation]] = {}
    for task, found, complete in zip(columns["taskId"], graded, columns["completion"], strict=True):
        said.setdefault(task, []).append(Evaluation(found.success, complete))
    for task, runs in runs_of(columns).items():
        describe(runs, evaluations=said[task], task=task)


def _columns(
    benchmark: Benchmark, runs: Sequence[Finished], graded: Sequence[Graded]
) -> dict[str, list[Any]]:
    """The run columns; one that is blank throughout is absent."""
    traced = [run.traced for run in runs]
    ended = [decided(benchmark, found, run.error) for run, found in zip(runs, graded, strict=True)]
    columns: dict[str, list[Any]] = {
        "taskId": [run.task for run in runs],
        "run": [run.run for run in runs],
        "outcome": [outcome for outcome, _ in ended],
        "limit": [limit for _, limit in ended],
        "harmful": [found.harmful for found in graded],
        "score": [found.score for found in graded],
        "evidenceRecall": [found.evidence_recall for found in graded],
        **{name: [one[name] for one in traced] for name in traced[0]},
    }
    return {
        name: column
        for name, column in columns.items()
        if name in _ALWAYS or any(cell is not None for cell in column)
    }


def consistencies(
    tasks: Sequence[str], runs: Iterable[Finished], outcomes: Iterable[str]
) -> dict[str, list[float | None]]:
    """Return the columns of `tasks` that follow from the traces; one that is blank throughout is absent."""
    trajectories = Trajectories()
    for run, outcome in zip(runs, outcomes, strict=True):
        if outcome == "success":
            trajectories.add(run.task, run.run, run.acts or Acts.of(run.steps))
    columns = trajectories.columns(tasks)
    return {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}


def _evidence(
    benchmark: Benchmark, runs: Iterable[Finished], graded: Iterable[Graded], *, imported: bool
) -> tuple[Evidence, ...]:
    """Return the actions and the traces; git holds no traces of imported runs nor their large actions, and nothing of hidden tasks."""
    held = list(runs)
    traces = partial(_traces, held)
    hidden, sealed = benchmark.publish != "full", benchmark.publish == "sealed"
    actions = b"".join(
        run.record() if run.record is not None else action_record(run, found)
        for run, found in zip(held, graded, strict=True)
    )
    is_large = imported and len(actions) > IN_GIT
    packed = traces if imported else b"".join(traces())
    outside = hidden or not isinstance(packed, bytes) or len(packed) > IN_GIT
    return (
        Evidence(action_log.NAME, action_log.MEDIA_TYPE, actions, hidden or is_large, sealed),
        Evidence(archive.NAME, archive.MEDIA_TYPE, packed, mirrored=outside, sealed=sealed),
    )


def action_record(run: Finished, found: Graded) -> bytes:
    """Return the line of a run in the action record."""
    acted = Acted(
        task=run.task,
        run=run.run,
        actions=run.actions,
        answer=run.answer,
        error=run.error or None,
        skipped=tuple(map(action_log.Skipped.model_validate, found.skipped)),
        difference=tuple(map(action_log.Change.model_validate, found.difference)),
    )
    return action_log.written([acted])


def _traces(runs: Sequence[Finished]) -> Iterator[bytes]:
    """The packed traces, in pieces."""
    return archive.pieces((run.task, run.run, run.trace) for run in runs)
