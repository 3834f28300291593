"""Whether a log segment, or the list of sizes, only grew, each version the one before and more whole lines.

Of a log that was never touched no past version is read: git's ids of the prefixes of today's segment are computed, the
longest first, and a version whose id is among them is that prefix. Only where an id is unknown are bytes compared; what stood there
before a break then becomes known, so that one edit does not make the rest of a long history slow. How long the log
was at a commit is read from its segments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from benchsite.layout import ENTRIES_FOLDER, segment_number
from benchsite.pipeline.record.findings import Kind
from benchsite.repo import REGULAR, Repository, Revision

_MOST_HASHED: Final = 1 << 31
"""Bytes times lines of a file whose prefixes are hashed: of anything larger each version is read."""
_MOST_OF_TODAY: Final = 1 << 35
"""The same for the version at HEAD, which a whole history is compared with: 50,000 sizes take seconds to hash, and far
longer to read 50,000 times."""


class _Prefixes:
    """Git's ids of a file's prefixes of whole lines, hashed from the longest on, as far as is asked."""

    def __init__(self, data: memoryview, ends: list[int], blob_id: Callable[[memoryview], str]) -> None:
        self._data = data
        self._ends = ends
        self._blob_id = blob_id
        self._lines: dict[str, int] = {}

    def lines(self, version: str) -> int | None:
        """How many lines the prefix of this id has; None where no prefix has it."""
        while version not in self._lines and self._ends:
            lines = len(self._ends)
            self._lines[self._blob_id(self._data[: self._ends.pop()])] = lines
        return self._lines.get(version)


class Growth:
    """The versions of segments that are known to be prefixes of one another."""

    def __init__(self, blob_id: Callable[[memoryview], str], read: Callable[[str], bytes]) -> None:
        self._blob_id = blob_id
        self._read = read
        self._known: dict[str, list[_Prefixes]] = {}
        self._learnt: set[tuple[str, str]] = set()

    def learn(self, path: str, version: str) -> None:
        """Take a version of a segment by its blob id: every prefix of whole lines becomes known."""
        if (path, version) in self._learnt:
            return
        self._learnt.add((path, version))
        data = memoryview(self._read(version))
        ends = _line_ends(data)
        if len(data) * len(ends) <= (_MOST_HASHED if path in self._known else _MOST_OF_TODAY):
            self._known.setdefault(path, []).append(_Prefixes(data, ends, self._blob_id))

    def lines(self, path: str, version: str) -> int:
        """How many whole lines a version of a segment has."""
        for prefixes in self._known.get(path, ()):
            if (known := prefixes.lines(version)) is not None:
                return known
        return len(_line_ends(memoryview(self._read(version))))

    def fault(self, path: str, old: str, new: str) -> tuple[Kind, str] | None:
        """What was done to a segment other than adding lines, in kind and words; None where nothing was."""
        for prefixes in self._known.get(path, ()):
            is_now, was = prefixes.lines(new), prefixes.lines(old)
            if is_now is not None and was is not None:
                return None if was <= is_now else (Kind.TRUNCATED, _cut(was, is_now))
        before, after = self._read(old), self._read(new)
        fault = _compared(before, after)
        self.learn(path, new if fault is None else old)
        return fault


def _compared(before: bytes, after: bytes) -> tuple[Kind, str] | None:
    if after.startswith(before) and before.endswith(b"\n") and after.endswith(b"\n"):
        return None
    if before.startswith(after):
        return Kind.TRUNCATED, _cut(before.count(b"\n"), after.count(b"\n"))
    old, new = before.split(b"\n"), after.split(b"\n")
    pairs = enumerate(zip(old, new, strict=False), start=1)
    line = next((at for at, pair in pairs if pair[0] != pair[1]), len(old))
    if sorted(old) == sorted(new):
        return Kind.REORDERED, f"from line {line} on, the entries are in another order"
    return Kind.LOG_EDITED, f"line {line} was edited"


def _cut(before: int, after: int) -> str:
    return f"it had {before} lines and was cut to {after}"


def _line_ends(data: memoryview) -> list[int]:
    """Offsets just behind every newline."""
    ends, whole = [], bytes(data)
    at = whole.find(b"\n")
    while at >= 0:
        ends.append(at + 1)
        at = whole.find(b"\n", at + 1)
    return ends


class Sizes:
    """How many entries the log had at a commit, counted in its segments: a checkpoint may say anything."""

    def __init__(self, repository: Repository, growth: Growth) -> None:
        self._repository = repository
        self._growth = growth
        self._at: dict[str, int] = {}

    def at(self, commit: str) -> int:
        """Entries of the log that a commit holds; 0 where it holds none."""
        if commit not in self._at:
            files = self._repository.tree(ENTRIES_FOLDER, rev=commit)
            segments = [item for item in files if segment_number(item.path) is not None]
            self._at[commit] = sum(
                self._growth.lines(item.path, item.blob_id) for item in segments if item.mode in REGULAR
            )
        return self._at[commit]

    def before(self, revision: Revision) -> int:
        """Entries of the log that a revision's commit builds on: of the parents that held the file's old bytes."""
        parents = revision.parents
        if len(parents) > 1:
            parents = tuple(
                parent for parent in parents if revision.old_id in self._ids(revision.path, parent)
            )
        return max(map(self.at, parents), default=0)

    def _ids(self, path: str, commit: str) -> list[str]:
        return [item.blob_id for item in self._repository.tree(path, rev=commit) if item.path == path]
