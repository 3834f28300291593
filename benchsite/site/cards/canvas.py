"""A picture of 1200 × 630 pixels as a PNG (RFC 2083) of one byte a pixel, with letters drawn in advance.

A build has no font engine: `tests/browser/letters.py` drew the letters from the theme's fonts, in 16 levels.
"""

from __future__ import annotations

import json
import struct
import unicodedata
import zlib
from base64 import b64decode
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, Literal, NamedTuple

__all__ = ["HEIGHT", "WIDTH", "Canvas", "Color", "Style", "fitted", "width"]

Style = Literal["title", "name", "bold", "text", "figure"]
Color = Literal["ink", "soft", "accent", "baseline", "rule"]

WIDTH: Final = 1200
HEIGHT: Final = 630
_LEVELS: Final = 16
_PAPER: Final = (0xFB, 0xFA, 0xF6)
_COLORS: Final[dict[Color, tuple[int, int, int]]] = {
    "ink": (0x17, 0x19, 0x1C),
    "soft": (0x54, 0x58, 0x5E),
    "accent": (0x12, 0x5A, 0x55),
    "baseline": (0xA3, 0x9C, 0x8C),
    "rule": (0xD8, 0xD3, 0xC6),
}
_FIRST: Final = {color: place * _LEVELS for place, color in enumerate(_COLORS)}
_INKED: Final = {
    color: bytes([0, *(first + level for level in range(1, _LEVELS)), *range(_LEVELS, 256)])
    for color, first in _FIRST.items()
}
"""What a byte of a letter becomes in each color; nothing stays the paper."""
_UNKNOWN: Final = "?"


class _Letter(NamedTuple):
    """One letter: its advance in 1/64 pixel, and its rows of levels from `left` and `top` of the pen."""

    advance: int
    left: int
    top: int
    rows: tuple[bytes, ...]


class Canvas:
    """Pixels by color and level; later marks cover earlier ones."""

    def __init__(self) -> None:
        self._pixels = bytearray(WIDTH * HEIGHT)

    def fill(self, x: float, y: float, w: float, h: float, color: Color) -> None:
        """Fill a rectangle."""
        left, right = max(0, round(x)), min(WIDTH, round(x + w))
        row = bytes([_FIRST[color] + _LEVELS - 1]) * max(0, right - left)
        for at in range(max(0, round(y)), min(HEIGHT, round(y + h))):
            self._pixels[at * WIDTH + left : at * WIDTH + left + len(row)] = row

    def dot(self, x: float, y: float, radius: float, color: Color) -> None:
        """Draw a filled circle with a soft edge."""
        reach = int(radius) + 2
        for row in range(round(y) - reach, round(y) + reach + 1):
            for column in range(round(x) - reach, round(x) + reach + 1):
                away = ((row - y) ** 2 + (column - x) ** 2) ** 0.5
                level = round(min(1.0, max(0.0, radius + 0.5 - away)) * (_LEVELS - 1))
                at = row * WIDTH + column
                if (
                    0 <= row < HEIGHT
                    and 0 <= column < WIDTH
                    and (level == _LEVELS - 1 or (level and not self._pixels[at]))
                ):
                    self._pixels[at] = _FIRST[color] + level

    def text(self, x: float, y: float, words: str, style: Style, color: Color = "ink") -> None:
        """Write a line from `x`, on the base line `y`; what is right of the edge is lost."""
        pen = round(64 * x)
        for letter in _letters(words, style):
            left = (pen >> 6) + letter.left
            pen += letter.advance
            if not letter.rows or left < 0 or left + len(letter.rows[0]) > WIDTH:
                continue
            for row, levels in enumerate(letter.rows, round(y) + letter.top):
                if 0 <= row < HEIGHT:
                    start = row * WIDTH + left
                    under = self._pixels[start : start + len(levels)]
                    inked = levels.translate(_INKED[color])
                    if any(under):
                        inked = bytes(map(max, inked, under))
                    self._pixels[start : start + len(levels)] = inked

    def png(self) -> bytes:
        """Return the file."""
        lines = b"".join(
            b"\0" + self._pixels[start:end] for start, end in pairwise(range(0, len(self._pixels) + 1, WIDTH))
        )
        header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
        chunks = (
            (b"IHDR", header),
            (b"PLTE", _palette()),
            (b"IDAT", zlib.compress(lines, 6)),
            (b"IEND", b""),
        )
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in chunks
        )


def width(words: str, style: Style) -> float:
    """The width of a line in pixels."""
    return sum(letter.advance for letter in _letters(words, style)) / 64


def fitted(words: str, style: Style, room: float) -> str:
    """A line, cut with an ellipsis if it is wider than `room` pixels."""
    if width(words[:400], style) <= room and len(words) <= 400:
        return words
    kept = words[:400]
    while kept and width(f"{kept}…", style) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def _letters(words: str, style: Style) -> list[_Letter]:
    """The letters of a line: without accents, and a question mark for each that was not drawn."""
    known = _drawn()[style]
    plain = (
        one
        for letter in words
        for one in (letter if letter in known else unicodedata.normalize("NFKD", letter))
        if not unicodedata.combining(one)
    )
    return [known.get(letter) or known.get(_UNKNOWN) or known["–"] for letter in plain]


@cache
def _drawn() -> dict[str, dict[str, _Letter]]:
    made = json.loads(files(__package__).joinpath("letters.json").read_bytes())
    levels = zlib.decompress(b64decode(made["levels"]))
    return {
        style: {
            letter: _Letter(
                advance, left, top, tuple(levels[at + row * w : at + (row + 1) * w] for row in range(h))
            )
            for letter, (advance, left, top, w, h, at) in shapes.items()
        }
        for style, shapes in made["shapes"].items()
    }


def _palette() -> bytes:
    """For each color, its mixtures with the paper, of which the first is the paper."""
    return bytes(
        round(paper + (full - paper) * level / (_LEVELS - 1))
        for color in _COLORS.values()
        for level in range(_LEVELS)
        for paper, full in zip(_PAPER, color, strict=True)
    )
