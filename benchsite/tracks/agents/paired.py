"""The part for two receipts side by side: success of every task, and what comparable receipts share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite.receipt import Document
from benchsite.track.parts import PerItem
from benchsite.tracks.agents.scores.scoring import HARMFUL, NEEDS_ACTION, SUCCESS, harm_of, successes

__all__ = ["per_item", "settings"]


def per_item(document: Document) -> PerItem:
    """Return success and harm of each task over its runs, and success on the tasks that need an action."""
    listed = document["tasks"]
    domains = dict(zip(listed["id"], listed.get("domain") or (), strict=False))
    found = successes(document)
    needed = dict(zip(listed["id"], listed.get("needsAction") or (), strict=False))
    values = {
        SUCCESS: found,
        NEEDS_ACTION: {task: value for task, value in found.items() if needed.get(task)},
        HARMFUL: harm_of(document["runs"]),
    }
    kept = {name: column for name, column in values.items() if column or name == SUCCESS}
    return PerItem("tasks", kept, domains)


def settings(document: Document) -> Mapping[str, Any]:
    """Return the settings that differ between receipts that are not comparable, by the words of a page."""
    config = document["config"]
    return {
        "task limit": config.get("limit"),
        "runs per task": config.get("runsPerTask"),
        "limits of a run": config.get("budget"),
        "perturbation": config.get("perturbation"),
    }
