from __future__ import annotations

import base64
import copy
import pickle
import traceback

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from benchsite.errors import InputError
from benchsite.signing import PrivateKey, public_pem, verify

SEED = bytes(range(32))
SEED_TEXT = base64.b64encode(SEED).decode()
ENGINE = Ed25519PrivateKey.from_private_bytes(SEED)


def pem(key, encryption=None, form=PrivateFormat.PKCS8) -> str:
    return key.private_bytes(Encoding.PEM, form, encryption or NoEncryption()).decode()


def test_golden_log_key():
    # The verifier key in the log specification ends in base64(0x01 || public key).
    golden = base64.b64decode("AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4")
    assert PrivateKey.from_text(SEED_TEXT, "seed").public == golden[1:]


def test_rfc8032_signatures(rfc):
    key = PrivateKey.from_text(base64.b64encode(bytes.fromhex(rfc["seed"])).decode(), "seed")
    assert key.public.hex() == rfc["publicKey"]
    assert key.sign(bytes.fromhex(rfc["message"])).hex() == rfc["signature"]


@pytest.mark.parametrize(
    "text",
    [SEED_TEXT, f"\n {SEED_TEXT}\r\n", pem(ENGINE), pem(ENGINE).replace("\n", "\r\n"), "  " + pem(ENGINE)],
)
def test_texts_of_one_key(text):
    key = PrivateKey.from_text(text, "BENCHSITE_RECEIPT_KEY")
    assert key.public == ENGINE.public_key().public_bytes_raw()


def test_generated_keys_differ_and_come_back_from_their_pem():
    one, other = PrivateKey.generate(), PrivateKey.generate()
    assert one.public != other.public
    assert PrivateKey.from_text(one.to_pem(), "x").public == one.public
    assert verify(one.public, b"m", PrivateKey.from_text(one.to_pem(), "x").sign(b"m"))


BAD = {
    "empty": ("", "is empty"),
    "blank": (" \n", "is empty"),
    "short seed": (SEED_TEXT[:-4], "is neither"),
    "no padding": (SEED_TEXT[:-1], "is neither"),
    "33 bytes": (base64.b64encode(SEED + b"x").decode(), "is neither"),
    "hex seed": (SEED.hex(), "is neither"),
    "base64url": (base64.urlsafe_b64encode(b"\xff" * 32).decode(), "is neither"),
    "unused bits set": (SEED_TEXT[:-2] + "9=", "is neither"),
    "two seeds": (SEED_TEXT + "\n" + SEED_TEXT, "is neither"),
    "surrogate": (SEED_TEXT + "\udcff", "is neither"),
    "damaged PEM": (pem(ENGINE).replace("MC4C", "MC5C"), "is a damaged PEM private key"),
    "cut PEM": (pem(ENGINE)[:60], "is a damaged PEM private key"),
    "surrogate in PEM": (pem(ENGINE)[:40] + "\udcff" + pem(ENGINE)[40:], "is a damaged PEM private key"),
    "public key": (public_pem(ENGINE.public_key().public_bytes_raw()), "is a public key"),
    "encrypted": (pem(ENGINE, BestAvailableEncryption(b"pass")), "is encrypted"),
    "OpenSSH": (pem(ENGINE, form=PrivateFormat.OpenSSH), "OpenSSH"),
    "X25519": (pem(X25519PrivateKey.generate()), "not an Ed25519 one"),
    "P-256": (pem(generate_private_key(SECP256R1())), "not an Ed25519 one"),
    "SEC1": (pem(generate_private_key(SECP256R1()), form=PrivateFormat.TraditionalOpenSSL), "another kind"),
}


def windows(secret: str) -> set[str]:
    """Every run of 8 characters of the key's body; none may appear anywhere."""
    body = "".join(line for line in secret.split() if "-----" not in line and "KEY" not in line)
    return {body[i : i + 8] for i in range(len(body) - 7)}


@pytest.mark.parametrize(("text", "what"), BAD.values(), ids=BAD.keys())
def test_other_texts_are_refused_and_leave_no_trace(text, what):
    with pytest.raises(InputError, match=f"BENCHSITE_LOG_KEY: .*{what}") as caught:
        PrivateKey.from_text(text, "BENCHSITE_LOG_KEY")
    error = caught.value
    assert error.hint
    assert error.__cause__ is None
    assert error.__context__ is None
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][1:]
    assert frames
    shown = " ".join([str(error), repr(error), error.hint, *(repr(frame.f_locals) for frame in frames)])
    assert not {window for window in windows(text) if window in shown}


def test_a_key_never_shows_itself():
    key = PrivateKey.from_text(SEED_TEXT, "x")
    shown = f"{key} {key!r} {key!s} {[key]} {dir(key)} {key.__class__.__dict__}"
    assert key.fingerprint in repr(key)
    for secret in (SEED.hex(), SEED_TEXT, repr(SEED), *windows(key.to_pem())):
        assert secret not in shown
    assert not hasattr(key, "__dict__")


@pytest.mark.parametrize("copier", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_key_is_never_copied(copier):
    with pytest.raises(TypeError, match="copied or pickled"):
        copier(PrivateKey.from_text(SEED_TEXT, "x"))
