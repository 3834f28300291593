"""Where the pages of the track are besides leaderboards and receipts, and the addresses of single runs."""

from __future__ import annotations

from benchsite.addresses import board_path
from benchsite.tracks.agents import TRACK

__all__ = ["run_path", "runs_path", "task_path", "tasks_path", "texts_path"]


def tasks_path(benchmark: str) -> str:
    """`agents/workbench/tasks/`: every task with each system's outcome."""
    return f"{board_path(TRACK.name, benchmark)}tasks/"


def task_path(benchmark: str, task: str) -> str:
    """`agents/workbench/tasks/calendar-001/`: what each system did on one task."""
    return f"{tasks_path(benchmark)}{task}/"


def texts_path(benchmark: str) -> str:
    """`api/v1/agents/workbench/tasks.json`: the query and the expected actions of every task, if they may be shown."""
    return f"api/v1/{board_path(TRACK.name, benchmark)}tasks.json"


def runs_path(benchmark: str, receipt_id: str) -> str:
    """`agents/workbench/runs/3f25…/`: the runs of a receipt; the address says which one."""
    return f"{board_path(TRACK.name, benchmark)}runs/{receipt_id}/"


def run_path(benchmark: str, receipt_id: str, task: str, run: int) -> str:
    """`agents/workbench/runs/3f25…/?task=calendar-001&run=1`: one run."""
    return f"{runs_path(benchmark, receipt_id)}?task={task}&run={run}"
