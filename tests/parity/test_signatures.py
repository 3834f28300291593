"""Signatures, true, altered and made to divide implementations: one answer, natively and by the bundled fallback."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from parity.engines import Engine

from benchsite.signing import PrivateKey, verify
from benchsite.signing._edwards import L, P

SEED: Final = 8032
Triple = tuple[bytes, bytes, bytes]
# RFC 8032: points of order 1, 2, 4 and 8, some of them spelled as they must not be.
_SMALL: Final = (
    "01" + "00" * 31,
    "ec" + "ff" * 30 + "7f",
    "00" * 32,
    "00" * 31 + "80",
    "01" + "00" * 30 + "80",
    "ee" + "ff" * 30 + "7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
)


def _altered(draw: random.Random, triple: Triple) -> Triple:
    """One change of one part."""
    public, message, signature = triple
    small, other = (bytes.fromhex(draw.choice(_SMALL)) for _ in range(2))
    beyond = (P + draw.randrange(19)).to_bytes(32, "little")
    raised = int.from_bytes(signature[32:], "little") + L * draw.randint(1, 15)
    cut = draw.choice((0, 31, 33, 63, 65))
    return draw.choice(
        (
            _flipped(draw, triple),
            (public, message, signature[:32] + raised.to_bytes(32, "little")),
            (public, message, small + signature[32:]),
            (small, message, signature),
            (small, message, other + bytes(32)),
            (beyond, message, signature),
            (public, message, beyond + signature[32:]),
            (public[:cut], message, signature),
            (public, message, (signature + b"\0")[:cut]),
            (draw.randbytes(32), message, draw.randbytes(63) + bytes([draw.randrange(16)])),
            (public, message + b"\0", signature),
        )
    )


def _flipped(draw: random.Random, triple: Triple) -> Triple:
    """One bit of one part."""
    parts = [*map(bytearray, triple)]
    part = draw.choice([part for part in parts if part])
    part[draw.randrange(len(part))] ^= 1 << draw.randrange(8)
    return bytes(parts[0]), bytes(parts[1]), bytes(parts[2])


@cache
def triples(count: int) -> list[tuple[Triple, bool]]:
    draw = random.Random(SEED)  # noqa: S311 - replayed, never secret
    keys = [PrivateKey.from_text(b64encode(draw.randbytes(32)).decode(), "test key") for _ in range(20)]
    made: list[tuple[Triple, bool]] = []
    for place in range(count):
        key, message = draw.choice(keys), draw.randbytes(draw.choice((0, 1, 32, 300)))
        triple = key.public, message, key.sign(message)
        if place % 4:
            triple = _altered(draw, triple)
        made.append((triple, verify(*triple)))
    return made


def ask(engine: Engine, asked: list[Triple]) -> list[Any]:
    return engine.ask("signature", [[part.hex() for part in triple] for triple in asked])


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.full)])
def test_generated_signatures(any_engine: Engine, count: int):
    made = triples(count)
    found = ask(any_engine, [triple for triple, _ in made])
    wrong = [
        ([part.hex() for part in triple], expected)
        for (triple, expected), got in zip(made, found, strict=True)
        if got is not expected
    ]
    assert wrong == [], f"{len(wrong)} of {count}; python says {wrong[0]}"
    assert count // 4 <= found.count(True) < count // 2


@pytest.mark.parametrize(
    ("name", "count"), [("rfc8032.json", 4), ("edge-cases.json", 12), ("cases.json", None)]
)
def test_shared_vectors(any_engine: Engine, vectors: Path, name: str, count: int | None):
    rows = json.loads((vectors / "ed25519" / name).read_text())
    assert count is None or len(rows) >= count
    found = ask(any_engine, [_parts(row) for row in rows])
    assert [row for row, got in zip(rows, found, strict=True) if got is not row.get("expected", True)] == []


def test_wycheproof(any_engine: Engine, shared: Path):
    suite = json.loads((shared / "vectors" / "ed25519" / "wycheproof_ed25519_test.json").read_text())
    rows = [
        (group["publicKey"]["pk"], test["msg"], test["sig"], test["result"] == "valid")
        for group in suite["testGroups"]
        for test in group["tests"]
    ]
    found = ask(any_engine, [(bytes.fromhex(a), bytes.fromhex(m), bytes.fromhex(s)) for a, m, s, _ in rows])
    assert len(rows) == 151
    assert [row for row, got in zip(rows, found, strict=True) if got is not row[3]] == []


def _parts(row: dict[str, str]) -> Triple:
    return (
        bytes.fromhex(row["publicKey"]),
        bytes.fromhex(row["message"]),
        bytes.fromhex(row["signature"]),
    )
