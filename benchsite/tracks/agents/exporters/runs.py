"""Runs of a receipt for export: each with its trace, its outcome and its score, read one at a time.

Ids of events become `e` and their place, as importers number them; a parent that the trace lacks is blank. Refused: traces of runs that
the receipt has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchsite.errors import InputError
from benchsite.receipt import Document
from benchsite.tracks.agents.record.agreement import traced_run
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import is_agent

__all__ = ["Exported", "agents_of", "exported", "model_of", "system_of"]


class Exported(NamedTuple):
    """A run.

    Attributes:
        events: its events, in order.
        outcome: `success`, `failure`, `limit` or `error`.
        limit, score: as the receipt states them.
        error: the text of the error that ended it.
    """

    task: str
    run: int
    events: Sequence[Event]
    outcome: str
    limit: str | None = None
    score: float | None = None
    error: str | None = None

    @property
    def stated(self) -> dict[str, Any]:
        """The ending as an importer of ours reads it; members that are blank are absent."""
        told = {
            "outcome": self.outcome,
            "run": self.run,
            "limit": self.limit,
            "score": self.score,
            "error": self.error,
        }
        return {name: value for name, value in told.items() if value is not None}


def exported(document: Document, traces: bytes) -> Iterator[Exported]:
    """Yield the runs in the order of their traces.

    Raises:
        InputError: the traces are malformed, or those of another receipt.
    """
    columns = document["runs"]
    places = {pair: place for place, pair in enumerate(zip(columns["taskId"], columns["run"], strict=True))}
    for traced in archive.unpacked(traces):
        place = places.get((traced.task, traced.run))
        if place is None:
            raise InputError(
                f"{archive.NAME}: run {traced.run} of task {traced.task[:80]} is not in the receipt",
                hint="run: benchsite rescore RECEIPT",
            )
        limits, scores = columns.get("limit"), columns.get("score")
        outcome = columns["outcome"][place]
        yield Exported(
            traced.task,
            traced.run,
            list(_renumbered(traced.events)),
            outcome,
            limits[place] if limits else None,
            scores[place] if scores else None,
            None if outcome == "success" else traced_run(traced.events).error,
        )


def _renumbered(events: Sequence[Event]) -> Iterator[Event]:
    ids = {event.id: f"e{place}" for place, event in enumerate(events, 1)}
    for event in events:
        parent = ids.get(event.parent) if event.parent is not None else None
        yield event.model_copy(update={"id": ids[event.id], "parent": parent})


def agents_of(events: Sequence[Event]) -> list[str]:
    """Return the agents that act in a run, in the order of their first events."""
    return [name for name in dict.fromkeys(event.actor for event in events) if is_agent(name)]


def system_of(document: Document) -> tuple[str, str]:
    """Return the name and the version of the system."""
    return document["system"]["name"], document["system"]["version"]


def model_of(document: Document) -> str | None:
    """Return the name of the system's default model, or of its first role's: the one that responded, else the one requested."""
    models = document["system"]["models"]
    model = models.get("default") or next(iter(models.values()), None) or {}
    told = model.get("responded") or model.get("requested")
    if isinstance(told, list):
        told = next(iter(told), None)
    return told if isinstance(told, str) else None
