"""The keys of a log, found by replaying its key events from entry 0 (specs/log.md, "Keys").

Owns every rule about who may add, retire or disown which key, and what a key's window means. The log index
decides, never a date. Decisions the specification leaves open, all of them fixed here:

- A window is half open: a key added by entry i and closed by entry j counts at indices i <= index < j.
  A checkpoint stands at the index of the last entry it covers, so one of size s stands at s - 1. The checkpoint
  that publishes a rotation is therefore signed by the new key, and `key-add` has to come before `key-retire`.
- Several keys of one role may serve at once; new signatures are made with the newest active one.
- A key has one role and is added once, for ever: a fingerprint never returns, not even after retirement.
- Any active root signs; a further root is added, and a root retired, by an active root, itself included. The last
  active root cannot leave, for nothing could be signed afterwards.
- A leaked root is closed by another active root and never by itself. What it signed earlier stands, because later
  entries were built on it; events it should not have signed are undone by events of their own.
- A compromise closes the window (unless retirement has) and names a limit between the key's first index and its
  own: for a receipt key `trustedBelowIndex`, for a log key `frozenSize`, whose `frozenRoot` must be the root of
  that many entries of this log. Both become `trusted_below_index`. A later compromise event of the same key may
  only lower the limit.

Refuses, as LogError naming the entry, an event of another origin, out of sequence, or not signed by a root
in force.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum

from benchsite.errors import InputError, IntegrityError
from benchsite.log.entries import Entry, KeyAdd, KeyCompromise, KeyEvent, KeyRetire
from benchsite.log.errors import LogError
from benchsite.log.events import root_has_signed
from benchsite.log.note import decode_base64
from benchsite.log.segments import place
from benchsite.log.sentences import said
from benchsite.signing import KeyRecord, Keyring, decode_base64url, fingerprint

_CONFIGURED = (
    "compare origin and root_keys under extra.benchsite in mkdocs.yml with what the maintainer names"
)


class KeyStatus(StrEnum):
    """What a key's signature is worth at one index of the log."""

    TRUSTED = "trusted"
    SUSPECT = "suspect"
    OUTSIDE = "outside"


def key_status(record: KeyRecord, index: int) -> KeyStatus:
    """OUTSIDE the key's window, SUSPECT inside it but at or above a compromise's limit, else TRUSTED."""
    if not record.covers(index):
        return KeyStatus.OUTSIDE
    if record.trusted_below_index is not None and index >= record.trusted_below_index:
        return KeyStatus.SUSPECT
    return KeyStatus.TRUSTED


def log_keys(keyring: Keyring, size: int) -> list[bytes]:
    """The public keys whose signature makes a checkpoint of this size count."""
    return [
        record.public_key
        for record in keyring
        if record.role == "log" and key_status(record, size - 1) is KeyStatus.TRUSTED
    ]


