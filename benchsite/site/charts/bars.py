"""Bars of several scores that share one scale from 0 to 100, each with its number at the end."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from benchsite.site import formats

WIDTH: Final = 320
ROW: Final = 30
LEFT: Final = 30
RIGHT: Final = 262
THICK: Final = 12
FOOT: Final = 18

Bar = tuple[str, str, float, float, float]
"""Short name, full name, mean, lowest, highest."""


def bars(name: str, items: Sequence[Bar], *, least: float) -> str:
    """A bar a score, from 0; a line over the range where several were given.

    Args:
        name: what is drawn.
        items: scores of 100, top to bottom.
        least: the minimum possible score, a dotted line.
    """
    bottom = ROW * len(items)
    said = ", ".join(f"{full} {mean:.2f}" for _, full, mean, _, _ in items)
    spans = any(low != high for _, _, _, low, high in items)
    return "".join(
        [
            f'<svg class="bars" viewBox="0 0 {WIDTH} {bottom + FOOT}" width="{WIDTH}" height="{bottom + FOOT}" role="img">',
            f"<title>{escape(formats.visible(f'{name}: {said}'))}, each of 100</title>",
            f"<desc>Bars on a scale from 0 to 100; dotted line at {least:g}: minimum possible score",
            f"{'; thin lines: range of the scores' if spans else ''}.</desc>",
            f'<path class="base" d="M{LEFT} 0V{bottom}M{RIGHT} 0V{bottom}"/>',
            *(_bar(place, item) for place, item in enumerate(items)),
            f'<path class="ref" d="M{_x(least):g} 0V{bottom}"/>',
            f'<text x="{LEFT}" y="{bottom + 13}" text-anchor="middle">0</text>',
            f'<text x="{_x(least):g}" y="{bottom + 13}" text-anchor="middle">{least:g}</text>',
            f'<text x="{RIGHT}" y="{bottom + 13}" text-anchor="middle">100</text>',
            "</svg>",
        ]
    )


def _bar(place: int, item: Bar) -> str:
    short, _, mean, low, high = item
    middle = place * ROW + ROW / 2
    top = middle - THICK / 2
    span = f'<path class="span" d="M{_x(low):g} {middle:g}H{_x(high):g}"/>' if low != high else ""
    return (
        f'<text x="0" y="{middle + 4:g}">{escape(short)}</text>'
        f'<path class="bar" d="M{LEFT} {top:g}H{_x(mean):g}V{top + THICK:g}H{LEFT}Z"/>{span}'
        f'<text x="{WIDTH}" y="{middle + 4:g}" text-anchor="end">{mean:.2f}</text>'
    )


def _x(value: float) -> float:
    return round(LEFT + min(max(value, 0), 100) / 100 * (RIGHT - LEFT), 1)
