"""A point and its interval on a scale that a whole table shares: the rows of a forest plot."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from benchsite.site import formats
from benchsite.site.charts import svg
from benchsite.track import Metric

WIDTH: Final = 200
HEIGHT: Final = 22
MARGIN: Final = 4
_STEPS: Final = (0.02, 0.05, 0.1, 0.2)

_TICKS: Final = svg.ticks(svg.Axis(0, 1, MARGIN, WIDTH - MARGIN).steps(3), 7, 8)

SHARE: Final = Metric("share")

Tone = Literal["", "baseline"]


@dataclass(frozen=True, slots=True)
class Scale:
    """A shared horizontal axis; `baseline` is the position of the reference line, if any.

    `metric` is what is drawn: it decides how numbers are written, and where a scale of points ends.
    """

    low: float
    high: float
    baseline: float | None = None
    metric: Metric = SHARE

    @classmethod
    def around(cls, values: Iterable[float], baseline: float | None = None, metric: Metric = SHARE) -> Scale:
        """The tightest round bounds within [0, 1] that hold every value and the baseline; the whole of any other scale."""
        if metric.most != 1:
            return cls(0.0, metric.most, baseline, metric)
        kept = [*values, *([] if baseline is None else [baseline])]
        if not kept:
            return cls(0.0, 1.0, baseline, metric)
        low, high = min(kept), max(kept)
        step = next((step for step in _STEPS if (high - low) / step <= 6), _STEPS[-1])
        bottom = max(0, math.floor(round(low / step, 9)))
        top = max(min(round(1 / step), math.ceil(round(high / step, 9))), bottom + 1)
        return cls(round(bottom * step, 9), round(top * step, 9), baseline, metric)

    @classmethod
    def balanced(cls, bound: float) -> Scale:
        """The same distance on both sides of 0, for differences of shares."""
        return cls(-bound, bound, 0.0, Metric("difference", percent=True))

    @property
    def words(self) -> str:
        """`0.25–0.55`, `0–100`, or `0–60%`."""
        if self.metric.percent:
            return f"{100 * self.low:.0f}–{self.end(self.high)}"
        return f"{self.end(self.low)}–{self.end(self.high)}"

    def end(self, value: float) -> str:
        """A round number on the axis."""
        if self.metric.percent:
            return f"{100 * value:.0f}%"
        return f"{value:.{2 if self.metric.most == 1 else 0}f}"

    def figure(self, value: float) -> str:
        """A measured number, with the decimals of its metric."""
        return formats.score(value, self.metric)

    def x(self, value: float) -> float:
        """Horizontal position; values outside are held at the edge."""
        return svg.Axis(self.low, self.high, MARGIN, WIDTH - MARGIN).at(value)


def interval_plot(
    name: str,
    value: float | None,
    low: float | None,
    high: float | None,
    scale: Scale,
    *,
    tone: Tone = "",
    title: str = "",
) -> str:
    """One row of a forest plot: a point and its 95% CI on a shared scale.

    A point outside the scale becomes an arrow at the edge, never a point in a wrong place. `title` says what is drawn if the
    line is another range than a CI.
    """
    middle = HEIGHT / 2
    parts = [svg.line("base", f"M{MARGIN} {middle:g}H{WIDTH - MARGIN}{_TICKS}")]
    if scale.baseline is not None:
        parts.append(svg.line("ref", f"M{scale.x(scale.baseline):g} 1V{HEIGHT - 1}"))
    if value is not None:
        parts.append(_mark(value, low, high, scale, middle))
    return svg.drawing(
        f"plot {tone}".rstrip(),
        (WIDTH, HEIGHT),
        title or _words(name, value, low, high, scale),
        f"Scale {scale.words}{_baseline_words(scale)}.",
        parts,
    )


def _mark(value: float, low: float | None, high: float | None, scale: Scale, middle: float) -> str:
    if value < scale.low or value > scale.high:
        at, way = (MARGIN, 5) if value < scale.low else (WIDTH - MARGIN, -5)
        return svg.line("off", f"M{at} {middle:g}l{way} -4v8z")
    interval = ""
    if low is not None and high is not None:
        interval = svg.line("ci", f"M{scale.x(low):g} {middle:g}H{scale.x(high):g}")
    return interval + svg.dot(scale.x(value), middle, 3.5)


def _words(name: str, value: float | None, low: float | None, high: float | None, scale: Scale) -> str:
    if value is None:
        return f"{name}: no value"
    if low is None or high is None:
        return f"{name}: {scale.figure(value)}, no CI"
    return f"{name}: {scale.figure(value)}, 95% CI [{scale.figure(low)}, {scale.figure(high)}]"


def _baseline_words(scale: Scale) -> str:
    return "" if scale.baseline is None else f"; dashed line at {scale.figure(scale.baseline)}"
