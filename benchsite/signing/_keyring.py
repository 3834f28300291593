"""The keys an instance has ever had, and what each may be believed about.

A keyring is the result of replaying the log's key events; `benchsite.log` builds it. Records are only looked up
here. The log index decides, never a date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from benchsite.errors import IntegrityError
from benchsite.signing._text import fingerprint

Role: TypeAlias = Literal["root", "receipt", "log"]
State: TypeAlias = Literal["active", "retired", "compromised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """One key and the range of log indices it is believed about.

    Attributes:
        fingerprint: `sha256:` and 64 hex digits; always that of `public_key`.
        role: what the key signs: key events, receipts or checkpoints.
        public_key: 32 raw bytes.
        state: as of the newest event.
        from_index: log index of the key-add event.
        to_index: log index of the event that retired the key; None while it is in use.
        trusted_below_index: for a compromised key, the index from which on its signatures are suspect.
    """

    fingerprint: str
    role: Role
    public_key: bytes
    state: State
    from_index: int
    to_index: int | None = None
    trusted_below_index: int | None = None

    def __post_init__(self) -> None:
        if self.role not in get_args(Role) or self.state not in get_args(State):
            raise IntegrityError(
                f"key {self.fingerprint}: unknown role {self.role!r} or state {self.state!r}",
                hint=f"known: {', '.join((*get_args(Role), *get_args(State)))}",
            )
        if fingerprint(self.public_key) != self.fingerprint:
            raise IntegrityError(
                f"key {self.fingerprint}: the fingerprint is not that of its public key",
                hint=f"its own is {fingerprint(self.public_key)}",
            )

    def covers(self, index: int) -> bool:
        """Whether `from_index` <= index < `to_index`: the key was in use when that entry was logged."""
        return self.from_index <= index and (self.to_index is None or index < self.to_index)


class Keyring:
    """Immutable; iterates over its records in the order of their key-add events."""

    __slots__ = ("_by_fingerprint", "_in_force")

    def __init__(self, records: Iterable[KeyRecord] = ()) -> None:
        by_fingerprint: dict[str, KeyRecord] = {}
        in_force: dict[Role, KeyRecord] = {}
        for record in records:
            if record.fingerprint in by_fingerprint:
                raise IntegrityError(
                    f"key {record.fingerprint}: added twice", hint="leave out one of the two records"
                )
            by_fingerprint[record.fingerprint] = record
            if record.state == "active":
                in_force[record.role] = record
        self._by_fingerprint = by_fingerprint
        self._in_force = in_force

    def get(self, fingerprint: str) -> KeyRecord | None:
        """The record of a fingerprint, whatever its state."""
        return self._by_fingerprint.get(fingerprint)

    def in_force(self, role: Role) -> KeyRecord | None:
        """The active key of a role; the newest, where a rotation has not yet retired the older one."""
        return self._in_force.get(role)

    def __iter__(self) -> Iterator[KeyRecord]:
        return iter(self._by_fingerprint.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyring) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Keyring({list(self)!r})"
