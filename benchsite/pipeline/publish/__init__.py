"""publish: drafts become signed, logged, immutable receipts in one git commit (specs/log.md, step by step).

    collect (read, decide the source, re-score) -> lock -> recover -> fetch -> bound -> seal -> append entries
         -> checkpoint -> objects -> one commit -> update-ref (the commit point) -> materialise -> push -> delete drafts

A draft goes one way: a file becomes a `Candidate` once (`candidates`), a candidate is sealed once (`seal`), and what is
sealed enters a batch, whose loop every other append shares (`benchsite.pipeline.record.append`). Before the commit point
nothing has happened; after it everything has, and `recover` finishes what a crash left undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, InputError
from benchsite.layout import inbox_path, receipt_path
from benchsite.pipeline.publish import candidates as drafts
from benchsite.pipeline.publish import inbox, untrusted
from benchsite.pipeline.publish.candidates import Candidate, Collected, published_already
from benchsite.pipeline.publish.seal import Sealed, Sealer
from benchsite.pipeline.record import evidence
from benchsite.pipeline.record.append import Appended, Batch, append, key_in_force
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress, silent
from benchsite.receipt import Receipt
from benchsite.words import amount


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a publish did.

    Attributes:
        receipts: the ids it logged, in log order.
        appended: tells about the commit.
        left: drafts that it left out, by id or path, and what refused each: submitters', and a job's that were published
            before.
    """

    receipts: tuple[str, ...]
    appended: Appended
    left: Mapping[str, BenchsiteError]


def publish(
    workspace: Workspace,
    snapshot: Snapshot,
    paths: Sequence[Path],
    credentials: Credentials,
    *,
    push: bool = True,
    untrusted: bool = False,
    progress: Progress = silent,
) -> Outcome:
    """Collect drafts and publish them: `collect`, then `publish_collected`, whose arguments and errors these are."""
    collected = drafts.collect(workspace, snapshot, paths, untrusted=untrusted, progress=progress)
    return publish_collected(workspace, collected, credentials, push=push, progress=progress)


def publish_collected(
    workspace: Workspace,
    collected: Collected,
    credentials: Credentials,
    *,
    push: bool = True,
    progress: Progress = silent,
) -> Outcome:
    """Sign, log, commit and push what was collected, from memory.

    Args:
        workspace: where.
        collected: the candidates; nothing of them is read again.
        credentials: hold the receipt key and the log key in force.
        push: push the commit.
        progress: called with (done, total, label).

    Raises:
        PrerequisiteError: no log, no keys, a detached HEAD, uncommitted changes under results/ or keys/, a remote
            that cannot be reached, or an earlier log commit that the remote overtook.
        IntegrityError: a draft's fixture or methodology changed after the run, a job's draft exceeds its bounds, or
            what would be published would not verify.
    """
    logged: list[str] = []
    left: dict[str, BenchsiteError] = {}

    def stage(batch: Batch) -> None:
        left.clear()
        left.update(collected.left)
        logged[:] = _stage(workspace, batch, collected.candidates, credentials, left)

    appended = append(workspace, credentials, stage, push=push, progress=progress)
    _drop_logged(workspace, appended, collected.candidates)
    return Outcome(tuple(logged), appended, dict(left))


def _stage(
    workspace: Workspace,
    batch: Batch,
    candidates: Sequence[Candidate],
    credentials: Credentials,
    left: dict[str, BenchsiteError],
) -> list[str]:
    """Seal the candidates that the log does not hold yet, into the batch; their ids. `left` gains the refused."""
    log, snapshot = batch.new.grown, batch.snapshot
    fresh = [item for item in candidates if not _is_done(snapshot, item, left)]
    jobs = [item for item in fresh if item.source == "job"]
    again = untrusted.require_bounds(workspace, snapshot, jobs)
    left.update(again)
    # Boards show the latest by place in the log: what ran later is logged later. A correction has the date of its original.
    fresh = sorted(
        (item for item in fresh if item.receipt_id not in again),
        key=lambda item: (
            str(item.receipt.document["ranAt"]),
            item.receipt.document.get("derivedFrom") is not None,
        ),
    )
    if not fresh:
        return []
    key = key_in_force(workspace, log, credentials, "receipt")
    pins = {_methodology(item.receipt) for item in fresh if item.source == "maintainer"}
    sealer = Sealer(workspace, batch, key, {*log.methodologies, *pins})
    staged: list[Receipt] = []
    for item in fresh:
        try:
            _add(batch, item, _sealed(sealer, item, staged))
        except BenchsiteError as error:
            if item.source != "inbox":
                raise
            left[item.receipt_id] = error
        else:
            staged.append(item.receipt)
    if staged:
        batch.subject = f"publish: {amount(len(staged), 'receipt')}"
    return batch.lines


def _sealed(sealer: Sealer, item: Candidate, staged: Sequence[Receipt]) -> Sealed:
    """Seal a candidate; whatever a draft of others raises is that draft's refusal."""
    if item.source == "maintainer":
        return sealer.seal(item, staged)
    with inbox.contained(f"draft {item.receipt_id}"):
        return sealer.seal(item, staged)


def _is_done(snapshot: Snapshot, item: Candidate, left: dict[str, BenchsiteError]) -> bool:
    """Whether a candidate needs no publishing: the log holds it, or it left the inbox since it was read."""
    try:
        if item.logged or published_already(snapshot, item.receipt):
            return True
        if item.source == "inbox" and not inbox.has_committed(snapshot, item.receipt_id, item.blob_id):
            raise InputError(
                f"draft {item.receipt_id} was removed from the inbox",
                hint="a newer commit removed it; to publish it, restore it in a commit",
            )
    except BenchsiteError as error:
        if item.source != "inbox":
            raise
        left[item.receipt_id] = error
        return True
    return False


def _add(batch: Batch, item: Candidate, sealed: Sealed) -> None:
    """Take a sealed candidate into the commit, and its file, where it was submitted, out of the inbox."""
    batch.new.append(*sealed.entries)
    batch.writes[receipt_path(sealed.receipt_id)] = sealed.data
    batch.writes.update(sealed.evidence)
    batch.lines.append(sealed.receipt_id)
    own = item.source == "maintainer"  # its maintainer may have sent it too
    if item.source == "inbox" or (own and inbox.holds_same(batch.snapshot, item.receipt)):
        batch.removes.append(inbox_path(sealed.receipt_id))


def _methodology(draft: Receipt) -> tuple[str, str]:
    """(track, version) of the methodology it was scored under."""
    rules = draft.document["methodology"]
    return rules["id"], rules["version"]


def _drop_logged(workspace: Workspace, appended: Appended, published: Sequence[Candidate]) -> None:
    """Delete drafts that are safely logged, and their evidence: where there is a remote, only once they are there.

    A draft that was named elsewhere is the user's and stays; one in `results/inbox/` left with the commit.
    """
    safe = appended.public or not workspace.repository.has_remote()
    for item in published:
        if item.receipt_id not in appended.log.receipts or not (safe or item.public):
            continue
        evidence.forget(workspace, evidence.in_git(item.receipt.document))
        held = workspace.drafts / f"{item.receipt_id}.json"
        if item.path == held or (item.source == "inbox" and drafts.is_run_of(held, item.receipt)):
            held.unlink(missing_ok=True)
