"""Fast-forward to the remote before signing, so that two checkpoints of one size never leave this machine.

Refuses a remote that took something back: its new head must contain the head seen last, and its log must begin
with the log that both sides share. Refuses a branch with log commits that the remote overtook: they are never merged
or rebased, and the error has the commands that redo them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite.errors import IntegrityError
from benchsite.layout import PUBLISHED
from benchsite.pipeline.record import evidence
from benchsite.pipeline.record.commit import journalled
from benchsite.pipeline.record.overtaken import require_not_overtaken
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace, drafts
from benchsite.pipeline.workspace.scratch import require_uncommitted
from benchsite.receipt import compose, parse
from benchsite.repo import Repository
from benchsite.track import Evidence


def follow(workspace: Workspace, snapshot: Snapshot, *, fetch: bool) -> bool:
    """Move from the commit of a snapshot to the remote's; return whether it moved.

    Args:
        workspace: where.
        snapshot: the record at HEAD.
        fetch: ask the remote first; otherwise its branch as last fetched counts.

    Raises:
        IntegrityError: the remote's history or its log was rewritten.
        PrerequisiteError: the remote cannot be reached, or it overtook commits of this clone; drafts and evidence that only
            those commits hold are written to `.benchsite/` before.
    """
    repository = workspace.repository
    if repository.upstream() is None:
        return False
    theirs, ours = repository.fetch() if fetch else _last_fetched(repository), snapshot.commit
    if theirs is None or ours is None or theirs == ours or repository.is_ancestor(theirs, ours):
        return False
    base = repository.fork_point(ours, theirs)
    _require_extended(snapshot, base, theirs)
    if ours != base:
        _restore_drafts(workspace, snapshot, theirs)
        require_not_overtaken(repository, ours)
    require_uncommitted(repository, theirs)  # before its files come into the working tree
    with journalled(workspace, ours, theirs):
        repository.move_to(theirs, expected=ours)
    workspace.refresh()
    return True


def require_every_public_entry(snapshot: Snapshot) -> None:
    """Whatever branch or remote a log of this clone was pushed to, the one at HEAD must contain it.

    Raises:
        IntegrityError: it does not, and what is signed here would be a second log under the same name.
    """
    repository, head, log = snapshot.repository, snapshot.commit, snapshot.log
    for ref, commit in repository.pins():
        if head is None or log is None or repository.is_ancestor(commit, head):
            continue
        other = snapshot.sibling(commit).log
        if other is not None and (other.size > log.size or log.root(other.size) != other.root()):
            raise IntegrityError(
                f"log forked: {ref} has {other.size} entries that this branch does not contain",
                hint="publish on the branch that has those entries",
            )


def _last_fetched(repository: Repository) -> str | None:
    """Return the remote's commit as last fetched, None if its branch lost that commit since: nothing moves there."""
    where, theirs = repository.upstream(), repository.remote_head()
    return None if where and theirs and repository.lost("/".join(where), theirs) else theirs


def _require_extended(snapshot: Snapshot, base: str, theirs: str) -> None:
    """The remote's log must begin with exactly the entries of the log that both sides share."""
    shared = snapshot.sibling(base).log if base else None
    if shared is None:
        return
    log = snapshot.sibling(theirs).log
    if log is None or log.size < shared.size or log.root(shared.size) != shared.root():
        raise IntegrityError(
            f"the remote's log lost public entries: {shared.size} were public before",
            hint="do not publish; run `benchsite audit` in a fresh clone of the remote to find the commits",
        )


def _restore_drafts(workspace: Workspace, snapshot: Snapshot, theirs: str) -> None:
    """Write the drafts and evidence that only overtaken commits hold; what a submitter sent is in the inbox's history."""
    repository = workspace.repository
    for path in repository.differing(snapshot.commit or "", theirs):
        data = snapshot.read(path) if path.startswith(PUBLISHED) else None
        if data is None or repository.read(path, rev=theirs) is not None:
            continue
        document = parse(data).document
        if document["ranBy"]["kind"] == "submitted":
            continue
        draft = compose({key: value for key, value in document.items() if key != "signature"})
        if not (workspace.drafts / f"{draft.receipt_id}.json").exists():
            drafts.save(workspace, draft)
        for pinned in draft.document["evidence"]:
            _restore_evidence(workspace, snapshot, pinned)


def _restore_evidence(workspace: Workspace, snapshot: Snapshot, pinned: Mapping[str, Any]) -> None:
    """Write a document that an overtaken commit holds to `.benchsite/attachments/`, uncompressed."""
    data = snapshot.evidence.committed(pinned["sha256"])
    if data is not None and snapshot.evidence.attached(pinned["sha256"]) is None:
        evidence.keep(workspace, Evidence(pinned["name"], pinned["mediaType"], data))
