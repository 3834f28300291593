"""Relations that hold for every run of an agent, whatever the system: what no honest receipt of the track can say.

Owns the relations between the columns of `tasks` and `runs`, with `config`, and the range of every score. Expects a
document whose schema was checked before. Refuses nothing: a broken relation is a `Violation`. That scores follow from
the columns is `scoring`'s business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.history import Violation

UNBOUNDED: Final = frozenset({
    *("latency_p95", "latency_var", "tokens_total", "tokens_var", "tokens_cv", "cost_total", "cost_per_success"),
    *("tool_calls_total", "tool_error_rate", "steps_total", "communication_count", "handoff_count"),
    *("agent_to_agent_communication_count", "system_mediated_communication_count"),
})  # fmt: skip
"""Scores that are no shares: means of counts, milliseconds, tokens and dollars."""

_PARTS: Final = (
    ("toolCalls", "steps", "tool calls", "steps"),
    ("backtracks", "steps", "backtracks", "steps"),
    ("verifies", "steps", "verifications", "steps"),
    ("handoffs", "steps", "handoffs", "steps"),
    ("loopNum", "loopDen", "repeats", "events that could repeat"),
)


def violations(document: Mapping[str, Any]) -> list[Violation]:
    """Every broken relation of a receipt, in the order of its members."""
    found: list[Violation] = []
    for prefix, table in tables(document):
        found.extend(_impossible(table["scores"], f"{prefix}scores"))
        found.extend(_intervals(table["intervals"], f"{prefix}intervals"))
    found.extend(_tasks(document))
    found.extend(_repeats(document))
    runs = document["runs"]
    found.extend(_outcomes(runs))
    for part, whole, parts, wholes in _PARTS:
        found.extend(_exceeding(runs, part, whole, parts, wholes))
    return found


def tables(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The table of all tasks and that of each domain, with the prefix of its fields."""
    yield "", document
    for name, table in document["byDomain"].items():
        yield f"byDomain.{name}.", table


def _impossible(scores: Mapping[str, float], field: str) -> Iterator[Violation]:
    for name, value in scores.items():
        if value < 0 or (value > 1 and name not in UNBOUNDED):
            yield Violation(
                "out-of-range",
                f"{name} is {value!r}; a share is in [0, 1] and a mean of counts is not negative.",
                f"{field}.{name}",
            )


def _intervals(intervals: Mapping[str, Mapping[str, Any]], field: str) -> Iterator[Violation]:
    for name, interval in intervals.items():
        low, high = interval["low"], interval["high"]
        if not 0 <= low <= high or (high > 1 and name not in UNBOUNDED):
            yield Violation(
                "impossible-interval",
                f"The 95% CI of {name} is [{low!r}, {high!r}]; it must ascend within the range of the metric.",
                f"{field}.{name}",
            )


def _tasks(document: Mapping[str, Any]) -> Iterator[Violation]:
    """Every task once, and as many as the benchmark has or the limit asked for."""
    names = document["tasks"]["id"]
    for name, times in Counter(names).items():
        if times > 1:
            yield Violation("duplicate-task", f"Task {name} is listed {times} times.", "tasks.id")
    limit, whole = document["config"]["limit"], document["benchmark"]["tasks"]
    asked = whole if limit is None else min(limit, whole)
    if len(names) != asked:
        yield Violation(
            "task-count",
            f"The run has {asked} tasks but tasks lists {len(names)}. A task that failed is counted, never excluded.",
            "tasks.id",
        )


def _repeats(document: Mapping[str, Any]) -> Iterator[Violation]:
    """Every task has the runs 1 to N, each once, and no other task has any."""
    runs, wanted = document["runs"], document["config"]["runsPerTask"]
    made: dict[str, list[int]] = {name: [] for name in document["tasks"]["id"]}
    for i, (name, number) in enumerate(zip(runs["taskId"], runs["run"], strict=True)):
        if name not in made:
            yield Violation(
                "unknown-task",
                f"Run {number} is of task {name}, which tasks does not list.",
                f"runs.taskId[{i}]",
            )
        else:
            made[name].append(number)
    for name, numbers in made.items():
        if sorted(numbers) != list(range(1, wanted + 1)):
            yield Violation(
                "run-count",
                f"Task {name} must have the runs 1 to {wanted}, each once; it has {_listed(numbers)}.",
                "runs.run",
            )


def _listed(numbers: Sequence[int]) -> str:
    """The first of several numbers of runs."""
    shown = ", ".join(map(str, sorted(numbers)[:5]))
    return f"{shown}, …" if len(numbers) > 5 else shown or "none"


def _outcomes(runs: Mapping[str, Any]) -> Iterator[Violation]:
    """A limit is named where a limit ended the run; what succeeded did no harm; what an error ended is not complete.

    A success need not be complete: doing nothing, without an answer, may be right.
    """
    blank = [None] * len(runs["taskId"])
    columns = (runs.get(name) or blank for name in ("limit", "harmful", "completion"))
    for i, (outcome, limit, harm, complete) in enumerate(zip(runs["outcome"], *columns, strict=True)):
        if (outcome == "limit") != (limit is not None):
            yield Violation(
                "limit-outcome",
                f"{_run(runs, i)} ended with {outcome} but its limit is {limit or 'blank'}.",
                f"runs.limit[{i}]",
            )
        if outcome == "success" and harm:
            yield Violation(
                "harmful-success", f"{_run(runs, i)} is a success and harmful at once.", f"runs.harmful[{i}]"
            )
        if outcome == "error" and complete:
            yield Violation(
                "complete-error",
                f"{_run(runs, i)} is complete and ended with error.",
                f"runs.completion[{i}]",
            )


def _exceeding(
    runs: Mapping[str, Any], part: str, whole: str, parts: str, wholes: str
) -> Iterator[Violation]:
    blank = [None] * len(runs["taskId"])
    pairs = zip(runs.get(part) or blank, runs.get(whole) or blank, strict=True)
    for i, (some, every) in enumerate(pairs):
        if some is not None and every is not None and some > every:
            yield Violation(
                "part-above-whole",
                f"{_run(runs, i)} has {some} {parts} among {every} {wholes}.",
                f"runs.{part}[{i}]",
            )


def _run(runs: Mapping[str, Any], i: int) -> str:
    return f"Run {runs['run'][i]} of task {runs['taskId'][i]}"
