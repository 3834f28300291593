"""The one source of pseudo-randomness: SplitMix64 over a counter.

Owns the words every seeded thing is drawn from (Steele, Lea and Flood 2014, with the constants of Vigna's
reference ``splitmix64.c``). Word i of stream ``seed`` is ``mix(seed + (i + 1) × GAMMA mod 2^64)``: any word can
be had without those before it, and a stream is a pure function of two integers. ``resample.words`` draws many
at once. Refuses seeds outside 64 bits.
"""

from __future__ import annotations

from typing import Final

GAMMA: Final = 0x9E3779B97F4A7C15
MIX_1: Final = 0xBF58476D1CE4E5B9
MIX_2: Final = 0x94D049BB133111EB
MASK: Final = 2**64 - 1


def offset(seed: int, index: int) -> int:
    """What word ``index`` (from 0) of stream ``seed`` is mixed from, in [0, 2^64).

    Raises:
        ValueError: ``seed`` is outside 0 to 2^64 − 1, or ``index`` is negative.
    """
    if not 0 <= seed <= MASK:
        raise ValueError(f"seed {seed} is outside 0 to 2^64 - 1")
    if index < 0:
        raise ValueError(f"stream {seed} has no word {index}: words count from 0")
    return (seed + (index + 1) * GAMMA) & MASK


def word(seed: int, index: int) -> int:
    """Word ``index`` (from 0) of stream ``seed``, in [0, 2^64)."""
    z = offset(seed, index)
    z = ((z ^ (z >> 30)) * MIX_1) & MASK
    z = ((z ^ (z >> 27)) * MIX_2) & MASK
    return z ^ (z >> 31)


def below(value: int, n: int) -> int:
    """Map a word to an integer in [0, n): its high 32 bits times n, shifted right by 32.

    No outcome's probability is off by more than 2^-32. In JavaScript, ``Math.floor(high * n / 2 ** 32)``, which
    is exact for n up to 2^21.

    Raises:
        ValueError: ``n`` is outside 1 to 2^32.
    """
    if not 1 <= n <= 2**32:
        raise ValueError(f"cannot draw below {n}: 1 to 2^32 are served")
    return (value >> 32) * n >> 32
