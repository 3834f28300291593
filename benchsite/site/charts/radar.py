"""A radar of several dimensions that share one scale of whole steps.

Each axis starts at 0 in the center and ends at the highest step. Where several sheets disagree, a line on the axis spans
their range. The area depends on the order of the axes, and the `<desc>` says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from benchsite.site.charts import svg

SIDE: Final = 300
HEIGHT: Final = 268
RIM: Final = 100
MIDDLE: Final = (SIDE / 2, HEIGHT / 2)

Spoke = tuple[str, str, float, float, float]
"""Short name, full name, mean, lowest, highest."""


def radar(name: str, spokes: Sequence[Spoke], *, steps: int = 5) -> str:
    """The dimensions of a subject as a closed line, with a ring a step.

    Args:
        name: what is drawn.
        spokes: at least three, clockwise from the top.
        steps: the highest score, at the rim.
    """
    count = len(spokes)
    said = ", ".join(f"{full} {mean:.2f}" for _, full, mean, _, _ in spokes)
    rings = "".join(
        _closed([_at(i, count, step / steps) for i in range(count)]) for step in range(1, steps + 1)
    )
    axes = "".join(f"M{_text(MIDDLE)}L{_text(_at(i, count, 1))}" for i in range(count))
    spans = "".join(
        f"M{_text(_at(i, count, low / steps))}L{_text(_at(i, count, high / steps))}"
        for i, (_, _, _, low, high) in enumerate(spokes)
        if low != high
    )
    points = [_at(i, count, mean / steps) for i, (_, _, mean, _, _) in enumerate(spokes)]
    return svg.drawing(
        "radar",
        (SIDE, HEIGHT),
        f"{name}: {said}, each of {steps}",
        f"One axis per dimension, from 0 at the center to {steps} at the rim, with a ring at every whole score"
        f"{'; a line along an axis spans the range of the scores' if spans else ''}. "
        "The area has no meaning: it depends on the order of the axes.",
        [
            svg.line("base", f"{rings}{axes}"),
            svg.line("shape", _closed(points)),
            svg.line("span", spans) if spans else "",
            *(svg.dot(x, y, 3.2) for x, y in points),
            *(_label(i, count, spoke) for i, spoke in enumerate(spokes)),
        ],
    )


def _at(place: int, count: int, share: float) -> tuple[float, float]:
    """Where a share of the way to the rim lies on an axis."""
    angle = 2 * math.pi * place / count
    x, y = MIDDLE
    return round(x + share * RIM * math.sin(angle), 1), round(y - share * RIM * math.cos(angle), 1)


def _label(place: int, count: int, spoke: Spoke) -> str:
    x, y = _at(place, count, 1.14)
    across = math.sin(2 * math.pi * place / count)
    anchor: svg.Anchor = "middle" if abs(across) < 0.1 else "start" if across > 0 else "end"
    return svg.label(x, y + 4, f"{spoke[0]} {spoke[2]:.2f}", anchor)


def _closed(points: Sequence[tuple[float, float]]) -> str:
    return f"M{'L'.join(_text(point) for point in points)}Z"


def _text(point: tuple[float, float]) -> str:
    return f"{point[0]:g} {point[1]:g}"
