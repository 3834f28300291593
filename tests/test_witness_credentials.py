"""A witness's key comes in as the others do and leaves the environment like them."""

from __future__ import annotations

import base64
import os
import subprocess
import sys

import pytest

from benchsite.environment import ROLES, Credentials
from benchsite.errors import PrerequisiteError
from benchsite.signing import PrivateKey

SEED = base64.b64encode(bytes(range(32))).decode()


def test_it_leaves_the_environment_and_its_block() -> None:
    script = (
        "import os\n"
        "from benchsite.environment import take_credentials\n"
        "found = take_credentials()\n"
        f"assert {SEED.encode()!r} not in open('/proc/self/environ', 'rb').read()\n"
        "assert 'BENCHSITE_WITNESS_KEY' not in os.environ\n"
        "print(found.key('witness').fingerprint)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "BENCHSITE_WITNESS_KEY": SEED},
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    assert out.stdout.strip() == PrivateKey.from_text(SEED, "seed").fingerprint


def test_it_is_no_role_of_the_log_and_its_absence_says_how_to_make_one() -> None:
    assert "witness" not in ROLES
    with pytest.raises(PrerequisiteError, match="witness key: BENCHSITE_WITNESS_KEY") as caught:
        Credentials.of().key("witness")
    assert "benchsite log witness-key" in caught.value.hint
