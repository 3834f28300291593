"""`history.jsonl`: what was measured at each release, a line each, oldest first, and only ever added to.

A line names release, commit, date and the machine by processor and cores, by nothing that tells whose it is. A commit whose
files were changed ends with `-dirty`. Refuses a line that is no such object, naming its number.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import benchsite
from benchsite.environment import describe, now
from tests.bench.measurement import FOLDER, ROOT, Measured, flat

FILE: Final = FOLDER / "history.jsonl"
_KEPT: Final = ("name", "size", "rounds", "numbers")


class HistoryError(Exception):
    """A line of the history cannot be read."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where and when some measurements were made, and their numbers."""

    release: str
    commit: str
    date: str
    machine: Mapping[str, Any]
    measurements: Sequence[Mapping[str, Any]]

    def numbers(self, name: str, size: int) -> dict[str, float] | None:
        """The numbers of a measurement at a size, by flat name; of several the last."""
        for one in reversed(self.measurements):
            if (one["name"], one["size"]) == (name, size):
                return dict(flat(one["numbers"]))
        return None

    def encoded(self) -> str:
        """The line, with its line feed."""
        shown = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":")) + "\n"


def read(path: Path = FILE) -> list[Line]:
    """Every line; none where there is no file. Raises `HistoryError`."""
    if not path.exists():
        return []
    lines = []
    for number, text in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            lines.append(_decoded(text))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise HistoryError(f"{path.name} line {number} is no measurement: {error}") from None
    return lines


def _decoded(text: bytes) -> Line:
    line = Line(**json.loads(text))
    for one in line.measurements:
        for name, number in flat({key: one[key] for key in _KEPT}["numbers"]):
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise TypeError(f"{name} is not a number")
    return line


def last(lines: Sequence[Line], name: str, size: int) -> tuple[Line, dict[str, float]] | None:
    """The newest line that has a measurement at a size, and its numbers."""
    for line in reversed(lines):
        found = line.numbers(name, size)
        if found is not None:
            return line, found
    return None


def line_of(measured: Sequence[Measured]) -> Line:
    """A line for what was measured here and now."""
    commit = _git("rev-parse", "HEAD").strip() + ("-dirty" if uncommitted() else "")
    kept = [{name: getattr(one, name) for name in _KEPT} for one in measured]
    return Line(benchsite.__version__, commit, now(), machine(), kept)


def uncommitted() -> list[str]:
    """The changed files for which a commit is dirty: neither untracked ones nor the history, which a first `--record` changes."""
    kept = f":(exclude){FILE.relative_to(ROOT).as_posix()}"
    done = _git("status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", "--", ":/", kept)
    return [line[3:] for line in done.split("\0") if line]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def machine() -> dict[str, Any]:
    """Model of the processor and number of cores."""
    found = describe({})
    return {name: found[name] for name in ("cpu", "cores")}


def append(line: Line, path: Path = FILE) -> None:
    """Add a line at the end, in one write."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line.encoded())
