"""Fast-forward to the remote before signing, so that two checkpoints of one size never leave this machine.

Refuses a remote that took something back: its new head must contain the head seen last, and its log must begin
with the log that both sides share.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.layout import PUBLISHED, RECORD, evidence_path
from benchsite.pipeline.instance import Instance, drafts
from benchsite.pipeline.instance.scratch import require_uncommitted
from benchsite.pipeline.record import Record, evidence, requeue
from benchsite.pipeline.record.commit import TRAILER, journalled
from benchsite.receipt import Receipt, compose, parse
from benchsite.track import Evidence


def follow(instance: Instance, *, fetch: bool, untrusted: bool = False) -> dict[Path, Receipt]:
    """Move to the remote's head; what unpushed commits of ours had logged waits to be logged again.

    Args:
        instance: where.
        fetch: ask the remote.
        untrusted: our commits came of untrusted drafts, and whether a version is pinned is decided again with each.

    Returns:
        The receipts of those commits, as the drafts they came from and with the files that hold them again; their other
        entries wait in `pipeline.record.requeue`.

    Raises:
        IntegrityError: the remote's history or its log was rewritten.
        PrerequisiteError: the remote cannot be reached, or a commit of ours is in the way.
    """
    repository = instance.repository
    if not fetch or repository.upstream() is None:
        return {}
    theirs, ours = repository.fetch(), repository.head()
    if theirs is None or ours is None or theirs == ours or repository.is_ancestor(theirs, ours):
        return {}
    base = repository.fork_point(ours, theirs)
    if ours != base:
        _require_own_appends(instance, base, ours)
    _require_extended(instance, base, theirs)
    require_uncommitted(repository, theirs)  # before its files come into the working tree
    paths = repository.differing(ours, theirs)
    lost = _receipts_lost(instance, paths, theirs)
    _keep_evidence(instance, lost, theirs)
    returned = {drafts.save(instance, draft): draft for draft in lost}
    requeue.keep(instance, ours, pins=not untrusted)
    with journalled(instance, ours, theirs):
        repository.move_to(theirs, expected=ours)
    instance.refresh()
    return returned


def require_every_public_entry(instance: Instance) -> None:
    """Whatever branch or remote a log of this clone was pushed to, the one at HEAD must contain it.

    Raises:
        IntegrityError: it does not, and what is signed here would be a second log under the same name.
    """
    repository = instance.repository
    head, log = repository.head(), Record.at(instance).log
    for ref, commit in repository.pins():
        if head is None or log is None or repository.is_ancestor(commit, head):
            continue
        other = Record.at(instance, commit).log
        if other is not None and (other.size > log.size or log.root(other.size) != other.root()):
            raise IntegrityError(
                f"log forked: {ref} has {other.size} entries that this branch does not contain",
                hint="publish on the branch that has those entries",
            )


def _require_own_appends(instance: Instance, base: str, ours: str) -> None:
    """Only commits that benchsite made may be discarded, and only if they touched nothing but the record."""
    repository = instance.repository
    messages = repository.messages(base, ours)
    appends = [message for message in messages if f"\n{TRAILER}: " in message]
    touched = repository.differing(base, ours) if base else ["everything"]
    if len(appends) == len(messages) and all(map(_is_written_by_us, touched)):
        return
    if any(map(_is_written_by_us, touched)):
        hint = "log commits are never rebased: move your other commits to a separate branch, then retry"
    else:
        hint = "git pull --rebase, then retry"
    raise PrerequisiteError("your branch and the remote's have diverged", hint=hint)


def _is_written_by_us(path: str) -> bool:
    """Whether nobody but benchsite writes a file; `keys/ROTATION.md` is prose."""
    return path.split("/", maxsplit=1)[0] in RECORD and not path.endswith(".md")


def _require_extended(instance: Instance, base: str, theirs: str) -> None:
    """The remote's log must begin with exactly the entries of the log that both sides share."""
    shared = Record.at(instance, base).log if base else None
    if shared is None:
        return
    log = Record.at(instance, theirs).log
    if log is None or log.size < shared.size or log.root(shared.size) != shared.root():
        raise IntegrityError(
            f"the remote's log lost public entries: {shared.size} were public before",
            hint="do not publish; run `benchsite audit` in a fresh clone of the remote to find the commits",
        )


def _receipts_lost(instance: Instance, paths: Sequence[str], theirs: str) -> list[Receipt]:
    """Receipts of commits about to be discarded, as the drafts they came from: nothing is lost."""
    repository, found = instance.repository, []
    for path in paths:
        if not path.startswith(PUBLISHED) or repository.read(path, rev=theirs) is not None:
            continue
        data = repository.read(path)
        if data is not None:
            document = parse(data).document
            found.append(compose({key: value for key, value in document.items() if key != "signature"}))
    return found


def _keep_evidence(instance: Instance, lost: Sequence[Receipt], theirs: str) -> None:
    """What those receipts pin and only the discarded commits hold: publishing the drafts again needs it."""
    repository = instance.repository
    for pinned in (pinned for draft in lost for pinned in draft.document["evidence"]):
        path = evidence_path(pinned["sha256"])
        data = repository.read(path)
        if data is not None and repository.read(path, rev=theirs) is None:
            evidence.keep(instance, Evidence(pinned["name"], pinned["mediaType"], data))
