"""What no honest agents receipt can say."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from agents_receipts import document, measured

from benchsite.tracks.agents.record.violations import violations

HONEST = document(measured("spam-tools", runs_per_task=2))


def test_honest_receipts_break_nothing() -> None:
    for system in ("null", "constant", "random-choice", "spam-tools"):
        assert violations(document(measured(system))) == []
    assert violations(HONEST) == []
    assert violations(document(measured("null", limit=3))) == []


@pytest.mark.parametrize(
    ("path", "value", "code", "field"),
    [
        (("scores", "success"), 1.5, "out-of-range", "scores.success"),
        (("scores", "steps_total"), -1.0, "out-of-range", "scores.steps_total"),
        (("byDomain", "email", "scores", "harmful"), 2.0, "out-of-range", "byDomain.email.scores.harmful"),
        (("intervals", "success", "low"), 0.9, "impossible-interval", "intervals.success"),
        (("tasks", "id", 1), "analytics-001", "duplicate-task", "tasks.id"),
        (("benchmark", "tasks"), 8, "task-count", "tasks.id"),
        (("config", "limit"), 6, "task-count", "tasks.id"),
        (("runs", "taskId", 0), "elsewhere", "unknown-task", "runs.taskId[0]"),
        (("runs", "run", 0), 3, "run-count", "runs.run"),
        (("config", "runsPerTask"), 3, "run-count", "runs.run"),
        (("runs", "outcome", 0), "limit", "limit-outcome", "runs.limit[0]"),
        (("runs", "outcome", 0), "success", "harmful-success", "runs.harmful[0]"),
        (("runs", "toolCalls", 0), 999, "part-above-whole", "runs.toolCalls[0]"),
        (("runs", "backtracks", 3), 999, "part-above-whole", "runs.backtracks[3]"),
        (("runs", "loopNum", 3), 999, "part-above-whole", "runs.loopNum[3]"),
        (("config", "budget", "toolCalls"), 26, "above-budget", "runs.toolCalls[0]"),
        (("runs", "tokens"), [1] + [None] * 13, "no-model", "runs.tokens[0]"),
        (("runs", "costUsd"), [0.5] + [None] * 13, "no-model", "runs.costUsd[0]"),
        (("runs", "limit"), ["tokens"] + [None] * 13, "unbudgeted-limit", "runs.limit[0]"),
    ],
)
def test_a_broken_relation_is_named(path: tuple[Any, ...], value: Any, code: str, field: str) -> None:
    broken = copy.deepcopy(HONEST)
    holder: Any = broken
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert (code, field) in [(item.code, item.field) for item in violations(broken)]


def test_a_limit_is_named_where_one_ended_the_run() -> None:
    named = copy.deepcopy(HONEST)
    named["runs"]["limit"] = [None] * len(named["runs"]["taskId"])
    named["runs"]["limit"][0], named["runs"]["outcome"][0] = "context", "limit"
    assert "limit-outcome" not in [item.code for item in violations(named)]
    named["runs"]["outcome"][0] = "failure"
    assert "limit-outcome" in [item.code for item in violations(named)]
