"""Percentile bootstrap of a mean and the paired randomisation test, to the last bit.

Owns every resampled number, and the words of ``generator`` drawn many at a time. Values become fixed-point
integers round(value × 2^40) (ties to even) and their sums are exact, so the results depend on no summation
order, SIMD width or BLAS. Sources: Efron 1979 (percentile interval); Smucker, Allan and Carterette 2007
(randomisation test in IR). Refuses empty input, values that are not finite, pairs of unequal length, and
numpy's own streams, which change between its versions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from benchsite.stats.exact import Interval
from benchsite.stats.generator import GAMMA, MIX_1, MIX_2, offset

REPLICATES: Final = 10_000
FLIPS: Final = 10_000
ONE: Final = 2**40

# The 250th and 9,750th smallest: 2.5 % and 97.5 % of 10,000 by nearest rank.
_LOW, _HIGH = 249, 9_749

# A double counts exactly up to here, in whatever order, with or without fused multiplication.
_EXACT: Final = 2**53

# Words drawn at a time: the working arrays stay within a core's cache.
_CHUNK: Final = 2**16

# Words of one flip looked up at a time: 8 × 8 octets of 256 sums of 8 bytes are 128 KiB.
_WORDS: Final = 8

Words: TypeAlias = npt.NDArray[np.uint64]
Doubles: TypeAlias = npt.NDArray[np.float64]


def words(seed: int, start: int, count: int) -> Words:
    """Words ``start`` to ``start + count − 1`` of stream ``seed``: shape (count,)."""
    return _mixed(seed, start, np.arange(count, dtype=np.uint64))


def _mixed(seed: int, start: int, z: Words) -> Words:
    """Turn counters into the words of stream ``seed``, counted from ``start``, in place."""
    z *= np.uint64(GAMMA)
    z += np.uint64(offset(seed, start))
    shifted = np.empty_like(z)
    for shift, factor in ((30, MIX_1), (27, MIX_2)):
        np.right_shift(z, np.uint64(shift), out=shifted)
        z ^= shifted
        z *= np.uint64(factor)
    np.right_shift(z, np.uint64(31), out=shifted)
    z ^= shifted
    return z


def bootstrap_mean(values: Sequence[float], seed: int) -> Interval:
    """95 % percentile bootstrap interval of the mean of ``values``; see ``bootstrap_means``."""
    return bootstrap_means([values], seed)[0]


def bootstrap_means(columns: Sequence[Sequence[float]], seed: int) -> list[Interval]:
    """95 % percentile bootstrap intervals of the means of several columns over the same n queries.

    Replicate r of 10,000 draws query ``below(word(seed, r × n + i), n)`` for i = 0 to n − 1, the same for every
    column. The bounds are the 250th and 9,750th smallest of the replicates' exact sums, each divided by n × 2^40
    as the correctly rounded quotient of two integers.

    Args:
        columns: m metrics, each n finite numbers in one order of queries.
        seed: stream of the generator, 0 to 2^64 − 1.

    Raises:
        ValueError: no queries, columns of unequal length, or a number that is not finite.
    """
    if not columns:
        return []
    n = len(columns[0])
    if n == 0 or any(len(column) != n for column in columns):
        raise ValueError("the bootstrap needs columns of one length, at least 1")
    fixed = [_fixed(column) for column in columns]
    width, limbs = _limbs(fixed)
    sums = np.empty((REPLICATES, limbs.shape[0]))
    rows = max(1, _CHUNK // n)
    for first in range(0, REPLICATES, rows):
        last = min(first + rows, REPLICATES)
        # Not a BLAS product: its threads, on a busy machine, wait for each other ten times as long as they work.
        np.einsum("rn,mn->rm", _counts(seed, first, last, n), limbs, out=sums[first:last])
    ordered = np.partition(_joined(sums, len(columns), width), (_LOW, _HIGH), axis=0)
    bounds = zip(ordered[_LOW].tolist(), ordered[_HIGH].tolist(), strict=True)
    return [Interval(int(low) / (n * ONE), int(high) / (n * ONE)) for low, high in bounds]


def paired_randomisation(a: Sequence[float], b: Sequence[float], *, seed: int, flips: int = FLIPS) -> float:
    """Two-sided p-value of paired ``a`` and ``b`` having the same mean.

    Flip f swaps pair i when bit i mod 64 of word f × ceil(n ÷ 64) + floor(i ÷ 64) is set. A flip is extreme when
    the absolute sum of its differences is at least the observed one; p = (1 + extreme) ÷ (1 + flips).

    Args:
        a: one system's value for each of n queries.
        b: the other system's, in the same order.
        seed: stream of the generator, 0 to 2^64 − 1.
        flips: number of random sign assignments.

    Raises:
        ValueError: no pairs, unequal lengths, no flips, or a number that is not finite.
    """
    if len(a) != len(b) or not a or flips < 1:
        raise ValueError(f"cannot pair {len(a)} values with {len(b)} over {flips} flips")
    differences = [x - y for x, y in zip(_fixed(a), _fixed(b), strict=True)]
    observed = sum(differences)
    per_flip = -(-len(differences) // 64)
    sums = np.zeros(flips, dtype=np.int64 if _fits(differences) else object)
    # Few octets at a time, so that their table stays within a core's cache however many pairs there are.
    for start in range(0, per_flip, _WORDS):
        width = min(_WORDS, per_flip - start)
        swapped = _octet_sums(differences[64 * start : 64 * (start + width)], width * 8, sums.dtype)
        rows = _CHUNK // width
        for first in range(0, flips, rows):
            count = min(rows, flips - first)
            flip, at = np.arange(count, dtype=np.uint64), np.arange(width, dtype=np.uint64)
            counters: Words = np.add.outer(flip * np.uint64(per_flip), at)
            drawn = _mixed(seed, first * per_flip + start, counters).astype("<u8").view(np.uint8)
            for octet, table in enumerate(swapped):
                sums[first : first + count] += table.take(drawn[:, octet], mode="clip")
    extreme = int(np.count_nonzero(abs(observed - 2 * sums) >= abs(observed)))
    return (1 + extreme) / (1 + flips)


def _fixed(values: Sequence[float]) -> list[int]:
    """round(value × 2^40), ties to even; the scaling itself is exact."""
    if not all(map(math.isfinite, values)):
        raise ValueError("cannot resample a value that is not a finite number")
    return [round(value * ONE) for value in values]


def _counts(seed: int, first: int, last: int, n: int) -> Doubles:
    """How often replicates ``first`` to ``last − 1`` draw each of n queries: shape (replicates, n)."""
    drawn = words(seed, first * n, (last - first) * n)
    drawn >>= np.uint64(32)
    drawn *= np.uint64(n)
    drawn >>= np.uint64(32)
    cells = drawn.view(np.int64).reshape(last - first, n)
    cells += np.arange(0, cells.size, n)[:, np.newaxis]
    return np.bincount(cells.ravel(), minlength=cells.size).reshape(cells.shape).astype(np.float64)


def _limbs(columns: list[list[int]]) -> tuple[int, Doubles]:
    """Integers cut into limbs of which n sum exactly in a double: their width in bits, and shape (limbs × m, n).

    Rows 0 to m − 1 hold the least significant limbs. Metrics in [0, 1] over at most 8,191 queries need one.
    """
    n = len(columns[0])
    largest = max(abs(value) for column in columns for value in column)
    width = 53 - n.bit_length()
    if n * largest <= _EXACT:
        return width, np.array(columns, dtype=np.float64)
    mask = (1 << width) - 1
    top = largest.bit_length() // width
    limbs = [
        [value >> width * i if i == top else value >> width * i & mask for value in column]
        for i in range(top + 1)
        for column in columns
    ]
    return width, np.array(limbs, dtype=np.float64)


def _joined(sums: Doubles, m: int, width: int) -> npt.NDArray[Any]:
    """Sums of m columns put together from the sums of their limbs: shape (replicates, m)."""
    if sums.shape[1] == m:
        return sums
    # Python's integers: a column of token counts outgrows 63 bits.
    whole = sums.astype(np.int64).astype(object)
    joined = whole[:, :m]
    for i in range(m, sums.shape[1], m):
        joined = joined + (whole[:, i : i + m] << width * (i // m))
    return joined


def _octet_sums(differences: list[int], octets: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Sum of the differences each value of each octet of bits selects: shape (octets, 256)."""
    padded = np.array(differences + [0] * (8 * octets - len(differences)), dtype=dtype)
    table = np.zeros((octets, 256), dtype=padded.dtype)
    for bit in range(8):
        table[:, 1 << bit : 2 << bit] = table[:, : 1 << bit] + padded[bit::8, np.newaxis]
    return table


def _fits(differences: list[int]) -> bool:
    """Whether every sum the test forms stays within 63 bits."""
    return 3 * sum(map(abs, differences)) < 2**63
