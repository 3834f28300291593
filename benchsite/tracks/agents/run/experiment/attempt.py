"""One unit carried out: a system works on a task from a fresh state, and its events become an attempt.

Owns the retries: an attempt that the model's provider ended is repeated, and the last one counts. The events of a run that
asks a real model are written as they come (`run_<n>.attempt_<k>.jsonl`), so that a kill loses no completion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchsite.errors import BenchsiteError
from benchsite.isolation.subject import Subject
from benchsite.tracks.agents.benchmarks import Benchmark, Graded, Task, decided
from benchsite.tracks.agents.models import Model, for_run
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.record.config import Budget
from benchsite.tracks.agents.redaction import redacted
from benchsite.tracks.agents.run import baselines
from benchsite.tracks.agents.run.measured import Ended, solved
from benchsite.tracks.agents.run.paid import Paid
from benchsite.tracks.agents.run.perturbation import Perturbation
from benchsite.tracks.agents.run.policies import asking
from benchsite.tracks.agents.run.recorder import Clock, Recorder
from benchsite.tracks.agents.run.service import Service
from benchsite.tracks.agents.tools import Action, Policy
from benchsite.tracks.agents.trace.event import Event, Trace
from benchsite.tracks.agents.trace.writer import TraceWriter

__all__ = ["Attempt", "Bench", "carried_out", "unfinished"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of a unit.

    Attributes:
        outcome, limit: as the receipt states them.
        columns: the run columns that follow from the events.
        responded: the models that responded, by role.
        tries: how many attempts were made.
        provider_failed: why the provider of a model ended it; empty if none did.
        is_permanent: whether repeating cannot help.
    """

    events: Sequence[Event]
    actions: Sequence[Action]
    ended: Ended
    graded: Graded
    outcome: str
    limit: str | None
    columns: Mapping[str, Any]
    responded: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tries: int = 1
    provider_failed: str = ""
    is_permanent: bool = False


@dataclass(frozen=True, slots=True)
class Bench:
    """What every unit of a system on a benchmark needs.

    Attributes:
        reference: of the system's class; None for a program.
        most_text: characters of the calls of one run that evidence can hold.
        repeats: runs of each task.
        retries: further attempts after the provider of a model failed.
        secrets: texts that no record may have.
        policies: which calls of a tool are carried out, by the tool's name.
        perturbation: of tools or queries; None for none.
        label: the system's name in recordings; two budgets of one control are two.
    """

    benchmark: Benchmark
    tasks: Sequence[Task]
    subject: Subject
    models: Mapping[str, Model]
    reference: str | None
    budget: Budget
    seed: int
    repeats: int
    most_text: int
    clock: Clock
    retries: int = 0
    secrets: tuple[str, ...] = ()
    policies: Mapping[str, Policy] = field(default_factory=dict)
    perturbation: Perturbation | None = None
    label: str = ""


def carried_out(bench: Bench, place: int, run: int, base: Path | None) -> Attempt:
    """Run one task once, again while the provider fails.

    Args:
        bench: what the units share.
        place: of the task, from 0.
        run: from 1.
        base: path of the unit's files up to the dot before their kind; None to keep nothing of an unfinished run.
    """
    is_paid = base is not None and not all(model.simulated for model in bench.models.values())
    number = 0
    while True:
        number += 1
        kept = unfinished(base) if base is not None and is_paid else []
        path = base.with_name(f"{base.name}.attempt_{len(kept) + 1}.jsonl") if base and is_paid else None
        found = _attempt(bench, place, run, path, Paid(_traces(kept)), number)
        if not found.provider_failed or found.is_permanent or number > bench.retries:
            return found


def unfinished(base: Path) -> list[Path]:
    """Return the files of attempts of a unit that did not end in a record."""
    return sorted(base.parent.glob(f"{base.name}.attempt_*.jsonl"))


def _traces(paths: Sequence[Path]) -> Iterator[Sequence[Event]]:
    """The events of each attempt; one that cannot be read has none."""
    for path in paths:
        with suppress(OSError, BenchsiteError):
            yield tuple(Trace((path.read_bytes(),), name=path.name, drop_half_line=True))


def _attempt(bench: Bench, place: int, run: int, path: Path | None, paid: Paid, tries: int) -> Attempt:
    task, benchmark, perturbation = bench.tasks[place], bench.benchmark, bench.perturbation
    given = baselines.given(
        bench.reference, benchmark, baselines.draws(bench.seed, place * bench.repeats + run - 1)
    )
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    with TraceWriter(path) if path is not None else nullcontext() as writer:
        write = writer.append if writer is not None else _drop
        recorder = Recorder(bench.clock, bench.subject.description.name, write, bench.secrets)
        workspace = benchmark.open(task.id)
        name = f"{benchmark.id}/{bench.label or bench.subject.description.name}/{task.id}/{run}"
        models = {role: for_run(model, name) for role, model in bench.models.items()}
        service = Service(
            workspace,
            models,
            bench.budget,
            recorder,
            most_text=bench.most_text,
            policies=bench.policies,
            approve=asking() if "ask" in bench.policies.values() else None,
            paid=paid,
            run=run,
        )
        if perturbation is not None:
            service.fails = perturbation.fails(task.id, run)
        ended = solved(
            bench.subject,
            perturbation.reworded(task, run) if perturbation is not None else task,
            list(workspace.tools),
            service,
            given=given,
            seconds=bench.budget.seconds,
        )
        ended = replace(ended, answer=redacted(ended.answer, bench.secrets))
        _record_end(recorder, ended)
    actions = [
        action_log.read_action(redacted(action_log.as_json(action), bench.secrets))
        for action in service.actions
    ]
    graded = benchmark.grade(task.id, actions, ended.answer, ended.error)
    outcome, limit = decided(benchmark, graded, ended.error)
    return Attempt(
        recorder.events,
        actions,
        ended,
        graded,
        outcome,
        limit,
        traced_columns(recorder.events),
        {role: sorted(names) for role, names in service.responded.items()},
        tries,
        service.provider_failed,
        service.is_permanent,
    )


def _drop(_event: Event) -> None:
    """Keep an event nowhere but in memory."""


def _record_end(recorder: Recorder, ended: Ended) -> None:
    """The last event: the answer, or the error that ended the run; none if a system gave no answer."""
    now = recorder.clock.now()
    if ended.error:
        limit = ended.error.removeprefix("benchsite: limit ") if " limit " in ended.error else None
        payload = {
            "text": ended.error,
            "source": "harness" if limit else "agent",
            "ending": "limit" if limit else "error",
            "limit": limit,
        }
        recorder.add("error", payload, now, now, actor="system")
    elif ended.answer is not None:
        sure = {} if ended.confidence is None else {"confidence": ended.confidence}
        recorder.add("finalize", {"output": ended.answer, **sure}, now, now, actor=ended.actor)
