from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from benchsite.errors import IntegrityError
from benchsite.signing import KeyRecord, Keyring, PrivateKey, fingerprint

PUBLIC = [PrivateKey.generate().public for _ in range(4)]


def record(n: int, **fields: object) -> KeyRecord:
    base = {"role": "receipt", "state": "active", "from_index": n}
    return KeyRecord(fingerprint=fingerprint(PUBLIC[n]), public_key=PUBLIC[n], **(base | fields))


ROOT = record(0, role="root")
OLD = record(1, state="retired", to_index=7)
NEW = record(2, from_index=7)
LOG = record(3, role="log", state="compromised", trusted_below_index=9)


def test_lookup():
    ring = Keyring([ROOT, OLD, NEW, LOG])
    assert list(ring) == [ROOT, OLD, NEW, LOG]
    assert ring.get(OLD.fingerprint) is OLD
    assert ring.get("sha256:" + "0" * 64) is None
    assert ring.in_force("root") is ROOT
    assert ring.in_force("receipt") is NEW
    assert ring.in_force("log") is None


def test_the_newest_of_two_active_keys_is_in_force():
    assert Keyring([replace(OLD, state="active"), NEW]).in_force("receipt") is NEW


def test_range_is_half_open():
    assert [index for index in range(10) if OLD.covers(index)] == [1, 2, 3, 4, 5, 6]
    assert [index for index in range(10) if NEW.covers(index)] == [7, 8, 9]


def test_equality_follows_records_and_their_order():
    assert Keyring([ROOT, NEW]) == Keyring(iter([ROOT, NEW]))
    assert hash(Keyring([ROOT, NEW])) == hash(Keyring([ROOT, NEW]))
    assert Keyring([ROOT, NEW]) != Keyring([NEW, ROOT])
    assert Keyring() != [ROOT]
    assert repr(ROOT) in repr(Keyring([ROOT]))


def test_a_key_is_added_once():
    with pytest.raises(IntegrityError, match="added twice"):
        Keyring([NEW, replace(NEW, from_index=9)])


def test_a_record_is_frozen_and_consistent():
    with pytest.raises(FrozenInstanceError):
        NEW.state = "retired"  # type: ignore[misc]
    with pytest.raises(IntegrityError, match="its public key"):
        replace(NEW, public_key=PUBLIC[0])
    with pytest.raises(IntegrityError, match="unknown role"):
        record(0, role="admin")
    with pytest.raises(IntegrityError, match="unknown role"):
        record(0, state="lost")
