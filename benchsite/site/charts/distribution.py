"""A distribution of shares as bars, with numbers of others as points above on the same axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from benchsite.site.charts import svg
from benchsite.words import amount

WIDTH: Final = 640
LEFT: Final = 12
BINS: Final = 40
BARS: Final = 90
STEP: Final = 9
FOOT: Final = 18
AXIS: Final = svg.Axis(0, 1, LEFT, WIDTH - LEFT)


def distribution(name: str, values: Sequence[float], points: Sequence[tuple[float, str]]) -> str:
    """Bars of the values in 40 equal steps from 0 to 1, and a point for each number above them.

    Args:
        name: what is drawn.
        values: the distribution, within [0, 1]; not empty.
        points: numbers of others, within [0, 1], each with its name; points of one step are stacked.
    """
    bars = Counter(map(_bin, values))
    stacks: Counter[int] = Counter()
    placed = []
    for value, words in sorted(points):
        stacks[_bin(value)] += 1
        placed.append((value, stacks[_bin(value)], words))
    top = STEP * (max(stacks.values(), default=0) + 1)
    base = top + BARS
    most = max(bars.values())
    return svg.drawing(
        "plot distribution",
        (WIDTH, base + FOOT),
        f"{name}: {len(values):,} scores from {min(values):.3f} to {max(values):.3f}, {amount(len(points), 'published number')}",
        "Bars: scores of the measured systems under each combination of settings. Points: published numbers, each at its value.",
        [
            svg.line("base", f"M{LEFT} {base}H{WIDTH - LEFT}"),
            *(svg.line("bar", _bar(place, count / most, base)) for place, count in sorted(bars.items())),
            *(svg.dot(AXIS.at(value), top - STEP * level, 3.5, words) for value, level, words in placed),
            AXIS.numbers((0, 0.25, 0.5, 0.75, 1), base + 13),
        ],
    )


def _bin(value: float) -> int:
    return min(int(value * BINS), BINS - 1)


def _bar(place: int, share: float, base: int) -> str:
    left, right = AXIS.at(place / BINS) + 1, AXIS.at((place + 1) / BINS) - 1
    return f"M{left:g} {base}V{base - round(share * BARS, 1):g}H{right:g}V{base}Z"
