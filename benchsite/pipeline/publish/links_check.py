"""What a draft claims of other entries of the log, held against the log before it is signed.

A draft may say that it repeats a published receipt (`reproduces`), that it is the run the log announced (`intentId`), and
that it scores the rankings of another receipt another way (`derivedFrom`). Refuses a claim that the record does not bear out, so that no receipt is published with one.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchsite import canonical
from benchsite.errors import InputError, IntegrityError
from benchsite.history import broken
from benchsite.layout import receipt_path
from benchsite.log import Log
from benchsite.pipeline.snapshot import Snapshot
from benchsite.receipt import UNNAMED, Document, Receipt, parse


def check(snapshot: Snapshot, log: Log, draft: Receipt, others: Sequence[Receipt] = ()) -> None:
    """Refuse a draft whose claims the record does not bear out.

    Args:
        snapshot: the record with the published receipts.
        log: the log of the snapshot, and what the same commit adds.
        draft: a draft whose schema has been checked.
        others: the drafts that go before it in the same commit.

    Raises:
        IntegrityError: it repeats nothing that is in the log, or something else than it says; or it names an
            announcement that it does not keep, or that another receipt reports already; or the receipt that it was made
            from is not in the log, or has other evidence.
    """
    _repeats(snapshot, log, draft)
    _was_announced(snapshot, log, draft, others)
    _is_derived(snapshot, log, draft, others)


def _repeats(snapshot: Snapshot, log: Log, draft: Receipt) -> None:
    original = draft.document["reproduces"]
    if original is None:
        return
    if snapshot.tracks[draft.track].target(draft.document).sha256 is None:
        raise IntegrityError(
            f"draft {draft.receipt_id} reproduces {original}: "
            f"receipts of track {draft.track} are human ratings and cannot be reproduced",
            hint="publish it as a separate evaluation, without `reproduces`",
        )
    data = snapshot.read(receipt_path(original)) if original in log.receipts else None
    if data is None:
        raise IntegrityError(
            f"draft {draft.receipt_id} reproduces {original}, which is not in the log",
            hint="publish that receipt first, or use `benchsite run`",
        )
    document = canonical.loads(data)
    if not isinstance(document, dict) or _what(snapshot, document) != _what(snapshot, draft.document):
        raise IntegrityError(
            f"draft {draft.receipt_id} names {original} in `reproduces` but measured something else",
            hint=f"benchsite reproduce {original}",
        )


def _what(snapshot: Snapshot, document: Document) -> tuple[str, ...]:
    """What a run measured, as far as a reproduction must agree: everything but the digest of the subject's source."""
    track = str(document.get("track", UNNAMED))
    summary = snapshot.summary(document)
    rules = document.get("methodology", {}).get("sha256", "")
    return track, rules, summary.target, summary.target_sha256, summary.row


def _was_announced(snapshot: Snapshot, log: Log, draft: Receipt, others: Sequence[Receipt]) -> None:
    intent_id = draft.document["intentId"]
    if intent_id is None:
        return
    departed = broken(draft.document, log, snapshot.tracks[draft.track])
    if departed is not None:
        raise IntegrityError(
            f"draft {draft.receipt_id}: {departed.field}: {departed.detail}",
            hint="it is not the pre-registered run: re-run it with --register",
        )
    taken = next((one.receipt_id for one in others if one.document["intentId"] == intent_id), None)
    taken = taken or _reporting(snapshot, log, intent_id)
    if taken is not None and taken != draft.receipt_id:
        raise IntegrityError(
            f"draft {draft.receipt_id} names the pre-registered run {intent_id}, which receipt {taken} already reports",
            hint="one registration per run: re-run it with --register",
        )


def _is_derived(snapshot: Snapshot, log: Log, draft: Receipt, others: Sequence[Receipt]) -> None:
    original = draft.document["derivedFrom"]
    if original is None:
        return
    data = snapshot.read(receipt_path(original)) if original in log.receipts else None
    made = next((one.document for one in others if one.receipt_id == original), None)
    document = made if data is None else parse(data).document
    if document is None:
        raise IntegrityError(
            f"draft {draft.receipt_id} is derived from {original}, which is not in the log",
            hint="publish that receipt first",
        )
    part = snapshot.tracks[draft.track].corrections
    if part is None or document["track"] != draft.track:
        raise IntegrityError(
            f"draft {draft.receipt_id} cannot be derived from {original}: no track corrects its receipts",
            hint="publish it without `derivedFrom`",
        )
    try:
        part.require_same_evidence(document, draft.document)
    except InputError as error:
        raise IntegrityError(f"draft {draft.receipt_id}: {error.message}", hint=error.hint) from None


def _reporting(snapshot: Snapshot, log: Log, intent_id: str) -> str | None:
    """Return the published receipt whose own `intentId` is this one; only receipts logged after the intent can be."""
    spelled = f'"{intent_id}"'.encode()  # published bytes are canonical: no other spelling of the id exists
    announced = log.intents.get(intent_id, 0)
    for receipt_id, at in log.receipts.items():
        data = snapshot.read(receipt_path(receipt_id)) if at > announced else None
        if data is not None and spelled in data and parse(data).document.get("intentId") == intent_id:
            return receipt_id
    return None
