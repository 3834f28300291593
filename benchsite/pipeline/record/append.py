"""The one way into the log: entries and their files, in one commit on the newest head (specs/log.md, "Publishing").

    lock -> recover -> check the record -> fetch -> stage -> checkpoint -> one commit -> push

Owns the loop around every command that adds entries. A stage is called with a batch on the head to build on and may
be called again: if the remote rejects the commit, the commit and its checkpoint are discarded, and the stage fills a new
batch on the fetched head. Two signed checkpoints of one size never leave this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from benchsite.environment import Credentials, Role
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.layout import evidence_path
from benchsite.log import Log, WithdrawEvidenceEntry
from benchsite.pipeline import head, secrets
from benchsite.pipeline.changes import Published
from benchsite.pipeline.record.alterations import branch_alterations
from benchsite.pipeline.record.commit import (
    TRAILER,
    commit_record,
    discard,
    locked,
    recover,
    require_branch,
    require_clean,
)
from benchsite.pipeline.record.evidence import forget
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.pipeline.record.remote import follow, require_every_public_entry
from benchsite.pipeline.report import Item
from benchsite.pipeline.snapshot import Snapshot, sizes
from benchsite.pipeline.snapshot.integrity import require_whole
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.scratch import require_uncommitted
from benchsite.progress import Progress, silent
from benchsite.repo import Branch, MovedError, PushRejectedError
from benchsite.signing import PrivateKey
from benchsite.words import shown_path

_ATTEMPTS: Final = 100
"""How often others may overtake one append before it gives up; each time another publisher's commit has landed."""


@dataclass(slots=True)
class Batch:
    """What one commit will hold: entries on the log it builds on, files to write and to remove.

    Attributes:
        snapshot: the record that the commit builds on.
        new: the new entries.
        writes: repository path to bytes of files that are not the log's own.
        removes: repository paths that leave the tree.
        subject: the first line of the commit message.
        lines: the lines of its body.
        log_key: the key that signs the checkpoint where the batch itself puts it in force; otherwise the
            credentials hold it.
    """

    snapshot: Snapshot
    new: NewEntries
    writes: dict[str, bytes] = field(default_factory=dict)
    removes: list[str] = field(default_factory=list)
    subject: str = ""
    lines: list[str] = field(default_factory=list)
    log_key: PrivateKey | None = None


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of an append.

    Attributes:
        commit: the commit that holds the entries, None where there was nothing to add.
        log: the log afterwards.
        snapshot: the record afterwards.
        public: whether the remote has it; False means "not public yet".
        url: where the remote is, if anywhere.
    """

    commit: str | None
    log: Log
    snapshot: Snapshot
    public: bool
    url: str | None

    @property
    def size(self) -> int:
        """Entries of the log afterwards."""
        return self.log.size


Stage = Callable[[Batch], None]
"""Fills a batch; called again with an empty one if the remote rejected the commit."""


def append(
    workspace: Workspace,
    credentials: Credentials,
    stage: Stage,
    *,
    push: bool,
    progress: Progress = silent,
) -> Appended:
    """Add entries to the log and push them.

    Args:
        workspace: where.
        credentials: hold the log key in force.
        stage: fills the batch.
        push: push the commit.
        progress: called with (done, total, label).

    Raises:
        PrerequisiteError: no log, no key, a detached HEAD, uncommitted changes under results/ or keys/, a remote
            that cannot be reached, or an earlier log commit that the remote overtook.
        IntegrityError: the record is damaged, a commit holds scratch files, the remote's history was rewritten, or
            an entry is not allowed.
    """
    with ready(workspace, progress) as checked:
        snapshot = checked
        for attempt in range(_ATTEMPTS):
            snapshot = _newest(workspace, snapshot, fetch=push)
            require_every_public_entry(snapshot)
            if push:
                _require_no_key_leaves(snapshot)
                _require_nothing_altered(snapshot)
            workspace.repository.require_commit_signing()
            commit = None
            try:
                commit, log = _once(workspace, snapshot, credentials, stage)
                public = _send(snapshot, commit) if push else False
            except (MovedError, PushRejectedError):
                if commit is not None and snapshot.commit is not None:
                    _discard(workspace, commit, snapshot.commit)
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            if public or not workspace.repository.has_remote():
                forget(workspace, log.withdrawn)
            after = snapshot.sibling(commit or snapshot.commit)
            return Appended(commit, log, after, public, workspace.repository.public_url())
    raise AssertionError("unreachable: the last attempt raises")


@contextmanager
def ready(workspace: Workspace, progress: Progress) -> Iterator[Snapshot]:
    """Hold the lock over a record that is whole: what a crash left is finished first, and nothing is uncommitted."""
    with locked(workspace):
        commit = head.commit(workspace.repository)
        require_uncommitted(
            workspace.repository, commit
        )  # first: what a commit brought there must not even be read
        recover(workspace, commit)
        require_branch(workspace)
        require_clean(workspace)
        progress(0, 0, "checking the record")
        yield _whole(workspace)


def unbegun(workspace: Workspace) -> Snapshot:
    """Return the record at HEAD before its log is created, which is an append as well."""
    return head.unchecked(workspace)


def newest(workspace: Workspace) -> Snapshot:
    """Return the record at HEAD after an append, which may have failed before or after its commit."""
    return head.snapshot(workspace)


def _newest(workspace: Workspace, snapshot: Snapshot, *, fetch: bool) -> Snapshot:
    """Return the record to build on, the remote's or at least as last fetched; a commit not yet checked is checked."""
    if head.commit(workspace.repository) != snapshot.commit:
        snapshot = _whole(workspace)
    if follow(workspace, snapshot, fetch=fetch):
        snapshot = _whole(workspace)
    return snapshot


