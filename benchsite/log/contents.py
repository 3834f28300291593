"""What a log says, by subject: where each receipt is, what was named first, and what was said of it later.

Owns the rules between entries that need no other file: a receipt, fixture, methodology version, intent or refusal to
measure (by track, subject and target) is logged once; an event speaks of a receipt that is already there; a successor
was logged after the receipt it replaces, and a receipt has one successor, so that chains never fork or close to a ring.
Withdrawn evidence may be withdrawn again.
Whether predecessor and successor share track and subject is seen only in the receipts, by `benchsite.history`.

Refuses everything else as LogError; `benchsite.log.log` adds the place.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from benchsite.log.entries import (
    DeclineEntry,
    DisputeEntry,
    Entry,
    FixtureEntry,
    IntentEntry,
    MethodologyEntry,
    ReceiptEntry,
    ReceiptEvent,
    RetractEntry,
    SupersedeEntry,
    WithdrawEvidenceEntry,
)
from benchsite.log.errors import LogError


@dataclass(frozen=True, slots=True)
class Named:
    """The content hash that a name stands for, and the index of the entry that fixed it."""

    index: int
    sha256: str


@dataclass(slots=True)
class Contents:
    """A fold over decoded entries; `receipts` and `intents` map ids to indices in log order."""

    receipts: dict[str, int] = field(default_factory=dict)
    fixtures: dict[str, Named] = field(default_factory=dict)
    methodologies: dict[tuple[str, str], Named] = field(default_factory=dict)
    intents: dict[str, int] = field(default_factory=dict)
    declined: dict[tuple[str, str, str], int] = field(default_factory=dict)
    withdrawn: dict[str, int] = field(default_factory=dict)
    about: dict[str, tuple[tuple[int, ReceiptEvent], ...]] = field(default_factory=dict)

    def copy(self) -> Contents:
        """An independent fold that continues from here."""
        return Contents(
            dict(self.receipts),
            dict(self.fixtures),
            dict(self.methodologies),
            dict(self.intents),
            dict(self.declined),
            dict(self.withdrawn),
            dict(self.about),
        )

    def apply(self, index: int, entry: Entry) -> None:
        """Take the entry at an index; key events pass by."""
        match entry:
            case ReceiptEntry():
                _once(self.receipts, entry.receipt_id, "receipt", entry.receipt_id)
                self.receipts[entry.receipt_id] = index
            case FixtureEntry():
                _once(self.fixtures, entry.id, "fixture", entry.id)
                self.fixtures[entry.id] = Named(index, entry.sha256)
            case MethodologyEntry():
                _once(
                    self.methodologies,
                    (entry.track, entry.version),
                    "methodology",
                    f"{entry.track} {entry.version}",
                )
                self.methodologies[entry.track, entry.version] = Named(index, entry.sha256)
            case IntentEntry():
                _once(self.intents, entry.intent_id, "intent", entry.intent_id)
                self.intents[entry.intent_id] = index
            case DeclineEntry():
                key = (entry.track, entry.subject, entry.target)
                _once(self.declined, key, "decline", " ".join(key))
                self.declined[key] = index
            case WithdrawEvidenceEntry():
                self.withdrawn.setdefault(entry.sha256, index)
            case RetractEntry() | SupersedeEntry() | DisputeEntry():
                self._check_event(entry)
                self.about[entry.receipt_id] = (*self.about.get(entry.receipt_id, ()), (index, entry))
            case _:
                pass

    def _check_event(self, event: ReceiptEvent) -> None:
        at = self.receipts.get(event.receipt_id)
        if at is None:
            raise LogError(f"receipt {event.receipt_id} is not in the log before this entry")
        if isinstance(event, SupersedeEntry):
            if self.receipts.get(event.by, -1) <= at:
                raise LogError(
                    f"successor {event.by} is not in the log between its predecessor and this entry"
                )
            if any(
                isinstance(earlier, SupersedeEntry) for _, earlier in self.about.get(event.receipt_id, ())
            ):
                raise LogError(f"receipt {event.receipt_id} has a successor already")


def _once(known: Container[object], key: object, kind: str, name: str) -> None:
    if key in known:
        raise LogError(f"{kind} {name} is in the log already")
