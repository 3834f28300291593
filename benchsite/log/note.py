"""Signed notes: a text with signature lines under it (C2SP signed-note v1.0.0).

Owns the strict parser, its exact inverse, key ids, verifier keys and Ed25519 note signatures (type 0x01).
`str(Note.parse(data))` is `data` again for everything the parser accepts.

Refuses non-UTF-8, control characters other than newline, a missing blank line, malformed signature lines
(unknown ones are kept, and ignored when verifying), non-canonical base64, and more than 100 signatures or 1 MiB.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from benchsite.errors import IntegrityError
from benchsite.log.sentences import said
from benchsite.signing import PrivateKey, verify
from benchsite.words import quoted

MAX_NOTE_BYTES = 1 << 20
MAX_SIGNATURES = 100
ED25519 = b"\x01"

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f]")
# The Unicode White_Space property, written out because regex engines disagree about \s (FEFF, 0085, 001C).
_NAME = re.compile(
    "[^+\x00-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
)  # fmt: skip


class NoteError(IntegrityError):
    """A note that is not a signed note, or that no accepted key has signed."""

    next_step = "fetch the file from its publisher: a signed note is never edited"


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who says so, the 4-byte key id, and the signature bytes of that key's algorithm."""

    name: str
    key_id: bytes
    signature: bytes

    def __post_init__(self) -> None:
        check_name(self.name)
        if len(self.key_id) != 4 or not self.signature:
            raise NoteError(said("note-signature-short", name=self.name))

    def __str__(self) -> str:
        return f"— {self.name} {encode_base64(self.key_id + self.signature)}\n"

    @classmethod
    def parse(cls, line: str) -> NoteSignature:
        """The inverse of `str`, for a line without its newline."""
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "—":
            raise NoteError(said("note-signature-line", line=quoted(line)))
        data = decode_base64(parts[2])
        return cls(parts[1], data[:4], data[4:])


@dataclass(frozen=True, slots=True)
class Note:
    """A text that ends in a newline and the signatures over it."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __post_init__(self) -> None:
        if not self.text.endswith("\n"):
            raise NoteError("signed note: the text does not end in a newline")
        if control := _CONTROL.search(self.text):
            raise NoteError(said("note-control", code=f"{ord(control[0]):04X}"))
        if not 1 <= len(self.signatures) <= MAX_SIGNATURES:
            raise NoteError(said("note-signatures", count=len(self.signatures), most=MAX_SIGNATURES))

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    @classmethod
    def parse(cls, data: bytes) -> Note:
        """Read a whole note; the last empty line parts the text from the signatures."""
        if len(data) > MAX_NOTE_BYTES:
            raise NoteError(said("note-large", most=MAX_NOTE_BYTES))
        try:
            whole = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NoteError(said("not-utf8", path="signed note", place=error.start)) from None
        head, blank, lines = whole.rpartition("\n\n")
        if not blank:
            raise NoteError(said("note-no-blank"))
        if not lines.endswith("\n"):
            raise NoteError(said("note-no-signature"))
        return cls(head + "\n", tuple(map(NoteSignature.parse, lines[:-1].split("\n"))))

    def check_signed(self, name: str, public_keys: Iterable[bytes]) -> None:
        """Return when at least one of these Ed25519 keys has signed under this name; raise NoteError otherwise.

        Lines of other names or key ids are ignored. A line that claims a known key must verify, and a known key
        signs once: Ed25519 is deterministic, so a second line by it is either noise or a forgery.
        """
        known = {key_id(name, key): key for key in public_keys}
        seen: set[bytes] = set()
        for line in self.signatures:
            key = known.get(line.key_id)
            if line.name != name or key is None:
                continue
            if line.key_id in seen:
                raise NoteError(said("note-twice", key=f"{name}+{line.key_id.hex()}"))
            if not verify(key, self.text.encode(), line.signature):
                raise NoteError(said("note-wrong", key=f"{name}+{line.key_id.hex()}"))
            seen.add(line.key_id)
        if not seen:
            raise NoteError(said("note-unsigned", name=name))


def check_name(name: str) -> None:
    """Raise NoteError unless signed notes allow this as the name of a key."""
    if not _NAME.fullmatch(name):
        raise NoteError(said("note-name", name=quoted(name)))


def sign_note(text: str, name: str, key: PrivateKey) -> Note:
    """A note of this text with one Ed25519 signature under this name."""
    return Note(text, (NoteSignature(name, key_id(name, key.public), key.sign(text.encode())),))


def key_id(name: str, public_key: bytes, kind: bytes = ED25519) -> bytes:
    """First 4 bytes of SHA-256(name || 0x0A || kind || 32-byte Ed25519 public key); kind is the signature's type."""
    return sha256(name.encode() + b"\n" + kind + public_key).digest()[:4]


def verifier_key(name: str, public_key: bytes, kind: bytes = ED25519) -> str:
    """The text form that log clients are configured with: `name+hex(key id)+base64(kind || public key)`."""
    return f"{name}+{key_id(name, public_key, kind).hex()}+{encode_base64(kind + public_key)}"


def encode_base64(data: bytes) -> str:
    """Standard padded base64 (RFC 4648 section 4)."""
    return b64encode(data).decode("ascii")


def decode_base64(text: str) -> bytes:
    """The exact inverse of `encode_base64`: padding is required and unused bits are zero."""
    try:
        data = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError(said("base64", text=quoted(text))) from None
    if encode_base64(data) != text:
        raise NoteError(said("base64", text=quoted(text)))
    return data
