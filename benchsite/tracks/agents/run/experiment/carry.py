"""One unit carried out, as what its record needs: the same in this process, in a fork and on another machine.

The writer of the record adds nothing of its own, so that the record does not depend on the executor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchsite.tracks.agents.run.experiment.artifacts import run_files, run_line, run_result
from benchsite.tracks.agents.run.experiment.attempt import Bench, carried_out
from benchsite.tracks.agents.run.experiment.unit import Unit

__all__ = ["Carried", "carry"]


@dataclass(frozen=True, slots=True)
class Carried:
    """A unit that was carried out.

    Attributes:
        result, line: as the record keeps them.
        files: of the run, by kind; none if they are left to `experiment export`.
        detail: why the run did not end by itself, for the terminal; empty if it did.
        attempts: the events of attempts that a provider ended, which only another process has.
    """

    result: Mapping[str, Any]
    line: Mapping[str, Any]
    files: Mapping[str, bytes]
    detail: str = ""
    attempts: tuple[bytes, ...] = ()


def carry(bench: Bench, name: str, unit: Unit, base: Path, *, is_packed: bool) -> Carried:
    """Carry out a unit.

    Args:
        bench: what the units share.
        name: of the system in the record.
        base: path of the unit's files up to the dot before their kind.
        is_packed: whether no files of the run are made.
    """
    attempt = carried_out(bench, unit.place, unit.run, base)
    names = {"benchmark": bench.benchmark.id, "system": name}
    files = {} if is_packed else run_files(unit, attempt, **names, seed=bench.seed)
    ended = attempt.ended
    detail = f"{unit.task}, run {unit.run}: {ended.detail}" if ended.error else ""
    return Carried(run_result(unit, attempt, **names), run_line(attempt), files, detail)
