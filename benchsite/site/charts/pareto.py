"""Systems by two metrics, each with its 95% CI, and the staircase of those that none beats (a Pareto front).

The front is a staircase: a straight line between two points would claim systems that do not exist.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from benchsite.board.rows import Estimate
from benchsite.board.view import Plot, Point, staircase
from benchsite.site.charts import svg
from benchsite.track import Metric
from benchsite.words import shortened

__all__ = ["pareto"]

WIDTH: Final = 560
HEIGHT: Final = 330
_LEFT: Final = 52
_RIGHT: Final = 546
_TOP: Final = 24
_BOTTOM: Final = 284
_NAMED: Final = 10
"""Points up to which each has its name; of more, those of the front alone."""
_LONGEST: Final = 26
_CHARACTER: Final = 6.4
_LINE: Final = 14.0

Box = tuple[float, float, float, float]


def pareto(plot: Plot) -> str:
    """Draw a scatter; the better corner is at the top, on the left if less of x is better."""
    x = _axis([one.x for one in plot.points], plot.x.metric, _LEFT, _RIGHT)
    y = _axis([one.y for one in plot.points], plot.y.metric, _BOTTOM, _TOP)
    steps = staircase(plot.points, is_cost=plot.x.is_cost)
    places = [(x.at(one.x.value or 0.0), y.at(one.y.value or 0.0)) for one in plot.points]
    parts = [*_frame(plot, x, y), svg.line("front", _front([(x.at(a), y.at(b)) for a, b in steps], plot))]
    for one, at in zip(plot.points, places, strict=True):
        parts += _mark(one, at, x, y)
    parts += _labels(plot, places, set(steps))
    said = "; ".join(
        f"{one.name}: {plot.x.metric.figure(one.x.value)}, {plot.y.metric.figure(one.y.value)}"
        for one in plot.points
    )
    return svg.drawing(
        "chart pareto",
        (WIDTH, HEIGHT),
        f"{plot.y.label} and {plot.x.label.lower()}. {said}",
        f"Horizontal: {plot.x.label}, {'less' if plot.x.is_cost else 'more'} is better; vertical: {plot.y.label}. "
        "Bars: 95% CI; dashed: Pareto front.",
        parts,
    )


def _axis(values: Sequence[Estimate], metric: Metric, start: float, end: float) -> svg.Axis:
    """From 0, or close below the least if it is far from 0, to a round number above the largest bound."""
    bounds = [bound for one in values for bound in one if bound is not None]
    least, most = min(bounds, default=0.0), max(bounds, default=1.0)
    step = _step((most - min(least, 0.0)) or 1.0)
    low = 0.0 if least >= 0 else math.floor(least / step) * step
    if least > 0 and least > 0.6 * most and most > least:
        step = _step(most - least)
        low = math.floor(least / step) * step
    high = max(math.ceil(round(most / step, 9)) * step, low + step)
    if metric.percent:
        high = min(high, 1.0)
    return svg.Axis(low, high, start, end)


def _step(span: float) -> float:
    """A round step of which four to eight make the span."""
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= 7)


def _ticks(axis: svg.Axis) -> list[float]:
    step = _step(axis.high - axis.low)
    count = math.floor(round((axis.high - axis.low) / step, 6))
    return [axis.low + i * step for i in range(count + 1)]


def _number(value: float, metric: Metric, step: float) -> str:
    if metric.percent:
        return f"{100 * value:.{0 if step >= 0.01 else 1}f}%"
    if abs(value) >= 10_000:
        return f"{value / 1000:,.0f}k"
    digits = max(0, -math.floor(math.log10(step))) if step < 1 else 0
    return f"{value:,.{min(digits, 6)}f}"


def _frame(plot: Plot, x: svg.Axis, y: svg.Axis) -> Iterator[str]:
    for tick in _ticks(y):
        at = y.at(tick)
        yield svg.line("grid", f"M{_LEFT} {at:g}H{_RIGHT}")
        yield svg.label(_LEFT - 6, at + 4, _number(tick, plot.y.metric, _step(y.high - y.low)), "end")
    for tick in _ticks(x):
        at = x.at(tick)
        yield svg.label(at, _BOTTOM + 17, _number(tick, plot.x.metric, _step(x.high - x.low)), "middle")
    yield svg.line("axis", f"M{_LEFT} {_BOTTOM}H{_RIGHT}")
    yield svg.label(_LEFT, _TOP - 10, plot.y.label.lower() if plot.y.metric.percent else plot.y.label)
    better = "less is better" if plot.x.is_cost else "more is better"
    unit = f" ({plot.x.metric.scale.strip()})" if plot.x.metric.scale else ""
    yield svg.label((_LEFT + _RIGHT) / 2, _BOTTOM + 38, f"{plot.x.label}{unit}, {better}", "middle")


def _front(steps: Sequence[tuple[float, float]], plot: Plot) -> str:
    """The staircase through places of the drawing, from the cheap side to the dear one."""
    if not steps:
        return f"M{_LEFT} {_BOTTOM}"
    if plot.x.is_cost:
        path = f"M{steps[0][0]:g} {_BOTTOM}" + "".join(f"H{x:g}V{y:g}" for x, y in steps)
        return f"{path}H{_RIGHT}"
    falling = list(reversed(steps))
    path = f"M{falling[0][0]:g} {_BOTTOM}" + "".join(f"H{x:g}V{y:g}" for x, y in falling)
    return f"{path}H{_LEFT}"


def _mark(one: Point, at: tuple[float, float], x: svg.Axis, y: svg.Axis) -> Iterator[str]:
    tone = " base" if one.is_baseline else ""
    if one.y.low is not None and one.y.high is not None:
        yield svg.line(f"ci{tone}", f"M{at[0]:g} {y.at(one.y.low):g}V{y.at(one.y.high):g}")
    if one.x.low is not None and one.x.high is not None:
        yield svg.line(f"ci{tone}", f"M{x.at(one.x.low):g} {at[1]:g}H{x.at(one.x.high):g}")
    shape = " hollow" if one.is_elsewhere else tone
    yield svg.line(f"pt{shape}", f"M{at[0] - 4:g} {at[1]:g}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z")


def _labels(
    plot: Plot, places: Sequence[tuple[float, float]], front: set[tuple[float, float]]
) -> Iterator[str]:
    """Names beside points, where they cover no other name and no point; a name without such a place isn't drawn."""
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    order = sorted(range(len(places)), key=lambda i: places[i][1])
    for i in order:
        one, (x, y) = plot.points[i], places[i]
        if len(places) > _NAMED and (one.x.value, one.y.value) not in front:
            continue
        name = shortened(one.name, _LONGEST)
        found = next(
            (offer for offer in _offers(x, y, name) if not any(_meets(offer[1], box) for box in taken)), None
        )
        if found is None:
            continue
        (at_x, at_y, anchor), box = found
        taken.append(box)
        yield svg.label(at_x, at_y, name, anchor)


def _offers(x: float, y: float, name: str) -> Iterator[tuple[tuple[float, float, svg.Anchor], Box]]:
    """Places of a name, the best first, within the drawing."""
    width = len(name) * _CHARACTER
    places: list[tuple[float, float, svg.Anchor]] = [
        (x + 9, y - 6, "start"),
        (x + 9, y + 15, "start"),
        (x - 9, y - 6, "end"),
        (x - 9, y + 15, "end"),
        (x, y - 16, "middle"),
        (x, y + 25, "middle"),
    ]
    for at_x, at_y, anchor in places:
        left = at_x - {"start": 0.0, "end": width, "middle": width / 2}[anchor]
        box = (left, at_y - 10, left + width, at_y - 10 + _LINE)
        if box[0] >= _LEFT - 4 and box[2] <= WIDTH and box[1] >= 0 and box[3] <= _BOTTOM + 4:
            yield (at_x, at_y, anchor), box


def _meets(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
