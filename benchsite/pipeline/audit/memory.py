"""What somebody remembers of the log: checkpoints from elsewhere, and the remote's branches as this clone saw them.

Follows specs/log.md, "Git audit" and "Threats" (history rewritten). A pin (`refs/benchsite/<remote>/<branch>`) only
moves forward, so the log it names was public once. A log at HEAD that contains it is whole. Otherwise the log at HEAD
has other entries (split view), or lacks entries that the remote's branch still has (stale: fetch, then audit), or
lacks entries that the remote's branch lost as well (history was rewritten).

Log commits of this clone that were never public and that the remote overtook are a race, not a split view: a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.layout import COSIGNATURES_PATH
from benchsite.log import Log, LogError, decode_cosignatures
from benchsite.pipeline.audit.checkpoints import compare
from benchsite.pipeline.changes.checkpoints import SeenCheckpoint, examine
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.record.overtaken import Overtaken, overtaken
from benchsite.pipeline.snapshot import Snapshot
from benchsite.repo import GitError

_REF: Final = "refs/benchsite/"
_RESTORE: Final = "restore it from a clone that has them"


@dataclass(slots=True)
class Memory:
    """What the comparison with remembered logs found; `views` are halves of split views."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    views: list[SeenCheckpoint] = field(default_factory=list)


def open_log(snapshot: Snapshot) -> tuple[Log | None, str]:
    """Return the log of a record, or why it does not open: an audit goes on without one."""
    try:
        return snapshot.log_alone, ""
    except IntegrityError as error:
        return None, error.message


def remember(snapshot: Snapshot, log: Log | None, files: Sequence[tuple[str, bytes]]) -> Memory:
    """Compare the log at HEAD with what this clone was shown and with checkpoint files.

    Args:
        snapshot: the record that is audited.
        log: its log, or an earlier one that opens; None if none does.
        files: name and bytes of checkpoints from elsewhere.

    Raises:
        InputError: a file is not a signed checkpoint.
    """
    memory = Memory()
    race = _race(snapshot, log, [data for _, data in files])
    if race is not None:
        memory.notes.append(
            f"{race.message}. No branch of a remote is known to have had them. If you made them with --no-push, "
            f"redo them: {'; '.join(race.steps)}"
        )
    for item in _shown_before(snapshot, log, race):
        if isinstance(item, Finding):
            memory.findings.append(item)
        else:
            memory.views.append(item)
    for name, data in files:
        if log is None:
            detail = "there is no log here that could hold what it names: history was rewritten, or this is another clone"
            memory.findings.append(Finding(Kind.REWRITTEN, name, detail))
            continue
        answer = compare(name, data, log)
        if isinstance(answer, str):
            memory.notes.append(answer)
        elif isinstance(answer, Finding):
            memory.findings.append(answer)
        elif answer.fault is not None:
            memory.findings.append(Finding(answer.fault[0], name, answer.fault[1]))
            memory.views.append(answer)
    return memory


def _race(snapshot: Snapshot, ours: Log | None, given: Sequence[bytes]) -> Overtaken | None:
    """Return the log commits that the remote overtook, if nobody outside this clone has seen their checkpoints."""
    repository, head = snapshot.repository, snapshot.commit or ""
    where = repository.upstream()
    try:
        found = overtaken(repository, head)
        if found is None or ours is None or where is None or repository.lost("/".join(where), found.theirs):
            return None
        if repository.shared(found.appends[0][0]) or repository.left_remote_at(head) != found.base:
            return None
    except (GitError, PrerequisiteError):
        return None
    before, theirs = (open_log(snapshot.sibling(commit))[0] for commit in (found.base, found.theirs))
    if before is None or theirs is None:
        return None
    size = before.size
    extended = all(log.size >= size and log.root(size) == before.root() for log in (ours, theirs))
    return found if extended and _seen_outside(snapshot, ours, given) <= size else None


def _seen_outside(snapshot: Snapshot, ours: Log, given: Sequence[bytes]) -> int:
    """Return the largest size of our log that a witness or a checkpoint from elsewhere names; 0 if none does."""
    try:
        lines = decode_cosignatures(snapshot.read(COSIGNATURES_PATH) or b"")
    except LogError:
        return ours.size
    agreeing = [seen for seen in (examine(data, ours) for data in given) if seen.fault is None]
    return max([0, *(line.size for line in lines), *(seen.size or 0 for seen in agreeing)])


def _shown_before(
    snapshot: Snapshot, ours: Log | None, race: Overtaken | None
) -> Iterator[Finding | SeenCheckpoint]:
    """What is wrong with the log at HEAD, given the logs that this clone was shown."""
    repository, head = snapshot.repository, snapshot.commit or ""
    for branch, commit in repository.pins():
        ref = f"{_REF}{branch}"
        try:
            if repository.is_ancestor(commit, head) or (
                race is not None and repository.is_ancestor(commit, race.theirs)
            ):
                continue
            shown_then = snapshot.sibling(commit)
            theirs, note = open_log(shown_then)[0], shown_then.checkpoint
        except GitError as error:
            detail = f"this clone was shown commit {commit[:12]}, and it cannot be read: {error.reason}"
            yield Finding(Kind.REWRITTEN, ref, detail)
            continue
        if theirs is None:
            continue
        shown = f"this clone was shown a log of {theirs.size} entries"
        if ours is None:
            yield Finding(Kind.REWRITTEN, ref, f"{shown}, and HEAD has no log")
        elif theirs.root(size := min(ours.size, theirs.size)) != ours.root(size):
            detail = f"{shown}, and the log at HEAD, of {ours.size}, holds other ones"
            yield Finding(Kind.SPLIT_VIEW, ref, detail)
            yield examine(note, ours)
        elif theirs.size > ours.size:
            detail = f"{shown}, and the log at HEAD has {ours.size}"
            yield _fewer(ref, detail, went_back=repository.lost(branch, commit))


def _fewer(ref: str, detail: str, *, went_back: bool) -> Finding:
    if went_back:
        lost = f"the log went back: {detail}; the remote's branch lost them too: {_RESTORE}"
        return Finding(Kind.REWRITTEN, ref, lost)
    stale = f"{detail}: HEAD is behind; move it to the remote's branch, then re-run the audit"
    return Finding(Kind.STALE, ref, stale)
