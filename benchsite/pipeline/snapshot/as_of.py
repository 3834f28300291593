"""The record as it was at an earlier size of its log: later retractions, keys and receipts are unknown then."""

from __future__ import annotations

from benchsite import executors
from benchsite.errors import UsageError
from benchsite.history import Filed, History, Spread, verify_record
from benchsite.layout import receipt_path
from benchsite.log import Log, Witnessing, encode_cosignatures
from benchsite.pipeline.snapshot import Snapshot

__all__ = ["history_as_of"]


def history_as_of(snapshot: Snapshot, size: int, spread: Spread = executors.run) -> History:
    """Verify the receipts that the first `size` entries of the log name, as the record was then.

    Raises:
        UsageError: the log has fewer entries.
        PrerequisiteError: there is no log.
    """
    log = snapshot.require_log()
    if not 0 < size <= log.size:
        raise UsageError(
            f"no log of {size:,} entries: this one has {log.size:,}",
            hint=f"name a size from 1 to {log.size}",
        )
    entries = (log.entry_bytes(index) for index in range(size))
    then = Log.of(entries, origin=log.origin, roots=snapshot.config.benchsite.root_keys)
    lines = snapshot.witnessing.lines if snapshot.witnessing is not None else ()
    seen = encode_cosignatures(line for line in lines if line.size <= size)
    blobs = {item.path: item.blob_id for item in snapshot.published}
    named = ((receipt_path(name), index) for name, index in then.receipts.items())
    return verify_record(
        then,
        [Filed(path, blobs.get(path), index) for path, index in named],
        snapshot.tracks,
        snapshot.repository.blobs,
        materials=snapshot.materials,
        spread=spread,
        witnessing=Witnessing.of(then, snapshot.config.witnesses, seen),
    )
