"""Generated doubles, where the languages' ways of writing a number could part; the same for the same seed."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from functools import cache
from math import inf, nextafter
from typing import Final

BLOCK: Final = 10_000
_MANTISSA: Final = 1 << 52


def packed(values: Iterator[float] | list[float]) -> bytes:
    """Eight big-endian bytes each."""
    values = list(values)
    return struct.pack(f">{len(values)}d", *values)


@cache
def blocks(seed: int, count: int) -> tuple[bytes, ...]:
    """Packed doubles in blocks: random bits, subnormals, neighbours of powers of ten and two, integers, short decimals."""
    draw = random.Random(seed)  # noqa: S311 - replayed, never secret
    sixth = BLOCK // 6
    return tuple(
        draw.randbytes(8 * (BLOCK - 5 * sixth))
        + packed([_near(draw, 10.0 ** draw.randint(-323, 308)) for _ in range(sixth)])
        + packed([_near(draw, 2.0 ** draw.randint(-1074, 1023)) for _ in range(sixth)])
        + packed([draw.randrange(1, _MANTISSA) * 5e-324 for _ in range(sixth)])
        + packed([_whole(draw) for _ in range(sixth)])
        + packed([_short(draw) for _ in range(sixth)])
        for _ in range(count // BLOCK)
    )


def _near(draw: random.Random, value: float) -> float:
    for _ in range(draw.randrange(4)):
        value = nextafter(value, draw.choice((inf, 0.0)))
    return value * draw.choice((1, -1))


def _whole(draw: random.Random) -> float:
    """Near the largest exact integer, near 10^21 where exponents begin, or anything between."""
    middle = draw.choice((2**53, 10**21, 10 ** draw.randint(15, 22), 2 ** draw.randint(50, 71)))
    return float(middle + draw.randint(-300, 300) * draw.choice((1, 1, middle >> 52 or 1)))


def _short(draw: random.Random) -> float:
    """A decimal of few digits, as scores are."""
    return round(draw.random(), draw.randint(1, 17)) * 10.0 ** draw.choice((0, 0, -3, -6, -7, 2, 20, 21))
