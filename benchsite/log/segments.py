"""How the entries lie in git: files of 256 lines that only ever grow at the end (specs/log.md).

Owns the framing of entries in segments; their paths are in `benchsite.layout`. A full segment holds the same entries as the tile
bundle of its number and never changes again.

Refuses a partial last line, empty lines, a segment that is too long, and a short segment that is not the last.
What a line means is the business of `benchsite.log.entries`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchsite.errors import InputError
from benchsite.layout import segment_path
from benchsite.log.entries import MAX_ENTRY_BYTES
from benchsite.log.errors import LogError

SEGMENT = 256
_WHOLE = "give the entries of one segment, as `encode_entry` writes them"


def place(index: int) -> str:
    """Where a reader finds an entry: file and 1-based line."""
    return f"{segment_path(index // SEGMENT)} line {index % SEGMENT + 1}"


def encode_segment(entries: Sequence[bytes]) -> bytes:
    """The bytes of one segment file: each entry and a newline. Takes 1 to 256 entries."""
    if not 1 <= len(entries) <= SEGMENT:
        raise InputError(f"log segment: {len(entries)} entries, expected 1 to {SEGMENT}", hint=_WHOLE)
    for entry in entries:
        if not 0 < len(entry) <= MAX_ENTRY_BYTES or b"\n" in entry:
            raise InputError(
                f"log segment: an entry of {len(entry)} bytes is empty, too long or has a newline in it",
                hint=_WHOLE,
            )
    return b"".join(entry + b"\n" for entry in entries)


def decode_segment(data: bytes, number: int) -> list[bytes]:
    """The entries of segment `number`, without their newlines; the exact inverse of `encode_segment`.

    Raises LogError naming the segment's file and the line.
    """
    path = segment_path(number)
    if not data:
        raise LogError(f"{path}: the segment is empty")
    if not data.endswith(b"\n"):
        line = data.count(b"\n") + 1
        raise LogError(f"{path} line {line}: the line is cut short (no newline at its end)")
    lines = data[:-1].split(b"\n")
    if len(lines) > SEGMENT:
        raise LogError(f"{path}: {len(lines)} lines, a segment has at most {SEGMENT}")
    lengths = [*map(len, lines)]
    if not 0 < min(lengths) <= max(lengths) <= MAX_ENTRY_BYTES:
        at, length = next(
            (at, length) for at, length in enumerate(lengths, 1) if not 0 < length <= MAX_ENTRY_BYTES
        )
        raise LogError(f"{path} line {at}: {length} bytes, expected 1 to {MAX_ENTRY_BYTES}")
    return lines


def decode_segments(segments: Iterable[bytes]) -> Iterator[bytes]:
    """All entries of a log from its segment files, number 0 first; only the last may be short. Each file is read in turn."""
    lines = SEGMENT
    for number, data in enumerate(segments):
        if lines != SEGMENT:
            raise LogError(
                f"{segment_path(number - 1)}: {lines} lines, expected {SEGMENT}, because another segment follows"
            )
        entries = decode_segment(data, number)
        lines = len(entries)
        yield from entries
