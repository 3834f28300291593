"""The writing part of the track: a benchmark and a system in, the agents part of a receipt out.

Owns native runs and the import of published results; both end in `payload_from_runs`. A failure of the system is recorded
there; only a benchmark, a published file or a system that cannot be read or started is an error. Native runs are written
event by event to the folder that the context gives. Reads no clock itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.isolation.subject import Subject
from benchsite.track import Measurement, Plan, Resolved, RunContext, Work
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.benchmarks import Benchmark, Task, load
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.record import action_log, payload_from_runs
from benchsite.tracks.agents.record.config import Budget
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.record.verification import identity
from benchsite.tracks.agents.run import baselines, policies
from benchsite.tracks.agents.run.measured import Described, Ended, described, program, solved
from benchsite.tracks.agents.run.recorder import Clock, Recorder
from benchsite.tracks.agents.run.service import Service
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.writer import TraceWriter
from benchsite.words import amount

MOST_WORK: Final = 50_000_000
"""Runs times rows of a benchmark; about 20 microseconds each for a system that calls every tool."""


def plan(work: Work, resolved: Resolved, context: RunContext) -> Plan:
    """Describe the run; the system is started only to hear what it is."""
    benchmark = load(resolved.target, where=work.target)
    if work.imported:
        system, config = dict(work.request["system"]), _config(work, None)
    else:
        policies.require_known(work.request.get("policies", {}), benchmark)
        with _started(work, resolved, context) as started:
            system, config = started.system, started.config
    asked = min(len(benchmark.tasks), config["limit"] or len(benchmark.tasks)) * config["runsPerTask"]
    _require_bounded(benchmark, asked)
    models = ", ".join(sorted(f"{role} {use['requested']}" for role, use in system["models"].items()))
    return Plan(
        identity=identity(system, config),
        subject=(system["name"], system["version"]),
        config=config,
        target=(benchmark.id, benchmark.sha256),
        cost=f"{amount(asked, 'run')} of {system['name']} {system['version']} on {benchmark.id}, {models or 'no model'}",
    )


def _require_bounded(benchmark: Benchmark, runs: int) -> None:
    """Raise `InputError` if the runs would visit more rows than a measurement should."""
    if benchmark.rows and runs * benchmark.rows > MOST_WORK:
        most = MOST_WORK // benchmark.rows
        raise InputError(
            f"benchmark {benchmark.id}: {runs:,} runs over {benchmark.rows:,} rows are more than "
            f"{MOST_WORK:,} row visits",
            hint=f"run at most {most:,}, with --task-limit or --runs-per-task"
            if most
            else "import smaller tables",
        )


def run(work: Work, resolved: Resolved, context: RunContext) -> Measurement:
    """Run a system, or grade published results.

    Raises:
        InputError: the benchmark, the published results or the system's description are malformed.
        UsageError: the system needs a model that is not given.
    """
    benchmark = load(resolved.target, where=work.target)
    tasks = benchmark.tasks[: work.request["limit"]]
    if work.imported:
        system, config = dict(work.request["system"]), _config(work, None)
        runs, notes = work.request["read"](benchmark, context.progress)
        simulated = False
    else:
        policies.require_known(work.request.get("policies", {}), benchmark)
        _require_bounded(benchmark, len(tasks) * work.request["runs_per_task"])
        with _started(work, resolved, context) as started:
            runs = list(_native(started, benchmark, tasks, context))
            system, config, notes = started.system, started.config, started.notes()
            simulated = any(model.simulated for model in started.models.values())
    payload, evidence = payload_from_runs.payload(benchmark, tasks, runs, system=system, seed=config["seed"])
    notes = (*notes, *_unusable(evidence[0].data))
    return Measurement(
        config,
        payload,
        tuple(notes),
        evidence,
        simulated=simulated,
        origin="import" if work.imported else "native",
    )


def _unusable(data: bytes) -> Iterator[str]:
    """How many actions could not be used, in how many runs: they are recorded and skipped."""
    skipped = [len(run.skipped) for run in action_log.read(data) if run.skipped]
    if skipped:
        yield f"{amount(sum(skipped), 'action')} could not be used, in {amount(len(skipped), 'run')}: skipped"


def _config(work: Work, subject_sha256: str | None) -> dict[str, Any]:
    """The receipt's `config`, known before anything is run."""
    request = work.request
    return {
        "runsPerTask": request["runs_per_task"],
        "seed": request["seed"],
        "limit": request["limit"],
        "isolation": None if work.imported else "process",
        "budget": None if work.imported else dict(request["budget"]),
        "concurrency": None if work.imported else 1,
        "prices": None,
        "subjectSha256": subject_sha256,
        "options": {**request.get("options", {}), **policies.options(request.get("policies", {}))},
        "source": request.get("source"),
    }


