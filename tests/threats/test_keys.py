"""Threats by whoever holds a key, or announces one that anybody holds; for files that are handed to verify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boards import begin
from documents import MATERIALS
from forgery import by_name
from sample_record import ORIGIN
from snapshots import log_of, opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.history import Examination, Verdict, examine
from benchsite.log import encode_entry, make_key_event
from benchsite.pipeline.publish import rotation
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey, encode_base64url, fingerprint

Sign = Callable[..., bytes]
FRESH = "11111111-1111-4111-8111-111111111111"
IDENTITY = b"\x01" + bytes(31)


def handed(instance: Workspace, data: bytes) -> Examination:
    return examine(data, log=log_of(instance), scorers=instance.tracks, materials=MATERIALS)


def failure(seen: Examination) -> tuple[Verdict, str]:
    return seen.verdict, seen.failed.detail if seen.failed is not None else ""


def files(instance: Workspace) -> list[bytes]:
    """The receipts in log order."""
    found = [snapshot(instance).receipt_bytes(receipt_id)[1] for receipt_id in log_of(instance).receipts]
    assert len(found) == 4
    return found


def test_leaked_receipt_key(published: Workspace, secrets: dict[str, PrivateKey], signed: Sign) -> None:
    """Row "leaked receipt key": files below the limit stay good; at or above it they are suspect; unlogged ones are nothing."""
    limit = list(log_of(published).receipts.values())[2]
    _, document = by_name(published, "bm25")
    kept, forged = files(published), signed({**document, "receiptId": FRESH})
    assert handed(published, forged).verdict is Verdict.SIGNED_ONLY
    rotation.compromise(
        published,
        opened(published),
        "receipt",
        Credentials.of(**secrets),
        below=limit,
        reason="laptop stolen",
        folder=published.root.parent / "new",
        push=False,
    )
    assert [handed(published, data).verdict for data in kept] == [
        Verdict.LOGGED,
        Verdict.LOGGED,
        Verdict.SUSPECT,
        Verdict.SUSPECT,
    ]
    # Its window ended with the announcement: what is in no list yet has no place in it (fromIndex <= index < toIndex).
    verdict, said = failure(handed(published, forged))
    assert verdict is Verdict.INVALID
    assert "the key was not valid" in said


def test_retired_receipt_key(
    published: Workspace, secrets: dict[str, PrivateKey], signed: Sign, tmp_path: Path
) -> None:
    """The same row, where the key had left service before: it signs nothing any more."""
    _, document = by_name(published, "bm25")
    kept, forged = files(published), signed({**document, "receiptId": FRESH})
    rotation.rotate(
        published,
        opened(published),
        "receipt",
        Credentials.of(**secrets),
        folder=tmp_path / "new",
        push=False,
    )
    assert {handed(published, data).verdict for data in kept} == {Verdict.LOGGED}
    verdict, said = failure(handed(published, forged))
    assert verdict is Verdict.INVALID
    assert "the key was not valid" in said


@pytest.mark.parametrize("role", ["root", "log"])
def test_a_leaked_key_of_another_role_signs_no_receipt(
    published: Workspace, secrets: dict[str, PrivateKey], signed: Sign, role: str
) -> None:
    """Row "leaked receipt key, leaked log key": each key is good for its own role only."""
    path, document = by_name(published, "bm25")
    data = signed({**document, "receiptId": FRESH}, secrets[role])
    assert failure(handed(published, data)) == (Verdict.INVALID, f"the {role} key must not sign receipts")
    stored = examine(
        signed(document, secrets[role]),
        log=log_of(published),
        scorers=published.tracks,
        materials=MATERIALS,
        path=path,
    )
    assert failure(stored) == (Verdict.INVALID, f"the {role} key must not sign receipts")


def test_small_order_key_announced_in_the_log() -> None:
    """Row "small-order key, non-canonical encoding, S >= L": the root may announce it, it still signs nothing.

    R = identity and S = 0 fit every message under A = identity: S·B = R + k·A for every k.
    """
    record = begin()
    record.publish("one", 0.5)
    event = make_key_event(
        "key-add", root=record.root, origin=ORIGIN, seq=3, role="receipt", public_key=IDENTITY
    )
    record.entries.append(encode_entry(event))
    (body,) = record.bodies.values()
    signature = {
        "algorithm": "Ed25519",
        "publicKeyFingerprint": fingerprint(IDENTITY),
        "value": encode_base64url(IDENTITY + bytes(32)),
    }
    forged: dict[str, Any] = {**body, "receiptId": FRESH, "signature": signature}
    seen = examine(canonical.dumps(forged), log=record.log, scorers=record.scorers, materials=MATERIALS)
    assert failure(seen) == (Verdict.INVALID, "the signature does not match the content")
