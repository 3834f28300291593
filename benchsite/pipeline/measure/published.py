"""The runs that are published already, as `run --changed` and `status` compare them with a plan."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from benchsite import canonical
from benchsite.canonical.document import read_again
from benchsite.errors import BenchsiteError
from benchsite.history import Verdict, verdict_now
from benchsite.log import Log
from benchsite.pipeline.snapshot import Snapshot
from benchsite.receipt import Document

__all__ = ["Run", "logged", "published"]

Run = tuple[str, str, str, str]
"""Identity, target id, target sha256 and methodology version."""


def logged(snapshot: Snapshot) -> frozenset[Run]:
    """Return the same as `published` of receipts whose bytes have the logged hash; no signature or score is checked."""
    log = snapshot.log
    if log is None:
        return frozenset()
    found = set()
    for item in snapshot.of_sort("receipt"):
        index, data = log.index_of_path(item.path), snapshot.repository.blob(item.blob_id)
        digest = f'"sha256":"{canonical.sha256_hex(data)}"'.encode()
        if index is not None and digest in log.entry_bytes(index):
            with suppress(BenchsiteError, KeyError, TypeError):
                found |= _logged(snapshot, log, cast("Document", read_again(data)))
    return frozenset(found)


def _logged(snapshot: Snapshot, log: Log, document: Document) -> set[Run]:
    """Return the run of a logged receipt if it counts as published, as one or no member of a set."""
    track, head = snapshot.tracks[document["track"]], document.get("logHead")
    verdict = verdict_now(
        log,
        snapshot.witnessing,
        receipt_id=document["receiptId"],
        signer=document["signature"]["publicKeyFingerprint"],
        ran_at=document["ranAt"],
        head=head["size"] if head is not None else None,
    )
    is_counted = verdict in (Verdict.LOGGED, Verdict.WITNESSED) or track.sheets is not None
    if not is_counted or document["reproduces"] is not None or document["ranBy"]["kind"] == "submitted":
        return set()
    summary = snapshot.summary(document)
    return {(summary.identity, summary.target, summary.target_sha256, document["methodology"]["version"])}


def published(snapshot: Snapshot) -> frozenset[Run]:
    """(identity, target id, target sha256, methodology version) of every run that stands in the log in good order.

    Scoring sheets count whatever became of their receipt: a measurement can be repeated, a sheet cannot, and a
    retracted or disputed one must not return by itself. Reproductions do not count, because they are not ranked, nor
    do submissions to the inbox, because this site did not see those runs.
    """
    if snapshot.log is None:
        return frozenset()
    return frozenset(
        (header.summary.identity, header.summary.target, header.summary.target_sha256, header.methodology)
        for header in snapshot.history()
        if header.summary is not None
        and header.reproduces is None
        and not header.sent_by
        and (
            header.verdict in (Verdict.LOGGED, Verdict.WITNESSED)
            or snapshot.tracks[header.track].sheets is not None
        )
    )
