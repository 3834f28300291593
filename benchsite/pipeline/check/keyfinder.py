"""What in some bytes is a private key: the forms of any key, and every spelling of a key of this log.

Anybody's key is found as PEM; as PKCS#8 DER (RFC 5958, version 1 or 2) of an Ed25519, Ed448, X25519, X448, RSA or EC
key; as a JWK (RFC 8037, RFC 7518) with the member `d`; as `openssl pkey -text` prints it; and as the value of a
variable of ours. PEM and DER are also found inside base64, wherever the base64 begins and however it is wrapped.
Each form is found, too, where one run of base64 or of hexadecimal digits spells a text, or bytes, that hold it.

A key that only the log knows has no form: 32 bytes are its seed when they give one of the log's public keys. Tried
are a run of 64 hexadecimal digits or 43 base64 characters, alone or at either end of a longer run, or broken once by
the end of a line; 32 hexadecimal pairs with separators; and raw bytes: at every place of a file of up to
`SMALL` bytes that is no text, else the first and the last 32 bytes of a file, and in any file the 32 bytes before a
public key of the log.

Not found: encodings on top of those (a second base64, base32, decimal numbers, gzip), encrypted DER, the older DER
forms outside PEM, and a raw seed in the midst of a larger file. The work is linear in the bytes, and the derivations
of public keys are counted: `MOST_CANDIDATES` of spellings and as many of places. What is found is never quoted.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from benchsite.signing import PrivateKey

__all__ = ["MOST_CANDIDATES", "SMALL", "KeyFinder"]

MOST_CANDIDATES: Final = 100_000
"""Derivations of a public key, at some 40 µs each, that are spent on spellings, and again on raw bytes."""
SMALL: Final = 4096
"""Files of up to this many bytes are tried at every place."""
_OVERLAP: Final = 4096
_SEED: Final = 32

# One place where a text in JSON, YAML or source code may be broken without changing what it spells.
_BLANK: Final = rb"(?:\s|\\+[nr]|[\"'|+>#,;*])*"
_OURS: Final = "the seed of a private key of this log"

_PEM: Final = re.compile(
    rb"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    + _BLANK
    + rb"(?:[A-Za-z0-9+/=]{16}|Proc-Type:|DEK-Info:|Version:|Comment:|Hash:)"
)
# From the algorithm's object identifier up to the key. A public key has a BIT STRING (03), never an OCTET STRING (04).
_DER: Final = re.compile(
    rb"\x06\x03\x2b\x65[\x6e-\x71](?:\x05\x00)?(?:\x04\x22\x04\x20.{32}|\x04\x3a\x04\x38.{56}|\x04\x3b\x04\x39.{57})"
    rb"|\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x04(?:\x81.|\x82..)\x30(?:\x81.|\x82..)\x02\x01\x00\x02"
    rb"|\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06[\x05-\x09].{5,9}?\x04(?:.|\x81.)\x30(?:.|\x81.)\x02\x01\x01\x04",
    re.DOTALL,
)
_PRINTED: Final = re.compile(rb"priv(?:ateExponent)?:(?:\s|\\+[nr]){1,24}(?:[0-9a-f]{2}:(?:\s|\\+[nr]){0,24}){15}")
_VARIABLE: Final = re.compile(
    rb"BENCHSITE_[A-Z]+_KEY[\"']?\s{0,8}[:=]\s{0,8}[\"']?[A-Za-z0-9+/_-]{43}(?![A-Za-z0-9+/_-])"
)
_FORMS: Final = (
    ("a private key in PEM form", _PEM),
    ("a private key in DER form", _DER),
    ("a private key as openssl prints it", _PRINTED),
    ("the value of a BENCHSITE_…_KEY variable", _VARIABLE),
)
_MEMBER: Final = re.compile(
    rb"(?<![A-Za-z0-9_.-])[\"'\\]{0,4}d[\"'\\]{0,4}\s{0,8}[:=]\s{0,8}[\"'\\]{0,4}[A-Za-z0-9_-]{42}"
)
_KTY: Final = re.compile(rb"kty[\"'\\]{0,4}\s{0,8}[:=]\s{0,8}[\"'\\]{0,4}(?:OKP|EC|RSA)")
_MEMBERS_APART: Final = 2048

_BROKEN: Final = re.compile(rb"\\+[nr]")
_SHORTEST: Final = b" \t\r\n\"'|>#,;*\\"
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_IN_BASE64: Final = ((b"-----BEGIN ", _PEM, 0), (b"\x06\x03\x2b\x65", _DER, 0))

_HEX: Final = re.compile(rb"(?:(?<=0x)|(?<=\\[nrt])|(?<![0-9A-Za-z]))[0-9a-fA-F]{64,}+(?![0-9A-Za-z])")
_BASE64: Final = re.compile(rb"(?:(?<=\\[nrt])|(?<![A-Za-z0-9+/_-]))[A-Za-z0-9+/_-]{43,}+")
_WRAPPED: Final = re.compile(
    rb"(?:(?<=\\[nrt])|(?<![A-Za-z0-9+/_-]))[A-Za-z0-9+/_-]{56,}+(?:[ \t]*+\r?\n[ \t]{0,24}+[A-Za-z0-9+/_-]{4,}+)*+"
)
_TWO_LINES: Final = re.compile(
    rb"(?<![A-Za-z0-9+/_-])([A-Za-z0-9+/_-]{1,63}+)(?=[ \t]{0,8}\r?\n[ \t]{0,24}([A-Za-z0-9+/_-]{1,63}+)(?![A-Za-z0-9+/_-]))"
)
_APART: Final = rb"(?:[\s:,;\"'-]|\\[nrx]|0x)"
_PAIRS: Final = re.compile(
    rb"(?:(?<=0x)|(?<=\\[nrtx])|(?<![0-9A-Za-z]))[0-9a-fA-F]{2}(?:" + _APART + rb"{1,24}+[0-9a-fA-F]{2}){31,}+"
)
_SEPARATORS: Final = re.compile(_APART)
_SHORT_DUMP: Final = 128
_CONTROL: Final = bytes({*range(0x20)} - {*b"\t\n\v\f\r\x1b"})