@dataclass
class _Started:
    """A started system, as a context manager.

    Attributes:
        responded: models that responded so far, by role.
        failures: what failed first in the runs that the system did not end itself, and how many there are.
    """

    work: Work
    reference: str | None
    subject: Subject
    told: Described
    models: Mapping[str, Model]
    responded: dict[str, set[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        self.subject.__exit__(failed)

    @property
    def config(self) -> dict[str, Any]:
        return _config(self.work, self.subject.description.subject_sha256)

    @property
    def system(self) -> dict[str, Any]:
        """The receipt's `system`, with the models that responded so far."""
        told, description = self.told, self.subject.description
        return {
            "name": description.name,
            "version": description.version,
            "kind": told.kind,
            "models": {
                role: {
                    "requested": model.requested,
                    "responded": ", ".join(sorted(self.responded.get(role, ()))) or None,
                }
                for role, model in self.models.items()
            },
            "sizes": dict(told.sizes),
            "prompts": told.prompts_sha256,
        }

    def notes(self) -> tuple[str, ...]:
        """For the person who runs it: how many runs failed, and the first one's words."""
        if not self.failures:
            return ()
        return (
            f"{amount(len(self.failures), 'run')} ended by a limit or an error; first {self.failures[0]}",
        )


def _started(work: Work, resolved: Resolved, context: RunContext) -> _Started:
    reference = resolved.references.get("system")
    granting = replace(context, grants=lambda subject: context.grants(subject).extended(work.grant))
    subject = Subject(
        program(work.subject, reference, work.request.get("options", {})), work.request["seed"], granting
    )
    try:
        told = described(subject, work.subject)
        return _Started(work, reference, subject, told, _models(work, told))
    except BaseException:
        subject.__exit__(UsageError)
        raise


def _models(work: Work, told: Described) -> dict[str, Model]:
    """The model of each role that the system has.

    Raises:
        UsageError: a role has no model, or a model is given for none.
    """
    given = dict(work.request["models"])
    for role in told.roles:
        if role not in given and "default" not in given:
            known = ", ".join(TRACK.plugins("model"))
            raise UsageError(
                f"system {work.subject} needs a model for role {role}",
                hint=f"add --model PROVIDER:TEXT; available: {known}",
            )
    for role in given:
        if role not in told.roles and (role != "default" or not told.roles):
            roles = ", ".join(told.roles) or "none"
            raise UsageError(f"system {work.subject} has no role {role}", hint=f"its roles: {roles}")
    made = {one: _model(one) for one in dict.fromkeys(given.values())}
    return {role: made[given.get(role, given.get("default", ""))] for role in told.roles}


def _model(text: str) -> Model:
    provider, _, name = text.partition(":")
    made: Model = TRACK.plugin("model", provider)(name)
    return made


def _native(
    started: _Started, benchmark: Benchmark, tasks: Sequence[Task], context: RunContext
) -> Iterator[Finished]:
    """Every run, from a fresh state, with the clock's own times."""
    request, name = started.work.request, started.subject.description.name
    repeats, budget, clock = (
        request["runs_per_task"],
        Budget.model_validate(request["budget"]),
        Clock(context),
    )
    most_text = min(action_log.MAX_RUN_TEXT, action_log.MAX_TEXT // max(1, len(tasks) * repeats))
    folder = Path(context.traces) / benchmark.id / name if context.traces else None
    if folder is not None:
        _make(folder)
    for place, task in enumerate(tasks):
        context.progress(place, len(tasks), f"{name} on {benchmark.id}: {task.id}")
        for number in range(1, repeats + 1):
            pick = baselines.draws(request["seed"], place * repeats + number - 1)
            given = baselines.given(started.reference, benchmark, pick)
            path = folder / f"{task.id}.run_{number}.trace.jsonl" if folder is not None else None
            with TraceWriter(path) if path is not None else nullcontext() as writer:
                recorder = Recorder(clock, name, writer.append if writer is not None else _drop)
                workspace = benchmark.open(task.id)
                service = Service(
                    workspace,
                    started.models,
                    budget,
                    recorder,
                    most_text=most_text,
                    policies=request.get("policies", {}),
                )
                ended = solved(
                    started.subject,
                    task,
                    list(workspace.tools),
                    service,
                    given=given,
                    seconds=budget.seconds,
                )
                _record_end(recorder, ended)
            for role, names in service.responded.items():
                started.responded.setdefault(role, set()).update(names)
            if ended.error:
                started.failures.append(f"{task.id}, run {number}: {ended.detail}")
            actions = tuple(service.actions)
            yield Finished(task.id, number, tuple(recorder.events), actions, ended.answer, ended.error)
    context.progress(len(tasks), len(tasks), f"{name} on {benchmark.id}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PrerequisiteError(
            f"cannot write traces: {folder.name}: {(error.strerror or 'unknown error').lower()}",
            hint="free some space or check the permissions of .benchsite/traces, then re-run the command",
        ) from None


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
