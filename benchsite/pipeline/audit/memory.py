"""What this clone was shown before: the log at every commit that it remembers of a remote's branch, against HEAD's.

Follows specs/log.md, "Git audit" and "Threats" (history rewritten). A pin (`refs/benchsite/<remote>/<branch>`) only
moves forward, so the log it names was public once. A log at HEAD that contains it is whole. One that does not is told
by how: it holds other entries (split view); it lacks entries that the remote's branch still has (stale: fetch, then
audit again); or it lacks entries that the remote's branch lost as well (the log went back: history was rewritten).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchsite.errors import IntegrityError
from benchsite.layout import CHECKPOINT_PATH
from benchsite.log import Log
from benchsite.pipeline.audit.heads import Heads
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record
from benchsite.pipeline.record.findings import Finding, Kind
from benchsite.repo import GitError

_REF: Final = "refs/benchsite/"
_RESTORE: Final = "restore it from a clone that has them"


def opened(record: Record) -> tuple[Log | None, str]:
    """The log of a record, or why it does not open: an audit goes on, and nothing is raised for a bad one."""
    try:
        return record.opened, ""
    except IntegrityError as error:
        return None, error.message


def shown_before(instance: Instance, head: str, heads: Heads | None) -> Iterator[Finding]:
    """What is wrong with the log at HEAD, given what this clone was shown; `heads` is None where no log opens."""
    repository = instance.repository
    ours = heads.log if heads is not None else None
    for branch, commit in repository.pins():
        if repository.is_ancestor(commit, head):
            continue
        ref = f"{_REF}{branch}"
        try:
            theirs, _ = opened(Record.at(instance, commit))
            note = repository.read(CHECKPOINT_PATH, rev=commit) or b""
        except GitError as error:
            said = f"this clone was shown commit {commit[:12]}, and it cannot be read: {error.reason}"
            yield Finding(Kind.REWRITTEN, ref, said)
            continue
        if theirs is None:
            continue
        if ours is None or heads is None:
            yield Finding(
                Kind.REWRITTEN, ref, f"this clone was shown {_entries(theirs)}, and HEAD has no log"
            )
        elif theirs.root(size := min(ours.size, theirs.size)) != ours.root(size):
            yield _other_entries(heads, ref, theirs, note)
        elif theirs.size > ours.size:
            yield _fewer(ref, ours, theirs, went_back=repository.lost(branch, commit))


def _other_entries(heads: Heads, ref: str, theirs: Log, note: bytes) -> Finding:
    """Two logs of one name: both signed heads are kept as evidence."""
    said = (
        f"this clone was shown {_entries(theirs)}, and the log at HEAD, of {heads.log.size}, holds other ones"
    )
    heads.view(note)
    return Finding(Kind.SPLIT_VIEW, ref, said)


def _fewer(ref: str, ours: Log, theirs: Log, *, went_back: bool) -> Finding:
    said = f"this clone was shown {_entries(theirs)}, and the log at HEAD has {ours.size}"
    if went_back:
        return Finding(
            Kind.REWRITTEN, ref, f"the log went back: {said}; the remote's branch lost them too: {_RESTORE}"
        )
    return Finding(
        Kind.STALE, ref, f"{said}: HEAD is behind; move it to the remote's branch, then re-run the audit"
    )


def _entries(log: Log) -> str:
    return f"a log of {log.size} entries"
