"""What in some bytes is a private key: the forms of anybody's key, and the spellings of a key of this log.

Anybody's key is found as PEM; as PKCS#8 DER (RFC 5958, version 1 or 2) of an Ed25519, Ed448, X25519, X448, RSA or EC
key; as a JWK (RFC 7517) of type OKP, EC or RSA with its member `d`; as `openssl pkey -text` prints it; and as the
value of a variable of ours. PEM and DER are found inside base64 too, wherever in it they begin and however it is
wrapped. A run of hexadecimal digits, or of base64 that spells a text, is read and looked through once more.

A seed has no form: 32 bytes are one of this log when they give one of its public keys. Tried are 64 hexadecimal
digits or 43 base64 characters, alone, at either end of a longer run, or broken once by the end of a line;
hexadecimal pairs with separators, at every place of up to `SHORT_DUMP` pairs and at the ends of more; and raw bytes:
every place of a file of up to `SMALL` bytes that is no text, both ends of any file, and whatever stands right before
a public key of the log.

Not found: a raw seed in the midst of a larger file, encodings nested more deeply than that, and other ones (base32,
decimal numbers, archives). The work is linear in the bytes, and derivations of public keys are counted.
Nothing here quotes what it found.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Final, Literal

from benchsite.signing import PrivateKey

__all__ = ["MOST_CANDIDATES", "SHORT_DUMP", "SMALL", "KeyFinder"]

MOST_CANDIDATES: Final = 100_000
"""Public keys derived, at some 40 µs each, from spellings of seeds, and again from places in raw bytes."""
SMALL: Final = 4096
"""Files of up to this many bytes are tried at every place, unless they are text."""
SHORT_DUMP: Final = 128
"""Hexadecimal pairs with separators are tried at every place up to this many."""
_OVERLAP: Final = 4096
_SEED: Final = 32
_OURS: Final = "the seed of a private key of this log"
_IN_BASE64: Final = ", in base64"

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
_GAP: Final = rb"(?:\s|\\{1,8}[nr]){0,24}"
_FORMS: Final = (
    ("a private key in PEM form", _PEM),
    ("a private key in DER form", _DER),
    (
        "a private key as openssl prints it",
        re.compile(rb"priv(?:ateExponent)?:" + _GAP + rb"(?:[0-9a-fA-F]{2}:" + _GAP + rb"){15}"),
    ),
    (
        "the value of a BENCHSITE_…_KEY variable",
        re.compile(
            rb"BENCHSITE_[A-Z]+_KEY[\"']?\s{0,8}[:=]\s{0,8}[\"']?[A-Za-z0-9+/_-]{43}(?![A-Za-z0-9+/_-])"
        ),
    ),
)
_IS: Final = rb"[\"'\\]{0,4}\s{0,8}[:=]\s{0,8}[\"'\\]{0,4}"
_JWK_D: Final = re.compile(rb"(?<![A-Za-z0-9_.-])d" + _IS + rb"[A-Za-z0-9_-]{43}")
_JWK_KTY: Final = re.compile(rb"(?<![A-Za-z0-9_.-])kty" + _IS + rb"(?:OKP|EC|RSA)(?![A-Za-z0-9])")
_JWK_APART: Final = 2048

_ESCAPED: Final = re.compile(rb"(?<!\\)\\++[nr]")
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_WRAPPING: Final = b" \t\r\n\v\f\"'|>#,;*\\"
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/]*")
_ENOUGH: Final = 512
"""Base64 characters that hold any header and the beginning of the key after it."""

_ALONE: Final = rb"(?:(?<=\\[nrt])|(?<![A-Za-z0-9+/_-]))"
_HEX_RUN: Final = re.compile(rb"(?:(?<=0x)|(?<=\\[nrt])|(?<![0-9A-Za-z]))[0-9a-fA-F]{64,}+(?![0-9A-Za-z])")
_BASE64_RUN: Final = re.compile(_ALONE + rb"[A-Za-z0-9+/_-]{43,}+")
_BASE64_LINES: Final = re.compile(
    _ALONE + rb"[A-Za-z0-9+/_-]{56,}+(?:[ \t]{0,8}+\r?\n[ \t]{0,24}+[A-Za-z0-9+/_-]{4,}+)*+"
)
_TWO_LINES: Final = re.compile(
    rb"(?<![A-Za-z0-9+/_-])([A-Za-z0-9+/_-]{1,63}+)"
    rb"(?=[ \t]{0,8}\r?\n[ \t]{0,24}([A-Za-z0-9+/_-]{1,63}+)(?![A-Za-z0-9+/_-]))"
)
_APART: Final = rb"(?:[\s:,;\"'-]|\\[nrtx]|0x)"
_PAIRS: Final = re.compile(
    rb"(?:(?<=0x)|(?<=\\[nrtx])|(?<![0-9A-Za-z]))[0-9a-fA-F]{2}(?:"
    + _APART
    + rb"{1,24}+[0-9a-fA-F]{2}){31,}+"
)
_SEPARATOR: Final = re.compile(_APART)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

_Source = Literal["spelling", "place"]


def _fragments(head: bytes) -> Iterator[tuple[bytes, int]]:
    """The base64 characters that some bytes fix at each alignment, and how far into four characters they begin."""
    for shift in range(3):
        lead = (8 * shift + 5) // 6
        yield b64encode(bytes(shift) + head)[lead : 8 * (shift + len(head)) // 6], lead


_ENCODED: Final = tuple(
    (fragment, lead, words + _IN_BASE64, form)
    for (words, form), heads in zip(_FORMS[:2], ((b"-----BEGIN ",), (_OKP, _RSA, _EC)), strict=True)
    for head in heads
    for fragment, lead in _fragments(head)
)


class KeyFinder:
    """Remembers what it has tried, so that a text in a thousand files costs one look."""

    def __init__(self, public_keys: Collection[bytes]) -> None:
        self._known = frozenset(public_keys)
        self._tried: dict[bytes, bool] = {}
        self._left: dict[_Source, int] = {"spelling": MOST_CANDIDATES, "place": MOST_CANDIDATES}
        self.gave_up = False
        """Whether there were more candidates than are ever tried."""

    def found(self, data: bytes) -> str | None:
        """What kind of private key these bytes hold, None for none."""
        return self.found_in((data,))

    def found_in(self, pieces: Iterable[bytes]) -> str | None:
        """The same for bytes that come in pieces; only a first piece that is all there is may be small."""
        rest = b""
        begun = False
        for piece in pieces:
            window = rest + piece
            words = self._in_window(window)
            if words is None and not begun and self._any_ours(_beginning(window), "place"):
                words = _OURS
            if words is not None:
                return words
            begun = True
            rest = window[-_OVERLAP:]
        ends = (rest[-_SEED:], rest.rstrip(b"\r\n")[-_SEED:])
        return _OURS if self._any_ours(ends, "place") else None

    def _in_window(self, window: bytes) -> str | None:
        # UTF-16 is ASCII with NULs.
        texts = (window, window.replace(b"\0", b"")) if b"\0" in window else (window,)
        for text in texts:
            for held in chain((text,), _spelled(text)):
                if words := _form(held):
                    return words
                if self._any_ours(_spelled_seeds(held), "spelling"):
                    return _OURS
        before = (window[max(at - _SEED, 0) : at] for key in self._known for at in _places(window, key))
        return _OURS if self._any_ours(before, "place") else None

    def _any_ours(self, candidates: Iterable[bytes], source: _Source) -> bool:
        return bool(self._known) and any(
            self._is_ours(seed, source) for seed in candidates if len(seed) == _SEED
        )

    def _is_ours(self, seed: bytes, source: _Source) -> bool:
        if seed not in self._tried:
            if not self._left[source]:
                self.gave_up = True
                return False
            self._left[source] -= 1
            self._tried[seed] = _public(seed) in self._known
        return self._tried[seed]


def _public(seed: bytes) -> bytes:
    return PrivateKey.from_text(b64encode(seed).decode(), "a candidate").public


def _form(text: bytes) -> str | None:
    """The form of a private key that a text holds, whoever's it is."""
    for words, form in _FORMS:
        if form.search(text):
            return words
    return "a private key in JWK form" if _is_jwk(text) else _encoded_form(text)


