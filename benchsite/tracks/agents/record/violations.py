"""Relations that hold for every run of an agent, whatever the system: what no honest receipt of the track can say.

Owns the relations between the columns of `tasks` and `runs`, with `config`, and the range of every score. Expects a
document whose schema was checked before. Refuses nothing: a broken relation is a `Violation`. That scores follow from
the columns is `scoring`'s business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from benchsite.history import Violation, violation
from benchsite.tracks.agents.record.sentences import MESSAGES, TERMS

UNBOUNDED: Final = frozenset({
    *("latency_p95", "latency_var", "tokens_total", "tokens_var", "tokens_cv", "cost_total", "cost_per_success"),
    *("tool_calls_total", "tool_error_rate", "steps_total", "turns_total", "latency_cv", "communication_count", "handoff_count"),
    *("agent_to_agent_communication_count", "system_mediated_communication_count"),
})  # fmt: skip
"""Scores that are no shares: means of counts, milliseconds, tokens and dollars."""

_PARTS: Final = (
    ("toolCalls", "steps"),
    ("backtracks", "steps"),
    ("verifies", "steps"),
    ("handoffs", "steps"),
    ("loopNum", "loopDen"),
    ("turns", "steps"),
)

_COUNTED: Final = {
    "tool-calls": "toolCalls",
    "messages": "messages",
    "tokens": "tokens",
    "seconds": "seconds",
}
"""The limits that the harness counts, and their members of the budget."""

_broken: Final = partial(violation, MESSAGES)


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
    for part, whole in _PARTS:
        found.extend(_exceeding(runs, part, whole))
    found.extend(_budget(runs, document["config"].get("budget")))
    if document.get("system", {}).get("models") == {}:
        found.extend(_without_model(runs))
    return found


def tables(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The table of all tasks and that of each domain, with the prefix of its fields."""
    yield "", document
    for name, table in document["byDomain"].items():
        yield f"byDomain.{name}.", table


def _impossible(scores: Mapping[str, float], field: str) -> Iterator[Violation]:
    for name, value in scores.items():
        if value < 0 or (value > 1 and name not in UNBOUNDED):
            yield _broken("out-of-range", f"{field}.{name}", metric=name, value=repr(value))


def _intervals(intervals: Mapping[str, Mapping[str, Any]], field: str) -> Iterator[Violation]:
    for name, interval in intervals.items():
        low, high = interval["low"], interval["high"]
        if not 0 <= low <= high or (high > 1 and name not in UNBOUNDED):
            ends = {"low": repr(low), "high": repr(high)}
            yield _broken("impossible-interval", f"{field}.{name}", metric=name, **ends)


def _tasks(document: Mapping[str, Any]) -> Iterator[Violation]:
    """Every task once, and as many as the benchmark has or the limit asked for."""
    names = document["tasks"]["id"]
    for name, times in Counter(names).items():
        if times > 1:
            yield _broken("duplicate-task", "tasks.id", task=name, times=times)
    limit, whole = document["config"]["limit"], document["benchmark"]["tasks"]
    asked = whole if limit is None else min(limit, whole)
    if len(names) != asked:
        yield _broken("task-count", "tasks.id", asked=asked, count=len(names))


def _repeats(document: Mapping[str, Any]) -> Iterator[Violation]:
    """Every task has the runs 1 to N, each once, and no other task has any."""
    runs, wanted = document["runs"], document["config"]["runsPerTask"]
    made: dict[str, list[int]] = {name: [] for name in document["tasks"]["id"]}
    for i, (name, number) in enumerate(zip(runs["taskId"], runs["run"], strict=True)):
        if name not in made:
            yield _broken("unknown-task", f"runs.taskId[{i}]", run=number, task=name)
        else:
            made[name].append(number)
    for name, numbers in made.items():
        if sorted(numbers) != list(range(1, wanted + 1)):
            yield _broken("run-count", "runs.run", task=name, runs=wanted, listed=_listed(numbers))


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
            said = {"outcome": outcome, "limit": limit or "blank"}
            yield _broken("limit-outcome", f"runs.limit[{i}]", **_run(runs, i), **said)
        if outcome == "success" and harm:
            yield _broken("harmful-success", f"runs.harmful[{i}]", **_run(runs, i))
        if outcome == "error" and complete:
            yield _broken("complete-error", f"runs.completion[{i}]", **_run(runs, i))


def _exceeding(runs: Mapping[str, Any], part: str, whole: str) -> Iterator[Violation]:
    blank = [None] * len(runs["taskId"])
    pairs = zip(runs.get(part) or blank, runs.get(whole) or blank, strict=True)
    for i, (some, every) in enumerate(pairs):
        if some is not None and every is not None and some > every:
            counts = {"some": some, "part": TERMS[part], "every": every, "whole": TERMS[whole]}
            yield _broken("part-above-whole", f"runs.{part}[{i}]", **_run(runs, i), **counts)


def _budget(runs: Mapping[str, Any], budget: Mapping[str, Any] | None) -> Iterator[Violation]:
    """A limit that the harness counts is in the budget; no run has more tool calls than the budget."""
    if budget is None:
        return
    for i, limit in enumerate(runs.get("limit") or ()):
        if limit in _COUNTED and budget[_COUNTED[limit]] is None:
            yield _broken("unbudgeted-limit", f"runs.limit[{i}]", **_run(runs, i), limit=limit)
    most = budget["toolCalls"]
    for i, calls in enumerate(runs.get("toolCalls") or ()):
        if most is not None and calls is not None and calls > most:
            counts = {"some": calls, "part": TERMS["toolCalls"], "most": most}
            yield _broken("above-budget", f"runs.toolCalls[{i}]", **_run(runs, i), **counts)


def _without_model(runs: Mapping[str, Any]) -> Iterator[Violation]:
    """Tokens and cost come from models."""
    for part in ("tokens", "costUsd", "turns"):
        for i, value in enumerate(runs.get(part) or ()):
            if value:
                yield _broken("no-model", f"runs.{part}[{i}]", **_run(runs, i), part=TERMS[part])


def _run(runs: Mapping[str, Any], i: int) -> dict[str, Any]:
    """What messages name a run by."""
    return {"run": runs["run"][i], "task": runs["taskId"][i]}
