"""The part for traces: what a trace file says, run by run: metrics, stages, hints, failure tags, problems.

Reads the trace of one run, and the packed traces of many (`pack`), which a receipt pins as `traces.jsonl`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchsite.errors import InputError
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.scores.failure_tags import tags
from benchsite.tracks.agents.scores.stages import by_stage, hints
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.archive import Traced
from benchsite.tracks.agents.trace.event import Trace

_ONE = ""
"""The task of a run whose file names none."""


def described(data: bytes, name: str) -> Iterator[Mapping[str, Any]]:
    """What each run of a trace file shows; success is not in a trace, so tags of failed discussions are left out.

    Raises:
        InputError: a line is refused, by its number, or the file has no event.
    """
    if archive.is_packed(data):
        for traced in archive.unpacked(data):
            yield _run(traced)
    else:
        trace = Trace((data,), name=name, drop_half_line=True)
        events = tuple(trace)
        if not events:
            raise InputError(
                f"no event in {name}: {'no whole line' if data else 'the file is empty'}",
                hint="a trace has one event a line, each line with its line feed",
            )
        yield _run(Traced(_ONE, 1, events, tuple(trace.problems)))


def summary(runs: list[Mapping[str, Any]]) -> Iterator[str]:
    """The runs in lines for people: counts, the stages where most runs spent most, tags and hints."""
    complete = sum(run["columns"]["completion"] for run in runs)
    partial = sum(run["columns"]["steps"] is None for run in runs)
    yield f"runs: {len(runs):,}, {complete:,} complete" + (
        f", {partial:,} partial (steps and tool calls not counted)" if partial else ""
    )
    events, calls, failures = (_sum(runs, name) for name in ("steps", "toolCalls", "toolFailures"))
    yield f"events: {events:,}; tool calls: {calls:,}, {failures:,} failed"
    stages = Counter[str]()
    for run in runs:
        stages.update({name: spent["events"] for name, spent in run["stages"].items()})
    yield "events by stage: " + ", ".join(f"{name} {count:,}" for name, count in stages.items())
    for what in ("tags", "hints", "problems"):
        found = Counter(item[_KEY[what]] for run in runs for item in run[what])
        if found:
            yield f"{what}: " + ", ".join(
                f"{name} in every run" if count == len(runs) > 1 else f"{name} {count:,}"
                for name, count in sorted(found.items())
            )


def _sum(runs: list[Mapping[str, Any]], column: str) -> int:
    """The sum of a column over the runs that state it."""
    return sum(run["columns"][column] or 0 for run in runs)


_KEY: Mapping[str, str] = {"tags": "tag", "hints": "code", "problems": "code"}


def _run(traced: Traced) -> Mapping[str, Any]:
    stages = by_stage(traced.events)
    return {
        "task": traced.task or None,
        "run": traced.run,
        "columns": traced_columns(traced.events),
        "stages": {name: asdict(spent) for name, spent in stages.items()},
        "hints": [asdict(hint) for hint in hints(stages)],
        "tags": [asdict(tag) for tag in tags(traced.events, success=True)],
        "problems": [asdict(problem) for problem in traced.problems],
    }
