"""Runs of MAS_Analyzer to finished ones, and their means as the source counts them.

Keys and paths of a machine are replaced before anything is kept. Outcome and score are the source's: nothing here evaluates them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.progress import Progress
from benchsite.stats import exact_mean
from benchsite.tracks.agents.analysis.summaries import TaskRow
from benchsite.tracks.agents.benchmarks import Benchmark, Graded, evaluator_of, stated_ending
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.mas_events import actions_of, kept
from benchsite.tracks.agents.importers.mas_runs import StatedRun
from benchsite.tracks.agents.importers.mas_tree import SystemRuns
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.record.runs import Run
from benchsite.tracks.agents.redaction import redacted
from benchsite.tracks.agents.scores.descriptor import describe
from benchsite.words import amount

__all__ = ["finished", "means", "stated_means", "task_rows"]

SHOWN: Final = 5
MAX_ANSWER: Final = 100_000
_FIGURES: Final = {
    "tokens": ("tokens_total", "C2_tokens_total"),
    "tool_calls_with_sends": ("tool_calls_total", "C4_tool_calls_total"),
    "communication": ("communication_count", "D2_communication_count"),
    "handoffs": ("handoff_count", "D3_handoff_count"),
    "steps": ("steps_total", "P1_steps_total"),
    "latency_ms": ("latency_total", "C1_latency_p95"),
    "cost_usd": ("cost_total", "C3_cost_total"),
    "loop_score": ("loop_score", "P3_loop_score"),
    "verification_density": ("verification_density", "P4_verification_density"),
}
"""Name in the report, total of a run, and column of a summary. Of one run per task the 95th percentile is its latency."""


def finished(
    system: SystemRuns,
    ids: Mapping[str, str],
    benchmark: Benchmark,
    progress: Progress,
    secrets: Sequence[str],
) -> tuple[list[Finished], Sequence[str]]:
    """Return the runs in the order of the benchmark's tasks, and notes for the person who imports them.

    Args:
        system: the runs.
        ids: of the benchmark's tasks, by name in the source.
        benchmark: the task list.
        progress: called with (done, total, label).
        secrets: values that nothing may keep.
    """
    by_id = {ids[name]: runs for name, runs in system.runs.items()}
    model = system.models.get("default")
    scrubber, made = Scrubber(), list[Finished]()
    for place, task in enumerate(benchmark.tasks):
        progress(place, len(benchmark.tasks), f"{system.label}: {task.id}")
        for number, run in enumerate(by_id[task.id], 1):
            made.append(_finished(task.id, number, run, model, scrubber, secrets))
    progress(len(benchmark.tasks), len(benchmark.tasks), system.label)
    return made, tuple(_notes(system, benchmark, made, scrubber))


def _finished(
    task: str, number: int, run: StatedRun, model: str | None, scrubber: Scrubber, secrets: Sequence[str]
) -> Finished:
    def clean(value: Any) -> Any:
        return scrubber.scrubbed(redacted(value, secrets))

    told = [
        event.model_copy(
            update={
                "payload": _bounded(clean(event.payload)),
                "actor": clean(event.actor),
                "state_id": clean(event.state_id),
            }
        )
        for event in run.events
    ]
    error = clean(_error(run))
    error = stated_ending("failure", None, error) if error else ""
    events = kept(told, model=clean(model), error=error, ending="failure")
    outputs = [event.payload.get("output") for event in events if event.event_type == "finalize"]
    answer = next((text for text in reversed(outputs) if isinstance(text, str)), None)
    return Finished(
        task, number, events, actions_of(told), answer, error, graded=Graded(run.success, run.score)
    )


def _bounded(payload: dict[str, Any]) -> dict[str, Any]:
    output = payload.get("output")
    return {**payload, "output": output[:MAX_ANSWER]} if isinstance(output, str) else payload


def _error(run: StatedRun) -> str:
    """The text that ended a run; empty for a success, and if nothing states an end."""
    last = run.events[-1]
    if run.success:
        return ""
    if run.error:
        return run.error
    if last.event_type == "error":
        return str(last.payload.get("text") or "the trace ends with an error")
    return "the run is stated as not completed" if run.completed is False else ""


def _notes(
    system: SystemRuns, benchmark: Benchmark, made: Sequence[Finished], scrubber: Scrubber
) -> Iterator[str]:
    yield f"outcomes are as the files state them, not evaluated here; declared evaluator: {evaluator_of(benchmark)}"
    succeeded = [run for run in system.every if run.success]
    if idle := sum(run.needs_nothing for run in succeeded):
        yield (
            f"{idle:,} of {amount(len(succeeded), 'successful run')} expect no action, so that doing nothing succeeds: "
            "compare with the baseline null"
        )
    if scrubber.keys or scrubber.paths:
        yield f"replaced in texts: {amount(scrubber.keys, 'key')}, {amount(scrubber.paths, 'absolute path')}"
    unlike = [f"{run.files.where}: {words}" for run in system.every for words in run.unlike]
    stated = {(task, number): run.completed for task, number, run in _numbered(system, benchmark)}
    unlike += [
        f"{one.task}, run {one.run}: completion is stated as {str(said).lower()}, its trace tells otherwise"
        for one in made
        if (said := stated.get((one.task, one.run))) is not None and said != one.traced["completion"]
    ]
    if unlike:
        yield f"{amount(len(unlike), 'value')} that files state otherwise than their trace gives it:"
        yield from (f"  {one}" for one in unlike[:SHOWN])
        if len(unlike) > SHOWN:
            yield f"  and {len(unlike) - SHOWN} more"


def _numbered(system: SystemRuns, benchmark: Benchmark) -> Iterator[tuple[str, int, StatedRun]]:
    names: Mapping[str, str] = getattr(benchmark, "by_name", {})
    for name, runs in system.runs.items():
        for number, run in enumerate(runs, 1):
            yield names.get(name, name), number, run


def means(system: SystemRuns) -> dict[str, float]:
    """Return tasks, runs, successes, and means over tasks of the totals as the source counts them."""
    figures = {task: [run.totals.figures() for run in runs] for task, runs in system.runs.items()}
    found: dict[str, float] = {
        "tasks": len(system.runs),
        "runs": len(system.every),
        "success": sum(run.success for run in system.every),
    }
    for name, (total, _) in _FIGURES.items():
        found[name] = exact_mean([exact_mean([run[total] for run in runs]) for runs in figures.values()])
    return found


def task_rows(system: SystemRuns) -> list[TaskRow]:
    """Return a row per task as a summary of the source has them, computed from the traces."""
    names = {"benchmark": system.benchmark, "system_label": system.label}
    return [
        TaskRow(task, names, describe([_as_counted(run) for run in runs], task=task))
        for task, runs in system.runs.items()
    ]


def _as_counted(run: StatedRun) -> Run:
    """A run as the source counts it."""
    found = run.totals.measured
    return Run(
        outcome="success" if run.success else "failure",
        completion=run.completed,
        score=run.score,
        latency_ms=found.latency_total,
        tokens=found.tokens_total,
        cost_usd=found.cost_total,
        tool_calls=run.totals.tool_calls_with_sends,
        tool_failures=found.tool_failures,
        steps=found.steps,
        backtracks=found.backtracks,
        loop_num=found.loop_num,
        loop_den=found.loop_den,
        verifies=found.verifies,
        agent_to_agent=found.communication_agent_to_agent,
        system_mediated=found.communication_system_mediated,
        handoffs=found.handoffs,
    )


def stated_means(rows: Sequence[TaskRow]) -> dict[str, float | None]:
    """Return the same from the rows of a summary; None if a row does not state the value."""
    succeeded = _column(rows, "eval_success_rate")
    found: dict[str, float | None] = {
        "tasks": len(rows),
        "success": None if succeeded is None else sum(succeeded),
    }
    for name, (_, column) in _FIGURES.items():
        cells = _column(rows, column)
        found[name] = exact_mean(cells) if cells else None
    return found


def _column(rows: Sequence[TaskRow], name: str) -> list[float] | None:
    cells = [row.values.get(name) for row in rows]
    held = [cell for cell in cells if cell is not None]
    return held if held and len(held) == len(cells) else None
