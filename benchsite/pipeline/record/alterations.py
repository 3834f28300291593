"""Every alteration of the record in the commits of a range: git's changes, judged by the rule table.

`audit` asks about the whole history, `check` about a branch, the push about commits that leave this machine. A change
that needs no bytes is judged as git prints it. The others are read afterwards, file by file, each version once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from benchsite.layout import CONFIG, ENTRIES_FOLDER, segment_number
from benchsite.pipeline.changes import (
    FileChange,
    Judgment,
    Published,
    Version,
    is_append_only,
    is_dated,
    judge,
    must_read,
)
from benchsite.pipeline.findings import Finding
from benchsite.progress import Progress, silent
from benchsite.repo import REGULAR, Branch, Past, Repository, Revision

__all__ = ["PROTECTED", "Alterations", "alterations", "branch_alterations"]

PROTECTED: Final = ("results", "keys", "methodology", "fixtures", CONFIG)
_TOLD_EVERY: Final = 500
_ABSENT: Final = "000000"

_Read = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]
"""Many blobs by their ids, in the order given."""


@dataclass(frozen=True, slots=True)
class Alterations:
    """What the commits of a range did to the record.

    Attributes:
        findings: what no commit may do, newest first.
        notes: what is allowed and worth mentioning.
        changes: how many changes were judged.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    changes: int


def alterations(
    repository: Repository,
    past: Past,
    revisions: Iterable[Revision],
    published: Published,
    progress: Progress = silent,
) -> Alterations:
    """Judge every revision of a walk.

    Args:
        repository: reads trees and segments, for the size of the log at a commit.
        past: reads many blobs at once.
        revisions: a walk over `PROTECTED`, newest commit first.
        published: the log that the changes are compared with.
        progress: called with (done, total, label).
    """
    sizes = _LogSizes(repository)
    waiting, count = list[Revision](), 0
    judged: list[tuple[Revision, Judgment]] = []
    for count, revision in enumerate(revisions, start=1):
        if count % _TOLD_EVERY == 1:
            progress(count, 0, f"changes back to {revision.day}")
        change = _change(revision, sizes)
        if must_read(change, published):
            waiting.append(revision)
        elif any(judgment := judge(change, published)):
            judged.append((revision, judgment))
    progress(0, 0, "reading past versions")
    waiting.sort(key=lambda revision: revision.path)
    for revision, contents in _read(past, waiting):
        if any(judgment := judge(_change(revision, sizes, *contents), published)):
            judged.append((revision, judgment))
    introduced = {(revision.path, revision.new_id) for revision in waiting} if judged else set()
    return Alterations(
        tuple(finding for item in judged for finding in _located(*item, introduced)),
        tuple(_noted(revision, note) for revision, judgment in judged for note in judgment.notes),
        count,
    )


def branch_alterations(repository: Repository, branch: Branch, published: Published) -> list[Finding]:
    """Return what the commits of a branch did to the record, the oldest commit first."""
    past = Past(repository.root)
    with past.walk(PROTECTED, head=branch.head, since=branch.base) as revisions:
        found = alterations(repository, past, revisions, published).findings
    order = {commit: number for number, commit in enumerate(reversed(branch.commits()))}
    return sorted(found, key=lambda finding: order.get(finding.commit, 0))


def _located(revision: Revision, judgment: Judgment, introduced: set[tuple[str, str]]) -> Iterator[Finding]:
    """The findings with their commit; a version that another commit introduced is that commit's."""
    found = judgment.findings
    if judgment.replaced and (revision.path, revision.old_id) not in introduced:
        found = (*found, *judgment.replaced)
    for finding in found:
        yield replace(finding, commit=revision.commit, day=revision.day)


def _noted(revision: Revision, note: str) -> str:
    return f"commit {revision.commit[:12]} of {revision.day}: {note}"


def _change(revision: Revision, sizes: _LogSizes, before: bytes = b"", after: bytes = b"") -> FileChange:
    path, old_mode, new_mode = revision.path, revision.old_mode, revision.new_mode
    old = Version(old_mode, revision.old_id, before) if old_mode != _ABSENT else None
    new = Version(new_mode, revision.new_id, after) if new_mode != _ABSENT else None
    merge = len(revision.parents) > 1
    if not is_dated(path):
        return FileChange(path, old, new, merge=merge)
    return FileChange(path, old, new, sizes.before(revision), sizes.at(revision.commit), merge)


def _read(past: Past, revisions: Sequence[Revision]) -> Iterator[tuple[Revision, tuple[bytes, bytes]]]:
    """Each revision with the bytes of its regular versions; the revisions are in the order of their paths."""
    for grows, read in ((False, past.blobs), (True, past.growing)):
        yield from _contents(read, [item for item in revisions if is_append_only(item.path) is grows])


def _contents(read: _Read, revisions: Sequence[Revision]) -> Iterator[tuple[Revision, tuple[bytes, bytes]]]:
    """A version is read once and dropped after its last use."""
    last = {blob: number for number, revision in enumerate(revisions) for blob in _regular(revision)}
    held: dict[str, bytes] = {}
    blobs = read(last)
    for number, revision in enumerate(revisions):
        for blob in _regular(revision):
            if blob not in held:
                held[blob] = next(blobs)[1]
        yield revision, (held.get(revision.old_id, b""), held.get(revision.new_id, b""))
        for blob in _regular(revision):
            if last[blob] == number:
                held.pop(blob, None)


def _regular(revision: Revision) -> Iterator[str]:
    """The blobs of the regular versions, the newer one first: most often it begins with the other."""
    if revision.new_mode in REGULAR:
        yield revision.new_id
    if revision.old_mode in REGULAR:
        yield revision.old_id


class _LogSizes:
    """How many entries the log had at a commit, counted in its segments: a checkpoint may say anything."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._lines: dict[str, int] = {}
        self._at: dict[str, int] = {}

    def at(self, commit: str) -> int:
        """Return the entries of the log that a commit has."""
        if commit not in self._at:
            files = self._repository.tree(ENTRIES_FOLDER, rev=commit)
            segments = [item for item in files if segment_number(item.path) is not None]
            self._at[commit] = sum(self._count(item.blob_id) for item in segments if item.mode in REGULAR)
        return self._at[commit]

    def before(self, revision: Revision) -> int:
        """Return the entries of the log that the commit builds on: of the parents with the file's old bytes."""
        parents = revision.parents
        if len(parents) > 1:
            parents = tuple(
                parent for parent in parents if revision.old_id in self._ids(revision.path, parent)
            )
        return max(map(self.at, parents), default=0)

    def _count(self, blob: str) -> int:
        if blob not in self._lines:
            self._lines[blob] = self._repository.blob(blob).count(b"\n")
        return self._lines[blob]

    def _ids(self, path: str, commit: str) -> list[str]:
        return [item.blob_id for item in self._repository.tree(path, rev=commit) if item.path == path]
