"""The instances of tests/pipeline, and a way to sign what a signer would not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pipeline.conftest import (  # noqa: F401 - fixtures are found by their names here
    begun,
    begun_template,
    credentials,
    published,
    published_template,
    secrets,
)

from benchsite import canonical
from benchsite.signing import PrivateKey, encode_base64url

Sign = Callable[..., bytes]


@pytest.fixture
def signed(secrets: dict[str, PrivateKey]) -> Sign:  # noqa: F811 - it is the fixture imported above
    """The canonical bytes of a document, signed anew: by the receipt key in force, or by another one."""

    def sign(document: dict[str, Any], key: PrivateKey = secrets["receipt"], /, **carried: Any) -> bytes:
        content = {name: value for name, value in document.items() if name != "signature"}
        signature = {
            "algorithm": "Ed25519",
            "publicKeyFingerprint": key.fingerprint,
            "value": encode_base64url(key.sign(canonical.dumps(content))),
            **carried,
        }
        return canonical.dumps({**content, "signature": signature})

    return sign
