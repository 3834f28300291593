"""Where the pages of the track are besides leaderboards and receipts, and the anchors in them."""

from __future__ import annotations

from benchsite.addresses import board_path
from benchsite.tracks.agents import TRACK

__all__ = ["evidence_path", "run_anchor", "task_path", "tasks_path"]


def tasks_path(benchmark: str) -> str:
    """`agents/workbench/tasks/`: every task with each system's outcome."""
    return f"{board_path(TRACK.name, benchmark)}tasks/"


def task_path(benchmark: str, task: str) -> str:
    """`agents/workbench/tasks/calendar-001/`: what each system did on one task."""
    return f"{tasks_path(benchmark)}{task}/"


def evidence_path(benchmark: str, receipt_id: str) -> str:
    """`agents/workbench/evidence/3f25…/`: the actions of every run of a receipt."""
    return f"{board_path(TRACK.name, benchmark)}evidence/{receipt_id}/"


def run_anchor(task: str, run: int) -> str:
    """The anchor of a run among those of its receipt: the task's id; from the second run on a dot, and its number."""
    return task if run == 1 else f"{task}.{run}"
