"""What only the tests of edwards25519 need: writing points, and reading encodings that are not canonical."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchsite.signing._edwards import L, P, Point, decode, is_identity, multiply

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "ed25519"


class Curve:
    """edwards25519 with the operations that the product does not need."""

    base = Point(
        # RFC 8032 section 5.1, table 1.
        15112221349535400772501151409588531511454012693041857206046113283949847762202,
        46316835694926478169428394003475163141307993866256225615783033603165251855960,
        1,
        15112221349535400772501151409588531511454012693041857206046113283949847762202
        * 46316835694926478169428394003475163141307993866256225615783033603165251855960
        % P,
    )

    @staticmethod
    def encode(point: Point) -> bytes:
        inverse = pow(point.z, -1, P)
        x, y = point.x * inverse % P, point.y * inverse % P
        return (y | (x & 1) << 255).to_bytes(32, "little")

    @staticmethod
    def decode_leniently(encoding: bytes) -> Point:
        """The point of an encoding whose y may reach p and whose zero x may have a sign."""
        number = int.from_bytes(encoding, "little")
        y, sign = number % (1 << 255) % P, number >> 255
        point = decode((y | sign << 255).to_bytes(32, "little")) or decode(y.to_bytes(32, "little"))
        assert point is not None
        return point

    @staticmethod
    def order(point: Point) -> str:
        if is_identity(multiply(8, point)):
            return "small"
        return "prime" if is_identity(multiply(L, point)) else "mixed"


@pytest.fixture(scope="session")
def curve() -> type[Curve]:
    return Curve


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`edge`, `rfc` and `case` run over the rows of the shared vector files."""
    files = {"edge": "edge-cases.json", "rfc": "rfc8032.json", "case": "cases.json"}
    for argument in files.keys() & set(metafunc.fixturenames):
        rows: list[dict[str, Any]] = json.loads((VECTORS / files[argument]).read_text())
        metafunc.parametrize(argument, rows, ids=[str(row.get("name", row.get("why"))) for row in rows])
