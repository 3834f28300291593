"""The lines of a file of any size, one in memory at a time.

A byte order mark, spaces around a line and its end are removed, and blank lines are skipped. Refused: lines above a size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from benchsite.errors import InputError

__all__ = ["lines"]

_BOM: Final = b"\xef\xbb\xbf"


def lines(chunks: Iterable[bytes], name: str, most: int, hint: str) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank, with its number from 1.

    Args:
        chunks: the file's bytes, cut anywhere.
        name: what errors call it.
        most: bytes of a line at most.
        hint: what to do about a longer one.

    Raises:
        InputError: a line is longer; its number is named.
    """
    held, size, number = list[bytes](), 0, 0
    for piece in chain(chunks, (b"\n",)):
        held.append(piece)
        size += len(piece)
        if b"\n" not in piece and size <= most:
            continue
        *whole, rest = b"".join(held).split(b"\n")
        for line in (*whole, rest) if len(rest) > most else whole:
            number += 1
            if len(line) > most:
                raise InputError(f"{name} line {number}: above {most:,} bytes", hint=hint)
            text = (line.removeprefix(_BOM) if number == 1 else line).strip(b" \t\r")
            if text:
                yield number, text
        held, size = [rest], len(rest)
