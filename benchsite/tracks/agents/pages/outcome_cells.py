"""How the runs of a task ended: as a cell in the picture of tasks by systems, and as evidence for scores in the browser."""

from __future__ import annotations

from typing import Final

from benchsite.board import Row
from benchsite.board.per_item import Evidence
from benchsite.board.picture import Kind
from benchsite.receipt import Document
from benchsite.tracks.agents.pages.metric_table import Measured, measured, parted

__all__ = ["KINDS", "evidence", "kind_of", "letter"]

KINDS: Final = (
    Kind("s", "success", "good", solved=True),
    Kind("p", "success in some runs", "part", solved=True),
    Kind("f", "failure", "plain", solved=False),
    Kind("h", "failure, harmful", "bad", solved=False),
    Kind("l", "limit or error", "dim", solved=False),
)


def kind_of(row: Row, item: str, _value: float) -> str:
    """Return the letter of a row's task."""
    found: Measured = row.besides
    return letter(found.outcomes.get(item, ()))


def letter(outcomes: tuple[str, ...]) -> str:
    """Return the letter of a task from how each of its runs ended; a harmful run counts before a limit."""
    words = [parted(outcome) for outcome in outcomes]
    solved = sum(word == "success" for word, _ in words)
    if solved:
        return "s" if solved == len(words) else "p"
    if any(harmful for _, harmful in words):
        return "h"
    return "l" if words and all(word in ("limit", "error") for word, _ in words) else "f"


def evidence(document: Document) -> Evidence:
    """Whether each task needs an action, and how each of its runs ended: `failure, harmful`."""
    tasks = document["tasks"]
    needed = tasks.get("needsAction") or [None] * len(tasks["id"])
    return Evidence(dict(zip(tasks["id"], needed, strict=True)), measured(document).outcomes)
