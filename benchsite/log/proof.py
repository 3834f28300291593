"""Proof files: one entry's inclusion with the checkpoint it leads to, to keep and check offline (C2SP tlog-proof v1).

Owns the text and its strict parser, the exact inverse. What the file proves is for `verify_inclusion` and the
checkpoint's own signatures to say. `extra` carries the entry's bytes, and nothing authenticates it: a reader compares
it with the entry that it has computed itself, and never proves anything about `extra` alone.

Refuses an `extra` line without data, which C2SP omits, proofs longer than any tree is high, and a checkpoint that is
not a signed note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchsite.log.checkpoint import MAX_SIZE
from benchsite.log.merkle import HASH_BYTES
from benchsite.log.note import Note, NoteError, decode_base64, encode_base64
from benchsite.log.sentences import said

HEADER = "c2sp.org/tlog-proof@v1"
MAX_HASHES = 63

_EXTRA = "extra "
_INDEX = re.compile("index (0|[1-9][0-9]{0,15})")


@dataclass(frozen=True, slots=True)
class Proof:
    """The entry's index, the hashes from its sibling up to the root's child, and the signed checkpoint, verbatim.

    `extra` is whatever the file carries beside them, empty where it has no such line.
    """

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: Note
    extra: bytes = b""

    def __post_init__(self) -> None:
        if not 0 <= self.index <= MAX_SIZE:
            raise NoteError(said("proof-index", index=self.index))
        if len(self.hashes) > MAX_HASHES:
            raise NoteError(said("proof-hashes", count=len(self.hashes), most=MAX_HASHES))
        for number, found in enumerate(self.hashes, start=1):
            if len(found) != HASH_BYTES:
                raise NoteError(said("proof-hash", number=number, count=len(found), expected=HASH_BYTES))

    def __str__(self) -> str:
        hashes = "".join(f"{encode_base64(found)}\n" for found in self.hashes)
        extra = f"{_EXTRA}{encode_base64(self.extra)}\n" if self.extra else ""
        return f"{HEADER}\n{extra}index {self.index}\n{hashes}\n{self.checkpoint}"

    @classmethod
    def parse(cls, data: bytes) -> Proof:
        """Read a proof file; raises NoteError naming what is wrong."""
        head, blank, note = data.partition(b"\n\n")
        try:
            first, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError as error:
            raise NoteError(said("proof-ascii", place=error.start)) from None
        if first != HEADER:
            raise NoteError(said("proof-header", header=HEADER))
        extra = b""
        if lines and lines[0].startswith(_EXTRA):
            extra = decode_base64(lines.pop(0).removeprefix(_EXTRA))
            if not extra:
                raise NoteError(said("proof-extra"))
        found = _INDEX.fullmatch(lines[0]) if lines else None
        if found is None:
            raise NoteError(said("proof-no-index"))
        if not blank:
            raise NoteError(said("proof-no-blank"))
        return cls(int(found[1]), tuple(map(decode_base64, lines[1:])), Note.parse(note), extra)
