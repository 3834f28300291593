"""The writing part of the track: a benchmark and a system in, the agents part of a receipt out.

Owns native runs and the import of published results; both end in `payload_from_runs`. A failure of the system is recorded
there; only a benchmark, a published file or a system that cannot be read or started is an error. Native runs are written
event by event to the folder that the context gives. Reads no clock itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from benchsite import canonical
from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.track import AlreadyMeasuredError, Measurement, Plan, Resolved, RunContext, Work
from benchsite.tracks.agents.benchmarks import Benchmark, Task, evaluator_of, load
from benchsite.tracks.agents.models.named import Source
from benchsite.tracks.agents.record import action_log, payload_from_runs
from benchsite.tracks.agents.record.verification import identity
from benchsite.tracks.agents.run import policies
from benchsite.tracks.agents.run.experiment.estimate import Expectation
from benchsite.tracks.agents.run.experiment.graphs import graph_files
from benchsite.tracks.agents.run.experiment.inputs import require_portable
from benchsite.tracks.agents.run.experiment.measure import Cost, Crew, Done, carry_out
from benchsite.tracks.agents.run.experiment.pieces import finished, responded
from benchsite.tracks.agents.run.experiment.place import (
    asked,
    experiment_folder,
    hidden,
)
from benchsite.tracks.agents.run.experiment.record import Record
from benchsite.tracks.agents.run.experiment.remote import Remote
from benchsite.tracks.agents.run.experiment.rollup import roll_up, roll_up_experiment
from benchsite.tracks.agents.run.experiment.unit import units
from benchsite.tracks.agents.run.role_models import role_models
from benchsite.tracks.agents.run.started import Started, config_of, start
from benchsite.words import amount

MOST_WORK: Final = 50_000_000
"""Runs times rows of a benchmark; about 20 microseconds each for a system that calls every tool."""


def plan(work: Work, resolved: Resolved, context: RunContext) -> Plan:
    """Describe the run; the system is started only to hear what it is."""
    benchmark = load(resolved.target, where=work.target)
    expected = ""
    if work.imported:
        system, config = dict(work.request["system"]), config_of(work, None, context)
    else:
        _require_evaluator(benchmark)
        policies.require_known(work.request.get("policies", {}), benchmark)
        require_portable(work)
        with start(work, resolved.references.get("system"), benchmark, context) as started:
            system, config = started.system, started.config
            expected = _expectation(started, benchmark, benchmark.tasks[: config["limit"]])
    asked = min(len(benchmark.tasks), config["limit"] or len(benchmark.tasks)) * config["runsPerTask"]
    _require_bounded(benchmark, asked)
    models = ", ".join(sorted(f"{role} {use['requested']}" for role, use in system["models"].items()))
    return Plan(
        identity=identity(system, config),
        subject=(system["name"], system["version"]),
        config=config,
        target=(benchmark.id, benchmark.sha256),
        cost=f"{amount(asked, 'run')} of {system['name']} {system['version']} on {benchmark.id}, {models or 'no model'}"
        + (f": {expected}" if expected else ""),
    )


def _expectation(started: Started, benchmark: Benchmark, tasks: Sequence[Task]) -> str:
    """Return what the runs are expected to take, in words; empty if no model is asked."""
    config, how = started.config, asked(started.work)
    table = Source(prices=how.prices).table()
    return Expectation.of(
        benchmark,
        tasks,
        config["runsPerTask"],
        started.told,
        started.models,
        config["options"],
        table,
        has_tools=started.subject.description.name != "no-tools",
    ).words()


def _require_evaluator(benchmark: Benchmark) -> None:
    """Raise `UsageError` if nothing here can evaluate a run."""
    if evaluator_of(benchmark):
        raise UsageError(
            f"benchmark {benchmark.id} is a task list without tools: no system can be run on it",
            hint="import results instead: benchsite import runs FILE",
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
        system, config = dict(work.request["system"]), config_of(work, None, context)
        runs, notes = work.request["read"](benchmark, context.progress, context.secrets)
    else:
        _require_evaluator(benchmark)
        policies.require_known(work.request.get("policies", {}), benchmark)
        require_portable(work)
        _require_bounded(benchmark, len(tasks) * work.request["runs_per_task"])
        return _native(work, resolved, benchmark, tasks, context)
    payload, evidence = payload_from_runs.payload(
        benchmark, tasks, runs, system=system, seed=config["seed"], imported=True
    )
    if not evaluator_of(benchmark):  # else nothing here looked at an action
        notes = (*notes, *_unusable(evidence[0].data))
    return Measurement(config, payload, tuple(notes), evidence, origin="import")


def _unusable(data: bytes) -> Iterator[str]:
    """Yield how many actions were skipped as invalid, and in how many runs."""
    skipped = [len(run.skipped) for run in action_log.read(data) if run.skipped]
    if skipped:
        yield f"skipped {amount(sum(skipped), 'invalid action')} in {amount(len(skipped), 'run')}"


def _native(
    work: Work, resolved: Resolved, benchmark: Benchmark, tasks: Sequence[Task], context: RunContext
) -> Measurement:
    """Every run, from a fresh state, with the clock's own times, as units of an experiment."""
    with (
        experiment_folder(work, context) as folder,
        start(work, resolved.references.get("system"), benchmark, hidden(context, folder)) as started,
    ):
        config = started.config
        name, pinned = started.label, started.pinned
        every = units(canonical.digest(pinned), tasks, config["runsPerTask"])
        record = Record(folder, benchmark.id, name, context.secrets)
        listed = payload_from_runs.listed(tasks)
        facts = {"receiptId": context.new_id(), "started": context.now(), "tasks": listed}
        with record.opened(pinned, facts, config["concurrency"]) as manifest:
            config["concurrency"] = manifest["concurrency"]
            if where := context.receipt(manifest["receiptId"]):
                raise AlreadyMeasuredError(
                    f"measured already: {where}", hint="to repeat the measurement: --experiment-id NEW"
                )
            if context.is_registered and any(record.kept(unit) for unit in every):
                raise UsageError(
                    f"{record.shown} has runs that were measured before this registration",
                    hint="start another experiment: --experiment-id ID",
                )
            done = carry_out(_crew(started, resolved.target, tasks, record, context), every, context.progress)
            kept = [one.kept for one in done]
            _require_answers(done, name)
            if asked(work).root:
                for file, data in graph_files(started.told, name).items():
                    record.write(file, data)
                roll_up(record, manifest, kept)
                roll_up_experiment(folder)
            started.responded.update({role: set(names) for role, names in responded(kept).items()})
            payload, evidence = payload_from_runs.payload(
                benchmark, tasks, list(finished(kept)), system=started.system, seed=config["seed"]
            )
    notes = (*_ended(done), *_unusable(evidence[0].data))
    simulated = any(model.simulated for model in started.models.values())
    return Measurement(
        config, payload, notes, evidence, simulated=simulated, receipt_id=manifest["receiptId"]
    )


