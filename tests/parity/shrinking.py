"""A smaller input of the same disagreement, for the message of a test that failed."""

from __future__ import annotations

from collections.abc import Callable


def shrunk(data: bytes, differs: Callable[[bytes], bool], *, asks: int = 300) -> bytes:
    """Leave out pieces, halves first, as long as the engines still differ; at most so many questions."""
    size = len(data) // 2
    while size and asks > 0:
        for start in range(0, len(data), size):
            asks -= 1
            less = data[:start] + data[start + size :]
            if asks > 0 and differs(less):
                data = less
                break
        else:
            size //= 2
    return data
