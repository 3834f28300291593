"""The arithmetic of edwards25519 that the signature pre-check needs (RFC 8032 sections 5.1 to 5.1.4).

Public inputs only: nothing here is constant-time, and no secret ever reaches it. The curve is
-x^2 + y^2 = 1 + d x^2 y^2 over the integers modulo p. Points are kept in extended homogeneous coordinates
(X, Y, Z, T) with x = X/Z, y = Y/Z and x y = T/Z.
"""

from __future__ import annotations

from typing import Final, NamedTuple

P: Final = 2**255 - 19
"""The field's modulus."""

L: Final = 2**252 + 27742317777372353535851937790883648493
"""The order of the prime-order subgroup, which the base point generates."""

D: Final = -121665 * pow(121666, -1, P) % P
_SQRT_OF_MINUS_1: Final = pow(2, (P - 1) // 4, P)
_SIGN_BIT: Final = 1 << 255


class Point(NamedTuple):
    """A point in extended homogeneous coordinates, each modulo `P`."""

    x: int
    y: int
    z: int
    t: int


IDENTITY: Final = Point(0, 1, 1, 0)


def has_canonical_form(encoding: bytes) -> bool:
    """Whether 32 bytes could be the one encoding of a point: y below p, and no sign where x must be 0.

    Says nothing about whether that point exists; `decode` does, at the cost of a square root.
    """
    number = int.from_bytes(encoding, "little")
    y = number & ~_SIGN_BIT
    # x = 0 exactly where y^2 = 1; RFC 8032 section 5.1.3 step 4 then refuses a set sign bit.
    return y < P and not (number & _SIGN_BIT and y in (1, P - 1))


def decode(encoding: bytes) -> Point | None:
    """The point that 32 bytes encode canonically (RFC 8032 section 5.1.3), or None."""
    if not has_canonical_form(encoding):
        return None
    number = int.from_bytes(encoding, "little")
    y = number & ~_SIGN_BIT
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    # The candidate root of u/v, with the inversion folded into the power.
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P == -u % P:
        x = x * _SQRT_OF_MINUS_1 % P
    if v * x * x % P != u:
        return None
    if x & 1 != number >> 255:
        x = P - x
    return Point(x, y, 1, x * y % P)


def add(a: Point, b: Point) -> Point:
    """The sum of two points; the formula is complete, so they may be equal or the identity."""
    m = (a.y - a.x) * (b.y - b.x) % P
    n = (a.y + a.x) * (b.y + b.x) % P
    c = 2 * D * a.t * b.t % P
    d = 2 * a.z * b.z % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return Point(e * f % P, g * h % P, f * g % P, e * h % P)


def double(a: Point) -> Point:
    """Twice a point, cheaper than adding it to itself."""
    xx, yy = a.x * a.x % P, a.y * a.y % P
    h = xx + yy
    e = h - (a.x + a.y) ** 2
    g = xx - yy
    f = 2 * a.z * a.z + g
    return Point(e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar: int, point: Point) -> Point:
    """A point times a scalar of at least 0."""
    result = IDENTITY
    for bit in f"{scalar:b}":
        result = double(result)
        if bit == "1":
            result = add(result, point)
    return result


def is_identity(point: Point) -> bool:
    """Whether a point is the neutral element (0, 1)."""
    return point.x % P == 0 and (point.y - point.z) % P == 0


def generates_prime_order_subgroup(point: Point) -> bool:
    """Whether a point has order exactly L: it is not the identity, and L times it is. About a millisecond."""
    return not is_identity(point) and is_identity(multiply(L, point))


def scalar_is_reduced(encoding: bytes) -> bool:
    """Whether 32 little-endian bytes are a scalar below L (RFC 8032 section 5.1.7 step 1)."""
    return int.from_bytes(encoding, "little") < L
