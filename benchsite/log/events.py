"""Key events: making one with the root key, and checking the root's signature on one (specs/log.md, "Keys").

Owns what a root signs: the canonical bytes of the event without `rootSignature`. Whether an event is allowed at
its place in the log is decided by `benchsite.log.replay`.
"""

from __future__ import annotations

from typing import Literal, cast

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.log.checkpoint import Checkpoint
from benchsite.log.entries import KeyEvent, validate_entry
from benchsite.log.note import encode_base64
from benchsite.signing import PrivateKey, Role, decode_base64url, encode_base64url, fingerprint, verify

Kind = Literal["key-add", "key-retire", "key-compromise"]


def make_key_event(
    kind: Kind,
    *,
    root: PrivateKey,
    origin: str,
    seq: int,
    role: Role,
    public_key: bytes,
    reason: str | None = None,
    limit: int | Checkpoint | None = None,
) -> KeyEvent:
    """A key event about a 32-byte Ed25519 public key, signed by the root key.

    Args:
        seq: number of key events before this one in the log.
        limit: of a `key-compromise`: for a receipt key the first log index that no longer counts, for a log key
            the last checkpoint that still counts, for a root key nothing.

    Raises:
        InputError: a field is malformed, or the limit given is not the one its role needs.
    """
    fields: dict[str, Json] = {
        "v": 1,
        "type": kind,
        "origin": origin,
        "seq": seq,
        "role": role,
        "fingerprint": fingerprint(public_key),
        "publicKey": encode_base64url(public_key),
        "rootFingerprint": root.fingerprint,
    }
    if reason is not None:
        fields["reason"] = reason
    if isinstance(limit, Checkpoint):
        fields |= {"frozenSize": limit.size, "frozenRoot": encode_base64(limit.root)}
    elif limit is not None:
        fields["trustedBelowIndex"] = limit
    signature = encode_base64url(root.sign(canonical.dumps(fields)))
    return cast("KeyEvent", validate_entry({**fields, "rootSignature": signature}))


def root_has_signed(event: KeyEvent, root_public_key: bytes) -> bool:
    """Whether the event's signature is by this root key; the caller compares `root_fingerprint`."""
    fields = event.model_dump(by_alias=True, exclude_none=True, exclude={"root_signature"})
    return verify(root_public_key, canonical.dumps(fields), decode_base64url(event.root_signature))
