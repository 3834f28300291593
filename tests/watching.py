"""Witnesses with public test keys, and the file of their cosignatures on a log."""

from __future__ import annotations

from base64 import b64encode

from benchsite.log import (
    Checkpoint,
    Cosignature,
    Log,
    Witness,
    Witnessing,
    cosign,
    encode_cosignatures,
    posix_seconds,
)
from benchsite.signing import PrivateKey

NAMES = ("one.example/w", "two.example/w", "stranger.example/w")


def witness_key(name: str) -> PrivateKey:
    seed = bytes([0x40 + NAMES.index(name)]) * 32
    return PrivateKey.from_text(b64encode(seed).decode(), name)


def witness(name: str) -> Witness:
    return Witness(name, witness_key(name).public)


def line(log: Log, name: str, size: int, when: str) -> Cosignature:
    """This witness's cosignature on the first `size` entries, at a moment as `2026-11-22T00:00:00Z`."""
    head = Checkpoint(log.origin, size, log.root(size))
    return Cosignature(size, cosign(head, name=name, key=witness_key(name), time=posix_seconds(when)))


def watched(log: Log, *lines: Cosignature, trusted: tuple[str, ...] = NAMES[:2]) -> Witnessing:
    return Witnessing.of(log, [witness(name) for name in trusted], encode_cosignatures(lines))
