"""The binary logarithm whose last bit is the same everywhere.

Owns one function made of + − × ÷ on doubles in a written order, because libm and V8 round theirs differently. Within 4 units
in the last place of the true value, and exact at powers of two. Source: the series of artanh (Abramowitz and Stegun 4.1.27).
"""

from __future__ import annotations

import math
from typing import Final

TWO_BY_LN2: Final = 2.8853900817779268
SQRT_HALF: Final = 0.7071067811865476
TERMS: Final = 11


def log2(x: float) -> float:
    """Return the binary logarithm of a positive finite double.

    With x = m × 2^e, m in [√½, √2), s = (m − 1) ÷ (m + 1) and z = s × s: e + s × p × (2 ÷ ln 2), p being
    1 + z × (1 ÷ 3 + z × (1 ÷ 5 + … + z × (1 ÷ 23))), evaluated from the inside.

    Raises:
        ValueError: x is not positive and finite.
    """
    if not 0 < x < math.inf:
        raise ValueError(f"{x} has no logarithm here")
    m, e = math.frexp(x)
    if m < SQRT_HALF:
        m, e = m * 2, e - 1
    s = (m - 1) / (m + 1)
    z = s * s
    p = 1 / (2 * TERMS + 1)
    for k in range(TERMS - 1, -1, -1):
        p = p * z + 1 / (2 * k + 1)
    return e + s * p * TWO_BY_LN2
