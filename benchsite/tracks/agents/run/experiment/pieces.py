"""Finished runs from the record: what the receipt is made of, read when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from benchsite import canonical
from benchsite.tracks.agents.benchmarks import Graded
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.run.experiment.measure import Done
from benchsite.tracks.agents.run.experiment.record import LARGEST, Kept
from benchsite.tracks.agents.tools import Action
from benchsite.tracks.agents.trace.event import each_line

__all__ = ["finished", "responded"]

_CALL = b'"action":'


def finished(done: Sequence[Done]) -> Iterator[Finished]:
    """Yield the runs of an experiment; their traces stay on disk."""
    for one in done:
        kept = one.kept
        result = kept.result
        evaluated: Any = canonical.loads(kept.read("eval.json"), max_bytes=LARGEST)
        details = evaluated["details"]
        yield Finished(
            kept.unit.task,
            kept.unit.run,
            actions=tuple(_actions(kept)),
            answer=kept.read("answer.txt").decode() if result["answered"] else None,
            error=result["error"],
            columns=result["columns"],
            lines=partial(kept.read, "trace.jsonl"),
            graded=Graded(
                result["success"],
                result["score"],
                result["harmful"],
                tuple(details["skipped"]),
                tuple(details["difference"]),
            ),
        )


def _actions(kept: Kept) -> Iterator[Action]:
    """The calls that a trace states: those of its `tool_call` events."""
    for line in each_line(kept.read("trace.jsonl")):
        if _CALL in line:
            event: Any = canonical.loads(line, max_bytes=LARGEST)
            if event["event_type"] == "tool_call":
                yield action_log.read_action(event["payload"]["action"])


def responded(done: Sequence[Done]) -> Mapping[str, set[str]]:
    """Return the models that responded in any run, by role."""
    found: dict[str, set[str]] = {}
    for one in done:
        listed: Mapping[str, Any] = one.kept.result["responded"]
        for role, names in listed.items():
            found.setdefault(role, set()).update(names)
    return found
