"""What the expected values of these vectors rest on; the tests in tests/log use it as their oracle.

Nothing here imports benchsite: hashes come from the recursive definitions of RFC 6962 section 2.1 written down
naively, signatures from the `cryptography` package, canonical JSON from `json.dumps` (keys are ASCII, numbers are
integers, so sorted keys without spaces are RFC 8785).
"""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN = "example.github.io/benchsite/log"
Object = dict[str, Any]


def split(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def leaf(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def mth(entries: list[bytes]) -> bytes:
    """Section 2.1, MTH(D[n])."""
    if not entries:
        return sha256(b"").digest()
    if len(entries) == 1:
        return leaf(entries[0])
    k = split(len(entries))
    return node(mth(entries[:k]), mth(entries[k:]))


def path(m: int, entries: list[bytes]) -> list[bytes]:
    """Section 2.1.1, PATH(m, D[n])."""
    if len(entries) == 1:
        return []
    k = split(len(entries))
    if m < k:
        return [*path(m, entries[:k]), mth(entries[k:])]
    return [*path(m - k, entries[k:]), mth(entries[:k])]


def proof(m: int, entries: list[bytes]) -> list[bytes]:
    """Section 2.1.2, PROOF(m, D[n])."""
    return subproof(m, entries, whole=True)


def subproof(m: int, entries: list[bytes], *, whole: bool) -> list[bytes]:
    if m == len(entries):
        return [] if whole else [mth(entries)]
    k = split(len(entries))
    if m <= k:
        return [*subproof(m, entries[:k], whole=whole), mth(entries[k:])]
    return [*subproof(m - k, entries[k:], whole=False), mth(entries[:k])]


def b64(data: bytes) -> str:
    return b64encode(data).decode()


def b64url(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def jcs(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class Key:
    """A key from a public 32-byte test seed."""

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.seed = seed
        self.public = self._private.public_key().public_bytes_raw()
        self.fingerprint = (
            "sha256:" + sha256(bytes.fromhex("302a300506032b6570032100") + self.public).hexdigest()
        )

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)


GOLDEN_LOG_KEY = Key(bytes(range(32)))
ROOT, RECEIPT, LOG, RECEIPT_2, LOG_2, ROOT_2 = (Key(bytes([n]) * 32) for n in range(1, 7))


def key_id(name: str, public: bytes, kind: bytes = b"\x01") -> bytes:
    return sha256(name.encode() + b"\n" + kind + public).digest()[:4]


def vkey(name: str, public: bytes) -> str:
    return f"{name}+{key_id(name, public).hex()}+{b64(bytes([1]) + public)}"


def checkpoint_text(size: int, root: bytes, origin: str = ORIGIN) -> str:
    return f"{origin}\n{size}\n{b64(root)}\n"


def signature_line(text: str, key: Key, name: str = ORIGIN) -> str:
    return f"— {name} {b64(key_id(name, key.public) + key.sign(text.encode()))}\n"


def signed(text: str, *keys: Key) -> str:
    return text + "\n" + "".join(signature_line(text, key) for key in keys)


def event(kind: str, seq: int, role: str, key: Key, by: Key = ROOT, **more: object) -> Object:
    """A key event signed by a root; `more` is added before, `after` is laid over it after signing."""
    after = more.pop("after", {})
    body: Object = {
        "v": 1,
        "type": kind,
        "origin": ORIGIN,
        "seq": seq,
        "role": role,
        "fingerprint": key.fingerprint,
        "publicKey": b64url(key.public),
        "rootFingerprint": by.fingerprint,
        **more,
    }
    assert isinstance(after, dict)
    return {**body, "rootSignature": b64url(by.sign(jcs(body))), **after}


def fixture_entry(number: int) -> Object:
    return {"v": 1, "type": "fixture", "id": f"fixture-{number}", "sha256": f"{number:064x}"}


def row(key: Key, role: str, state: str, start: int, end: int | None, below: int | None = None) -> Object:
    """A line of `keys/manifest.json`."""
    return {
        "fingerprint": key.fingerprint,
        "role": role,
        "state": state,
        "fromIndex": start,
        "toIndex": end,
        "trustedBelowIndex": below,
    }


def numbered(count: int) -> list[bytes]:
    return [jcs({"n": n}) for n in range(count)]
