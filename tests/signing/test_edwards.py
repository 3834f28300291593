from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from benchsite.signing._edwards import (
    IDENTITY,
    D,
    L,
    P,
    add,
    decode,
    double,
    generates_prime_order_subgroup,
    has_canonical_form,
    is_identity,
    multiply,
    scalar_is_reduced,
)

ENCODINGS = st.binary(min_size=32, max_size=32) | st.integers(0, 40).flatmap(
    # Near the edges of the field, where canonical and not canonical meet, with both signs.
    lambda n: st.sampled_from([n, P - 20 + n, n | 1 << 255, (P - 20 + n) | 1 << 255]).map(
        lambda number: number.to_bytes(32, "little")
    )
)


def same(a, b) -> bool:
    return (a.x * b.z - b.x * a.z) % P == 0 and (a.y * b.z - b.y * a.z) % P == 0


@given(ENCODINGS)
def test_what_decodes_is_on_the_curve_and_has_this_one_encoding(curve, encoding):
    point = decode(encoding)
    if point is not None:
        assert (-(point.x**2) + point.y**2 - 1 - D * point.x**2 * point.y**2) % P == 0
        assert curve.encode(point) == encoding


@given(ENCODINGS)
def test_what_does_not_decode_is_not_on_the_curve_or_not_canonical(encoding):
    # x^2 = (y^2 - 1) / (d y^2 + 1); by Euler's criterion a non-square has the power -1.
    y = int.from_bytes(encoding, "little") % (1 << 255)
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    is_square = pow(x2, (P - 1) // 2, P) != P - 1
    assert (decode(encoding) is not None) == (is_square and has_canonical_form(encoding))


@pytest.mark.parametrize(
    ("number", "canonical"),
    [
        (0, True),
        (1, True),
        (P - 1, True),
        (P, False),
        (P + 1, False),
        ((1 << 255) - 1, False),
        (0 | 1 << 255, True),
        (2 | 1 << 255, True),
        (1 | 1 << 255, False),
        ((P - 1) | 1 << 255, False),
        (P | 1 << 255, False),
    ],
)
def test_canonical_form(number, canonical):
    assert has_canonical_form(number.to_bytes(32, "little")) is canonical


@given(st.integers(0, L), st.integers(0, L))
def test_multiplication_is_repeated_addition(curve, m, n):
    total = add(multiply(m, curve.base), multiply(n, curve.base))
    assert same(total, multiply(m + n, curve.base))
    assert same(double(total), add(total, total))


@given(st.binary(min_size=32, max_size=32))
def test_public_keys_are_those_of_the_engine(curve, seed):
    # RFC 8032 section 5.1.5.
    scalar = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little") & ((1 << 254) - 8) | 1 << 254
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    assert curve.encode(multiply(scalar, curve.base)) == public


def test_subgroup(curve):
    torsion = decode(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"))
    assert torsion is not None
    assert is_identity(multiply(8, torsion))
    assert not is_identity(multiply(4, torsion))
    assert generates_prime_order_subgroup(curve.base)
    assert not generates_prime_order_subgroup(IDENTITY)
    for n in range(1, 8):
        assert not generates_prime_order_subgroup(multiply(n, torsion))
        assert not generates_prime_order_subgroup(add(curve.base, multiply(n, torsion)))


def test_scalar_bound():
    assert scalar_is_reduced((L - 1).to_bytes(32, "little"))
    assert not scalar_is_reduced(L.to_bytes(32, "little"))
    assert not scalar_is_reduced(b"\xff" * 32)
