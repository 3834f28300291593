"""Cosignatures: an outside party's dated signature on a checkpoint (C2SP tlog-cosignature v1, Ed25519, type 0x04).

Owns the message that a witness signs, the text of its verifier key, and the lines of `results/log/cosignatures`
(specs/log.md, "What is kept in git"): `<size> — <name> <base64>`, a line each, every parser beside its inverse.

Refuses times outside 1 to 2^53 - 1, sizes that no checkpoint can have, keys of another type, and a file above
8 MiB. A line by a witness that nobody here trusts may carry any algorithm's signature: it is kept and not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from benchsite.layout import COSIGNATURES_PATH
from benchsite.log.checkpoint import MAX_SIZE, Checkpoint
from benchsite.log.errors import LogError
from benchsite.log.note import NoteError, NoteSignature, check_name, decode_base64, key_id, verifier_key
from benchsite.log.sentences import said
from benchsite.signing import PrivateKey, verify
from benchsite.words import quoted

MAX_COSIGNATURES_BYTES = 8 << 20
MAX_TIME = (1 << 53) - 1
KIND = b"\x04"

_TIME_BYTES = 8
_KEY_BYTES = 32
_SIGNATURE_BYTES = 64
_SIZE = re.compile("[1-9][0-9]{0,15}")
_KEY_ID = re.compile("[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Witness:
    """Somebody whose cosignatures count: a name as signed notes allow it, and a 32-byte Ed25519 key."""

    name: str
    public_key: bytes

    def __post_init__(self) -> None:
        check_name(self.name)
        if len(self.public_key) != _KEY_BYTES:
            raise NoteError(
                said("witness-key", name=self.name, count=len(self.public_key), expected=_KEY_BYTES)
            )

    @property
    def key_id(self) -> bytes:
        """First 4 bytes of SHA-256(name || 0x0A || 0x04 || public key)."""
        return key_id(self.name, self.public_key, KIND)

    def __str__(self) -> str:
        return verifier_key(self.name, self.public_key, KIND)

    @classmethod
    def parse(cls, text: str) -> Witness:
        """The exact inverse of `str`: `name+hex(key id)+base64(0x04 || public key)`."""
        parts = text.split("+", 2)
        if len(parts) != 3 or not _KEY_ID.fullmatch(parts[1]):
            raise NoteError(said("vkey", text=quoted(text)))
        data = decode_base64(parts[2])
        if data[:1] != KIND:
            kind = data[:1].hex() or "missing"
            raise NoteError(said("witness-type", name=quoted(parts[0]), type=kind))
        witness = cls(parts[0], data[1:])
        if witness.key_id.hex() != parts[1]:
            name, own = quoted(witness.name), witness.key_id.hex()
            raise NoteError(said("vkey-id", name=name, id=parts[1], own=own))
        return witness

    def claims(self, line: NoteSignature) -> bool:
        """Whether a signature line says that this witness made it."""
        return line.name == self.name and line.key_id == self.key_id

    def check(self, checkpoint: Checkpoint, line: NoteSignature) -> int:
        """The time at which this witness signed this checkpoint; NoteError where it has not."""
        if len(line.signature) != _TIME_BYTES + _SIGNATURE_BYTES:
            count, expected = len(line.signature), _TIME_BYTES + _SIGNATURE_BYTES
            raise NoteError(said("cosignature-bytes", name=self.name, count=count, expected=expected))
        time = int.from_bytes(line.signature[:_TIME_BYTES], "big")
        if not 1 <= time <= MAX_TIME:
            raise NoteError(said("cosignature-time", name=self.name, time=time))
        if not verify(self.public_key, message(checkpoint, time), line.signature[_TIME_BYTES:]):
            size, origin = checkpoint.size, checkpoint.origin
            raise NoteError(said("cosignature-wrong", name=self.name, size=size, origin=origin))
        return time


def message(checkpoint: Checkpoint, time: int) -> bytes:
    """What a witness signs: two lines of its own above the whole text of the checkpoint."""
    return f"cosignature/v1\ntime {time}\n{checkpoint.text()}".encode()


def cosign(checkpoint: Checkpoint, *, name: str, key: PrivateKey, time: int) -> NoteSignature:
    """The signature line of a witness under this name, at this many seconds since 1970."""
    if not 1 <= time <= MAX_TIME:
        raise NoteError(f"time {time} is not 1 to 2^53 - 1")
    signature = key.sign(message(checkpoint, time))
    return NoteSignature(
        name, Witness(name, key.public).key_id, time.to_bytes(_TIME_BYTES, "big") + signature
    )


@dataclass(frozen=True, slots=True)
class Cosignature:
    """One line of the file: a signature, and the size of the checkpoint that it stands under."""

    size: int
    line: NoteSignature

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MAX_SIZE:
            raise NoteError(said("cosigned-size", size=self.size))

    def __str__(self) -> str:
        return f"{self.size} {self.line}"

    @classmethod
    def parse(cls, text: str) -> Cosignature:
        """The inverse of `str`, for a line without its newline."""
        size, _, line = text.partition(" ")
        if not _SIZE.fullmatch(size):
            raise NoteError(said("cosigned-numeral", size=quoted(size)))
        return cls(int(size), NoteSignature.parse(line))


def encode_cosignatures(found: Iterable[Cosignature]) -> bytes:
    """The file's bytes."""
    return "".join(map(str, found)).encode()


def decode_cosignatures(data: bytes) -> tuple[Cosignature, ...]:
    """The exact inverse of `encode_cosignatures`; an empty file holds none. Raises LogError naming the line."""
    if len(data) > MAX_COSIGNATURES_BYTES:
        raise LogError(
            said(
                "too-large",
                path=COSIGNATURES_PATH,
                count=f"{len(data):,}",
                most=f"{MAX_COSIGNATURES_BYTES:,}",
            )
        )
    if not data:
        return ()
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise LogError(said("not-utf8", path=COSIGNATURES_PATH, place=error.start)) from None
    if lines.pop():
        raise LogError(said("cut-short", path=COSIGNATURES_PATH, line=len(lines) + 1))
    found = []
    for number, text in enumerate(lines, start=1):
        try:
            found.append(Cosignature.parse(text))
        except NoteError as error:
            raise LogError(f"{COSIGNATURES_PATH} line {number}: {error.message}") from None
    return tuple(found)
