"""Ed25519 signatures and the keys that make them: the only importer of cryptography.

Owns the acceptance rule of the log specification ("Accepting a signature"), private keys that never show
themselves, the text forms of keys and signatures (SPKI PEM, unpadded base64url, SHA-256 fingerprints), and the
keyring that History and the verifier look signers up in. Which key may sign what, and when, is decided by
`benchsite.log`, which builds the keyring from key events; nothing here reads a file, a variable or a clock.
"""

from __future__ import annotations

from benchsite.signing._keyring import KeyRecord, Keyring, Role, State
from benchsite.signing._private import PrivateKey
from benchsite.signing._text import (
    decode_base64url,
    encode_base64url,
    fingerprint,
    load_public_pem,
    public_pem,
)
from benchsite.signing._verify import verify

__all__ = [
    "KeyRecord",
    "Keyring",
    "PrivateKey",
    "Role",
    "State",
    "decode_base64url",
    "encode_base64url",
    "fingerprint",
    "load_public_pem",
    "public_pem",
    "verify",
]
