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
from benchsite.pipeline import secrets
from benchsite.pipeline.changes import Published
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.scratch import require_uncommitted
from benchsite.pipeline.record import Record, require_log
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
from benchsite.pipeline.snapshot import sizes
from benchsite.pipeline.snapshot.integrity import require_whole
from benchsite.progress import Progress, silent
from benchsite.repo import Branch, MovedError, PushRejectedError
from benchsite.signing import PrivateKey
from benchsite.words import shown_path

_ATTEMPTS: Final = 20
"""How often others may overtake one append before it gives up; each time another publisher's commit has landed."""


@dataclass(slots=True)
class Batch:
    """What one commit will hold: entries on the log it builds on, files to write and to remove.

    Attributes:
        new: the new entries.
        writes: repository path to bytes of files that are not the log's own.
        removes: repository paths that leave the tree.
        subject: the first line of the commit message.
        lines: the lines of its body.
        log_key: the key that signs the checkpoint where the batch itself puts it in force; otherwise the
            credentials hold it.
    """

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
        size: the log's size afterwards.
        public: whether the remote has it; False means "not public yet".
        url: where the remote is, if anywhere.
    """

    commit: str | None
    size: int
    public: bool
    url: str | None


Stage = Callable[[Batch], None]
"""Fills a batch; called again with an empty one if the remote rejected the commit."""


def append(
    instance: Instance,
    credentials: Credentials,
    stage: Stage,
    *,
    push: bool,
    progress: Progress = silent,
) -> Appended:
    """Add entries to the log and push them.

    Args:
        instance: where.
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
    with ready(instance, progress):
        checked = instance.repository.head()
        for attempt in range(_ATTEMPTS):
            if push:
                follow(instance)
            if instance.repository.head() != checked:
                _require_whole(instance)
                checked = instance.repository.head()
            require_every_public_entry(instance)
            if push:
                _require_no_key_leaves(instance)
                _require_nothing_altered(instance)
            instance.repository.require_commit_signing()
            parent, commit = instance.repository.head(), None
            try:
                commit, size = _once(instance, credentials, stage)
                public = _send(instance) if push else False
            except (MovedError, PushRejectedError):
                if commit is not None and parent is not None:
                    discard(instance, commit, parent)
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            if public or not instance.repository.has_remote():
                forget(instance, require_log(instance).withdrawn)
            return Appended(commit, size, public, instance.repository.public_url())
    raise AssertionError("unreachable: the last attempt raises")


@contextmanager
def ready(instance: Instance, progress: Progress) -> Iterator[None]:
    """Hold the lock over a record that is whole: what a crash left is finished first, and nothing is uncommitted."""
    with locked(instance):
        require_uncommitted(instance.repository)  # first: what a commit brought there must not even be read
        recover(instance)
        require_branch(instance)
        require_clean(instance)
        progress(0, 0, "checking the record")
        _require_whole(instance)
        yield


def _require_whole(instance: Instance) -> None:
    """HEAD holds a whole record and no scratch: whatever is under `.benchsite/` was written on this machine."""
    require_uncommitted(instance.repository)
    require_log(instance)
    require_whole(Record.at(instance))


def _require_no_key_leaves(instance: Instance) -> None:
    """Commits of one's own go to the remote with ours: none of them may hold a private key."""
    for item in keys_leaving(instance, require_log(instance)):
        raise IntegrityError(f"{item.where}: {item.message}", hint=f"nothing was pushed. {item.hint}")


def _require_nothing_altered(instance: Instance) -> None:
    """No commit that goes to the remote with ours alters the record, though a later one may have restored it."""
    branch, settings = _unpushed(instance), instance.config.benchsite
    if branch is None:
        return
    published = Published(require_log(instance), (settings.origin, settings.root_keys))
    for finding in branch_alterations(instance.repository, branch, published):
        raise IntegrityError(
            f"{shown_path(finding.path)} was {finding.deed} in commit {finding.commit[:12]}",
            hint="nothing was pushed. Remove that commit from the branch (git rebase -i): a later commit leaves the change "
            "in the history, and audit fails in every clone",
        )


def _unpushed(instance: Instance) -> Branch | None:
    """The commits that the remote is not known to have; None where there are none."""
    repository = instance.repository
    if not repository.unpushed():
        return None
    head, public = repository.head(), repository.public_head()
    return repository.branch_beyond(public if public != head else None)


def keys_leaving(instance: Instance, log: Log) -> Sequence[Item]:
    """Private keys in the commits that the remote is not known to have."""
    branch = _unpushed(instance)
    if branch is None:
        return ()
    public_keys = [record.public_key for record in log.keyring]
    return secrets.check(instance.repository, branch, list(branch.changes()), public_keys).items


def _once(instance: Instance, credentials: Credentials, stage: Stage) -> tuple[str | None, int]:
    """One attempt up to and including the commit point and the working tree: (commit, size of the log)."""
    parent = instance.repository.head()
    log = require_log(instance)
    batch = Batch(NewEntries(log))
    stage(batch)
    if batch.new.size == log.size:
        return None, log.size
    _withdraw(instance, batch)
    key = batch.log_key or key_in_force(instance, batch.new.grown, credentials, "log")
    writes = {**batch.writes, **batch.new.writes(key, sizes.before(Record.at(instance)))}
    message = "\n\n".join(
        part for part in (batch.subject, "\n".join(batch.lines), f"{TRAILER}: {batch.new.size}") if part
    )
    commit = commit_record(instance, writes, batch.removes, parent=parent, message=f"{message}\n")
    return commit, batch.new.size


def _withdraw(instance: Instance, batch: Batch) -> None:
    """The files of evidence that the batch withdraws leave the tree in the same commit, or do not come into it."""
    for entry in batch.new.entries:
        if isinstance(entry, WithdrawEvidenceEntry):
            path = evidence_path(entry.sha256)
            batch.writes.pop(path, None)
            if instance.repository.read(path) is not None:
                batch.removes.append(path)


def _send(instance: Instance) -> bool:
    """Push; whether there was anywhere to push to."""
    if instance.repository.upstream() is None:
        return False
    instance.repository.push()
    return True


def key_in_force(instance: Instance, log: Log, credentials: Credentials, role: Role) -> PrivateKey:
    """The private key of a role, checked against the one the log says is in force."""
    key = credentials.key(role, repository=instance.root)
    current = log.keyring.in_force(role)
    if current is None or current.fingerprint != key.fingerprint:
        stands = current.fingerprint if current is not None else "none"
        raise PrerequisiteError(
            f"wrong {role} key: {key.fingerprint}; the log's key in service is {stands}",
            hint="run `benchsite keys list` for the keys of this log",
        )
    return key