@dataclass(slots=True)
class KeyReplay:
    """A fold over decoded entries: feed it every one in order, ask for the keyring at any time.

    `roots` are the fingerprints of the root keys that may found the log; `records` the keys so far in the order
    they were added; `events` the number of key events.
    """

    origin: str
    roots: Collection[str]
    records: dict[str, KeyRecord] = field(default_factory=dict)
    events: int = 0

    def copy(self) -> KeyReplay:
        """An independent fold that continues from here."""
        return replace(self, records=dict(self.records))

    def keyring(self) -> Keyring:
        """The keys so far, in the order they were added."""
        if not self.records:
            raise LogError(said("empty"))
        return Keyring(self.records.values())

    def apply(self, index: int, entry: Entry, root_at: Callable[[int], bytes]) -> None:
        """Take the entry at an index; entries that are no key events only have to come after the first one.

        `root_at` gives the Merkle root of the log's first n entries, for n up to `index`.
        """
        if not isinstance(entry, KeyEvent):
            if index == 0:
                raise LogError(f"{place(0)}: {entry.type}: {said('founding')}")
            return
        try:
            self._check(index, entry)
            self._take(index, entry, root_at)
        except (InputError, IntegrityError) as error:
            hint = error.hint if isinstance(error, LogError) else LogError.next_step
            raise LogError(f"{place(index)}: {entry.type}: {error.message}", hint=hint) from None
        self.events += 1

    def _check(self, index: int, event: KeyEvent) -> None:
        """Everything that holds for an event of any type."""
        if event.origin != self.origin:
            raise LogError(said("origin", origin=event.origin, expected=self.origin), hint=_CONFIGURED)
        if event.seq != self.events:
            raise LogError(said("seq", seq=event.seq, expected=self.events))
        public_key = decode_base64url(event.public_key)
        if fingerprint(public_key) != event.fingerprint:
            raise LogError(said("fingerprint"))
        if index == 0:
            self._check_founding(event)
            signer = public_key
        else:
            root = self.records.get(event.root_fingerprint)
            if root is None or root.role != "root" or root.state != "active":
                raise LogError(said("root-not-in-force", root=event.root_fingerprint))
            signer = root.public_key
        if not root_has_signed(event, signer):
            raise LogError(said("root-signature", root=event.root_fingerprint))

    def _check_founding(self, event: KeyEvent) -> None:
        if (
            not isinstance(event, KeyAdd)
            or event.role != "root"
            or event.root_fingerprint != event.fingerprint
        ):
            raise LogError(said("founding"))
        if event.fingerprint not in self.roots:
            raise LogError(said("root-unknown", key=event.fingerprint), hint=_CONFIGURED)

    def _take(self, index: int, event: KeyEvent, root_at: Callable[[int], bytes]) -> None:
        match event:
            case KeyAdd():
                self.records[event.fingerprint] = self._added(index, event)
            case KeyRetire():
                self.records[event.fingerprint] = self._retired(index, event)
            case KeyCompromise():
                self.records[event.fingerprint] = self._compromised(index, event, root_at)

    def _added(self, index: int, event: KeyAdd) -> KeyRecord:
        if event.fingerprint in self.records:
            raise LogError(said("key-twice", key=event.fingerprint))
        return KeyRecord(
            fingerprint=event.fingerprint,
            role=event.role,
            public_key=decode_base64url(event.public_key),
            state="active",
            from_index=index,
            to_index=None,
            trusted_below_index=None,
        )

    def _retired(self, index: int, event: KeyRetire) -> KeyRecord:
        record = self._known(event)
        if record.state != "active":
            raise LogError(said("key-closed", key=event.fingerprint, state=record.state))
        if record.role == "root" and self._active_roots() == 1:
            raise LogError(said("last-root"))
        return replace(record, state="retired", to_index=index)

    def _compromised(self, index: int, event: KeyCompromise, root_at: Callable[[int], bytes]) -> KeyRecord:
        record = self._known(event)
        if record.role == "root" and event.root_fingerprint == event.fingerprint:
            raise LogError(said("root-itself"))
        limit = event.trusted_below_index if event.frozen_size is None else event.frozen_size
        if record.state == "compromised" and limit is None:
            raise LogError(said("key-closed", key=event.fingerprint, state=record.state))
        if record.state == "compromised" and not _lower(limit, record.trusted_below_index):
            raise LogError(said("limit-raised", limit=str(limit), earlier=str(record.trusted_below_index)))
        if limit is not None and not record.from_index <= limit <= index:
            raise LogError(said("limit-outside", limit=limit, first=record.from_index, index=index))
        if event.frozen_root is not None and decode_base64(event.frozen_root) != root_at(limit or 0):
            raise LogError(said("frozen-root", limit=str(limit)))
        closed = index if record.to_index is None else record.to_index
        return replace(record, state="compromised", to_index=closed, trusted_below_index=limit)

    def _known(self, event: KeyEvent) -> KeyRecord:
        record = self.records.get(event.fingerprint)
        if record is None or record.role != event.role:
            raise LogError(said("key-unknown", role=event.role, key=event.fingerprint))
        return record

    def _active_roots(self) -> int:
        return sum(record.role == "root" and record.state == "active" for record in self.records.values())


def _lower(limit: int | None, earlier: int | None) -> bool:
    return limit is not None and earlier is not None and limit < earlier
