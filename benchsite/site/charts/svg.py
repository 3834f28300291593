"""Parts of every chart: the frame with title and description, lines, labels, and an axis with ticks (SVG 2).

A chart names itself in `<title>` and says in `<desc>` how to read it. Colors come from the style sheet by class: no style
attribute, no script. Every text is escaped here, and invisible characters in it are made visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Literal

from benchsite.site import formats

Anchor = Literal["start", "middle", "end"]


def drawing(css: str, size: tuple[int, int], title: str, description: str, parts: Iterable[str]) -> str:
    """Return a chart.

    Args:
        css: its classes.
        size: width and height in pixels.
        title: what the chart shows, with its numbers.
        description: how to read it.
        parts: lines, labels and other elements, back to front.
    """
    width, height = size
    return "".join(
        [
            f'<svg class="{css}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{escaped(title)}</title>",
            f"<desc>{escaped(description)}</desc>",
            *parts,
            "</svg>",
        ]
    )


def line(css: str, path: str) -> str:
    """Return a path of this class."""
    return f'<path class="{css}" d="{path}"/>'


def dot(x: float, y: float, radius: float, name: str = "") -> str:
    """Return a filled circle; a pointer over it shows its name."""
    at = f'cx="{x:g}" cy="{y:g}" r="{radius:g}"'
    return f"<circle {at}><title>{escaped(name)}</title></circle>" if name else f"<circle {at}/>"


def label(x: float, y: float, words: str, anchor: Anchor | None = None) -> str:
    """Return text at a place; `anchor` says which end of it lies there."""
    at = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{at}>{escaped(words)}</text>'


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis: values from `low` to `high` at positions from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a value, to a tenth of a pixel; a value outside is at the nearer end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def steps(self, count: int) -> list[float]:
        """Return the positions that part the axis into `count` equal steps, both ends included."""
        return [self.start + i * (self.end - self.start) / count for i in range(count + 1)]

    def numbers(self, values: Iterable[float], y: float) -> str:
        """Return the numbers below a horizontal axis."""
        return "".join(label(self.at(value), y, f"{value:g}", "middle") for value in values)


def ticks(positions: Iterable[float], top: float, length: float) -> str:
    """Return the path of vertical ticks."""
    return "".join(f"M{x:g} {top:g}v{length:g}" for x in positions)


def escaped(words: str) -> str:
    """Return text as markup, invisible characters made visible."""
    return escape(formats.visible(words))
