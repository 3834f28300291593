"""The oracle, the vectors, and small logs whose keys come from public test seeds."""

from __future__ import annotations

import importlib
import json
import sys
from base64 import b64decode
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchsite.signing import PrivateKey


@pytest.fixture(scope="session")
def log_vectors(vectors: Path) -> Path:
    return vectors / "log"


@pytest.fixture(scope="session")
def oracle(log_vectors: Path) -> ModuleType:
    """RFC 6962 and the formats of specs/log.md written down naively, sharing nothing with benchsite."""
    sys.path.insert(0, str(log_vectors))
    try:
        return importlib.import_module("log_oracle")
    finally:
        sys.path.remove(str(log_vectors))


@pytest.fixture(scope="session")
def events(log_vectors: Path, oracle: ModuleType) -> ModuleType:
    """The scenarios behind key-events.json."""
    sys.path.insert(0, str(log_vectors))
    try:
        return importlib.import_module("log_events")
    finally:
        sys.path.remove(str(log_vectors))


@pytest.fixture(scope="session")
def private(oracle: ModuleType):
    """The product's private key for one of the oracle's keys."""

    def of(key: Any) -> PrivateKey:
        return PrivateKey.from_text(oracle.b64(key.seed), "test seed")

    return of


@pytest.fixture(scope="session")
def vector(log_vectors: Path):
    def load(name: str) -> dict[str, Any]:
        return json.loads((log_vectors / name).read_text(encoding="ascii"))

    return load


@pytest.fixture(scope="session")
def rfc6962(shared: Path):
    """Third-party proof cases; a null proof means an empty one."""

    def load(name: str) -> list[dict[str, Any]]:
        cases = json.loads((shared / "vectors" / "rfc6962" / name).read_text(encoding="utf-8"))
        return [case | {"proof": [b64decode(h) for h in case["proof"] or []]} for case in cases]

    return load