def _is_jwk(text: bytes) -> bool:
    types = [kty.start() for kty in _JWK_KTY.finditer(text)]
    for member in _JWK_D.finditer(text) if types else ():
        after = bisect_left(types, member.start())
        if any(abs(at - member.start()) <= _JWK_APART for at in types[max(after - 1, 0) : after + 1]):
            return True
    return False


def _encoded_form(text: bytes) -> str | None:
    joined = _ESCAPED.sub(b"", text).translate(_STANDARD, _WRAPPING)
    for fragment, lead, words, form in _ENCODED:
        for at in _places(joined, fragment):
            if at >= lead and form.search(_decoded(joined[at - lead : at + _ENOUGH])):
                return words
    return None


def _places(data: bytes, part: bytes) -> Iterator[int]:
    at = data.find(part)
    while at >= 0:
        yield at
        at = data.find(part, at + 1)


def _decoded(text: bytes) -> bytes:
    """What the base64 at the beginning of a text spells, in either alphabet; a last byte may be too much."""
    run = _BASE64.match(text.translate(_STANDARD))
    spelled = run[0] if run else b""
    return b64decode(spelled + b"A" * (-len(spelled) % 4))


def _spelled(text: bytes) -> Iterator[bytes]:
    """What runs of hexadecimal digits spell, and runs of base64 that spell a text."""
    for run in _HEX_RUN.finditer(text):
        if len(run[0]) > 2 * _SEED and len(run[0]) % 2 == 0:
            yield bytes.fromhex(run[0].decode())
    for run in _PAIRS.finditer(text):
        yield bytes.fromhex(_SEPARATOR.sub(b"", run[0]).decode())
    for run in _BASE64_LINES.finditer(text):
        spelled = _decoded(b"".join(run[0].split()))
        if spelled[:_SEED].isascii():
            yield spelled


