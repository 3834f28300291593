"""What the log and its witnesses make of a receipt whose own content holds: doubts, later events, and the verdict.

Follows specs/log.md, "Verdicts". The position in the log decides, never a date alone; the receipt is not read here.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchsite.history.sentences import said
from benchsite.history.verdict import Verdict
from benchsite.log import (
    DisputeEntry,
    KeyStatus,
    Log,
    ReceiptEvent,
    RetractEntry,
    SupersedeEntry,
    Witnessing,
    key_status,
    posix_seconds,
    utc_text,
)

__all__ = ["doubts_of", "event_words", "gravest", "logged_words", "verdict_now"]


def doubts_of(worth: KeyStatus, witnessing: Witnessing | None, ran_at: str, head: int | None) -> list[str]:
    """Why the receipt is suspect, in words; the log and the witnesses decide, its own date is only a claim."""
    doubts = []
    if worth is KeyStatus.SUSPECT:
        doubts.append(said("compromised"))
    seen = witnessing.not_before(head) if witnessing is not None and head is not None else None
    if seen is not None and posix_seconds(ran_at) < seen:
        doubts.append(said("back-dated", ran=ran_at, time=utc_text(seen)))
    return doubts


def gravest(events: Sequence[tuple[int, ReceiptEvent]], doubts: Sequence[str]) -> Verdict | None:
    """The verdict that doubts and later events lead to, the gravest; None where there are none."""
    if doubts:
        return Verdict.SUSPECT
    kinds = {event.type for _, event in events}
    for kind, verdict in (
        ("retract", Verdict.RETRACTED),
        ("supersede", Verdict.SUPERSEDED),
        ("dispute", Verdict.DISPUTED),
    ):
        if kind in kinds:
            return verdict
    return None


def logged_words(log: Log, index: int) -> str:
    """What is said of a receipt that the log holds at an index."""
    return said("logged", index=index, last=log.size - 1, origin=log.origin)


def verdict_now(
    log: Log,
    witnessing: Witnessing | None,
    *,
    receipt_id: str,
    signer: str,
    ran_at: str,
    head: int | None,
) -> Verdict | None:
    """The verdict that log and witnesses give a receipt whose own content holds; None where the receipt is not valid there."""
    index, key = log.receipts.get(receipt_id), log.keyring.get(signer)
    worth = key_status(key, index) if key is not None and index is not None else KeyStatus.OUTSIDE
    if worth is KeyStatus.OUTSIDE or index is None or (key is not None and key.role != "receipt"):
        return None
    said = gravest(log.events_about(receipt_id), doubts_of(worth, witnessing, ran_at, head))
    witnessed = witnessing is not None and bool(witnessing.witnesses) and witnessing.witnesses_of(index) > 0
    return said or (Verdict.WITNESSED if witnessed else Verdict.LOGGED)


def event_words(index: int, event: ReceiptEvent) -> str:
    """A later entry about a receipt, in words."""
    match event:
        case RetractEntry():
            return said("retract", index=index, reason=event.reason)
        case SupersedeEntry():
            return said("supersede", index=index, by=event.by)
        case DisputeEntry():
            return said("dispute", index=index, url=event.url)