def _whole(workspace: Workspace) -> Snapshot:
    """Return the record at HEAD: whole, and without scratch, which then was written on this machine."""
    snapshot = head.snapshot(workspace)
    require_uncommitted(snapshot.repository, snapshot.commit)
    snapshot.require_log()
    require_whole(snapshot)
    return snapshot


def _discard(workspace: Workspace, commit: str, parent: str) -> None:
    """Return to the parent of a commit that was not pushed, unless HEAD has moved on since."""
    if head.commit(workspace.repository) == commit:
        discard(workspace, commit, parent)


def _require_no_key_leaves(snapshot: Snapshot) -> None:
    """Commits of one's own go to the remote with ours: none of them may hold a private key."""
    for item in keys_leaving(snapshot):
        raise IntegrityError(f"{item.where}: {item.message}", hint=f"nothing was pushed. {item.hint}")


def _require_nothing_altered(snapshot: Snapshot) -> None:
    """No commit that goes to the remote with ours alters the record, though a later one may have restored it."""
    branch, settings = _unpushed(snapshot), snapshot.config.benchsite
    if branch is None:
        return
    published = Published(snapshot.log, (settings.origin, settings.root_keys))
    for finding in branch_alterations(snapshot.repository, branch, published):
        raise IntegrityError(
            f"{shown_path(finding.path)} was {finding.deed} in commit {finding.commit[:12]}",
            hint="nothing was pushed. Remove that commit from the branch (git rebase -i): a later commit leaves the change "
            "in the history, and audit fails in every clone",
        )


def _unpushed(snapshot: Snapshot) -> Branch | None:
    """The commits that the remote is not known to have; None where there are none."""
    repository, commit = snapshot.repository, snapshot.commit
    if commit is None or not repository.unpushed(commit):
        return None
    public = repository.public_commit(commit)
    return repository.branch_beyond(commit, public if public != commit else None)


def keys_leaving(snapshot: Snapshot) -> Sequence[Item]:
    """Private keys in the commits that the remote is not known to have."""
    branch = _unpushed(snapshot) if snapshot.log is not None else None
    if branch is None or snapshot.log is None:
        return ()
    public_keys = [record.public_key for record in snapshot.log.keyring]
    return secrets.check(snapshot.repository, branch, list(branch.changes()), public_keys).items


def _once(
    workspace: Workspace, snapshot: Snapshot, credentials: Credentials, stage: Stage
) -> tuple[str | None, Log]:
    """One attempt up to and including the commit point and the working tree: (commit, the log afterwards)."""
    log = snapshot.require_log()
    batch = Batch(snapshot, NewEntries(log))
    stage(batch)
    if batch.new.size == log.size:
        return None, log
    _withdraw(batch)
    key = batch.log_key or key_in_force(workspace, batch.new.grown, credentials, "log")
    writes = {**batch.writes, **batch.new.writes(key, sizes.before(snapshot))}
    message = "\n\n".join(
        part for part in (batch.subject, "\n".join(batch.lines), f"{TRAILER}: {batch.new.size}") if part
    )
    commit = commit_record(workspace, writes, batch.removes, parent=snapshot.commit, message=f"{message}\n")
    return commit, batch.new.grown


def _withdraw(batch: Batch) -> None:
    """The files of evidence that the batch withdraws leave the tree in the same commit, or do not come into it."""
    for entry in batch.new.entries:
        if isinstance(entry, WithdrawEvidenceEntry):
            path = evidence_path(entry.sha256)
            batch.writes.pop(path, None)
            if batch.snapshot.read(path) is not None:
                batch.removes.append(path)


def _send(snapshot: Snapshot, commit: str | None) -> bool:
    """Push the new commit, or those that were here before; whether there was anywhere to push to."""
    pushed = commit or snapshot.commit
    if snapshot.repository.upstream() is None or pushed is None:
        return False
    snapshot.repository.push(pushed)
    return True


def key_in_force(workspace: Workspace, log: Log, credentials: Credentials, role: Role) -> PrivateKey:
    """The private key of a role, checked against the one the log says is in force."""
    key = credentials.key(role, repository=workspace.root)
    current = log.keyring.in_force(role)
    if current is None or current.fingerprint != key.fingerprint:
        stands = current.fingerprint if current is not None else "none"
        raise PrerequisiteError(
            f"wrong {role} key: {key.fingerprint}; the log's key in service is {stands}",
            hint="run `benchsite keys list` for the keys of this log",
        )
    return key
