from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError
from benchsite.signing import (
    PrivateKey,
    decode_base64url,
    encode_base64url,
    fingerprint,
    load_public_pem,
    public_pem,
)

PUBLIC = PrivateKey.from_text(base64.b64encode(bytes(range(32))).decode(), "seed 00..1f").public


def test_public_pem_and_fingerprint_are_the_engines():
    key = Ed25519PublicKey.from_public_bytes(PUBLIC)
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    assert public_pem(PUBLIC) == pem.decode()
    assert fingerprint(PUBLIC) == "sha256:" + hashlib.sha256(der).hexdigest()


def test_public_pem_round_trip():
    pem = public_pem(PUBLIC)
    assert load_public_pem(pem) == PUBLIC
    assert load_public_pem("\n" + pem.replace("\n", "\r\n") + " \n") == PUBLIC


def test_a_published_key_of_another_project_is_read(shared):
    text = (shared / "data" / "przm_receipt_signing.pub").read_text()
    assert public_pem(load_public_pem(text)) == text.strip() + "\n"


PEM = public_pem(PUBLIC)
BODY = PEM.splitlines()[1]


def der_pem(der: bytes) -> str:
    return f"-----BEGIN PUBLIC KEY-----\n{base64.b64encode(der).decode()}\n-----END PUBLIC KEY-----\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        BODY,
        PEM + PEM,
        PEM.replace(BODY, ""),
        PEM.replace(BODY, BODY[:-2] + "=="),
        PEM.replace(BODY, BODY[:30] + "\n" + BODY[30:]),
        PEM.replace("PUBLIC", "PRIVATE"),
        "comment\n" + PEM,
        # X25519 (OID 1.3.101.110) in the place of Ed25519 (1.3.101.112).
        der_pem(bytes.fromhex("302a300506032b656e032100") + PUBLIC),
        der_pem(bytes.fromhex("302a300506032b6570032100") + PUBLIC[:-1]),
        # Unused bits of the last base64 digit set: another spelling of the same bytes.
        PEM.replace(BODY, BODY[:-2] + chr(ord(BODY[-2]) + 1) + "="),
    ],
)
def test_other_texts_are_no_public_key(text):
    with pytest.raises(InputError, match=r"keys/a\.pub: .*Ed25519") as caught:
        load_public_pem(text, "keys/a.pub")
    assert caught.value.hint


@pytest.mark.parametrize(
    "public", [b"\x01" + bytes(31), bytes(32), b"\xee" + b"\xff" * 30 + b"\x7f", b"\x02" + bytes(31)]
)
def test_keys_under_which_nothing_is_accepted_are_refused(public):
    with pytest.raises(InputError, match="key is refused"):
        load_public_pem(public_pem(public))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_wrong_lengths_have_no_text_form(length):
    for function in (fingerprint, public_pem):
        with pytest.raises(InputError, match=f"32 bytes, not {length}"):
            function(bytes(length))


@given(st.binary(max_size=100))
def test_base64url_round_trip(data):
    text = encode_base64url(data)
    assert decode_base64url(text) == data
    assert "=" not in text


@given(st.text("ABCQgw-_+/= \n", max_size=9) | st.text(max_size=5))
def test_base64url_has_one_spelling(text):
    try:
        data = decode_base64url(text)
    except InputError:
        data = None
    assert data is None or encode_base64url(data) == text


@pytest.mark.parametrize(
    "text", ["A", "AA==", "AB", "AAA\n", " AAA", "AA+A", "AA/A", "AAAAA", "ÄAAA", "AAA="]
)
def test_base64url_refuses(text):
    # "AB" leaves 0001 in the four unused bits; one or five digits cannot be whole bytes.
    with pytest.raises(InputError):
        decode_base64url(text)
