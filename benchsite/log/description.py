"""A log entry in words: what kind it is, what it is about, what it says, and the digest it pins.

Owns the one wording that the log page, the feed and `log events` share. It adds no judgement: what an entry means
for a receipt is the business of `benchsite.history`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchsite.log.entries import (
    DeclineEntry,
    DisputeEntry,
    Entry,
    FixtureEntry,
    IntentEntry,
    MethodologyEntry,
    ReceiptEntry,
    RetractEntry,
    SupersedeEntry,
    WithdrawEvidenceEntry,
)

_KEY_WORDS: Final = {
    "key-add": "enters service",
    "key-retire": "leaves service",
    "key-compromise": "is reported compromised",
}


@dataclass(frozen=True, slots=True)
class Description:
    """`kind` and `what` are never empty; `receipt_id` is the receipt that the entry speaks of, if any."""

    kind: str
    what: str
    words: str = ""
    digest: str = ""
    receipt_id: str = ""


def describe(entry: Entry) -> Description:
    """The entry in words; prose and URLs in it are untrusted."""
    match entry:
        case ReceiptEntry(receipt_id=name):
            found = Description("receipt", name, digest=entry.sha256, receipt_id=name)
        case MethodologyEntry():
            found = Description("methodology", f"{entry.track} {entry.version}", digest=entry.sha256)
        case FixtureEntry():
            found = Description("fixture", entry.id, digest=entry.sha256)
        case IntentEntry():
            what = f"{entry.track} on {entry.target}"
            words = f"pre-registered as {entry.intent_id}, methodology {entry.methodology}, seed {entry.seed}"
            due = f", due by {due_words(entry.due_by)}" if entry.due_by is not None else ""
            found = Description("intent", what, words + due, entry.subject_sha256)
        case DeclineEntry():
            what = f"{entry.track}: {entry.subject} on {entry.target}"
            found = Description("decline", what, f"not measured: {entry.reason}")
        case RetractEntry(receipt_id=name):
            found = Description("retraction", name, entry.reason, receipt_id=name)
        case SupersedeEntry(receipt_id=name):
            found = Description("succession", name, f"superseded by {entry.by}", receipt_id=name)
        case DisputeEntry(receipt_id=name):
            found = Description("dispute", name, entry.url, receipt_id=name)
        case WithdrawEvidenceEntry():
            found = Description("evidence withdrawn", entry.sha256, entry.reason, entry.sha256)
        case _:
            what = f"{entry.role} key {_KEY_WORDS[entry.type]}"
            found = Description("key", what, entry.reason or "", entry.fingerprint)
    return found


def due_words(due_by: str) -> str:
    """When a pre-registered run is due: a log index, or a time as it is written."""
    return f"entry {int(due_by):,}" if due_by.isdecimal() else due_by