def _spelled_seeds(text: bytes) -> Iterator[bytes]:
    for run in _HEX_RUN.finditer(text):
        for digits in {run[0][: 2 * _SEED], run[0][-2 * _SEED :]}:
            yield bytes.fromhex(digits.decode())
    for run in _BASE64_RUN.finditer(text):
        for characters in {run[0][:43], run[0][-43:]}:
            yield _decoded(characters)[:_SEED]
    for lines in _TWO_LINES.finditer(text):
        both = lines[1] + lines[2]
        if len(both) == 43:
            yield _decoded(both)[:_SEED]
        elif len(both) == 2 * _SEED and _HEX_RUN.fullmatch(both):
            yield bytes.fromhex(both.decode())
    for run in _PAIRS.finditer(text):
        dump = bytes.fromhex(_SEPARATOR.sub(b"", run[0]).decode())
        yield from _every(dump) if len(dump) <= SHORT_DUMP else (dump[:_SEED], dump[-_SEED:])


def _beginning(data: bytes) -> Iterable[bytes]:
    """Where a raw seed is looked for from the beginning of a file: every place of one that is small and no text."""
    return _every(data) if len(data) <= SMALL and not _is_text(data) else (data[:_SEED],)


def _every(data: bytes) -> Iterator[bytes]:
    return (data[at : at + _SEED] for at in range(len(data) - _SEED + 1))


def _is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 without control characters, which 32 random ones never are."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return _CONTROL.search(data) is None
