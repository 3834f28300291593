"""What in some bytes is a private key: the forms of anybody's key, and the seeds of this log's keys.

Anybody's key is found as PEM; as PKCS#8 DER (RFC 5958, version 1 or 2) of an Ed25519, Ed448, X25519, X448, RSA or EC
key; as a JWK (RFC 7517) of type OKP, EC or RSA with its member `d`; and as the value of a variable of ours.

A seed has no form: 32 bytes are one of this log when they give one of its public keys. Tried are the first and the
last 32 bytes of a text, and of what each of its runs of 64 hexadecimal digits, or 43 base64 characters, or more
spells. What a run spells is read as a text too, twice over.

Not found: other encodings (UTF-16, pairs of digits, base32), a seed that is broken by the end of a line, and raw bytes
amid others. The work is linear in the bytes, and derivations of public keys are counted. Nothing here quotes what it
found.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from benchsite.signing import PrivateKey

__all__ = ["MOST_CANDIDATES", "KeyFinder"]

MOST_CANDIDATES: Final = 100_000
"""Public keys derived from what could be a seed, at some 40 µs each."""
_OVERLAP: Final = 4096
_SEED: Final = 32
_DEPTH: Final = 2

_BLANK: Final = rb"(?:\s|\\+[nr]|[\"'|+>#,;*])*"
_PEM: Final = re.compile(
    rb"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    + _BLANK
    + rb"(?:[A-Za-z0-9+/=]{16}|Proc-Type:|DEK-Info:|Version:|Comment:|Hash:)"
)
# From the identifier of the algorithm to the key in its OCTET STRING (04); a public key has a BIT STRING (03).
_OKP: Final = bytes.fromhex("06032b65")
_RSA: Final = bytes.fromhex("06092a864886f70d010101")
_EC: Final = bytes.fromhex("06072a8648ce3d0201")
_DER: Final = re.compile(
    re.escape(_OKP)
    + rb"[\x6e-\x71](?:\x05\x00)?(?:\x04\x22\x04\x20.{32}|\x04\x3a\x04\x38.{56}|\x04\x3b\x04\x39.{57})|"
    + re.escape(_RSA)
    + rb"\x05\x00\x04(?:\x81.|\x82..)\x30(?:\x81.|\x82..)\x02\x01\x00\x02|"
    + re.escape(_EC)
    + rb"\x06[\x05-\x09].{5,9}?\x04(?:.|\x81.)\x30(?:.|\x81.)\x02\x01\x01\x04",
    re.DOTALL,
)
_JWK: Final = re.compile(rb'\{(?=[^{}]*"kty"\s*:\s*"(?:OKP|EC|RSA)")(?=[^{}]*"d"\s*:\s*"[A-Za-z0-9_-]{43})')
_VARIABLE: Final = re.compile(
    rb"BENCHSITE_[A-Z]+_KEY[\"']?\s{0,8}[:=]\s{0,8}[\"']?[A-Za-z0-9+/_-]{43}(?![A-Za-z0-9+/_-])"
)
_FORMS: Final = (
    ("a private key in PEM form", _PEM),
    ("a private key in DER form", _DER),
    ("a private key in JWK form", _JWK),
    ("the value of a BENCHSITE_…_KEY variable", _VARIABLE),
)
_HEX: Final = re.compile(rb"(?:[0-9a-fA-F]{2}){32,}+")
_BASE64: Final = re.compile(rb"(?<!\\)[A-Za-z0-9+/_-]{43,}+")
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")


class KeyFinder:
    """Remembers what it has tried, so that a text in a thousand files costs one look."""

    def __init__(self, public_keys: Collection[bytes]) -> None:
        self._known = frozenset(public_keys)
        self._tried: dict[bytes, bool] = {}
        self.gave_up = False
        """Whether there were more candidates than are ever tried."""

    def found(self, data: bytes) -> str | None:
        """What kind of private key these bytes hold, None for none."""
        for text in _readings(data, _DEPTH):
            for words, form in _FORMS:
                if form.search(text):
                    return words
            ends = (text[:_SEED], text[-_SEED:], text.rstrip(b"\r\n")[-_SEED:])
            if any(len(end) == _SEED and self._is_ours(end) for end in ends):
                return "the seed of a private key of this log"
        return None

    def found_in(self, pieces: Iterable[bytes]) -> str | None:
        """The same for bytes that come in pieces."""
        rest = b""
        for piece in pieces:
            window = rest + piece
            if words := self.found(window):
                return words
            rest = window[-_OVERLAP:]
        return None

    def _is_ours(self, seed: bytes) -> bool:
        if not self._known:
            return False
        if seed not in self._tried:
            if len(self._tried) >= MOST_CANDIDATES:
                self.gave_up = True
                return False
            public = PrivateKey.from_text(b64encode(seed).decode(), "a candidate").public
            self._tried[seed] = public in self._known
        return self._tried[seed]


def _readings(text: bytes, depth: int) -> Iterator[bytes]:
    """A text, what its runs spell, what the runs in that spell, and so on."""
    yield text
    if depth:
        for spelled in _spelled(text):
            yield from _readings(spelled, depth - 1)


def _spelled(text: bytes) -> Iterator[bytes]:
    """What each run of hexadecimal digits and of base64 spells, either alphabet; base64 from its end as well."""
    for run in _HEX.finditer(text):
        yield bytes.fromhex(run[0].decode())
    for run in _BASE64.finditer(text):
        characters = run[0].translate(_STANDARD)
        yield b64decode(characters[: len(characters) - (len(characters) % 4 == 1)] + b"==")
        yield b64decode(characters[-43:] + b"==")