def _require_answers(done: Sequence[Done], name: str) -> None:
    """Raise `PrerequisiteError` if the provider failed in every run: a draft would keep them from being repeated."""
    if done and all(one.kept.result["provider_failed"] for one in done):
        why = next((one.detail for one in done if one.detail), "the model's provider failed")
        raise PrerequisiteError(
            f"system {name}: no model answered in {amount(len(done), 'run')}; {why}",
            hint="start the model's server or check its address and key, then re-run the command: it repeats these runs",
        )


def _crew(
    started: Started, document: bytes, tasks: Sequence[Task], record: Record, context: RunContext
) -> Crew:
    how = asked(started.work)
    is_packed = how.packed or not how.root
    remote = Remote(started, document, is_packed, one_by_one=how.max_cost is not None)
    return Crew(
        started.bench,
        record,
        started.label,
        started.again,
        lambda: role_models(started.work, started.told, context.secrets),
        Cost(record.spent_elsewhere() if how.max_cost is not None else 0.0, how.max_cost),
        started.config["concurrency"],
        is_packed,
        _expectation(started, started.benchmark, tasks),
        remote if how.executor == "dask" else None,
    )


def _ended(done: Sequence[Done]) -> Iterator[str]:
    """For the person who runs it: how many runs failed, and the first one's words."""
    failures = [
        one.detail or f"{one.kept.unit.task}, run {one.kept.unit.run}: {one.kept.result['error']}"
        for one in done
        if one.kept.result["error"]
    ]
    if failures:
        yield f"{amount(len(failures), 'run')} ended by a limit or an error; first {failures[0]}"
    if unanswered := sum(one.kept.result["provider_failed"] for one in done):
        yield (
            f"the model's provider failed in {amount(unanswered, 'run')}: to repeat them, remove the draft "
            "(benchsite drafts discard) and re-run the command"
        )
