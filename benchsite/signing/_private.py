"""Private keys that can sign and cannot be read: no repr, no pickle, no error and no traceback shows them."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Final, NoReturn, Self

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from benchsite.errors import InputError
from benchsite.signing._text import fingerprint

_SEED: Final = re.compile(r"[A-Za-z0-9+/]{43}=", re.ASCII)
_PEM_LABEL: Final = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----")
_HINT: Final = "give a PKCS#8 PEM (openssl genpkey -algorithm ed25519, or benchsite keys init) or the base64 of a 32-byte seed"


class PrivateKey:
    """An Ed25519 private key."""

    __slots__ = ("_key", "_public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._public = key.public_key().public_bytes_raw()

    @classmethod
    def generate(cls) -> Self:
        """A new key from the operating system's randomness."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_text(cls, text: str, name: str) -> Self:
        """The key in a text, blanks around it allowed.

        Args:
            text: an unencrypted PKCS#8 PEM, or 44 characters of standard base64: a 32-byte seed.
            name: the variable or file it came from, for the error.

        Raises:
            InputError: anything else; it names `name` and what is wrong, and holds no part of the text.
        """
        found = _read(text.strip())
        # A crash reporter that prints the variables of each frame must not find the text in this one.
        del text
        if isinstance(found, str):
            raise InputError(f"{name}: {found}", hint=_HINT)
        return cls(found)

    @property
    def public(self) -> bytes:
        """The 32 raw bytes of the public key."""
        return self._public

    @property
    def fingerprint(self) -> str:
        """`sha256:` and 64 hex digits, of the public key."""
        return fingerprint(self._public)

    def sign(self, message: bytes) -> bytes:
        """The 64-byte signature of a message; deterministic, as Ed25519 is."""
        return self._key.sign(message)

    def to_pem(self) -> str:
        """The key itself, as unencrypted PKCS#8 PEM: the one door it leaves by, for `keys init`."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    def __repr__(self) -> str:
        return f"PrivateKey({self.fingerprint})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a private key is never copied or pickled")


def _read(text: str) -> Ed25519PrivateKey | str:
    """The key, or in a few words why there is none; exceptions stay inside, as theirs might quote the input."""
    if not text:
        return "is empty"
    label = _PEM_LABEL.search(text)
    if label is None:
        return _read_seed(text)
    if label[1] != "PRIVATE KEY":
        known = {
            "PUBLIC KEY": "is a public key, not a private one",
            "ENCRYPTED PRIVATE KEY": "is encrypted; the passphrase cannot be asked for here",
            "OPENSSH PRIVATE KEY": "is in OpenSSH's own format",
        }
        return known.get(label[1], "is a PEM block of another kind")
    try:
        key = load_pem_private_key(text.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "is a damaged PEM private key"
    return key if isinstance(key, Ed25519PrivateKey) else "is a private key, but not an Ed25519 one"


def _read_seed(text: str) -> Ed25519PrivateKey | str:
    if _SEED.fullmatch(text):
        seed = b64decode(text)
        if b64encode(seed).decode() == text:
            return Ed25519PrivateKey.from_private_bytes(seed)
    return "is neither a PEM private key nor the base64 of a 32-byte seed"
