"""Fast-forward to the remote before signing, so that two checkpoints of one size never leave this machine.

Refuses a remote that took something back: its new head must contain the head seen last, and its log must begin
with the log that both sides share. Refuses a branch with log commits that the remote overtook: they are never merged
or rebased, and the error has the commands that redo them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.layout import PUBLISHED, RECORD
from benchsite.pipeline.instance import Instance, drafts
from benchsite.pipeline.instance.scratch import require_uncommitted
from benchsite.pipeline.record import evidence
from benchsite.pipeline.record.commit import TRAILER, journalled
from benchsite.pipeline.snapshot import Snapshot
from benchsite.receipt import compose, parse
from benchsite.repo import Repository
from benchsite.track import Evidence
from benchsite.words import amount, shown_path


def follow(instance: Instance, snapshot: Snapshot) -> bool:
    """Fetch, and move from the commit of a snapshot to the remote's; whether it moved.

    Raises:
        IntegrityError: the remote's history or its log was rewritten.
        PrerequisiteError: the remote cannot be reached, or it overtook commits of this clone; drafts and evidence that only
            those commits hold are written to `.benchsite/` before.
    """
    repository = instance.repository
    if repository.upstream() is None:
        return False
    theirs, ours = repository.fetch(), snapshot.commit
    if theirs is None or ours is None or theirs == ours or repository.is_ancestor(theirs, ours):
        return False
    base = repository.fork_point(ours, theirs)
    _require_extended(snapshot, base, theirs)
    if ours != base:
        _restore_drafts(instance, snapshot, theirs)
        require_not_overtaken(repository, ours)
    require_uncommitted(repository, theirs)  # before its files come into the working tree
    with journalled(instance, ours, theirs):
        repository.move_to(theirs, expected=ours)
    instance.refresh()
    return True


def require_not_overtaken(repository: Repository, ours: str | None) -> None:
    """Check that a commit of this branch contains the remote's head as last fetched, or is contained in it.

    Raises:
        PrerequisiteError: neither; the hint has the commands that redo the log commits of this branch.
    """
    theirs = repository.remote_head()
    if not ours or not theirs or repository.is_ancestor(theirs, ours) or repository.is_ancestor(ours, theirs):
        return
    base = repository.fork_point(ours, theirs)
    commits = repository.commits(base, ours)
    appends = [message for _, message in commits if f"\n{TRAILER}: " in message]
    if not base or not appends:
        touched = not base or any(map(_is_written_by_us, repository.differing(base, ours)))
        raise PrerequisiteError(
            "your branch and the remote's have diverged",
            hint="move your commits to a separate branch, then retry: the record is never rebased"
            if touched
            else "git pull --rebase, then retry",
        )
    upstream = "@{u}" if repository.tracked() == theirs else theirs[:12]
    own = [commit[:12] for commit, message in commits if f"\n{TRAILER}: " not in message]
    events = [subject for message in appends if not (subject := _subject(message)).startswith("publish: ")]
    steps = [
        f"git reset --keep {upstream}",
        *([f"git cherry-pick {' '.join(own)}"] if own else []),
        "benchsite publish",
        *([f"then repeat: {'; '.join(events)}"] if events else []),
    ]
    raise PrerequisiteError(
        f"the remote overtook {amount(len(appends), 'log commit')} of this clone: "
        f"{'; '.join(map(_subject, appends))}",
        hint="\n       ".join(["redo it on the remote's head; drafts are kept:", *steps]),
    )


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


def _subject(message: str) -> str:
    """Return the first line of a commit message, safe to print."""
    return shown_path(message.strip().partition("\n")[0])


def _is_written_by_us(path: str) -> bool:
    """Whether nobody but benchsite writes a file; `keys/ROTATION.md` is prose."""
    return path.split("/", maxsplit=1)[0] in RECORD and not path.endswith(".md")


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


def _restore_drafts(instance: Instance, snapshot: Snapshot, theirs: str) -> None:
    """Write the drafts and evidence that only overtaken commits hold; what a submitter sent is in the inbox's history."""
    repository = instance.repository
    for path in repository.differing(snapshot.commit or "", theirs):
        data = snapshot.read(path) if path.startswith(PUBLISHED) else None
        if data is None or repository.read(path, rev=theirs) is not None:
            continue
        document = parse(data).document
        if document["ranBy"]["kind"] == "submitted":
            continue
        draft = compose({key: value for key, value in document.items() if key != "signature"})
        if not (instance.drafts / f"{draft.receipt_id}.json").exists():
            drafts.save(instance, draft)
        for pinned in draft.document["evidence"]:
            _restore_evidence(instance, snapshot, pinned)


def _restore_evidence(instance: Instance, snapshot: Snapshot, pinned: Mapping[str, Any]) -> None:
    """Write a document that an overtaken commit holds to `.benchsite/attachments/`, uncompressed."""
    data = snapshot.evidence.committed(pinned["sha256"])
    if data is not None and snapshot.evidence.attached(pinned["sha256"]) is None:
        evidence.keep(instance, Evidence(pinned["name"], pinned["mediaType"], data))
