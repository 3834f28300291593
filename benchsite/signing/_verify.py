"""The one question "is this signature good", answered alike by every engine.

Ed25519 libraries disagree about twelve known kinds of signature (Chalkias, Garillot and Nikolaenko, "Taming the
many EdDSAs", 2020). A record that is valid in one program and invalid in another is worthless, so what they
disagree about is refused before an engine is asked. JavaScript applies the same rules in the same order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from benchsite.signing._edwards import (
    decode,
    generates_prime_order_subgroup,
    has_canonical_form,
    scalar_is_reduced,
)

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (R, S) over `message` is accepted under `public_key` (A).

    In this order; the first that fails gives False:

    1. All three are bytes; A has 32 and the signature 64.
    2. S < L, so that no second signature can be derived from a first.
    3. R is a canonical encoding: its y is below p, and no sign is set where x is 0.
    4. A is a canonical encoding of a point on the curve, not the identity, of prime order: L·A is the identity.
       Remembered per key, as it costs a millisecond.
    5. The engine: SHA-512 of R, A and message gives k, and S·B - k·A encodes to exactly the bytes of R.

    That R is a point at all is left to step 5. OpenSSL does not decode R: it computes S·B - k·A, encodes that
    point canonically and compares 32 bytes, so an accepted R is the encoding of a point, and decoding it here as
    well would double the price of a verification. The equation has no cofactor; since A has prime order, R then
    has too (or is the identity), and engines with a cofactor that check L·R = identity agree. Tests pin both
    properties of the installed engine.

    Returns:
        True or False; never an exception for malformed input.
    """
    if not (_is_bytes(public_key) and _is_bytes(message) and _is_bytes(signature)):
        return False
    if len(public_key) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    if not scalar_is_reduced(signature[32:]) or not has_canonical_form(signature[:32]):
        return False
    engine = _engine_key(public_key)
    if engine is None:
        return False
    try:
        engine.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def is_acceptable_key(public_key: bytes) -> bool:
    """Whether any signature can be accepted under these bytes: length and step 4 of `verify`."""
    return len(public_key) == KEY_BYTES and _engine_key(public_key) is not None


@lru_cache(maxsize=1024)
def _engine_key(public_key: bytes) -> Ed25519PublicKey | None:
    point = decode(public_key)
    if point is None or not generates_prime_order_subgroup(point):
        return None
    return Ed25519PublicKey.from_public_bytes(public_key)


def _is_bytes(value: object) -> bool:
    return isinstance(value, bytes)
