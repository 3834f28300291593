"""Bars of several scores that share one scale from 0 to 100, each with its number at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchsite.site.charts import svg

WIDTH: Final = 320
ROW: Final = 30
LEFT: Final = 30
RIGHT: Final = 262
THICK: Final = 12
FOOT: Final = 18
AXIS: Final = svg.Axis(0, 100, LEFT, RIGHT)

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
    return svg.drawing(
        "bars",
        (WIDTH, bottom + FOOT),
        f"{name}: {said}, each of 100",
        f"Bars on a scale from 0 to 100; dotted line at {least:g}: minimum possible score"
        f"{'; thin lines: range of the scores' if spans else ''}.",
        [
            svg.line("base", f"M{LEFT} 0V{bottom}M{RIGHT} 0V{bottom}"),
            *(_bar(place, item) for place, item in enumerate(items)),
            svg.line("ref", f"M{AXIS.at(least):g} 0V{bottom}"),
            AXIS.numbers((0, least, 100), bottom + 13),
        ],
    )


def _bar(place: int, item: Bar) -> str:
    short, _, mean, low, high = item
    middle = place * ROW + ROW / 2
    top = middle - THICK / 2
    span = svg.line("span", f"M{AXIS.at(low):g} {middle:g}H{AXIS.at(high):g}") if low != high else ""
    return (
        svg.label(0, middle + 4, short)
        + svg.line("bar", f"M{LEFT} {top:g}H{AXIS.at(mean):g}V{top + THICK:g}H{LEFT}Z")
        + span
        + svg.label(WIDTH, middle + 4, f"{mean:.2f}", "end")
    )
