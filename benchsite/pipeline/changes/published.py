"""The log that changes are compared with, and what follows from it. Pure."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property

from benchsite import signing
from benchsite.layout import MANIFEST_PATH, RECEIPT_KEY
from benchsite.log import KeyEvent, Log, key_files, manifest
from benchsite.log.replay import KeyReplay
from benchsite.pipeline.changes.change import subject_of
from benchsite.pipeline.changes.checkpoints import SeenCheckpoint, examine

Identity = tuple[str, tuple[str, ...]]
"""What identifies a log: its origin and the fingerprints of its root keys."""


@dataclass(frozen=True)
class Published:
    """The log that changes are compared with, and what follows from it.

    Attributes:
        log: the newest log that opens, None if there is none.
        identity: origin and root keys of `mkdocs.yml` now.
        pinned: sha256 of the evidence that published receipts name; needed only to judge added evidence.
    """

    log: Log | None
    identity: Identity
    pinned: AbstractSet[str] = frozenset()
    checkpoints: dict[bytes, SeenCheckpoint] = field(default_factory=dict)

    def checkpoint(self, data: bytes, log: Log) -> SeenCheckpoint:
        """Examine a checkpoint once, however many commits have it."""
        if data not in self.checkpoints:
            self.checkpoints[data] = examine(data, log)
        return self.checkpoints[data]

    def named_at(self, path: str) -> int | None:
        """Return the index of the log entry that pins a methodology or fixture file; None if none does."""
        parts = path.split("/")
        if self.log is None:
            return None
        if subject_of(path) == "fixture":
            named = self.log.fixtures.get(parts[1])
        else:
            named = self.log.methodologies.get((parts[1], parts[2]))
        return named.index if named is not None else None

    @cached_property
    def key_paths(self) -> AbstractSet[str]:
        """Every path under `keys/` that the log's key events create."""
        return frozenset(key_files(self.log.keyring)) if self.log is not None else frozenset()

    @cached_property
    def copies(self) -> dict[str, dict[bytes, list[tuple[int, float]]]]:
        """Path to bytes to the sizes [first, end) of the log at which a key copy has these bytes."""
        legal: dict[str, dict[bytes, list[tuple[int, float]]]] = {MANIFEST_PATH: {}, RECEIPT_KEY: {}}
        if self.log is None:
            return legal
        replay = KeyReplay(self.log.origin, self.identity[1])
        events = [at for at in range(self.log.size) if b'"type":"key-' in self.log.entry_bytes(at)]
        events = [at for at in events if isinstance(self.log.entry(at), KeyEvent)]
        for number, at in enumerate(events):
            replay.apply(at, self.log.entry(at), self.log.root)
            end = events[number + 1] + 1 if number + 1 < len(events) else float("inf")
            ring = replay.keyring()
            current = ring.in_force("receipt")
            legal[MANIFEST_PATH].setdefault(manifest(ring), []).append((at + 1, end))
            if current is not None:
                pem = signing.public_pem(current.public_key).encode()
                legal[RECEIPT_KEY].setdefault(pem, []).append((at + 1, end))
        return legal
