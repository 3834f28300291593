"""Finished runs from the record: what the receipt is made of, read when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from benchsite.tracks.agents.benchmarks import Graded
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.run.experiment.record import Kept

__all__ = ["finished", "responded"]


def finished(done: Sequence[Kept]) -> Iterator[Finished]:
    """Yield the runs of an experiment; their traces stay on disk."""
    for kept in done:
        result, line = kept.result, kept.line()
        yield Finished(
            kept.unit.task,
            kept.unit.run,
            actions=tuple(map(action_log.read_action, line["actions"])),
            answer=line["answer"],
            error=result["error"],
            columns=result["columns"],
            lines=partial(_trace, kept),
            graded=Graded(
                result["success"],
                result["score"],
                result["harmful"],
                tuple(line["skipped"]),
                tuple(line["difference"]),
                line.get("recall"),
            ),
        )


def _trace(kept: Kept) -> bytes:
    text: str = kept.line()["trace"]
    return text.encode()


def responded(done: Sequence[Kept]) -> Mapping[str, set[str]]:
    """Return the models that responded in any run, by role."""
    found: dict[str, set[str]] = {}
    for one in done:
        listed: Mapping[str, Any] = one.result["responded"]
        for role, names in listed.items():
            found.setdefault(role, set()).update(names)
    return found
