"""The writing part of the track: a benchmark and a system in, the agents part of a receipt out.

Owns the native run of the baselines and the import of published results; both end in `body`. A failure of the system is
recorded there; only a benchmark or a published file that cannot be read is an error. Native runs are written event by
event to the folder that the context gives. Reads no clock itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from benchsite import canonical
from benchsite.dates import posix_seconds
from benchsite.errors import InputError, PrerequisiteError
from benchsite.track import Measurement, Plan, Resolved, RunContext, Work
from benchsite.tracks.agents.benchmarks import Benchmark, load
from benchsite.tracks.agents.record import action_log, payload_from_runs
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.record.verification import identity
from benchsite.tracks.agents.systems.baselines import Baseline, draws
from benchsite.tracks.agents.trace.event import Event, EventType, timestamp
from benchsite.tracks.agents.trace.writer import TraceWriter
from benchsite.words import amount

_OURS: Final = "benchsite.tracks.agents.systems."
MOST_WORK: Final = 50_000_000
"""Runs times rows of a benchmark; about 20 microseconds each for a system that calls every tool."""


def plan(work: Work, resolved: Resolved, context: RunContext) -> Plan:
    """Describe the run; nothing is run or graded."""
    benchmark = load(resolved.target, where=work.target)
    system, config = _described(work, resolved)
    asked = min(len(benchmark.tasks), config["limit"] or len(benchmark.tasks)) * config["runsPerTask"]
    del context
    _require_bounded(benchmark, asked)
    return Plan(
        identity=identity(system, config),
        subject=(system["name"], system["version"]),
        config=config,
        target=(benchmark.id, benchmark.sha256),
        cost=f"{amount(asked, 'run')} of {system['name']} {system['version']} on {benchmark.id}, no model",
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
    """Run a baseline, or grade published results.

    Raises:
        InputError: the benchmark or the published results are malformed.
        PrerequisiteError: the system is not one of this release.
    """
    benchmark = load(resolved.target, where=work.target)
    system, config = _described(work, resolved)
    tasks = benchmark.tasks[: config["limit"]]
    if work.imported:
        runs, notes = work.request["read"](benchmark, context.progress)
    else:
        runs, notes = list(_native(work, resolved, benchmark, context)), ()
    payload, evidence = payload_from_runs.payload(benchmark, tasks, runs, system=system, seed=config["seed"])
    notes = (*notes, *_unusable(evidence[0].data))
    return Measurement(
        config, payload, tuple(notes), evidence, origin="import" if work.imported else "native"
    )


def _unusable(data: bytes) -> Iterator[str]:
    """How many actions could not be used, in how many runs: they are recorded and skipped."""
    skipped = [len(run.skipped) for run in action_log.read(data) if run.skipped]
    if skipped:
        yield f"{amount(sum(skipped), 'action')} could not be used, in {amount(len(skipped), 'run')}: skipped"


def _described(work: Work, resolved: Resolved) -> tuple[dict[str, Any], dict[str, Any]]:
    """The receipt's `system` and `config`, known before anything is run."""
    request = work.request
    config = {
        "runsPerTask": request["runs_per_task"],
        "seed": request["seed"],
        "limit": request["limit"],
        "subjectSha256": None,
        "options": dict(request.get("options", {})),
        "source": request.get("source"),
    }
    if work.imported:
        return dict(request["system"]), config
    reference = resolved.references["system"]
    baseline = _baseline(reference)
    module = reference.partition(":")[0].rpartition(".")[2]
    code = files("benchsite.tracks.agents.systems").joinpath(f"{module}.py").read_bytes()
    config["subjectSha256"] = canonical.sha256_hex(code)
    system = {"name": baseline.name, "version": baseline.version, "kind": "baseline", "model": None}
    return system, config


def _baseline(reference: str) -> Baseline:
    """The system of an entry point; code of other packages is not run in this process."""
    module, _, name = reference.partition(":")
    if not module.startswith(_OURS):
        raise PrerequisiteError(
            f"system {reference}: only the baselines are run in this release",
            hint="available: null, constant, random-choice, spam-tools",
        )
    found: Baseline = getattr(import_module(module), name)
    return found


def _native(work: Work, resolved: Resolved, benchmark: Benchmark, context: RunContext) -> Iterator[Finished]:
    """Every run, from a fresh state, with the clock's own times."""
    baseline = _baseline(resolved.references["system"])
    repeats = work.request["runs_per_task"]
    tasks = benchmark.tasks[: work.request["limit"]]
    clock = _Clock(context)
    folder = Path(context.traces) / benchmark.id / baseline.name if context.traces else None
    if folder is not None:
        _make(folder)
    for place, task in enumerate(tasks):
        context.progress(place, len(tasks), f"{baseline.name} on {benchmark.id}: {task.id}")
        for number in range(1, repeats + 1):
            pick = draws(work.request["seed"], place * repeats + number - 1)
            actions = tuple(baseline.actions(benchmark, pick))
            path = folder / f"{task.id}.run_{number}.trace.jsonl" if folder is not None else None
            events = tuple(_recorded(path, _events(baseline, benchmark, actions, clock)))
            yield Finished(task.id, number, events, actions)
    context.progress(len(tasks), len(tasks), f"{baseline.name} on {benchmark.id}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PrerequisiteError(
            f"cannot write traces: {folder.name}: {(error.strerror or 'unknown error').lower()}",
            hint="free some space or check the permissions of .benchsite/traces, then re-run the command",
        ) from None


def _recorded(path: Path | None, events: Iterable[Event]) -> Iterator[Event]:
    """The events of one run, each written before the next is made: whatever ends this process leaves the runs before it."""
    if path is None:
        yield from events
        return
    with TraceWriter(path) as writer:
        for event in events:
            writer.append(event)
            yield event


def _events(
    baseline: Baseline, benchmark: Benchmark, actions: tuple[str, ...], clock: _Clock
) -> Iterator[Event]:
    """Each action's call and its result, then the answer. No model is asked: tokens and costs are blank."""
    session = benchmark.session()
    for number, action in enumerate(actions, 1):
        start = clock.now()
        seen = session.call(action)
        end = clock.now()
        asked = {"tool": seen.tool, "input": seen.input, "action": action}
        call = _event(baseline, f"c{number}", "tool_call", asked, start, start)
        yield call
        result = {"result": seen.result, "error": seen.failed}
        yield _event(baseline, f"r{number}", "tool_result", result, start, end, parent=call.id)
    if baseline.answer is not None:
        now = clock.now()
        yield _event(baseline, "answer", "finalize", {"output": baseline.answer}, now, now)


def _event(
    baseline: Baseline,
    name: str,
    kind: EventType,
    payload: dict[str, Any],
    start: int,
    end: int,
    *,
    parent: str | None = None,
) -> Event:
    """An event between two times, in microseconds."""
    return Event(
        id=name,
        actor=baseline.name,
        event_type=kind,
        payload=payload,
        timestamp_start=timestamp(start),
        timestamp_end=timestamp(end),
        latency_ms=(end - start) / 1000,
        parent=parent,
    )


class _Clock:
    """Microseconds since 1970, from the wall clock once and the steady clock from there on."""

    def __init__(self, context: RunContext) -> None:
        self._start = posix_seconds(context.now()) * 1_000_000
        self._first = context.perf_counter_ns()
        self._counter = context.perf_counter_ns

    def now(self) -> int:
        """The time now."""
        return self._start + (self._counter() - self._first) // 1000
