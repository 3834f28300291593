"""`results/log/sizes` in a record: what it lists, how a publish continues it, and what is wrong with it at HEAD.

Every commit that signs a checkpoint adds its size. A record from before this file gets it at its next publish, filled
from the checkpoints of its history. A shallow clone does not hold that history, and a file that only grows cannot be
completed later: there the file waits for a publish from a whole clone, and nothing fails.

Whether each size ever had a checkpoint is in the history alone: `benchsite.pipeline.audit` asks that.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.layout import CHECKPOINT_PATH, SIZES_PATH
from benchsite.log import Checkpoint, Log, Note, NoteError, decode_sizes
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.snapshot import Snapshot
from benchsite.repo import REGULAR, GitError, Past


def listed(snapshot: Snapshot) -> tuple[int, ...] | None:
    """The sizes that a record lists; None where it has no such file.

    Raises:
        IntegrityError: the file is malformed, or no regular file.
    """
    item = next((item for item in snapshot.files if item.path == SIZES_PATH), None)
    if item is None:
        return None
    if item.mode not in REGULAR:
        raise IntegrityError(
            f"{SIZES_PATH} is not a regular file (git mode {item.mode})",
            hint=f"git log -- {SIZES_PATH} shows who changed it",
        )
    return decode_sizes(snapshot.repository.blob(item.blob_id))


def served(snapshot: Snapshot) -> tuple[int, ...]:
    """The sizes whose partial tiles a site serves; none where the list is missing or malformed, which `faults` says."""
    try:
        return listed(snapshot) or ()
    except IntegrityError:
        return ()


def before(snapshot: Snapshot) -> tuple[int, ...] | None:
    """The sizes that precede the next one; None where only a whole clone could tell them.

    Raises:
        IntegrityError: as `listed`.
    """
    known = listed(snapshot)
    if known is None and snapshot.log is not None:
        known = _signed(snapshot, snapshot.log)
    return known


def _signed(snapshot: Snapshot, log: Log) -> tuple[int, ...] | None:
    """Every size that had a checkpoint of this log, as the history of the commit shows; None where it is not all here."""
    past = Past(snapshot.repository.root)
    try:
        past.require_whole()
        with past.walk([CHECKPOINT_PATH], head=snapshot.commit or "") as revisions:
            versions = {blob_id for item in revisions for blob_id in (item.old_id, item.new_id)}
        found = {log.size}
        for _, data in past.blobs(sorted(blob_id for blob_id in versions if blob_id.strip("0"))):
            found |= _agreed(log, data)
    except (GitError, PrerequisiteError):
        return None
    return tuple(sorted(found))


def _agreed(log: Log, note: bytes) -> set[int]:
    """The size of a past checkpoint that this log is consistent with; empty for any other bytes."""
    try:
        head = Checkpoint.parse(Note.parse(note).text)
    except NoteError:
        return set()
    agrees = head.origin == log.origin and 0 < head.size <= log.size and log.root(head.size) == head.root
    return {head.size} if agrees else set()


def faults(snapshot: Snapshot, log: Log) -> Iterator[Finding]:
    """What is wrong with the file, as far as one commit and the one behind its newest checkpoint show."""
    try:
        sizes = listed(snapshot)
    except IntegrityError as error:
        yield Finding(
            Kind.SIZES,
            SIZES_PATH,
            error.message.removeprefix(f"{SIZES_PATH} ").removeprefix(f"{SIZES_PATH}: "),
        )
        return
    if sizes is not None and sizes[-1] != log.size:
        yield Finding(
            Kind.SIZES, SIZES_PATH, f"it ends with {sizes[-1]}; the checkpoint has {log.size} entries"
        )
    repository, commit = snapshot.repository, snapshot.commit
    for parent in repository.behind_last_change(CHECKPOINT_PATH, rev=commit) if commit is not None else ():
        data = repository.read(SIZES_PATH, rev=parent)
        try:
            earlier = decode_sizes(data) if data is not None else ()
        except IntegrityError:
            continue
        if earlier and sizes is None:
            yield Finding(Kind.SIZES, SIZES_PATH, f"missing: commit {parent[:12]} has it")
        elif sizes is not None and sizes[: len(earlier)] != earlier:
            yield Finding(
                Kind.SIZES, SIZES_PATH, f"its first sizes differ from those in commit {parent[:12]}"
            )
