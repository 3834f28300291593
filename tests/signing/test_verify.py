from __future__ import annotations

import hashlib
import json

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from benchsite.signing import PrivateKey, verify
from benchsite.signing._edwards import L, add, decode, multiply
from benchsite.signing._verify import _engine_key

# The public test key of the log specification: seed 00 01 .. 1f.
KEY = PrivateKey.from_text("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "test key")


def parts(row) -> tuple[bytes, bytes, bytes]:
    return (
        bytes.fromhex(row["publicKey"]),
        bytes.fromhex(row["message"]),
        bytes.fromhex(row["signature"]),
    )


def own_rows(vectors) -> list[dict[str, str]]:
    return json.loads((vectors / "ed25519" / "cases.json").read_text())


def engine_alone(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def test_rfc8032(rfc):
    public, message, signature = parts(rfc)
    assert verify(public, message, signature)
    assert not verify(public, message + b"\0", signature)


def test_edge_cases_are_rejected(edge):
    assert edge["expected"] is False
    assert not verify(*parts(edge))


def test_edge_cases_are_what_they_claim_to_be(edge, curve):
    public, message, signature = parts(edge)
    a, r = curve.decode_leniently(public), curve.decode_leniently(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = multiply(s, curve.base), add(r, multiply(k, a))
    assert edge["facts"] == {
        "A": curve.order(a),
        "R": curve.order(r),
        "S": "reduced" if s < L else "not reduced",
        "canonicalA": decode(public) is not None,
        "canonicalR": decode(signature[:32]) is not None,
        "cofactorless": curve.encode(left) == curve.encode(right),
        "cofactored": curve.encode(multiply(8, left)) == curve.encode(multiply(8, right)),
    }


def test_all_twelve_edge_cases_are_there(vectors):
    rows = json.loads((vectors / "ed25519" / "edge-cases.json").read_text())
    assert [row["number"] for row in rows] == list(range(12))


def test_own_cases(case):
    assert verify(*parts(case)) is case["expected"]


def test_engine_compares_r_by_its_bytes(vectors):
    """`verify` does not decode R: the engine must refuse each R that is no point, or encoded another way."""
    about_r = [row for row in own_rows(vectors) if row["name"].startswith("R ")]
    assert sum(decode(parts(row)[2][:32]) is None for row in about_r) >= 6
    for row in about_r:
        assert engine_alone(*parts(row)) is row["expected"], row["name"]
        assert decode(parts(row)[2][:32]) is not None or not row["expected"], row["name"]


def test_engine_alone_would_accept_keys_of_small_and_mixed_order(vectors):
    """Why the pre-check exists; should an engine begin to refuse these itself, this test says so."""
    about_a = [row for row in own_rows(vectors) if row["name"].startswith(("A of small", "A of mixed"))]
    assert len(about_a) == 15
    for row in about_a:
        assert engine_alone(*parts(row)), row["name"]


def test_an_engine_that_accepts_everything_is_not_asked(vectors, monkeypatch):
    class Lenient:
        def verify(self, signature: bytes, message: bytes) -> None:
            """Accepts, as an engine without these checks would."""

    monkeypatch.setattr("benchsite.signing._verify._engine_key", lambda _: Lenient())
    for row in own_rows(vectors):
        public, message, signature = parts(row)
        if row["name"].startswith(
            ("S + ", "S = L", "S is 2", "R = identity", "R has y = p", "R is all ones")
        ):
            assert not verify(public, message, signature), row["name"]
    assert verify(KEY.public, b"anything", bytes(64))


def test_wycheproof(shared):
    suite = json.loads((shared / "vectors" / "ed25519" / "wycheproof_ed25519_test.json").read_text())
    cases = [(group["publicKey"]["pk"], test) for group in suite["testGroups"] for test in group["tests"]]
    mismatches = [
        test["tcId"]
        for public, test in cases
        if verify(*map(bytes.fromhex, (public, test["msg"], test["sig"]))) is not (test["result"] == "valid")
    ]
    assert (len(cases), mismatches) == (151, [])


@given(st.binary(max_size=200))
def test_what_is_signed_is_accepted(message):
    signature = KEY.sign(message)
    assert verify(KEY.public, message, signature)
    assert decode(signature[:32]) is not None


@given(st.binary(min_size=1, max_size=40), st.data())
def test_one_changed_bit_anywhere_is_rejected(message, data):
    triple = [KEY.public, message, KEY.sign(message)]
    which = data.draw(st.integers(0, 2))
    bit = data.draw(st.integers(0, len(triple[which]) * 8 - 1))
    changed = bytearray(triple[which])
    changed[bit // 8] ^= 1 << bit % 8
    triple[which] = bytes(changed)
    assert not verify(*triple)


@given(st.binary(max_size=70), st.binary(max_size=10), st.binary(max_size=130))
def test_arbitrary_bytes_are_false_and_raise_nothing(public, message, signature):
    assert verify(public, message, signature) is False


@pytest.mark.parametrize("odd", [None, "text", 7, ["a"], 1.5, object()])
def test_arbitrary_types_are_false_and_raise_nothing(odd):
    good = (KEY.public, b"m", KEY.sign(b"m"))
    for place in range(3):
        arguments = [*good]
        arguments[place] = odd
        assert verify(*arguments) is False


def test_memory_of_keys_is_bounded():
    assert _engine_key.cache_info().maxsize == 1024
