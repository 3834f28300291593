"""Checkpoints: the signed statement "my first `size` entries hash to `root`" (C2SP tlog-checkpoint v1.0.0).

Owns the three-line text, its strict parser and its signing and opening as a signed note.
Refuses extension lines (specs/log.md allows none), leading zeros, sizes above 2^53 - 1 (JavaScript reads them
too) and origins that are not a scheme-less URL prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from benchsite.log.merkle import HASH_BYTES
from benchsite.log.note import Note, NoteError, decode_base64, encode_base64, sign_note
from benchsite.log.sentences import said
from benchsite.signing import PrivateKey
from benchsite.words import quoted

MAX_SIZE = (1 << 53) - 1
MAX_ORIGIN = 200

# Host, optional port, path segments that never begin with a dot; a subset of the names signed notes allow.
ORIGIN = r"^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$"

_ORIGIN = re.compile(ORIGIN)
_SIZE = re.compile("0|[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log's head: its origin, its number of entries and the 32-byte root hash over them."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        if len(self.origin) > MAX_ORIGIN or "\n" in self.origin or not _ORIGIN.match(self.origin):
            raise NoteError(said("checkpoint-origin", origin=quoted(self.origin)))
        if not 0 <= self.size <= MAX_SIZE:
            raise NoteError(said("checkpoint-size", size=self.size))
        if len(self.root) != HASH_BYTES:
            raise NoteError(said("checkpoint-root", count=len(self.root), expected=HASH_BYTES))

    def text(self) -> str:
        """The signed text: origin, size and root, a line each."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The exact inverse of `text`; raises NoteError naming the line."""
        lines = text.split("\n")
        if len(lines) != 4 or lines[3]:
            raise NoteError(said("checkpoint-lines"))
        origin, size, root = lines[:3]
        if not _SIZE.fullmatch(size):
            raise NoteError(said("checkpoint-numeral", size=quoted(size)))
        return cls(origin, int(size), decode_base64(root))


def sign_checkpoint(checkpoint: Checkpoint, key: PrivateKey) -> str:
    """The whole note, signed under the log's origin; the same bytes each time, because Ed25519 is deterministic."""
    return str(sign_note(checkpoint.text(), checkpoint.origin, key))


def open_checkpoint(note: bytes | str, *, origin: str, keys: Iterable[bytes]) -> Checkpoint:
    """Read a checkpoint of this origin that at least one of these 32-byte log keys has signed.

    Signature lines by anybody else (witnesses, unknown keys) are ignored. Raises NoteError naming what is wrong.
    """
    try:
        data = note.encode() if isinstance(note, str) else note
    except UnicodeEncodeError:
        raise NoteError("signed note: the text cannot be UTF-8") from None
    parsed = Note.parse(data)
    checkpoint = Checkpoint.parse(parsed.text)
    if checkpoint.origin != origin:
        raise NoteError(said("checkpoint-other", origin=checkpoint.origin, expected=origin))
    parsed.check_signed(origin, keys)
    return checkpoint
