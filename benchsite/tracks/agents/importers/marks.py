"""Which of many short marks occur in a text: one look at its pairs of bytes, then a search for the few that may.

A search costs about a nanosecond per byte and mark. A mark can occur only if every pair of neighboring bytes of it occurs, and
all pairs of a text are found at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Final

import numpy as np

__all__ = ["Marks"]

_SHORT: Final = 4_096
"""Bytes up to which searches for all marks are faster."""
_PAIRS: Final = 65_536
_PAIR: Final = np.dtype("<u2")


class Marks:
    """Marks of two or more bytes."""

    def __init__(self, marks: Iterable[str]) -> None:
        self._marks = tuple((mark, mark.encode("utf-8")) for mark in marks)
        pairs = [[data[at : at + 2] for at in range(len(data) - 1)] for _, data in self._marks]
        self._pairs = np.frombuffer(b"".join(pair for each in pairs for pair in each), _PAIR)
        self._starts = np.cumsum([0, *map(len, pairs[:-1])])

    def within(self, text: bytes) -> Sequence[str]:
        """Return the marks that occur in a text of UTF-8, in their own order."""
        if len(text) <= _SHORT:
            return [mark for mark, data in self._marks if data in text]
        seen = np.zeros(_PAIRS, dtype=bool)
        for start in (0, 1):
            seen[np.frombuffer(text, _PAIR, count=(len(text) - start) // 2, offset=start)] = True
        may_occur = np.logical_and.reduceat(seen[self._pairs], self._starts)
        return [mark for mark, data in compress(self._marks, may_occur) if data in text]
