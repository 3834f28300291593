"""The part for tables of evidence: one row for each run of a task, with its outcome and what it used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.track.table import columns_of
from benchsite.tracks.agents.record.payload import Runs, Tasks

__all__ = ["COLUMNS", "rows"]

_SHARED: Final = ("latencyMs", "costUsd")
_OWN: Final = tuple(
    name
    for field in Runs.model_fields.values()
    if (name := field.alias) is not None and name not in ("taskId", "run", *_SHARED)
)

COLUMNS: Final = (*columns_of(Runs, _OWN), *columns_of(Tasks, ("needsAction",)))


def rows(document: Document, metric: str) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each run; `value` is 1 for a success, else 0."""
    runs, tasks = document["runs"], document["tasks"]
    places = {name: place for place, name in enumerate(tasks["id"])}
    needs_action = tasks.get("needsAction")
    present = [name for name in (*_OWN, *_SHARED) if runs.get(name) is not None]
    for at, task in enumerate(runs["taskId"]):
        place = places[task]
        yield {
            "item": task,
            "run": runs["run"][at],
            "category": tasks["domain"][place],
            "metric": metric,
            "value": float(runs["outcome"][at] == "success"),
            **{name: runs[name][at] for name in present},
            "needsAction": needs_action[place] if needs_action is not None else None,
        }
