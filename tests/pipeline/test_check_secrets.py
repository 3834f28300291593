from __future__ import annotations

import base64
import os

import pytest
from branches import Work, failing
from hypothesis import given
from hypothesis import strategies as st

from benchsite.pipeline.check import secrets
from benchsite.pipeline.check.secrets import KeyFinder
from benchsite.pipeline.instance import Instance
from benchsite.signing import PrivateKey, public_pem

BODY = "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49"
STRANGER = PrivateKey.generate()
"""A key no log knows."""

# The log's receipt key in tests is the seed of 32 bytes 0x02 (conftest: secrets).
SEED = bytes([2]) * 32


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
    "UTF-16": STRANGER.to_pem().encode("utf-16"),
    "DER": base64.b64decode("".join(STRANGER.to_pem().splitlines()[1:-1])),
    "base64 of DER": STRANGER.to_pem().splitlines()[1].encode(),
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
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_private_key_is_seen(form: str) -> None:
    assert KeyFinder(()).found(FORMS[form]) is not None


@pytest.mark.parametrize("form", OURS)
def test_a_seed_of_the_logs_own_keys_is_seen_in_any_spelling(form: str) -> None:
    ours = PrivateKey.from_text(base64.b64encode(SEED).decode(), "x").public
    finder = KeyFinder((ours,))
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
    ],
)
def test_what_is_no_private_key_is_left_alone(harmless: bytes) -> None:
    assert KeyFinder((STRANGER.public,)).found(harmless) is None


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_whatever_stands_around_a_key_does_not_hide_it(before: bytes, after: bytes) -> None:
    assert KeyFinder(()).found(before + FORMS["PKCS#8"] + after) is not None


def test_the_number_of_candidates_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "MOST_CANDIDATES", 3)
    finder = KeyFinder((STRANGER.public,))
    assert finder.found(b"\n".join(bytes([place]).hex().encode() * 32 for place in range(9))) is None
    assert finder.gave_up


def test_a_key_that_a_later_commit_removes_is_still_leaked(published: Instance) -> None:
    text = STRANGER.to_pem()
    work = Work(published)
    added = work.adds({"deploy/key.txt": text.encode()})
    work.adds({}, removes=("deploy/key.txt",))
    (item,) = work.step("private keys").items
    assert (item.where, item.code) == ("deploy/key.txt", 3)
    assert added[:12] in item.message
    assert "not enough" in item.hint
    assert "ROTATION.md" in item.hint
    assert text.splitlines()[1][:20] not in f"{item}"
    assert work.checked().exit_code == 3


def test_a_key_of_the_log_is_known_by_its_public_half(published: Instance) -> None:
    work = Work(published)
    work.adds({"notes.txt": b"remember " + base64.b64encode(SEED)})
    (item,) = work.step("private keys").items
    assert "a private key of this log" in item.message


def test_a_large_file_is_searched_in_pieces(begun: Instance) -> None:
    """The key straddles the first boundary between pieces of 1 MiB, far from both ends."""
    key = FORMS["PKCS#8"]
    work = Work(begun)
    work.adds({"large.bin": os.urandom(2**20 - 60) + key + os.urandom(9 * 2**20)})
    assert failing(work.checked()) == {"private keys": [("large.bin", 3)]}


def test_a_key_before_the_branch_is_not_this_branchs(begun: Instance) -> None:
    old = Work(begun)
    base = old.adds({"old.pem": FORMS["PKCS#8"]})
    old.adds({"new.txt": b"hello"})
    assert old.checked(onto=base).ok
    assert failing(old.checked())["private keys"] == [("old.pem", 3)]


def test_a_merge_that_brings_a_key_in(begun: Instance) -> None:
    work = Work(begun)
    work.git("switch", "-qc", "side")
    work.adds({"a.txt": b"a"})
    work.git("switch", "-q", "main")
    work.adds({"b.txt": b"b"})
    work.git("merge", "-q", "--no-commit", "side")
    (begun.root / "key.pem").write_bytes(FORMS["EC"])
    work.git("add", "key.pem")
    work.git("commit", "-qm", "merge")
    assert failing(work.checked()) == {"private keys": [("key.pem", 3)]}


def test_names_that_are_not_utf8(begun: Instance) -> None:
    work = Work(begun)
    path = os.fsdecode(os.fsencode(begun.root) + b"/\xff key.pem")
    with open(path, "wb") as out:  # noqa: PTH123 - a name that is no text
        out.write(FORMS["RSA"])
    work.git("add", "-A")
    work.git("commit", "-qm", "a strange name")
    assert failing(work.checked()) == {"private keys": [("\ufffd key.pem", 3)]}
