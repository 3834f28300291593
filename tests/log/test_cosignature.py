from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import IntegrityError
from benchsite.log import Checkpoint, Cosignature, NoteError, NoteSignature, Witness, cosign
from benchsite.log.cosignature import (
    MAX_COSIGNATURES_BYTES,
    MAX_TIME,
    decode_cosignatures,
    encode_cosignatures,
)
from benchsite.signing import PrivateKey

NAME = "witness.example/w1"
SEED = bytes(range(32))
KEY = PrivateKey.from_text(b64encode(SEED).decode(), "test seed")
HEAD = Checkpoint("a.example/log", 70, sha256(b"root").digest())

# As notes allow them: no white space, no plus, no control, at least one character.
names = st.text(
    st.characters(
        min_codepoint=0x21, exclude_categories=("Zs", "Zl", "Zp", "Cc", "Cs"), exclude_characters="+"
    ),
    min_size=1,
    max_size=20,
)
keys = st.binary(min_size=32, max_size=32)
lines = st.builds(
    Cosignature,
    st.integers(1, MAX_TIME),
    st.builds(NoteSignature, names, st.binary(min_size=4, max_size=4), st.binary(min_size=1, max_size=100)),
)


def test_the_bytes_are_those_of_the_specification():
    """C2SP tlog-cosignature, "Format" and "Ed25519 signed message", written out by hand with another library."""
    time = 1_679_315_147
    public = Ed25519PrivateKey.from_private_bytes(SEED).public_key().public_bytes_raw()
    signed = b"cosignature/v1\ntime 1679315147\na.example/log\n70\n" + b64encode(HEAD.root) + b"\n"
    line = cosign(HEAD, name=NAME, key=KEY, time=time)
    assert line.key_id == sha256(NAME.encode() + b"\n\x04" + public).digest()[:4]
    # In the specification's own example the base64 after the key id begins AAAAAGQYUMs.
    assert line.signature[:8] == b64decode("AAAAAGQYUMs=")
    assert len(line.signature) == 72
    Ed25519PublicKey.from_public_bytes(public).verify(line.signature[8:], signed)
    assert Witness(NAME, public).check(HEAD, line) == time


@given(name=names, key=keys)
def test_a_verifier_key_is_read_back(name: str, key: bytes):
    witness = Witness(name, key)
    assert Witness.parse(str(witness)) == witness
    found = sha256(name.encode() + b"\n\x04" + key).hexdigest()[:8]
    assert str(witness) == f"{name}+{found}+{b64encode(bytes([4]) + key).decode()}"


@given(
    text=st.lists(
        st.sampled_from([*str(Witness(NAME, KEY.public)).split("+"), "+", "04", "BA==", NAME, " ", "é"]),
        max_size=7,
    ).map("".join)
)
def test_whatever_is_read_as_a_verifier_key_is_written_the_same(text: str):
    try:
        witness = Witness.parse(text)
    except NoteError:
        return
    assert str(witness) == text


def vkey(name: str = NAME, key: bytes = KEY.public, kind: bytes = b"\x04", id_: str = "") -> str:
    found = sha256(name.encode() + b"\n" + kind + key).hexdigest()[:8]
    return f"{name}+{id_ or found}+{b64encode(kind + key).decode()}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "verifier key"),
        ("a.example", "verifier key"),
        (vkey(id_="DEADBEEF"), "verifier key"),
        (vkey(id_="deadbeef"), "id is deadbeef"),
        (vkey(kind=b"\x01"), "type is 01"),
        (vkey(kind=b"\x06"), "type is 06"),
        (vkey(key=KEY.public[:31]), "has 31 bytes"),
        (vkey(name=""), "has a space"),
        (vkey(name="a b"), "has a space"),
        (f"{NAME}+00000000+", "type is missing"),
        (f"{NAME}+00000000+B", "canonical base64"),
    ],
)
def test_verifier_keys_that_are_refused(text: str, says: str):
    with pytest.raises(NoteError, match=says):
        Witness.parse(text)


@given(found=st.lists(lines, max_size=5))
def test_the_file_is_read_back(found: list[Cosignature]):
    assert decode_cosignatures(encode_cosignatures(found)) == tuple(found)


@given(
    data=st.lists(
        st.sampled_from(
            ["70", "0", "007", "-1", " ", "—", "-", NAME, "AAAAAAA=", "AAAAAAB=", "\n", "\r", "\t", "9" * 16]
        ),
        max_size=14,
    ).map(lambda parts: "".join(parts).encode())
)
def test_whatever_is_read_is_written_the_same(data: bytes):
    try:
        found = decode_cosignatures(data)
    except IntegrityError:
        return
    assert encode_cosignatures(found) == data


GOOD = f"70 — {NAME} AAAAAAA=\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (GOOD.encode()[:-1], "line 1: cut short"),
        ((GOOD + "70").encode(), "line 2: cut short"),
        ((GOOD + "\n").encode(), "line 2: size ''"),
        (
            GOOD.replace("70", "070").encode(),
            "line 1: size '070'",
        ),
        (GOOD.replace("70", "0").encode(), "line 1: size '0'"),
        (
            GOOD.replace("70", "9" * 16).encode(),
            "line 1: size 9999999999999999",
        ),
        (GOOD.replace("—", "-").encode(), "line 1: .*signature line"),
        (GOOD.replace("\n", "\r\n").encode(), "line 1: .*base64"),
        (b"\xff\n", "UTF-8 .*byte 0"),
        (b"7" * (MAX_COSIGNATURES_BYTES + 1), "8,388,608"),
    ],
)
def test_files_that_are_refused_name_the_line(data: bytes, says: str):
    with pytest.raises(IntegrityError, match=f"results/log/cosignatures.*{says}"):
        decode_cosignatures(data)


def test_an_absent_file_holds_none():
    assert decode_cosignatures(b"") == ()


@pytest.mark.parametrize("time", [0, -1, MAX_TIME + 1])
def test_times_that_are_refused(time: int):
    with pytest.raises(NoteError, match="time"):
        cosign(HEAD, name=NAME, key=KEY, time=time)
    if time >= 0:
        signed = time.to_bytes(8, "big") + bytes(64)
        witness = Witness(NAME, KEY.public)
        with pytest.raises(NoteError, match=f"has time {time}"):
            witness.check(HEAD, NoteSignature(NAME, witness.key_id, signed))


def test_a_cosignature_covers_time_origin_size_and_root():
    witness = Witness(NAME, KEY.public)
    line = cosign(HEAD, name=NAME, key=KEY, time=7)
    later = NoteSignature(NAME, line.key_id, (8).to_bytes(8, "big") + line.signature[8:])
    for checkpoint, signature in (
        (HEAD, later),
        (Checkpoint("b.example/log", 70, HEAD.root), line),
        (Checkpoint("a.example/log", 71, HEAD.root), line),
        (Checkpoint("a.example/log", 70, bytes(32)), line),
        (HEAD, NoteSignature(NAME, line.key_id, line.signature[:8] + KEY.sign(HEAD.text().encode()))),
    ):
        with pytest.raises(NoteError, match="does not verify"):
            witness.check(checkpoint, signature)
    with pytest.raises(NoteError, match="71 bytes"):
        witness.check(HEAD, NoteSignature(NAME, line.key_id, line.signature[:-1]))
