"""Text forms of public keys and signatures, each parser beside its inverse and each with one spelling.

Public keys: SubjectPublicKeyInfo (RFC 8410 section 4) as PEM (RFC 7468) and as fingerprint. Signatures: base64url
without padding (RFC 4648 section 5). A second spelling of the same bytes is refused, except that PEM may end its
lines with CR LF and stand between blank lines.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from benchsite.errors import InputError
from benchsite.signing._verify import KEY_BYTES, is_acceptable_key

# SEQUENCE { SEQUENCE { OID 1.3.101.112 }, BIT STRING of 32 bytes }: constant up to the key itself.
_SPKI_PREFIX: Final = bytes.fromhex("302a300506032b6570032100")
_PEM: Final = re.compile(
    r"\s*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/]{59}=)\r?\n-----END PUBLIC KEY-----\s*", re.ASCII
)
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)


def fingerprint(public: bytes) -> str:
    """`sha256:` and 64 lower-case hex digits: SHA-256 of the key's SPKI DER.

    Args:
        public: the 32 raw bytes of an Ed25519 public key.

    Raises:
        InputError: for another length.
    """
    return "sha256:" + hashlib.sha256(_spki(public)).hexdigest()


def public_pem(public: bytes) -> str:
    """The key as SPKI PEM, three lines ending in LF; errors as `fingerprint`."""
    return f"-----BEGIN PUBLIC KEY-----\n{b64encode(_spki(public)).decode()}\n-----END PUBLIC KEY-----\n"


def load_public_pem(text: str, name: str = "public key") -> bytes:
    """The 32 raw bytes of the Ed25519 public key in an SPKI PEM; `name` is the file, for the error.

    Raises:
        InputError: not such a PEM, or a key under which no signature is ever accepted (not canonical, of small
            or mixed order).
    """
    match = _PEM.fullmatch(text)
    der = b64decode(match[1]) if match else b""
    if match is None or not der.startswith(_SPKI_PREFIX) or b64encode(der).decode() != match[1]:
        raise InputError(
            f"{name}: not an Ed25519 public key in PEM",
            hint='the file must hold one "-----BEGIN PUBLIC KEY-----" block, as written by '
            "openssl pkey -pubout or by benchsite keys init",
        )
    public = der[len(_SPKI_PREFIX) :]
    if not is_acceptable_key(public):
        raise InputError(
            f"{name}: this public key is refused: it is not a point of prime order in canonical encoding",
            hint="no honest key generator makes such a key; ask its owner for the right one",
        )
    return public


def encode_base64url(data: bytes) -> str:
    """Base64url without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def decode_base64url(text: str) -> bytes:
    """The inverse of `encode_base64url`, for exactly the texts that function writes.

    Raises:
        InputError: padding, whitespace, another alphabet, an impossible length, or bits set in the unused tail.
    """
    if _BASE64URL.fullmatch(text):
        try:
            data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except binascii.Error:
            data = b""
        if encode_base64url(data) == text:
            return data
    raise InputError("not canonical base64url without padding", hint="use A-Z a-z 0-9 - _ and no =")


def _spki(public: bytes) -> bytes:
    if len(public) != KEY_BYTES:
        raise InputError(
            f"an Ed25519 public key has {KEY_BYTES} bytes, not {len(public)}",
            hint="give the raw key, as `load_public_pem` returns it",
        )
    return _SPKI_PREFIX + public
