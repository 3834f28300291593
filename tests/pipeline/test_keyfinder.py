"""What counts as a private key, and what does not."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshots import snapshot

from benchsite.pipeline.secrets import keyfinder
from benchsite.pipeline.secrets.keyfinder import KeyFinder
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey, public_pem

BODY = "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49"
STRANGER = PrivateKey.from_text(base64.b64encode(b"\x07" * 32).decode(), "a stranger")
"""A key no log knows."""

SEED = hashlib.sha256(b"a seed of these tests").digest()
OURS_PUBLIC = PrivateKey.from_text(base64.b64encode(SEED).decode(), "x").public
OKP = bytes.fromhex("300506032b657004220420")
"""RFC 8410: AlgorithmIdentifier of Ed25519, then OCTET STRING of OCTET STRING of 32 bytes."""
V1 = bytes.fromhex("302e020100") + OKP + SEED
# RFC 5958: version 1 (v2) has the public key as [1] BIT STRING.
V2 = bytes.fromhex("3051020101") + OKP + SEED + bytes.fromhex("812100") + OURS_PUBLIC


def jwk(kind: str, *, private: bool) -> dict[str, str]:
    text = base64.urlsafe_b64encode(SEED).decode().rstrip("=")
    return {"kty": kind, "crv": "Ed25519", **({"d": text} if private else {}), "x": text[::-1]}


def pem(label: str, body: str = BODY, newline: str = "\n") -> bytes:
    return newline.join((f"-----BEGIN {label}-----", body, f"-----END {label}-----", "")).encode()


FORMS = {
    "PKCS#8": STRANGER.to_pem().encode(),
    "PKCS#8, CR LF": STRANGER.to_pem().replace("\n", "\r\n").encode(),
    "RSA": pem("RSA PRIVATE KEY"),
    "EC": pem("EC PRIVATE KEY"),
    "OpenSSH": pem("OPENSSH PRIVATE KEY"),
    "encrypted": pem("ENCRYPTED PRIVATE KEY"),
    "encrypted, old": pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00"),
    "PGP": pem("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n" + BODY),
    "in JSON": b'{"key": "' + STRANGER.to_pem().replace("\n", "\\n").encode() + b'"}',
    "in YAML": b"key: |\n  " + STRANGER.to_pem().replace("\n", "\n  ").encode(),
    "among binary": b"\x00\xff\xfe\x7fELF" + STRANGER.to_pem().encode() + b"\x00" * 40,
    "DER": base64.b64decode("".join(STRANGER.to_pem().splitlines()[1:-1])),
    "base64 of DER": STRANGER.to_pem().splitlines()[1].encode(),
    "DER, version 1": b"\x7fELF" + V1 + bytes(9),
    "DER, version 2": b"\x7fELF" + V2 + bytes(9),
    "DER of RSA": bytes.fromhex(
        "30820275020100300d06092a864886f70d01010105000482025f3082025b02010002818100b8"
    ),
    "DER of EC": bytes.fromhex("308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420")
    + SEED,
    "DER in hexadecimal": V2.hex().encode(),
    "JWK": json.dumps(jwk("OKP", private=True)).encode(),
    "JWK, indented": json.dumps({"keys": [jwk("EC", private=True)]}, indent=2).encode(),
    "JWK in base64": base64.b64encode(json.dumps(jwk("OKP", private=True)).encode()),
    "PEM in hexadecimal": STRANGER.to_pem().encode().hex().encode(),
    "a variable in base64": b"env: "
    + base64.b64encode(b"BENCHSITE_LOG_KEY=" + base64.b64encode(SEED))
    + b"\n",
    "a variable": b"export BENCHSITE_LOG_KEY='" + base64.b64encode(bytes(32)) + b"'",
    "a variable in YAML": b"  BENCHSITE_RECEIPT_KEY: " + base64.b64encode(bytes(32)) + b"\n",
}
OURS = {
    "raw": SEED,
    "raw with a newline": SEED + b"\n",
    "base64": b"seed = " + base64.b64encode(SEED),
    "base64 without padding": base64.b64encode(SEED).rstrip(b"=") + b"\n",
    "base64url": b'"' + base64.urlsafe_b64encode(SEED) + b'"',
    "hexadecimal": b"0x" + SEED.hex().encode() + b" ",
    "after an escaped newline": b'"seed:\\n' + base64.b64encode(SEED) + b'\\n"',
    "capitals": b"(" + SEED.hex().upper().encode() + b")",
    "after a word and a hyphen": b"seed-" + base64.urlsafe_b64encode(SEED),
    "before a word and a hyphen": SEED.hex().encode() + b"-old",
    "with its public key": base64.b64encode(SEED + OURS_PUBLIC),
    "with its public key in hexadecimal": (SEED + OURS_PUBLIC).hex().encode(),
    "base64 of base64": b"data:\n  key: " + base64.b64encode(base64.b64encode(SEED) + b"\n") + b"\n",
    "at the beginning of a large binary": SEED + bytes(9000),
    "at the end of a large binary": bytes(9000) + SEED,
    "at the end of a large binary, with a newline": bytes(9000) + SEED + b"\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_private_key_is_seen(form: str) -> None:
    assert KeyFinder(()).found(FORMS[form]) is not None


@pytest.mark.parametrize("form", OURS)
def test_a_seed_of_the_logs_own_keys_is_seen_in_any_spelling(form: str) -> None:
    finder = KeyFinder((OURS_PUBLIC,))
    assert finder.found(OURS[form]) == "the seed of a private key of this log"
    assert finder.found(OURS[form]) is not None, "in a second file too"
    assert KeyFinder((STRANGER.public,)).found(OURS[form]) is None


@pytest.mark.parametrize(
    "harmless",
    [
        public_pem(STRANGER.public).encode(),
        b"keys look like -----BEGIN PRIVATE KEY-----, then base64, then the end",
        b"```\n-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n```",
        b"BENCHSITE_RECEIPT_KEY: ${{ secrets.BENCHSITE_RECEIPT_KEY }}",
        b'export BENCHSITE_LOG_KEY_FILE="$HOME/keys/log.pem"',
        SEED.hex().encode(),
        b"",
        json.dumps(jwk("OKP", private=False)).encode(),
        json.dumps({"a": 1, "d": "A" * 43}).encode(),
        base64.b64encode(public_pem(STRANGER.public).encode()),
    ],
)
def test_what_is_no_private_key_is_left_alone(harmless: bytes) -> None:
    assert KeyFinder((STRANGER.public,)).found(harmless) is None


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_whatever_stands_around_a_key_does_not_hide_it(before: bytes, after: bytes) -> None:
    assert KeyFinder(()).found(before + FORMS["PKCS#8"] + after) is not None


def test_the_number_of_candidates_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyfinder, "MOST_CANDIDATES", 3)
    finder = KeyFinder((STRANGER.public,))
    assert finder.found(b"\n".join(bytes([place]).hex().encode() * 32 for place in range(9))) is None
    assert finder.gave_up


PEM = STRANGER.to_pem().encode()


@pytest.mark.parametrize("alphabet", [b"+/", b"-_"])
@pytest.mark.parametrize("before", range(6))
@pytest.mark.parametrize("key", [PEM, V1, V2], ids=["PEM", "DER v1", "DER v2"])
def test_a_key_anywhere_in_base64(key: bytes, before: int, alphabet: bytes) -> None:
    encoded = base64.b64encode(b"\xf7" * before + key, alphabet)
    assert KeyFinder(()).found(b"key: " + encoded + b"\n") is not None
    assert KeyFinder(()).found(b"key\n" + encoded) is not None, "whatever stands before it"


@pytest.mark.parametrize("break_", [b"\n", b"\r\n    ", b"\\n"])
def test_a_key_in_base64_of_76_columns(break_: bytes) -> None:
    lines = base64.encodebytes(PEM).split()
    assert KeyFinder(()).found(b"key: |" + break_ + break_.join(lines)) is not None


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_whatever_is_encoded_with_a_key_does_not_hide_it(before: bytes, after: bytes) -> None:
    assert KeyFinder(()).found(base64.b64encode(before + PEM + after)) is not None
    assert KeyFinder(()).found((before + V2 + after).hex().encode()) is not None


@given(st.binary(max_size=500))
def test_any_bytes_can_be_looked_through(data: bytes) -> None:
    for text in (data, base64.b64encode(data), data.hex().encode(), data.hex(":").encode()):
        assert KeyFinder((OURS_PUBLIC,)).found(text) is None


def lock_file() -> bytes:
    rows = []
    for place in range(300):
        name = f"package-{place}".encode()
        wide = base64.b64encode(hashlib.sha512(name).digest()).decode()
        rows.append(
            f'{{ url = "https://files/{place}", hash = "sha256:{hashlib.sha256(name).hexdigest()}" }},'
        )
        rows.append(f'"integrity": "sha512-{wide}",')
    return "\n".join(rows).encode()


ORDINARY = {
    "lock file": lock_file(),
    "picture in base64": b'<img src="data:image/png;base64,'
    + base64.b64encode(b"\x89PNG" + os.urandom(30_000))
    + b'">',
    "wrapped picture": base64.encodebytes(b"\x89PNG" + os.urandom(30_000)),
    "picture": b"\x89PNG\r\n\x1a\n" + os.urandom(300_000),
    "small picture": b"\x89PNG\r\n\x1a\n" + os.urandom(1500),
    "certificate": b"-----BEGIN CERTIFICATE-----\n"
    + base64.encodebytes(os.urandom(900))
    + b"-----END CERTIFICATE-----\n",
    "table": b"\n".join(b"%02d, %02d, %02d" % (row % 97, row % 89, row % 83) for row in range(10, 900)),
}


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_content_raises_no_alarm(kind: str) -> None:
    finder = KeyFinder((OURS_PUBLIC, STRANGER.public))
    assert finder.found(ORDINARY[kind]) is None
    assert not finder.gave_up
    assert len(finder._tried) < 3000, "nor costs much"


def test_receipts_raise_no_alarm(published: Workspace) -> None:
    log = snapshot(published).log
    finder = KeyFinder([key.public_key for key in log.keyring])
    files = published.repository.tree("results", rev="HEAD")
    assert sum(item.path.startswith("results/published/") for item in files) >= 4
    assert [item.path for item in files if finder.found(published.repository.blob(item.blob_id))] == []


def test_what_is_said_not_to_be_found() -> None:
    """The page says so; where one of these is found one day, it is to say that instead."""
    finder = KeyFinder((OURS_PUBLIC,))
    assert finder.found(bytes(9000) + SEED + bytes(9000)) is None
    assert finder.found(base64.b32encode(SEED)) is None
    assert finder.found(SEED.hex(":").encode()) is None
    assert finder.found(PEM.decode().encode("utf-16")) is None
    assert finder.found(base64.b64encode(base64.b64encode(base64.b64encode(PEM)))) is None


def test_pieces_are_searched_as_one() -> None:
    finder = KeyFinder((OURS_PUBLIC,))
    encoded = b"." * 9000 + base64.b64encode(PEM)
    for cut in range(8990, len(encoded)):
        assert KeyFinder(()).found_in((encoded[:cut], encoded[cut:])) is not None
    assert finder.found_in((bytes(9000), bytes(9000), bytes(100) + SEED)) is not None
    assert finder.found_in((SEED + bytes(9000), bytes(9000))) is not None


HOSTILE = {
    "backslashes": b"\\",
    "the beginning of a PEM": b"-----BEGIN PRIVATE KEY-----\n",
    "the beginning of a PEM, in base64": b"LS0tLS1CRUdJTi",
    "the identifier of Ed25519, in base64": b"BgMrZQ",
    "members d": b'"d":"' + b"A" * 43 + b'","kty":"oct",',
    "objects without an end": b'{"kty":"OKP",',
    "31 pairs": b"aa" * 31 + b"z",
    "runs of base64": b"A" * 43 + b".",
    "zeros": b"\0",
}


@pytest.mark.parametrize("part", HOSTILE)
def test_the_work_is_linear_in_the_bytes(part: str) -> None:
    """A mebibyte takes about a second at most; what is quadratic takes minutes."""
    data = (HOSTILE[part] * (2**20 // len(HOSTILE[part]) + 1))[: 2**20]
    began = time.process_time()
    assert KeyFinder((OURS_PUBLIC,)).found(data) is None
    assert time.process_time() - began < 15
