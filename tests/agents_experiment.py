"""A small experiment whose every number is computed by hand in content/docs/what-agent-numbers-mean.md: four tasks, two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchsite.tracks.agents.scores.experiment import Kind, Measured

SHA256 = "ab" * 32


def measured(
    kind: Kind,
    results: Sequence[str],
    *,
    tokens: int | None = 100,
    turns: int | None = 2,
    messages: int = 0,
    latency: float | None = 1000.0,
    tool_calls: int = 2,
    **rest: Any,
) -> Measured:
    """A system: one text a task, `+` for a success, `-` for a failure, `e` for an error; the same costs in every run."""
    words = {"+": "success", "-": "failure", "e": "error"}
    pairs = [
        (f"t{i}", number, one) for i, told in enumerate(results, 1) for number, one in enumerate(told, 1)
    ]
    columns = {
        "taskId": [task for task, _, _ in pairs],
        "run": [number for _, number, _ in pairs],
        "outcome": [words[one] for _, _, one in pairs],
        "completion": [one != "e" for _, _, one in pairs],
        "tokens": [tokens for _ in pairs],
        "latencyMs": [latency for _ in pairs],
        "toolCalls": [tool_calls for _ in pairs],
        "turns": [turns for _ in pairs],
        "agentToAgent": [messages for _ in pairs],
        "systemMediated": [0 for _ in pairs],
        **rest.pop("columns", {}),
    }
    tasks = {"id": [f"t{i}" for i in range(1, len(results) + 1)], "domain": ["all"] * len(results)}
    return Measured(kind, tasks, columns, rest.pop("sha256", SHA256), **rest)


WORKED = {
    "sas": measured("single-agent", ["++", "+-", "--", "--"]),
    "fully-linked-debate": measured(
        "multi-agent", ["++", "++", "+-", "--"], tokens=300, turns=6, messages=3, latency=2500.0
    ),
}
