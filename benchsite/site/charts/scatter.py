"""Points with intervals over a logarithmic axis, and the staircase of those that none beats (a Pareto front).

The front is a staircase: a straight line between two points would claim systems that do not exist.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from benchsite.site.charts import svg

WIDTH: Final = 372
HEIGHT: Final = 300
LEFT: Final = 40
RIGHT: Final = 360
TOP: Final = 16
BOTTOM: Final = 256
_NEAR: Final = 13


class Point(Protocol):
    """One system: a short label, its name, x > 0, y and its interval in [0, 1], None without one; its shape.

    A shape is `diamond`, `square` or `circle`.
    """

    @property
    def label(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def x(self) -> float: ...  # noqa: D102
    @property
    def y(self) -> float: ...  # noqa: D102
    @property
    def low(self) -> float | None: ...  # noqa: D102
    @property
    def high(self) -> float | None: ...  # noqa: D102
    @property
    def shape(self) -> str: ...  # noqa: D102


def scatter(
    name: str, points: Sequence[Point], *, x_words: str, reference: tuple[str, float] | None = None
) -> str:
    """Draw shares over a logarithmic axis.

    Args:
        name: what is drawn.
        points: more of y is better, less of x is better.
        x_words: the name of the horizontal axis.
        reference: words and height of a dotted line.
    """
    heights = [value for one in points for value in (one.y, one.high or one.y)]
    top = min(
        1.0, max(0.2, math.ceil(max([*heights, reference[1] if reference else 0.0], default=1.0) * 5) / 5)
    )
    y = svg.Axis(0.0, top, BOTTOM, TOP)
    low, high = _decades([one.x for one in points])
    x = svg.Axis(math.log10(low), math.log10(high), LEFT, RIGHT)
    places = [(x.at(math.log10(one.x)), y.at(one.y)) for one in points]
    parts = [*_frame(x, y, low, high, x_words)]
    if reference is not None:
        words, value = reference
        parts += [
            svg.line("ref", f"M{LEFT} {y.at(value):g}H{RIGHT}"),
            svg.label(RIGHT, y.at(value) - 4, words, "end"),
        ]
    if points:
        parts.append(svg.line("front", _front(places)))
    for one, (at_x, at_y) in zip(points, places, strict=True):
        if one.low is not None and one.high is not None:
            parts.append(svg.line("ci", f"M{at_x:g} {y.at(one.low):g}V{y.at(one.high):g}"))
        parts.append(_mark(one.shape, at_x, at_y))
    parts += list(_labels(points, places))
    said = ", ".join(f"{one.label} {one.name}: {100 * one.y:.1f}% at {one.x:,.0f}" for one in points)
    return svg.drawing(
        "chart", (WIDTH, HEIGHT), f"{name}: {said}", f"Vertical: success; horizontal: {x_words}.", parts
    )


def front(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points (x, y) that none beats, by x: no other has as little x and more y."""
    kept: list[tuple[float, float]] = []
    for x, y in sorted(points, key=lambda one: (one[0], -one[1])):
        if not kept or y > kept[-1][1]:
            kept.append((x, y))
    return kept


def _front(places: Sequence[tuple[float, float]]) -> str:
    """The staircase; on the drawing less of y is higher."""
    steps = front([(x, -y) for x, y in places])
    first = steps[0]
    return f"M{first[0]:g} {BOTTOM}" + "".join(f"H{x:g}V{-y:g}" for x, y in steps) + f"H{RIGHT}"


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Bounds of the form 1 or 3 times a power of ten, around the values."""
    low, high = min(values, default=1.0), max(values, default=10.0)
    ticks = [factor * 10.0**power for power in range(-3, 16) for factor in (1, 3)]
    bottom = max((tick for tick in ticks if tick < low), default=low / 2)
    top = min((tick for tick in ticks if tick > high), default=high * 2)
    return bottom, top


def _frame(x: svg.Axis, y: svg.Axis, low: float, high: float, x_words: str) -> Iterator[str]:
    for i in range(round(y.high * 5) + 1):
        at = y.at(i / 5)
        yield svg.line("grid", f"M{LEFT} {at:g}H{RIGHT}") + svg.label(LEFT - 6, at + 4, f"{20 * i}%", "end")
    for power in range(-3, 16):
        for factor in (1, 3):
            tick = factor * 10.0**power
            if low <= tick <= high:
                at = x.at(math.log10(tick))
                yield svg.line("axis", f"M{at:g} {BOTTOM}v4") + svg.label(
                    at, BOTTOM + 16, _short(tick), "middle"
                )
    yield svg.line("axis", f"M{LEFT} {BOTTOM}H{RIGHT}")
    yield svg.label((LEFT + RIGHT) / 2, BOTTOM + 36, f"{x_words} (log)", "middle")


def _short(value: float) -> str:
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _mark(shape: str, x: float, y: float) -> str:
    if shape == "diamond":
        return svg.line("pt", f"M{x:g} {y - 5.5:g}l5.5 5.5l-5.5 5.5l-5.5 -5.5z")
    if shape == "square":
        return svg.line("pt hollow", f"M{x - 4:g} {y - 4:g}h8v8h-8z")
    return svg.line("pt", f"M{x - 4:g} {y:g}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z")


def _labels(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> Iterator[str]:
    """A label beside each point, where it covers no other point and no other label, if there is such a place."""
    taken = list(places)
    for one, (x, y) in zip(points, places, strict=True):
        offers = [
            (x + 11, y),
            (x - 11, y),
            (x + 8, y - 11),
            (x + 8, y + 12),
            (x - 8, y - 11),
            (x - 8, y + 12),
        ]
        free = [at for at in offers if all(_away(at, other) > _NEAR for other in taken if other != (x, y))]
        at_x, at_y = next(iter(free), offers[0])
        taken.append((at_x, at_y))
        yield svg.label(at_x, at_y + 4, one.label, "start" if at_x > x else "end")


def _away(one: tuple[float, float], other: tuple[float, float]) -> float:
    return math.hypot(one[0] - other[0], one[1] - other[1])
