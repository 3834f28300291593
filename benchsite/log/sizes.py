"""The sizes at which a log has signed a checkpoint: `results/log/sizes`, one decimal a line (specs/log.md).

C2SP tlog-tiles asks for the partial tiles of every size that had a checkpoint. Past checkpoints are in the history of
git only, and `build` works in a shallow clone: this file is what it reads instead.

Refuses an empty file, numbers that are not canonical decimals from 1 to 2^53 - 1, sizes that do not increase, a last
line without its newline, and a file above 8 MiB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from benchsite.errors import InputError
from benchsite.layout import SIZES_PATH
from benchsite.log.checkpoint import MAX_SIZE
from benchsite.log.errors import LogError
from benchsite.log.sentences import said

MAX_SIZES_BYTES: Final = 8 << 20

_SIZE: Final = re.compile(rb"[1-9][0-9]{0,15}")


def encode_sizes(sizes: Sequence[int]) -> bytes:
    """The file's bytes. Takes at least one size, each larger than the one before."""
    if not sizes or sizes[0] < 1 or sizes[-1] > MAX_SIZE or any(old >= new for old, new in pairwise(sizes)):
        raise InputError(
            f"{SIZES_PATH}: sizes that are no increasing numbers from 1 to 2^53 - 1",
            hint="give each size that had a checkpoint once, the smallest first",
        )
    return b"".join(b"%d\n" % size for size in sizes)


def decode_sizes(data: bytes) -> tuple[int, ...]:
    """The exact inverse of `encode_sizes`. Raises LogError naming the line."""
    if len(data) > MAX_SIZES_BYTES:
        raise LogError(
            said("too-large", path=SIZES_PATH, count=f"{len(data):,}", most=f"{MAX_SIZES_BYTES:,}")
        )
    lines = data.split(b"\n")
    if lines.pop() or not lines:
        raise LogError(said("cut-short", path=SIZES_PATH, line=len(lines) + 1))
    sizes: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not _SIZE.fullmatch(line) or int(line) > MAX_SIZE:
            shown = line[:40].decode("ascii", "backslashreplace")
            raise LogError(
                f"{SIZES_PATH} line {number}: {shown!r} is not a decimal number from 1 to 2^53 - 1"
            )
        sizes.append(int(line))
        if number > 1 and sizes[-1] <= sizes[-2]:
            raise LogError(f"{SIZES_PATH} line {number}: {sizes[-1]} follows {sizes[-2]}, and sizes increase")
    return tuple(sizes)
